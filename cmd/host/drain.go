package main

import (
	"fmt"
	"os"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/control"
	"github.com/tidelock/tidelock/cmd/host/door"
	"github.com/tidelock/tidelock/cmd/host/drain"
	"github.com/tidelock/tidelock/netcode/link"
)

// drained is the game as its drain uses it. It implements [drain.Host].
type drained struct{ g *game }

func newDrain(g *game, usual time.Duration) *drain.Drain {
	return drain.New(drain.Options{Host: drained{g}, Log: g.log, Usual: usual})
}

// Announce implements [drain.Host].
func (h drained) Announce(text string) {
	if err := h.g.Say(text); err != nil {
		h.g.log.Warn("Players were not told about the drain", "event", "drain", "error", err.Error())
	}
}

// TurnAway implements [drain.Host].
func (h drained) TurnAway(why link.Reason) {
	h.g.hops.TurnAway(why, func(key string) bool { return h.g.drain.Refuses(key) != nil })
}

// Evacuate implements [drain.Host].
func (h drained) Evacuate() { h.g.hops.Evacuate() }

// OnTheWay implements [drain.Host].
func (h drained) OnTheWay() int { return h.g.hops.Leaving() }

// Arriving implements [drain.Host].
func (h drained) Arriving() int { return h.g.hops.Reserved() }

// Players implements [drain.Host].
func (h drained) Players() int { return h.g.Status().Players }

// Empty implements [drain.Host].
func (h drained) Empty() bool {
	if h.g.local != nil {
		return false
	}
	if h.g.door == nil {
		return true
	}
	in, waiting := h.g.door.Players()
	return in+waiting == 0
}

// MayReturn implements [drain.Host].
func (h drained) MayReturn(key string) bool { return h.g.MayReturn(key) }

// Standing implements [drain.Host].
func (h drained) Standing(key string) drain.Standing { return h.g.hops.Standing(key) }

// Disconnect implements [drain.Host].
func (h drained) Disconnect(why link.Reason) (told bool) {
	g := h.g
	g.keeper.Finish(g.Match) // before players leave it
	if g.door != nil {
		g.door.Server().Stop(why)
	}
	g.keeping.saveAll()
	return g.door != nil
}

// Stored implements [drain.Host].
func (h drained) Stored() bool { return h.g.keeping.saved() }

// Travel implements [drain.Host].
func (h drained) Travel(url string) { h.g.travel(url) }

// Changed implements [drain.Host].
func (h drained) Changed(draining bool) {
	if h.g.drains != nil {
		h.g.drains(draining)
	}
	h.g.about.match = nil // queries get a new answer with this tick
}

// drainAt requests a drain at each signal, until the returned function is called.
func drainAt(d *drain.Drain, signals <-chan os.Signal) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() { // ends by stop, which waits for it
		defer close(ended)
		for {
			select {
			case <-end:
				return
			case <-signals:
				d.Ask()
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// doorman is a list of who may play that a drain closes to new players. It belongs to the loop's goroutine.
type doorman struct {
	game *game
	list door.Access // nil admits everybody
}

// Check implements [door.Access].
func (m doorman) Check(key, addr string) *link.Reason {
	if m.list != nil {
		if why := m.list.Check(key, addr); why != nil {
			return why
		}
	}
	return m.game.drain.Refuses(key)
}

// Barred implements [door.Access].
func (m doorman) Barred(key, addr string) *link.Reason {
	if m.list == nil {
		return nil
	}
	return m.list.Barred(key, addr)
}

// Version implements [door.Access].
func (m doorman) Version() uint64 {
	if m.list == nil {
		return 0
	}
	return m.list.Version()
}

// Names of the commands.
const (
	drainCommand    = "drain"
	drainOffCommand = "drain off"
)

// drainCommands returns the commands of a drain.
func drainCommands(g *game, turns control.Turns) []command.Command {
	return []command.Command{
		{
			Name: drainCommand, Params: []command.Param{{Name: "TIME", Optional: true}}, Needs: access.Owner,
			Help: "Take the host out of service: no new players; after this round, or a time such as 10m, everything is stored and the host ends.",
			Run: func(c *command.Call) ([]string, error) {
				var seconds *float64
				if c.Given(0) {
					t, err := time.ParseDuration(c.Text(0))
					if err != nil || t < 0 || t > drain.Most {
						return nil, &command.UsageError{Text: fmt.Sprintf("drain: %q is no time from 0s to %v, such as 10m; 0s waits for the end of the round however long it takes", c.Text(0), drain.Most)}
					}
					s := t.Seconds()
					seconds = &s
				}
				var line string
				err := turns.Do(c.Context, func() error { line = g.drain.Start(seconds); return nil })
				if err != nil {
					return nil, err
				}
				return []string{line}, nil
			},
		},
		{
			Name: drainOffCommand, Needs: access.Owner, Help: "Call a drain off: new players come in again.",
			Run: func(c *command.Call) ([]string, error) {
				var line string
				err := turns.Do(c.Context, func() (err error) { line, err = g.drain.Stop(); return err })
				if err != nil {
					return nil, err
				}
				return []string{line}, nil
			},
		},
	}
}
