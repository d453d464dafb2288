package main

import (
	"time"

	"github.com/tidelock/tidelock/cmd/host/crossing"
	"github.com/tidelock/tidelock/cmd/host/directory"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/server"
)

// crossed is the game as its crossing uses it. It implements [crossing.Host].
type crossed struct{ g *game }

// Current implements [crossing.Host].
func (c crossed) Current() (*match.Match, *server.Server) {
	if c.g.door == nil {
		return c.g.Match, nil
	}
	return c.g.Match, c.g.door.Server()
}

// Directory implements [crossing.Host].
func (c crossed) Directory() *directory.Directory { return c.g.keeping.hosts.dir }

// Refuses implements [crossing.Host].
func (c crossed) Refuses() string {
	if c.g.drain.Active() {
		return "it is draining"
	}
	return ""
}

// Token implements [crossing.Host].
func (c crossed) Token(name string, key [32]byte) (string, error) {
	now := time.Now()
	return c.g.door.IssueToken(kcplink.TokenClaims{Name: name, Key: key, Issued: now, Expires: now.Add(crossing.TokenFor)})
}
