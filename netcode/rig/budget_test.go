package rig_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/simlink"
)

// speaker is a class of a mod, or of the game, with calls of some length.
func speaker(name, mod string) *engine.ClassSpec {
	params := []engine.Param{{Name: "text", Type: &engine.Type{Kind: engine.KindString, MaxLen: 1000}}}
	return &engine.ClassSpec{
		Name: name, Parent: "Actor", Mod: mod,
		Functions: []engine.FunctionSpec{
			{Name: "All", Kind: engine.CallMulticast, Reliable: true, Stated: true, Params: params},
			{Name: "Murmur", Kind: engine.CallMulticast, Stated: true, Params: params},
			{Name: "ServerSay", Kind: engine.CallServer, Reliable: true, Stated: true, Params: params},
		},
	}
}

// shout has the server's side call a function, as a script of a mod does.
func shout(r *rig.Rig, a *engine.Actor, fn string, bytes int, by string) error {
	_, err := r.World.CallRemote(a, a.Class.Functions[fn], []engine.Value{engine.String(strings.Repeat("x", bytes))}, by)
	return err
}

// flood calls a function until it is refused, and returns how often it was not.
func flood(t *testing.T, r *rig.Rig, a *engine.Actor, by string) (n int) {
	t.Helper()
	for shout(r, a, "All", 900, by) == nil {
		if n++; n > 100 {
			t.Fatal("there is no bound")
		}
	}
	return n
}

// TestModsPayThemselves: what a mod's script calls of another's class is charged to the mod, not to that class; classes of one
// mod share what it has (R6.5).
func TestModsPayThemselves(t *testing.T) {
	r := rig.New(speaker("Cannon", "loud"), speaker("Drum", "loud"), speaker("Bell", "")).Start()
	r.Join(simlink.Path{})
	r.Run(1)
	cannon, drum, bell := r.Spawn("Cannon", engine.SpawnParams{}), r.Spawn("Drum", engine.SpawnParams{}), r.Spawn("Bell", engine.SpawnParams{})
	r.Run(1)
	if n := flood(t, r, bell, "loud"); n != 22 {
		t.Errorf("a mod could make %d calls of another's class", n)
	}
	for _, a := range []*engine.Actor{cannon, drum} {
		if err := shout(r, a, "All", 10, ""); err == nil || !strings.Contains(err.Error(), "reliable calls of mod loud have used up") {
			t.Errorf("%s of the same mod: %v", a, err)
		}
	}
	if err := shout(r, bell, "All", 900, ""); err != nil {
		t.Errorf("the class that it called has nothing left: %v", err)
	}
	r.Run(0.5)
	if n := flood(t, r, cannon, ""); n < 10 || n > 12 {
		t.Errorf("after half a second %d calls", n)
	}
}

// TestCallsGoToEverybodyOrNobody: a multicast of which one receiver has no budget left is sent to none of them, but one that
// is not told of the actor plays no part (R6.5).
func TestCallsGoToEverybodyOrNobody(t *testing.T) {
	r := rig.New(speaker("Cannon", "")).Start()
	a, b := r.Join(simlink.Path{}), r.Join(simlink.Path{})
	b.Trace = true
	r.Run(1)
	shared, private := r.Spawn("Cannon", engine.SpawnParams{}), r.Spawn("Cannon", engine.SpawnParams{Owner: a.Controller()})
	private.BOnlyRelevantToOwner = true
	r.Run(1)
	if a.Copy(private) == nil || b.Copy(private) != nil {
		t.Fatal("who has what is wrong")
	}
	flood(t, r, private, "")
	r.Step(4)
	flood(t, r, private, "")
	if err := shout(r, shared, "All", 10, ""); err == nil || !strings.Contains(err.Error(), "cannot go to connection 1,") {
		t.Errorf("a call that one receiver has no budget for: %v", err)
	}
	r.Run(0.1)
	if slices.ContainsFunc(b.Events, func(e client.Event) bool { return e.Kind == client.Called }) {
		t.Errorf("the other heard %v", b.Events)
	}
	// Anyone who is not told of the actor gives back what was kept for it, and does not hinder.
	r.Run(2)
	for range 20 {
		if err := shout(r, private, "All", 900, ""); err != nil {
			t.Fatal(err)
		}
		r.Run(0.1)
	}
	flood(t, r, private, "")
	r.Step(1)
	if n := r.Server.ConnectionOf(b.Controller()).PendingCalls(); n != 0 {
		t.Errorf("%d calls count as waiting for a player who was sent none", n)
	}
}

// TestUnreliableCallsPassNoBudget: unreliable calls that go by the reliable stream are charged, too, and are lost beyond it,
// without an error (R4.6, R6.5).
func TestUnreliableCallsPassNoBudget(t *testing.T) {
	spec := speaker("Cannon", "loud")
	long := []engine.Param{{Name: "list", Type: &engine.Type{Kind: engine.KindArray, Len: 4, Elem: &engine.Type{Kind: engine.KindString, MaxLen: 1000}}}}
	spec.Functions = append(spec.Functions, engine.FunctionSpec{Name: "Long", Kind: engine.CallMulticast, Stated: true, Params: long})
	r := rig.New(spec)
	r.Tick, r.Net = 30, 30
	r.Start()
	p := r.Join(simlink.Path{})
	r.Run(1)
	list := engine.Value{Kind: engine.KindArray}
	for range 4 {
		list.List = append(list.List, engine.String(strings.Repeat("y", 1000)))
	}
	var all []*engine.Actor
	for range 20 {
		all = append(all, r.Spawn("Cannon", engine.SpawnParams{}))
	}
	r.Run(1)
	conn := r.Server.ConnectionOf(p.Controller())
	before := conn.Session().Conn.Stats()
	for range 5 * r.Tick {
		for _, a := range all {
			if _, err := r.World.CallRemote(a, a.Class.Functions["Long"], []engine.Value{list}, ""); err != nil {
				t.Fatal(err)
			}
		}
		r.Step(1)
	}
	after := conn.Session().Conn.Stats()
	if n := after.MessageBytesOut - before.MessageBytesOut + uint64(after.Waiting); n > 6*20000+8000 {
		t.Errorf("%d bytes were given to the reliable stream in 5 s", n)
	}
	if p.State() != client.Playing {
		t.Errorf("the player is %s: %v", p.State(), p.Reason())
	}
}

// TestClientAllowance: a client's script that calls too much gets an error there, and its player is neither closed nor accused of
// anything (R6.5).
func TestClientAllowance(t *testing.T) {
	r := rig.New(speaker("Cannon", "loud"), speaker("Bell", ""))
	r.Tick, r.Net = 60, 30
	r.Start()
	p := r.Join(path(40*time.Millisecond, 0.01))
	r.Run(1)
	cannon, bell := r.Spawn("Cannon", engine.SpawnParams{Owner: p.Controller()}), r.Spawn("Bell", engine.SpawnParams{Owner: p.Controller()})
	cannon.RemoteRole, bell.RemoteRole = engine.RoleAutonomousProxy, engine.RoleAutonomousProxy
	r.Run(1)
	say := func(a *engine.Actor, bytes int) error {
		k := p.Copy(a)
		return p.Call(k, k.Class.Functions["ServerSay"], []engine.Value{engine.String(strings.Repeat("x", bytes))}, "")
	}
	taken, refused := 0, ""
	for n := range 10 * r.Tick {
		for range 20 {
			if err := say(cannon, 1+n%2*400); err != nil {
				refused = err.Error()
			} else {
				taken++
			}
		}
		if n%30 == 0 {
			if err := say(bell, 1); err != nil {
				t.Errorf("the game's call is refused: %v", err)
			}
		}
		r.Step(1)
	}
	if taken < 500 || taken > 3300 {
		t.Errorf("%d calls in 10 s", taken)
	}
	if !strings.HasPrefix(refused, "Cannon:ServerSay: a call of ") || !strings.Contains(refused, "to the server") {
		t.Errorf("the error says %q", refused)
	}
	if p.State() != client.Playing || slices.ContainsFunc(r.Lines, func(l string) bool { return strings.Contains(l, "warning") }) {
		t.Errorf("the player is %s; the server says %q", p.State(), r.Lines)
	}
}
