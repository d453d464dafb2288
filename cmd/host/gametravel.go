package main

import (
	"errors"
	"time"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/server"
)

// rulesFor returns the network's rules for a match.
func rulesFor(rules server.Config, m *match.Match, files *bundle.Bundle) server.Config {
	rules.World, rules.Game, rules.Bundle = m.World, m.NetGame(), files
	rules.Level, rules.GameClass = m.NetLevel(), m.Game.Class.Name
	return rules
}

// levelName returns a match's level, "" without one.
func levelName(m *match.Match) string {
	if m.Level == nil {
		return ""
	}
	return m.World.LevelName()
}

// prepare prepares a travel while the match goes on. The goroutine ends within a second or two; nobody waits
// for it, and it touches no running world.
func (g *game) prepare(url string) {
	if !g.preparing.CompareAndSwap(false, true) {
		return
	}
	work := g.Rehearse(url)
	go func() {
		defer g.preparing.Store(false)
		work()
	}()
}

// travel replaces this level by another one, with all players, between two ticks (R8.7). If that fails, the
// match goes on where it is, and its game is notified.
func (g *game) travel(url string) {
	if err := g.journey(url); err != nil {
		g.log.Error("travel failed; the match goes on in its level", "to", url, "error", err.Error(), "event", "travel_failed")
		g.Match.TravelFailed(url, err)
	}
}

// ReloadLevel travels to the present level, whose file is read again; an error leaves the match unchanged.
func (g *game) ReloadLevel() error { return g.journey(g.levelName()) }

// journey travels, or returns why it cannot: then nothing has changed.
func (g *game) journey(url string) error {
	start := time.Now()
	next, files, err := g.travelTo(url)
	if err != nil {
		return err
	}
	old, local := g.replace(next, files, url)
	g.mostNamed = g.mostNamed || match.NamesMaxPlayers(url)
	if local != nil && !local.Deleted() {
		g.bring(old, local)
	}
	g.end(old)
	g.log.Info("travelled", "level", g.levelName(), "game", next.Game.Class.Name, "actors", next.World.Live(),
		"seconds", float64(time.Since(start).Microseconds())/1e6, "event", "travel")
	return nil
}

// replace puts another match in place of the present one, which it returns with its local player, and takes the players there.
func (g *game) replace(next *match.Match, files *bundle.Bundle, url string) (old *match.Match, local *engine.Actor) {
	for _, w := range next.Warnings {
		g.log.Warn(w)
	}
	old, local = g.Match, g.local
	g.Match, g.local = next, nil
	next.World.Profile = g.profile
	g.classes.Store(next.World.Classes)
	g.levelNow.Store(g.levelName())
	g.followed()
	if g.door != nil {
		g.serves(files)
		g.door.Travel(rulesFor(g.rules, next, files), url)
	}
	return old, local
}

// end closes a match that was replaced.
func (g *game) end(old *match.Match) {
	g.counted.phase(old.VM, metrics.PhaseOther) // the last of it
	old.Close()
}

// travelTo opens the next match, with the files that its players need.
func (g *game) travelTo(url string) (*match.Match, *bundle.Bundle, error) {
	players := 0
	if g.door != nil {
		players, _ = g.door.Players()
	}
	next, err := g.Match.Travel(url, players)
	if err != nil {
		return nil, nil, err
	}
	return g.withFiles(next)
}

// withFiles adds the files that the players of a match need; without a network there are none. The match is closed after an error.
func (g *game) withFiles(next *match.Match) (*match.Match, *bundle.Bundle, error) {
	if g.door == nil {
		return next, nil, nil
	}
	files, err := next.Bundle(g.served.Load().files)
	if err != nil {
		next.Close()
		return nil, nil, err
	}
	return next, files, nil
}

// bring moves the player at this machine to the next match.
func (g *game) bring(old *match.Match, local *engine.Actor) {
	pc, err := g.Follow(old, local, g.LocalPlayer(g.name))
	if err != nil {
		var refused *match.Refused
		if !errors.As(err, &refused) {
			return // a fault, which was reported
		}
		g.log.Warn("the game refuses the player at this machine: "+err.Error(), "event", "refuse", "player", g.name)
		return
	}
	g.local = pc
}
