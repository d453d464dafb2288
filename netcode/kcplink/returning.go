package kcplink

import (
	"time"

	"github.com/tidelock/tidelock/netcode/link"
)

// returningFor is for how long somebody may come back without a token, and mostReturning how many are remembered.
const (
	returningFor  = time.Hour
	mostReturning = 4096
)

// returning are players who came in by a token that this process issued itself, which is for one use: another host sent them (C6). They
// prove the same key when they come back after a lost connection, and need neither a token nor a password for an hour after they last
// came in.
//
// Invariant: at most mostReturning, none of them past until; the zero value is empty.
type returning struct {
	by map[[32]byte]returner
}

// returner is a player who may come back.
type returner struct {
	name  string // of the token
	until time.Duration
}

// add remembers a player who came in. Where there is no room, the one who came in first is forgotten.
func (r *returning) add(id link.Identity, now time.Duration) {
	if r.by == nil {
		r.by = map[[32]byte]returner{}
	}
	if _, known := r.by[id.Key]; !known && len(r.by) >= mostReturning {
		var oldest [32]byte
		least := time.Duration(-1)
		for key, p := range r.by { // any order: one of the earliest
			if least < 0 || p.until < least {
				oldest, least = key, p.until
			}
		}
		delete(r.by, oldest)
	}
	r.by[id.Key] = returner{name: id.Name, until: now + returningFor}
}

// take reports whether a player whose key is proved comes back, and gives them their name again.
func (r *returning) take(c *Conn) bool {
	p, ok := r.by[c.ident.Key]
	if ok && c.l.now >= p.until {
		delete(r.by, c.ident.Key)
		ok = false
	}
	if ok {
		c.ident.Name = p.name
		r.add(c.ident, c.l.now)
	}
	return ok
}
