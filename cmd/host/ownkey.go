package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tidelock/tidelock/netcode/kcplink"
)

// ownKeyFile is the key that a user's host join has by default, in the folder tidelock of their config folder (C2).
const ownKeyFile = "player.key"

// errKeyBusy means that another process has the key.
var errKeyBusy = errors.New("another host join of yours plays with your key")

// ownKey returns the user's own key and what gives it back. The file is made when it is first needed. One process at a time has the
// key, as far as the system knows locks: with the same key a host would close the connection of the first, and somebody who opens two
// terminals wants two players. guest says why the user plays without a key: it is in use, or there is no folder to keep it in. A file
// that is there and is no key is an error, because a new key would be another player.
func ownKey() (key kcplink.Key, release func(), guest, err error) {
	release = func() {}
	config, err := os.UserConfigDir()
	if err != nil {
		return key, release, err, nil
	}
	dir := filepath.Join(config, "tidelock")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return key, release, err, nil
	}
	unlock, err := tryLock(filepath.Join(dir, ownKeyFile+".lock"))
	if err != nil {
		return key, release, err, nil
	}
	file := filepath.Join(dir, ownKeyFile)
	if key, err = playerKey(file); err == nil {
		return key, unlock, nil, nil
	}
	unlock()
	if _, missing := os.Stat(file); missing != nil {
		return kcplink.Key{}, release, err, nil // it could not be made
	}
	return kcplink.Key{}, release, nil, fmt.Errorf("%w; or remove it, and you are a new player to all hosts", err)
}

// identify sets the key of the player, and returns what gives it back at the end of the visit.
func (c *joinCmd) identify(key *kcplink.Key) (release func(), err error) {
	release = func() {}
	switch {
	case c.Key != "":
		if *key, err = playerKey(c.Key); err != nil {
			err = usageError{fmt.Errorf("--key: %w", err)}
		}
		return release, err
	case c.Guest || c.Token != "": // a token is an identity
		return release, nil
	}
	var guest error
	if *key, release, guest, err = ownKey(); err != nil {
		return release, usageError{err}
	}
	if guest != nil {
		c.notices.say(guest.Error() + "; you play as a guest, of whom nothing is kept; --key FILE makes another player, --guest hides this line")
	}
	return release, nil
}
