package rig_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/rig/losses"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/wire"
)

// speakers are an actor, the class of its components One and Two, and a target that nobody has at first. All have a
// variable N and the calls Say(n) and Hold(n, who); Hold waits for who.
func speakers() []*engine.ClassSpec {
	integer := &engine.Type{Kind: engine.KindInt}
	say := []engine.Param{{Name: "n", Type: integer}}
	hold := []engine.Param{{Name: "n", Type: integer}, {Name: "who", Type: &engine.Type{Kind: engine.KindRef, Class: "Actor", Wait: true}}}
	class := func(name, parent string) *engine.ClassSpec {
		return &engine.ClassSpec{
			Name: name, Parent: parent,
			Properties: []engine.PropertySpec{{Name: "N", Type: integer}},
			Rules:      []engine.RuleSpec{{Names: []string{"N"}}},
			Functions: []engine.FunctionSpec{
				{Name: "Say", Kind: engine.CallMulticast, Reliable: true, Stated: true, Params: say},
				{Name: "Hold", Kind: engine.CallMulticast, Reliable: true, Stated: true, Params: hold},
			},
		}
	}
	speaker := class("Speaker", "Actor")
	speaker.Components = []engine.ComponentSpec{{Name: "One", Class: "Part"}, {Name: "Two", Class: "Part"}}
	return []*engine.ClassSpec{
		{Name: "ActorComponent", Native: engine.NativeComponent},
		speaker, class("Part", "ActorComponent"),
		{Name: "Target", Parent: "Actor", Defaults: []engine.DefaultSpec{{Name: "bOnlyRelevantToOwner", Value: engine.Bool(true)}}},
	}
}

// wholeWorld is a server with one client, and what that client saw of calls and ends, in order.
type wholeWorld struct {
	*rig.Rig
	peer *rig.Peer
	seen []string
}

// hearer notes the calls that a client runs: "a1" is call 1 on the actor, "One2+" call 2 on its component One with a
// reference that is there. A variable N of the actor or of a component that is as new as the call is told as "early".
type hearer struct {
	engine.NoScript
	w *wholeWorld
}

func (h *hearer) Received(a *engine.Actor, f *engine.Function, args []engine.Value, _ string) engine.Receipt {
	whole, name := a, "a"
	if a.Outer != nil {
		whole, name = a.Outer, a.ComponentName
	}
	n := int(args[0].Num)
	line := fmt.Sprint(name, n)
	if f.Name == "Hold" {
		line += map[bool]string{true: "+", false: "-"}[args[1].Ref != 0]
	}
	for _, x := range append([]*engine.Actor{whole}, whole.Components...) {
		if int(rig.Get(x, "N").Num) >= n {
			line += " early"
		}
	}
	h.w.seen = append(h.w.seen, line)
	return engine.Accepted
}

func newWholeWorld(lag time.Duration) *wholeWorld {
	w := &wholeWorld{Rig: rig.New(speakers()...)}
	w.Rig.Script = func(world *engine.World) engine.Script {
		if world.NetMode != engine.NMClient {
			return engine.NoScript{}
		}
		return &hearer{w: w}
	}
	w.Plenty().Config.Relevancy.Timeout = 2
	w.Start()
	w.peer = w.Join(path(lag, 0))
	w.peer.Trace = true
	w.Run(1 + 8*lag.Seconds())
	return w
}

func (w *wholeWorld) speaker(at geom.Vector) *engine.Actor {
	return w.Spawn("Speaker", engine.SpawnParams{Location: at})
}

func (w *wholeWorld) call(a *engine.Actor, f string, args ...engine.Value) {
	w.World.CallRemote(a, a.Class.Functions[f], args, "")
}

func setN(a *engine.Actor, n int) { rig.Set(a, "N", engine.Int(n)) }

// appear makes a target known to everybody.
func (w *wholeWorld) appear(target *engine.Actor) {
	rig.Set(target, "bAlwaysRelevant", engine.Bool(true))
}

// story is what the client saw: calls in order, with the ends of copies where they came.
func (w *wholeWorld) story() string {
	if w.peer.State() != client.Playing {
		return fmt.Sprintf("the client is %s: %v", w.peer.State(), w.peer.Reason())
	}
	return strings.Join(w.seen, "\n")
}

// ends adds the ends of copies to what was seen, in the order of events.
func (w *wholeWorld) ends() {
	w.seen = nil
	for _, e := range w.peer.Events {
		name := "a"
		if e.Actor.Outer != nil {
			name = e.Actor.ComponentName
		}
		switch {
		case e.Class != "Speaker" && e.Class != "Part":
		case e.Kind == client.Called:
			w.seen = append(w.seen, fmt.Sprint(name, int(e.Args[0].Num)))
		case e.Kind == client.ClosedChannel && e.Why != wire.CloseDormant:
			w.seen = append(w.seen, name+" "+e.Why.String())
		default:
		}
	}
}

// TestWholeOrder: calls on an actor and its components run once and in order, before the variables that were set after
// them, and before the end of what they were called on, whatever packet is lost (R6.4, R6.9).
func TestWholeOrder(t *testing.T) {
	for name, c := range map[string]struct {
		story func(w *wholeWorld, x *losses.Exchange)
		want  string
	}{
		"calls and variables in turn": {func(w *wholeWorld, x *losses.Exchange) {
			a := w.speaker(geom.Vector{})
			w.Run(0.5)
			x.Watch(w.peer.End)
			all := []*engine.Actor{a, a.Components[0], a.Components[1]}
			for i := 1; i <= 9; i++ {
				w.call(all[i*2%3], "Say", engine.Int(i))
				for _, k := range all {
					setN(k, i)
				}
				w.Step(1 + i%3)
			}
			w.Run(0.2)
		}, "Two1 One2 a3 Two4 One5 a6 Two7 One8 a9"},
		"calls while the actor is being opened": {func(w *wholeWorld, x *losses.Exchange) {
			x.Watch(w.peer.End)
			a := w.speaker(geom.Vector{})
			w.call(a.Components[1], "Say", engine.Int(2))
			w.call(a, "Say", engine.Int(3))
			setN(a.Components[0], 1) // is part of the opening
			w.Step(1)
			w.call(a.Components[0], "Say", engine.Int(4))
			w.Step(2)
			setN(a, 4)
			w.call(a, "Say", engine.Int(5))
			w.Run(0.3)
		}, "Two2 a3 One4 a5"},
		"calls that wait, released out of order": {func(w *wholeWorld, x *losses.Exchange) {
			a := w.speaker(geom.Vector{})
			first, second := w.Spawn("Target", engine.SpawnParams{}), w.Spawn("Target", engine.SpawnParams{})
			w.Run(0.5)
			x.Watch(w.peer.End)
			w.call(a, "Say", engine.Int(1))
			w.call(a.Components[0], "Hold", engine.Int(2), engine.Ref(first))
			w.call(a, "Say", engine.Int(3))
			w.Step(3)
			w.call(a.Components[1], "Hold", engine.Int(4), engine.Ref(second))
			w.call(a.Components[0], "Say", engine.Int(5))
			w.Step(3)
			w.appear(second)
			w.Step(4)
			w.appear(first)
			w.Run(0.3)
		}, "a1 One2+ a3 Two4+ One5"},
		"a wait that the end of the actor ends": {func(w *wholeWorld, x *losses.Exchange) {
			a := w.speaker(geom.Vector{})
			target := w.Spawn("Target", engine.SpawnParams{})
			w.Run(0.5)
			x.Watch(w.peer.End)
			w.call(a, "Say", engine.Int(1))
			w.call(a, "Hold", engine.Int(2), engine.Ref(target))
			w.call(a.Components[0], "Say", engine.Int(3))
			w.call(a, "Say", engine.Int(4))
			w.Step(3)
			w.call(a.Components[1], "Say", engine.Int(5))
			w.Step(2)
			a.Destroy()
			w.Run(0.3)
		}, "a1 a2- One3 a4 Two5"},
		"a wait that the end of its target ends": {func(w *wholeWorld, x *losses.Exchange) {
			a := w.speaker(geom.Vector{})
			target := w.Spawn("Target", engine.SpawnParams{})
			w.Run(0.5)
			x.Watch(w.peer.End)
			w.call(a.Components[1], "Hold", engine.Int(1), engine.Ref(target))
			w.call(a, "Say", engine.Int(2))
			w.Step(3)
			target.Destroy()
			w.Run(0.3)
		}, "Two1- a2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checked := false
			losses.Each(t, func(x *losses.Exchange) string {
				w := newWholeWorld(20 * time.Millisecond)
				c.story(w, x)
				x.Rest()
				w.Run(2)
				got := w.story()
				if !checked {
					checked = true
					if text := strings.ReplaceAll(got, "\n", " "); text != c.want {
						t.Fatalf("without a loss it is %q, expected %q", text, c.want)
					}
				}
				w.ends()
				return got + "\n" + w.story()
			})
		})
	}
}

// TestWholeEnds: the end of a component comes after the calls before it and before those after it, whatever packet is lost
// (R6.4, R5.20).
func TestWholeEnds(t *testing.T) {
	t.Parallel()
	const want = "a1 One2 a3 One destroyed a4 Two5 a6 a destroyed"
	losses.Expect(t, want, func(x *losses.Exchange) string {
		w := newWholeWorld(20 * time.Millisecond)
		a := w.speaker(geom.Vector{})
		w.Run(0.5)
		x.Watch(w.peer.End)
		one, two := a.Components[0], a.Components[1]
		w.call(a, "Say", engine.Int(1))
		w.call(one, "Say", engine.Int(2))
		w.call(a, "Say", engine.Int(3))
		one.Destroy()
		w.call(a, "Say", engine.Int(4))
		w.Step(2)
		w.call(two, "Say", engine.Int(5))
		w.call(a, "Say", engine.Int(6))
		a.Destroy()
		w.Run(0.3)
		x.Rest()
		w.Run(2)
		w.ends()
		return strings.Join(w.seen, " ")
	})
}

// asleep reports whether an actor sleeps for the client.
func (w *wholeWorld) asleep(a *engine.Actor) bool {
	yes := false
	w.Server.Connections(func(c *server.Conn) {
		code, _, err := w.Server.Why(c, a, "")
		yes = err == nil && code == server.WhyDormant
	})
	return yes
}

// state is what the client has of an actor: its N and those of its components, and whether it sleeps.
func (w *wholeWorld) state(a *engine.Actor) string {
	if w.peer.State() != client.Playing {
		return fmt.Sprintf("the client is %s: %v", w.peer.State(), w.peer.Reason())
	}
	c := w.peer.Copy(a)
	if c == nil {
		return "no copy"
	}
	out := []string{}
	for _, k := range c.Components {
		out = append(out, fmt.Sprintf("%s %v", k.ComponentName, rig.Get(k, "N").Num))
	}
	slices.Sort(out)
	return fmt.Sprintf("a %v %s asleep %t", rig.Get(c, "N").Num, strings.Join(out, " "), w.asleep(a))
}

// TestWholeSleeps: an actor with components falls asleep in the end and has lost nothing, whatever packet is lost (R4.7).
func TestWholeSleeps(t *testing.T) {
	add := func(w *wholeWorld, a *engine.Actor, name string) *engine.Actor {
		k, err := a.AddComponent(w.World.Classes.Find("Part"), name)
		if err != nil {
			panic(err)
		}
		return k
	}
	sleep := func(a *engine.Actor) { rig.Set(a, "NetDormancy", engine.Int(int(engine.DormDormantAll))) }
	const all = 0.5 // more than a round trip and the time in which a loss is noticed, twice
	for name, c := range map[string]struct {
		story func(w *wholeWorld, a *engine.Actor, x *losses.Exchange)
		want  string
	}{
		"it falls asleep": {func(w *wholeWorld, a *engine.Actor, x *losses.Exchange) {
			x.Watch(w.peer.End)
			setN(a.Components[0], 1)
			w.Step(2)
			sleep(a)
			setN(a.Components[1], 2)
			w.Run(all)
		}, "a 0 One 1 Two 2 asleep true"},
		"it wakes for one component, then for the other": {func(w *wholeWorld, a *engine.Actor, x *losses.Exchange) {
			sleep(a)
			w.Run(all)
			x.Watch(w.peer.End)
			setN(a.Components[0], 1)
			w.Step(3)
			setN(a.Components[0], 2)
			w.Step(5)
			setN(a.Components[1], 3)
			w.Step(1)
			setN(a, 4)
			w.Run(all)
		}, "a 4 One 2 Two 3 asleep true"},
		"a move is taken back before it is due": {func(w *wholeWorld, a *engine.Actor, x *losses.Exchange) {
			rig.Set(a, "NetUpdateFrequency", engine.Float(2))
			w.Run(1)
			x.Watch(w.peer.End)
			a.SetLocation(geom.Vector{X: 105})
			w.Step(4)
			a.SetLocation(geom.Vector{X: 110})
			sleep(a)
			w.Step(8)
			a.SetLocation(geom.Vector{X: 105})
			w.Run(all)
		}, "a 0 One 0 Two 0 asleep true"},
		"it is called while it sleeps": {func(w *wholeWorld, a *engine.Actor, x *losses.Exchange) {
			sleep(a)
			w.Run(all)
			x.Watch(w.peer.End)
			setN(a.Components[0], 1)
			w.call(a.Components[1], "Say", engine.Int(5))
			w.Step(4)
			setN(a.Components[1], 2)
			w.Run(all)
		}, "a 0 One 1 Two 2 asleep true"},
		"components come and go": {func(w *wholeWorld, a *engine.Actor, x *losses.Exchange) {
			sleep(a)
			w.Run(all)
			x.Watch(w.peer.End)
			setN(add(w, a, "Extra"), 1)
			w.Step(3)
			a.ComponentNamed("One").Destroy()
			w.Step(3)
			setN(a.ComponentNamed("Extra"), 2)
			w.Step(6)
			a.ComponentNamed("Extra").Destroy()
			w.Step(1)
			setN(add(w, a, "Extra"), 3)
			w.Run(all)
		}, "a 0 Extra 3 Two 0 asleep true"},
		"it changes out of range": {func(w *wholeWorld, a *engine.Actor, x *losses.Exchange) {
			rig.Set(a, "NetCullDistance", engine.Float(1000))
			sleep(a)
			w.Run(all)
			pawn := w.World.Actor(engine.ActorID(w.peer.Controller().Word(w.peer.Controller().Class.Property("Pawn"))))
			pawn.SetLocation(geom.Vector{X: 5000})
			w.Run(3)
			x.Watch(w.peer.End)
			setN(a.Components[0], 1)
			w.Step(4)
			setN(a.Components[1], 2)
			w.Step(4)
			pawn.SetLocation(geom.Vector{})
			w.Step(4)
			setN(a, 3)
			w.Run(all)
		}, "a 3 One 1 Two 2 asleep true"},
		"it is woken out of range": {func(w *wholeWorld, a *engine.Actor, x *losses.Exchange) {
			rig.Set(a, "NetCullDistance", engine.Float(1000))
			sleep(a)
			w.Run(all)
			pawn := w.World.Actor(engine.ActorID(w.peer.Controller().Word(w.peer.Controller().Class.Property("Pawn"))))
			pawn.SetLocation(geom.Vector{X: 5000})
			w.Run(3)
			x.Watch(w.peer.End)
			rig.Set(a, "NetDormancy", engine.Int(int(engine.DormAwake)))
			w.Run(all)
		}, "no copy"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			losses.Expect(t, c.want, func(x *losses.Exchange) string {
				w := newWholeWorld(20 * time.Millisecond)
				a := w.speaker(geom.Vector{X: 100})
				w.Run(0.5)
				c.story(w, a, x)
				x.Rest()
				w.Run(2)
				return w.state(a)
			})
		})
	}
}
