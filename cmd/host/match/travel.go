package match

import (
	"errors"

	"github.com/tidelock/tidelock/cmd/host/media"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
)

// voyage is what goes along from one match into the next but for players, who follow as their clients load: so many.
type voyage struct {
	match   scriptvm.Bag
	bots    []scriptvm.Bag
	players int
	to      URL // as the journey was requested
}

// asked is what was said for a match that begins with this and has a URL: nil is one that nobody travelled to.
func (v *voyage) asked(u URL) URL {
	if v == nil {
		return u
	}
	return v.to
}

// Travel opens the match of another level with the scripts that run here, and brings over what goes along: bots now, players
// as they come over the network (NetGame) or with Follow (R8.7). players is how many will over the network. This match is not changed: after an error it goes on, after success it is
// the caller's to close.
func (m *Match) Travel(url string, players int) (*Match, error) {
	o := m.opt
	o.Sources, o.URL, o.Seed = m.VM.Sources(), m.url.Onward(url), m.opt.Seed+1
	v := &voyage{players: players, to: ParseURL(url)}
	var err error
	if v.match, err = m.VM.Pack(m.Game, "GetMatchTravelState"); err != nil {
		return nil, err
	}
	for _, c := range m.World.ActorsOf("Controller") {
		if !c.Class.IsPlayerController() && m.playerState(c) != nil {
			if b := m.Depart(c); b != (scriptvm.Bag{}) {
				v.bots = append(v.bots, b)
			}
		}
	}
	o.voyage = v
	// A sound that was saved broken ends no match: what is heard here is heard there.
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

// Rehearse returns work that makes a later Travel to a level faster: it opens that match unseen and closes it again. Its
// results stay in the caches that matches share (scriptvm.Options). It may run on a goroutine of its own, and touches nothing
// of this match.
func (m *Match) Rehearse(url string) (work func()) {
	bots := len(m.World.ActorsOf("AIController")) > 0
	open := m.aside(url)
	return func() {
		next, err := open()
		if err != nil {
			return // Travel will say so
		}
		if bots {
			next.VM.FindWays(func(work func(pause func())) { work(nil) })
		}
		next.Close()
	}
}

// CheckLevel gives work that says what is wrong with a level's file, by opening its match aside as Rehearse does: what the
// reader of levels, the level's classes and the start of the game have to say of it. The error is what would keep a match
// from going there.
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

// aside gives work that opens the match of a start URL without connecting it to any player, with the scripts, sounds and animations of
// this one.
func (m *Match) aside(url string) (open func() (*Match, error)) {
	o := m.opt
	o.Sources, o.URL, o.voyage, o.Shown = m.VM.Sources(), m.url.Onward(url), nil, m.shown
	o.VM.Log, o.VM.Report, o.VM.Elapsed = func(*engine.Actor, string) {}, func(scriptvm.Report) {}, nil
	return func() (*Match, error) { return Open(o) }
}

// TravelFailed tells the game that its journey came to nothing; it goes on where it is.
func (m *Match) TravelFailed(url string, why error) {
	_, _ = m.VM.Call(m.Game, "TravelFailed", engine.String(url), engine.String(why.Error())) // a fault was reported
}

// playerState is the PlayerState of a controller, or nil.
func (m *Match) playerState(c *engine.Actor) *engine.Actor {
	p := c.Class.Property("PlayerReplicationInfo")
	if p == nil {
		return nil
	}
	return m.World.Actor(c.Get(p).Ref)
}

// Depart is what of a controller goes along into the next match; the zero Bag is nothing.
func (m *Match) Depart(c *engine.Actor) scriptvm.Bag {
	b, err := m.VM.Pack(m.Game, "GetSeamlessTravelState", engine.Ref(c))
	if err != nil { // it was reported; they come as if they were new
		return scriptvm.Bag{}
	}
	return b
}

// Follow brings the player at this machine over from the match before, where old is their controller; if that fails, they join
// as a new player.
func (m *Match) Follow(before *Match, old *engine.Actor, options string) (*engine.Actor, error) {
	state := before.Depart(old)
	if state == (scriptvm.Bag{}) {
		return m.Login("", options, true)
	}
	pc, err := m.arrive(state, options)
	if err != nil {
		return nil, err
	}
	return pc, m.begin(pc, true)
}

func (m *Match) arrive(state scriptvm.Bag, options string) (*engine.Actor, error) {
	out, err := m.VM.CallWith(m.Game, "HandleSeamlessTravelPlayer", state, engine.String(options))
	if err != nil {
		return nil, err
	}
	return m.controllerOf("HandleSeamlessTravelPlayer", out)
}

// takeUp puts to use what came along, when the level is there and before the match may begin. A fault of a script was
// reported and stops only what it is about.
func (m *Match) takeUp(v *voyage) {
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
	if b := g.m.Depart(pc); b != (scriptvm.Bag{}) {
		return b
	}
	return nil
}

// Arrive implements server.Game.
func (g netGame) Arrive(state any, options string) (pc *engine.Actor, text, code string) {
	b, ok := state.(scriptvm.Bag)
	if !ok {
		panic("match: a player arrives with what no match gave him")
	}
	pc, err := g.m.arrive(b, options)
	return g.answer("HandleSeamlessTravelPlayer", pc, err)
}

// Lost implements server.Game.
func (g netGame) Lost(state any) {
	if b, ok := state.(scriptvm.Bag); ok {
		_, _ = g.m.VM.CallWith(g.m.Game, "SeamlessTravelLost", b) // a fault was reported
	}
}

// Loading implements server.Game.
func (g netGame) Loading(n int) {
	_, _ = g.m.VM.Call(g.m.Game, "TravellingPlayersChanged", engine.Int(n)) // a fault was reported
}

// answer is what the network is told of a controller that a game made, or did not.
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
