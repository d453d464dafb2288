package match

import (
	"errors"

	"github.com/tidelock/tidelock/cmd/host/media"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
)

// transfer is the state that moves from one match to the next. Players are not part of it: their clients follow when
// they have loaded.
type transfer struct {
	match   scriptvm.Portable
	bots    []scriptvm.Portable
	players int // how many will follow
	to      URL // as the travel was requested
}

// asked returns the options requested for a match that begins with this state and has a URL; a nil transfer is a
// match that nobody travelled to.
func (v *transfer) asked(u URL) URL {
	if v == nil {
		return u
	}
	return v.to
}

// Travel opens the match of another level with the scripts that run here, and moves bots there now; players
// follow over the network (NetGame) or with Follow (R8.7). players is how many will come over the network. This
// match is not changed: after an error it goes on, after success the caller closes it.
func (m *Match) Travel(url string, players int) (*Match, error) {
	o := m.opt
	o.Sources, o.URL, o.Seed = m.VM.Sources(), m.url.Onward(url), m.opt.Seed+1
	v := &transfer{players: players, to: ParseURL(url)}
	var err error
	if v.match, err = m.VM.Pack(m.Game, "GetMatchTravelState"); err != nil {
		return nil, err
	}
	for _, c := range m.World.ActorsOf("Controller") {
		if !c.Class.IsPlayerController() && m.playerState(c) != nil {
			if b := m.Depart(c); b != (scriptvm.Portable{}) {
				v.bots = append(v.bots, b)
			}
		}
	}
	o.transfer = v
	// A broken sound file must not end the match: the present sounds are kept.
	var bad *media.Error
	if o.Shown, err = ReadShown(o.Content); errors.As(err, &bad) {
		o.Shown = m.shown
	} else if err != nil {
		return nil, err
	}
	next, err := Open(o)
	if err == nil && bad != nil {
		next.Warnings = append(next.Warnings, "sounds and animations stay as they were: "+bad.Error())
	}
	return next, err
}

// Rehearse returns work that makes a later Travel to a level faster: it opens that match without players and
// closes it again. Its results stay in the caches that matches share (scriptvm.Options). It may run on a
// goroutine of its own, and does not touch this match.
func (m *Match) Rehearse(url string) (work func()) {
	bots := len(m.World.ActorsOf("AIController")) > 0
	open := m.aside(url)
	return func() {
		next, err := open()
		if err != nil {
			return // Travel will report it
		}
		if bots {
			next.VM.BuildNavigation(func(work func(pause func())) { work(nil) })
		}
		next.Close()
	}
}

// CheckLevel returns work that reports what is wrong with a level's file, by opening its match as Rehearse
// does: the messages of the level reader, of the level's classes and of the start of the game. The error is
// what would keep a match from travelling there.
func (m *Match) CheckLevel(name string) (work func() (warnings []string, err error)) {
	open := m.aside(name)
	return func() ([]string, error) {
		next, err := open()
		if err != nil {
			return nil, err
		}
		defer next.Close()
		return next.Warnings[next.doubts:], nil
	}
}

// aside returns work that opens the match of a start URL without any player, with the scripts, sounds and
// animations of this one.
func (m *Match) aside(url string) (open func() (*Match, error)) {
	o := m.opt
	o.Sources, o.URL, o.transfer, o.Shown = m.VM.Sources(), m.url.Onward(url), nil, m.shown
	o.VM.Log, o.VM.Report, o.VM.Elapsed = func(*engine.Actor, string) {}, func(scriptvm.Report) {}, nil
	return func() (*Match, error) { return Open(o) }
}

// TravelFailed tells the game that its travel failed; it goes on where it is.
func (m *Match) TravelFailed(url string, why error) {
	_, _ = m.VM.Call(m.Game, "TravelFailed", engine.String(url), engine.String(why.Error())) // a fault was reported
}

// playerState returns the PlayerState of a controller, or nil.
func (m *Match) playerState(c *engine.Actor) *engine.Actor {
	p := c.Class.Property("PlayerReplicationInfo")
	if p == nil {
		return nil
	}
	return m.World.Actor(c.Get(p).Ref)
}

// Depart returns the state of a controller for the next match; the zero Portable is nothing.
func (m *Match) Depart(c *engine.Actor) scriptvm.Portable {
	m.detach(m.playerState(c))
	b, err := m.VM.Pack(m.Game, "GetSeamlessTravelState", engine.Ref(c))
	if err != nil { // it was reported; they join as new players
		return scriptvm.Portable{}
	}
	return b
}

// Follow moves the player at this machine here from the match before, where old is their controller; if that
// fails, they join as a new player.
func (m *Match) Follow(before *Match, old *engine.Actor, options string) (*engine.Actor, error) {
	state := before.Depart(old)
	if state == (scriptvm.Portable{}) {
		return m.Login("", options, true)
	}
	pc, err := m.arrive(state, options)
	if err != nil {
		return nil, err
	}
	return pc, m.begin(pc, true)
}

func (m *Match) arrive(state scriptvm.Portable, options string) (*engine.Actor, error) {
	out, err := m.VM.CallWith(m.Game, "HandleSeamlessTravelPlayer", state, engine.String(options))
	if err != nil {
		return nil, err
	}
	return m.controllerOf("HandleSeamlessTravelPlayer", out)
}

// takeUp applies the state from the match before, when the level is loaded and before the match may begin. A
// fault of a script was reported and skips only its own part.
func (m *Match) takeUp(v *transfer) {
	if v == nil {
		return
	}
	if p := m.Game.Class.Property("NumTravellingPlayers"); p != nil && m.Game.Set(p, engine.Int(v.players)) == nil {
		m.VM.Changed(m.Game, p)
	}
	for _, b := range v.bots {
		_, _ = m.VM.CallWith(m.Game, "HandleSeamlessTravelPlayer", b, engine.String(""))
	}
	_, _ = m.VM.CallWith(m.Game, "PostSeamlessTravel", v.match)
}

// Of NetGame.

// Depart implements server.Game.
func (g netGame) Depart(pc *engine.Actor) any {
	if b := g.m.Depart(pc); b != (scriptvm.Portable{}) {
		return b
	}
	return nil
}

// Arrive implements server.Game.
func (g netGame) Arrive(state any, options string) (pc *engine.Actor, text, code string) {
	if p, ok := state.(*guest); ok {
		return g.receive(p, options)
	}
	b, ok := state.(scriptvm.Portable)
	if !ok {
		panic("match: a player arrives with a state that no match gave")
	}
	pc, err := g.m.arrive(b, options)
	return g.answer("HandleSeamlessTravelPlayer", pc, err)
}

// Lost implements server.Game.
func (g netGame) Lost(state any) {
	if b, ok := state.(scriptvm.Portable); ok {
		_, _ = g.m.VM.CallWith(g.m.Game, "SeamlessTravelLost", b) // a fault was reported
	}
}

// Loading implements server.Game.
func (g netGame) Loading(n int) {
	_, _ = g.m.VM.Call(g.m.Game, "TravellingPlayersChanged", engine.Int(n)) // a fault was reported
}

// answer returns the controller that a game's function made, or the refusal, for the network.
func (g netGame) answer(function string, pc *engine.Actor, err error) (*engine.Actor, string, string) {
	if err == nil {
		return pc, "", ""
	}
	var r *Refused
	if errors.As(err, &r) {
		return nil, r.Text, r.Code
	}
	var f *scriptvm.Fault
	if !errors.As(err, &f) { // a fault was reported
		g.m.VM.Blame(g.m.Game, function, err.Error())
	}
	return nil, brokenLogin + function, CodeError
}
