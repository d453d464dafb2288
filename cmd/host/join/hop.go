package join

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tidelock/tidelock/cmd/host/teleport/place"
	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/link"
)

// hopWithin is how long a player tries to get into another host while the present one still has them, and hopAtMost how long if it
// does not: the other may wait for their profile.
const (
	hopWithin = place.Offered
	hopAtMost = 60 * time.Second
)

// hopSilence is how long the other host may be silent once the present one has let the player go.
const hopSilence = 5 * time.Second

// hop is a way to another host (C6).
type hop struct {
	place place.Place
	next  *Player
	since time.Duration
	in    bool
	letGo time.Duration // when the present host closed the connection; 0 before
}

// sentAway is told that the host sends the player to another one.
func (p *Player) sentAway(url string) {
	if p.opt.Elsewhere == nil {
		p.opt.Say(Line{Fault: true, Text: "the host sends you to another one, where this program cannot go; you stay here"})
		return
	}
	p.opt.Elsewhere(p, url)
}

// Elsewhere begins to go where a host sends a player, over UDP. It is for [Options].
func Elsewhere(p *Player, text string) {
	p.Go(text, func(to *place.Place, o *Options) error {
		addr, err := addressOf(to.Address)
		o.Addr, o.Ask = addr, nil
		return err
	})
}

// Go begins to go where a host sends the player: text is what it said. reach makes the options for the connection to there, of those for
// the present one. It returns the player at the other host, for whom this one ticks until [Player.Moved]. What is wrong is said, and the
// player stays: the result is nil.
func (p *Player) Go(text string, reach func(to *place.Place, o *Options) error) *Player {
	to, err := place.Parse(text)
	o := p.opt
	if err == nil {
		o.Target = Target{Options: o.Options, Shown: view.Clean(to.Address)}
		o.Token, o.Password, o.ServerKey = to.Token, "", to.ServerKey
		p.endHop("a newer place was named")
		err = reach(&to, &o)
	}
	if err != nil {
		p.opt.Say(Line{Fault: true, Text: view.Clean("the host sends you to another one: " + err.Error())})
		return nil
	}
	next, err := New(o)
	if err != nil {
		p.opt.Say(Line{Fault: true, Text: view.Clean("going to " + to.Name + ": " + err.Error())})
		return nil
	}
	p.hop = &hop{place: to, next: next, since: p.now}
	p.opt.Say(Line{Text: "going to " + view.Clean(to.Name) + " …"})
	return next
}

// addressOf returns an address of a host. Hosts name theirs by number as a rule; a name is looked up, which may take a moment.
func addressOf(text string) (netip.AddrPort, error) {
	if a, err := netip.ParseAddrPort(text); err == nil {
		return a, nil
	}
	t, err := Resolve(text)
	return t.Addr, err
}

// Going returns the player at another host who is not in yet, once the present host has let this one go, and that host's name; nil for none.
func (p *Player) Going() (next *Player, name string) {
	if h := p.hop; h != nil && !h.in && p.client.State() == client.Closed {
		return h.next, view.Clean(h.place.Name)
	}
	return nil, ""
}

// tickHop lets the player at the other host go on.
func (p *Player) tickHop(now time.Duration, dt float64) {
	h := p.hop
	if h == nil || h.in {
		return
	}
	h.next.Tick(now, dt)
	quiet := p.client.State() == client.Closed && now-max(h.next.heardAt, h.letGo) >= hopSilence
	if p.client.State() == client.Closed && h.letGo == 0 {
		h.letGo, quiet = now, false
	}
	late := now-h.since >= hopAtMost || now-h.since >= hopWithin && p.client.State() != client.Closed
	switch {
	case h.next.Controller() != nil:
		h.in = true
	case h.next.Over():
		why := "no reason was given"
		if e := h.next.Outcome(); e != nil {
			why = e.Error()
		}
		p.endHop(why)
	case quiet:
		p.endHop("it does not answer any more")
	case late:
		p.endHop(fmt.Sprintf("it did not let you in within %g s", (now - h.since).Seconds()))
	}
}

// endHop gives up the way to another host.
func (p *Player) endHop(why string) {
	h := p.hop
	if h == nil {
		return
	}
	p.hop = nil
	if err := h.next.Close(link.Reason{Code: "quit", Text: "the player stays where they were"}); err != nil {
		why += "; " + err.Error()
	}
	p.opt.Say(Line{Fault: true, Text: view.Clean("you stay here: " + h.place.Name + ": " + why)})
}

// Moved returns the player at another host, once they are in its match, and the host's name: the caller goes on with that one. This one
// is closed.
func (p *Player) Moved() (next *Player, name string) {
	h := p.hop
	if h == nil || !h.in {
		return nil, ""
	}
	p.hop = nil
	if err := p.Close(link.Reason{Code: "teleported", Text: "the player went to " + h.place.Name}); err != nil {
		p.opt.Say(Line{Fault: true, Text: err.Error()})
	}
	h.next.opt.Token, h.next.opt.Password = "", p.opt.Password // a token is for once
	return h.next, view.Clean(h.place.Name)
}
