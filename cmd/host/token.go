package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink"
)

type tokenCmd struct {
	Key     string        `required:"" only:"cli" placeholder:"FILE" help:"The operator's key, the same file as --token-key of the host."`
	NewKey  bool          `only:"cli" help:"Create the key file, readable only by its owner; with --name, also issue a token."`
	Name    string        `only:"cli" help:"The player's name: at most 64 bytes. The game receives it as proved."`
	Server  string        `only:"cli" placeholder:"NAME" help:"The server it is for: the host's --server-name."`
	Expires time.Duration `only:"cli" default:"60s" range:"1s,24h" help:"How long it can be used to join. It does not end the play."`
}

// Run prints a connect token, alone, so that it can be piped.
func (c *tokenCmd) Run(sys *system) error {
	if c.NewKey {
		if err := newTokenKey(c.Key); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(sys.stderr, "wrote %s; give it to the host as --token-key and keep it from everybody else\n", c.Key); err != nil {
			return err
		}
	}
	if c.Name == "" {
		if c.NewKey {
			return nil
		}
		return usageError{errors.New("token: --name is missing; give the name of the player whom it lets in")}
	}
	key, err := readTokenKey(c.Key)
	if err != nil {
		return usageError{err}
	}
	now := time.Now()
	token, err := kcplink.IssueToken(key, kcplink.TokenClaims{Name: c.Name, Server: c.Server, Issued: now, Expires: now.Add(c.Expires)})
	if err != nil {
		return usageError{err}
	}
	_, err = fmt.Fprintln(sys.stdout, token)
	return err
}
