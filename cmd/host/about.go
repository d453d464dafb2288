package main

import (
	"cmp"
	"fmt"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/query"
	"github.com/tidelock/tidelock/netcode/kcplink"
)

// about keeps the link's answer to queries up to date. It belongs to the loop's goroutine.
type about struct {
	host *query.Description // what does not change; nil answers no queries
	link *kcplink.Link

	// asked is the match whose text was read last.
	asked *match.Match
	// match, in and most are those of the answer that the link has.
	match    *match.Match
	in, most int
}

// advertise gives the link a new answer to queries if the match or the number of players has changed, and browsers what the game shows
// on their join screen. It checks that once a second of the match.
func (g *game) advertise() {
	a := &g.about
	known := a.asked == g.Match && (a.host == nil || a.match == g.Match)
	if known && g.rules.Tick > 0 && g.World.Frame()%uint64(g.rules.Tick) != 0 {
		return
	}
	a.asked = g.Match
	if text := g.Match.JoinText(); text != g.JoinText() {
		g.joinText.Store(text)
	}
	if a.host == nil {
		return
	}
	in, _ := g.door.Players()
	most := g.MaxPlayers()
	if a.match == g.Match && a.in == in && a.most == most {
		return
	}
	a.match, a.in, a.most = g.Match, in, most
	d := *a.host
	d.Level, d.Game, d.Players, d.Max, d.Rules = g.levelName(), g.Game.Class.Name, in, most, g.Rules()
	d.Password = d.Password || g.Locked()
	d.Draining = g.drain.Active()
	text, err := d.Encode(kcplink.MaxInfo)
	if err == nil {
		err = a.link.SetInfo(text)
	}
	if err != nil {
		g.log.Warn("Queries are no longer answered: "+err.Error(), "event", "query")
		a.host = nil
	}
}

// relimit makes the settings of a host that can change while players play those of f: the live ones in this match and all that follow, those
// of a level (levelSettings) when the next one begins. It belongs to
// the loop's goroutine.
func (g *game) relimit(f *playerFlags) error {
	if err := g.setMost(f.MaxPlayers); err != nil || g.door == nil {
		return err
	}
	g.secret.Store(f.Password != "" || f.TokenKey != "")
	if err := g.about.link.Relimit(f.limits(cmp.Or(g.MaxPlayers(), g.most))); err != nil {
		return err
	}
	if err := g.about.link.SetPassword(f.Password); err != nil {
		return err
	}
	c := f.config(g.rules.Tick)
	g.rules.Net, g.rules.Limits, g.rules.Relevancy, g.rules.Validate = c.Net, c.Limits, c.Relevancy, c.Validate
	g.door.Server().Relimit(c.Limits)
	g.door.Retime(c)
	g.about.host, g.about.match = f.about(), nil // told with the next tick
	if g.about.host == nil {
		return g.about.link.SetInfo(nil)
	}
	return nil
}

// setMost makes a new --max-players that of this match and all that follow, unless a URL has a number of its own. It changes nothing where
// the setting is what it was: a command may have set another number since.
func (g *game) setMost(n int) error {
	if n == g.most {
		return nil
	}
	g.most = n
	if g.mostNamed {
		g.log.Warn(fmt.Sprintf("max-players has no effect: maxplayers in the URL of the match overrides it, with %d", g.MaxPlayers()), "do", "travel with ?maxplayers=")
		return nil
	}
	if err := g.SetMaxPlayers(n); err != nil {
		return fmt.Errorf("max-players: the game %s does not take %d: %w", g.Game.Class.Name, n, err)
	}
	return nil
}
