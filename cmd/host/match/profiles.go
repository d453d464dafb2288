package match

import (
	"fmt"
	"time"

	"github.com/tidelock/tidelock/cmd/host/profiles"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/scriptvm"
)

// CodeProfile is the code of a refusal because a player's profile cannot be had.
const CodeProfile = "profile"

// Profiles are the profiles of a host's players, over all its matches (C2). One goroutine owns it, that of the world.
type Profiles struct {
	Book *profiles.Book
	in   map[string]place // PlayerStates by their player's id
	// later is for the next tick.
	later []func()
	lost  func(id, text string)
	// transactor makes that of a match. A function, so that clients, which have no profiles, are linked without them.
	transactor func(m *Match) scriptvm.Transactor
}

// place is a PlayerState in a match.
type place struct {
	match *Match
	state *engine.Actor
}

// NewProfiles makes them; Capture, Reset and Lost of the options are set here; see OnLost.
func NewProfiles(o profiles.Options) *Profiles {
	p := &Profiles{in: map[string]place{}, transactor: func(m *Match) scriptvm.Transactor { return transactor{m} }}
	o.Capture = p.capture
	o.Lost = func(id, text string) {
		if p.lost != nil {
			p.lost(id, text)
		}
	}
	o.Reset = func(id, _ string) { p.set(id) }
	p.Book = profiles.New(o)
	return p
}

// OnLost has f called when another host took a player's profile; f makes the player leave.
func (p *Profiles) OnLost(f func(id, text string)) { p.lost = f }

// Tick does what is due, between two ticks of the world. now is as in [profiles.Book.Tick].
func (p *Profiles) Tick(now time.Duration) {
	later := p.later
	p.later = nil
	for _, f := range later {
		f()
	}
	p.Book.Tick(now)
}

// capture returns what a player in a match has now.
func (p *Profiles) capture(id string) *store.Table {
	if at, ok := p.in[id]; ok {
		return at.match.VM.Persistent(at.state, p.Book.Data(id))
	}
	return nil
}

// set gives a player in a match what the profile has.
func (p *Profiles) set(id string) {
	if at, ok := p.in[id]; ok && !at.state.Deleted() {
		at.match.VM.SetPersistent(at.state, p.Book.Data(id))
	}
}

// Attach gives a player what their profile has; from now on it is saved. Logging in does it; it is for a player who comes back with a
// saved world. Without a profile that is held it does nothing.
func (m *Match) Attach(pc *engine.Actor) {
	p := m.opt.Profiles
	pri := m.playerState(pc)
	if p == nil || pri == nil {
		return
	}
	id := m.uniqueID(pri)
	if p.Book.State(id) != profiles.Held {
		return
	}
	if data := p.capture(id); data != nil { // of the match that this one replaces
		p.Book.Put(id, data)
	}
	p.in[id] = place{m, pri}
	p.set(id)
}

// detach keeps what a player has who leaves this match; pri is their PlayerState, which may be destroyed by now.
func (m *Match) detach(pri *engine.Actor) {
	p := m.opt.Profiles
	if p == nil || pri == nil {
		return
	}
	id := m.uniqueID(pri)
	if p.in[id] != (place{m, pri}) {
		return
	}
	if data := p.capture(id); data != nil {
		p.Book.Put(id, data)
	}
	delete(p.in, id)
}

// identify gives the player at this machine their id.
func (m *Match) identify(pc *engine.Actor) {
	pri := m.playerState(pc)
	if pri == nil || m.opt.LocalID == "" {
		return
	}
	if q := pri.Class.Property("UniqueId"); q != nil && pri.Set(q, engine.String(m.opt.LocalID)) == nil {
		m.VM.Changed(pri, q)
	}
}

func (m *Match) uniqueID(pri *engine.Actor) string {
	if q := pri.Class.Property("UniqueId"); q != nil {
		return pri.Get(q).Str
	}
	return ""
}

// Prepare implements server.Game: a player with an id waits for their profile, if the game keeps any variables in one; who comes from
// another host waits until that has let them go.
func (g netGame) Prepare(key, options string, first bool) (ready bool, text, code string) {
	p := g.m.opt.Profiles
	keeps := g.Prepares(options)
	if keeps && first {
		p.Book.Hold(key)
	}
	if h := g.m.opt.Hops; h != nil && h.Expected(key) {
		ready, text, refused := h.Prepare(key)
		if refused != "" {
			return false, refused, CodeTeleport
		}
		if !ready {
			return false, text, ""
		}
		if keeps {
			p.Book.Hurry(key)
		}
	}
	if !keeps || !g.Awaits(options) {
		return true, "", ""
	}
	switch p.Book.State(key) {
	case profiles.Held:
		return true, "", ""
	case profiles.Failed:
		return false, "your profile cannot be used: " + p.Book.Error(key).Error(), CodeProfile
	case profiles.None, profiles.Loading, profiles.Waiting:
	}
	text = "your profile did not come in time"
	if err := p.Book.Error(key); err != nil {
		text = fmt.Sprintf("your profile cannot be had: %v; try again later", err)
	}
	return false, text, ""
}

// Awaits implements server.Game: players wait for their profile if their PlayerState keeps something in it. Else it is read while they
// play, for the next game that they come to on this host.
func (g netGame) Awaits(options string) bool {
	if !g.Prepares(options) {
		return false
	}
	own := g.m.Game.Dispatch.Functions["InitPlayerState"]
	q := g.m.Game.Class.Property("PlayerStateClass")
	if own == nil || q == nil || own.Class != q.Class {
		return true // the game chooses the class itself
	}
	c := g.m.World.Classes.Find(g.m.Game.Get(q).Str)
	return c == nil || g.m.VM.Keeps(c)
}

// Prepares implements server.Game: a guest, whose key is of this visit only, has no profile.
func (g netGame) Prepares(options string) bool {
	_, guest := ParseURL(options).Option("guest")
	return !guest && g.m.opt.Profiles != nil && g.m.VM.Persists()
}

// Abandon implements server.Game.
func (g netGame) Abandon(key string) {
	if h := g.m.opt.Hops; h != nil {
		h.Away(key)
	}
	if p := g.m.opt.Profiles; p != nil {
		p.Book.Let(key)
	}
}

// transactor saves profiles of a match's players together. It implements [scriptvm.Transactor].
type transactor struct{ m *Match }

// ids returns those of players who have a profile; guests have none.
func (t transactor) ids(players []*engine.Actor) ([]string, error) {
	p := t.m.opt.Profiles
	var ids []string
	for _, pri := range players {
		id := t.m.uniqueID(pri)
		switch s := p.Book.State(id); {
		case s == profiles.Held && p.in[id] == (place{t.m, pri}):
			ids = append(ids, id)
		case s != profiles.None:
			return nil, fmt.Errorf("the profile of %s cannot be saved now", pri.Name)
		}
	}
	return ids, nil
}

// Together implements [scriptvm.Transactor].
func (t transactor) Together(players []*engine.Actor) error {
	ids, err := t.ids(players)
	if err != nil {
		return err
	}
	return t.m.opt.Profiles.Book.Join(ids)
}

// Fits implements [scriptvm.Transactor].
func (t transactor) Fits(players []*engine.Actor) error {
	p := t.m.opt.Profiles
	for _, pri := range players {
		id := t.m.uniqueID(pri)
		if p.in[id] != (place{t.m, pri}) {
			continue // a guest
		}
		if err := p.Book.Fits(id, p.capture(id)); err != nil {
			return fmt.Errorf("the profile of %s cannot be stored: %w", pri.Name, err)
		}
	}
	return nil
}

// Save implements [scriptvm.Transactor]. It saves at the next tick, when what called it has ended: a function that fails there undoes
// its changes.
func (t transactor) Save(players []*engine.Actor, done func(error)) {
	ids, err := t.ids(players)
	t.Later(func() {
		if err != nil || len(ids) == 0 {
			done(err)
			return
		}
		t.m.opt.Profiles.Book.Save(ids[0], done) // and all that are together with it
	})
}

// Capture implements [scriptvm.Transactor].
func (t transactor) Capture(pri *engine.Actor) *store.Table {
	p := t.m.opt.Profiles
	id := t.m.uniqueID(pri)
	if p.in[id] != (place{t.m, pri}) {
		return nil
	}
	if data := p.capture(id); data != nil {
		p.Book.Put(id, data)
	}
	return p.Book.Data(id)
}

// Later implements [scriptvm.Transactor].
func (t transactor) Later(f func()) { t.m.opt.Profiles.later = append(t.m.opt.Profiles.later, f) }
