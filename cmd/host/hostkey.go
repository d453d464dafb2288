package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/tidelock/tidelock/netcode/kcplink"
)

// hostKey returns the key pair by which players recognize a restarted host (G15): from a file, which is created
// if it does not exist. Without a file name it uses one in the user's cache folder, by port. If there is no
// such folder, and for a port that the system chooses, it is the zero key, for which the link creates a new key
// in each run.
func hostKey(file, listen string) (kcplink.Key, error) {
	if file != "" {
		key, err := playerKey(file)
		if err != nil {
			err = usageError{fmt.Errorf("--host-key: %w", err)}
		}
		return key, err
	}
	_, port, err := net.SplitHostPort(listen)
	if err != nil || port == "0" || port == "" {
		return kcplink.Key{}, nil //nolint:nilerr // checked when the address is bound
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return kcplink.Key{}, nil //nolint:nilerr // a machine without such a folder
	}
	dir := filepath.Join(cache, "tidelock", "keys")
	if os.MkdirAll(dir, 0o700) != nil {
		return kcplink.Key{}, nil
	}
	file = filepath.Join(dir, "host-"+filepath.Base(port))
	key, err := playerKey(file)
	var pe *os.PathError
	if errors.As(err, &pe) || errors.As(err, new(usageError)) {
		return kcplink.Key{}, nil // it cannot be read or written
	}
	if err != nil {
		return key, usageError{fmt.Errorf("%w; or remove it, and the host makes another", err)}
	}
	return key, nil
}
