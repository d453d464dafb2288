package rig_test

import (
	"fmt"
	"slices"
	"strconv"
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

// wholeWorld is a server with one client, what that client saw of calls and ends in order, and the actors of a story.
type wholeWorld struct {
	*rig.Rig
	peer    *rig.Peer
	seen    []string
	a       *engine.Actor
	targets map[string]*engine.Actor
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
	w := &wholeWorld{Rig: rig.New(speakers()...), targets: map[string]*engine.Actor{}}
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

// on is the speaker where the name is a, else its component of that name.
func (w *wholeWorld) on(name string) *engine.Actor {
	if name == "a" {
		return w.a
	}
	return w.a.ComponentNamed(name)
}

// play does the steps of a story, which the speaker of the world is in.
func (w *wholeWorld) play(x *losses.Exchange, story string) {
	for step := range strings.SplitSeq(story, ", ") {
		f := append(strings.Fields(step), "", "", "")
		of, target := f[1], w.targets[f[3]]
		n, err := strconv.Atoi(of)
		if err != nil {
			n, _ = strconv.Atoi(f[2])
		}
		switch f[0] {
		case "watch": // from here on packets are lost
			x.Watch(w.peer.End)
		case "spawn":
			w.a = w.Spawn("Speaker", engine.SpawnParams{Location: geom.Vector{X: 100}})
		case "say":
			w.World.CallRemote(w.on(of), w.on(of).Class.Functions["Say"], []engine.Value{engine.Int(n)}, "")
		case "hold":
			w.World.CallRemote(w.on(of), w.on(of).Class.Functions["Hold"], []engine.Value{engine.Int(n), engine.Ref(target)}, "")
		case "set":
			rig.Set(w.on(of), "N", engine.Int(n))
		case "add":
			if _, err := w.a.AddComponent(w.World.Classes.Find("Part"), of); err != nil {
				panic(err)
			}
		case "drop":
			w.on(of).Destroy()
		case "target": // which nobody has
			w.targets[of] = w.Spawn("Target", engine.SpawnParams{})
		case "appear":
			rig.Set(w.targets[of], "bAlwaysRelevant", engine.Bool(true))
		case "kill":
			w.targets[of].Destroy()
		case "sleep":
			rig.Set(w.a, "NetDormancy", engine.Int(int(engine.DormDormantAll)))
		case "wake":
			rig.Set(w.a, "NetDormancy", engine.Int(int(engine.DormAwake)))
		case "tear":
			rig.Set(w.a, "bTearOff", engine.Bool(true))
		case "rate":
			rig.Set(w.a, "NetUpdateFrequency", engine.Float(float64(n)))
		case "cull":
			rig.Set(w.a, "NetCullDistance", engine.Float(float64(n)))
		case "at": // a place of the speaker
			w.a.SetLocation(geom.Vector{X: float64(n)})
		case "look": // from a place
			w.World.Actor(rig.Get(w.peer.Controller(), "Pawn").Ref).SetLocation(geom.Vector{X: float64(n)})
		case "ticks":
			w.Step(n)
		default:
			panic("no step " + step)
		}
	}
}

// told is what the client saw: calls in order.
func (w *wholeWorld) told() string {
	if w.peer.State() != client.Playing {
		return fmt.Sprintf("the client is %s: %v", w.peer.State(), w.peer.Reason())
	}
	return strings.Join(w.seen, " ")
}

// ends are the calls again, with the ends of copies where they came.
func (w *wholeWorld) ends() string {
	var out []string
	for _, e := range w.peer.Events {
		name := "a"
		if e.Actor.Outer != nil {
			name = e.Actor.ComponentName
		}
		switch {
		case e.Class != "Speaker" && e.Class != "Part":
		case e.Kind == client.Called:
			out = append(out, fmt.Sprint(name, int(e.Args[0].Num)))
		case e.Kind == client.ClosedChannel && e.Why != wire.CloseDormant:
			out = append(out, name+" "+e.Why.String())
		default:
		}
	}
	return strings.Join(out, " ")
}

// TestWholeOrder: calls on an actor and its components run once and in order, before the variables that were set after
// them, and before the end of what they were called on, whatever packet is lost (R6.4, R6.9, R5.20).
func TestWholeOrder(t *testing.T) {
	turns := "spawn, ticks 30, watch"
	for i := 1; i <= 9; i++ {
		turns += fmt.Sprintf(", say %s %d, set a %d, set One %d, set Two %d, ticks %d", []string{"a", "One", "Two"}[i*2%3], i, i, i, i, 1+i%3)
	}
	for name, c := range map[string]struct{ want, ends, story string }{
		"calls and variables in turn": {"Two1 One2 a3 Two4 One5 a6 Two7 One8 a9", "", turns + ", ticks 12"},
		"calls while the actor is being opened": {
			"Two2 a3 One4 a5", "",
			"watch, spawn, say Two 2, say a 3, set One 1, ticks 1, say One 4, ticks 2, set a 4, say a 5, ticks 18",
		},
		"calls that wait, released out of order": {
			"a1 One2+ a3 Two4+ One5", "",
			"spawn, target first, target second, ticks 30, watch, say a 1, hold One 2 first, say a 3, ticks 3, " +
				"hold Two 4 second, say One 5, ticks 3, appear second, ticks 4, appear first, ticks 18",
		},
		"a wait that the end of the actor ends": {
			"a1 a2- One3 a4 Two5", "",
			"spawn, target first, ticks 30, watch, say a 1, hold a 2 first, say One 3, say a 4, ticks 3, say Two 5, ticks 2, " +
				"drop a, ticks 18",
		},
		"a wait that the end of its target ends": {
			"Two1- a2", "",
			"spawn, target first, ticks 30, watch, hold Two 1 first, say a 2, ticks 3, kill first, ticks 18",
		},
		"a component that ends among calls": {
			"a1 One2 a3 a4 Two5 a6", "a1 One2 a3 One destroyed a4 Two5 a6 a destroyed",
			"spawn, ticks 30, watch, say a 1, say One 2, say a 3, drop One, say a 4, ticks 2, say Two 5, say a 6, drop a, ticks 18",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checked := false
			losses.Each(t, func(x *losses.Exchange) string {
				w := newWholeWorld(20 * time.Millisecond)
				w.play(x, c.story)
				x.Rest()
				w.Run(2)
				told, ends := w.told(), w.ends()
				if !checked && (told != c.want || c.ends != "" && ends != c.ends) {
					t.Fatalf("without a loss it is %q with the ends %q, expected %q, %q", told, ends, c.want, c.ends)
				}
				checked = true
				return told + "\n" + ends
			})
		})
	}
}

// asleep reports whether an actor sleeps for the client.
func (w *wholeWorld) asleep(a *engine.Actor) bool {
	code, _, err := w.Server.Why(w.Server.ConnectionOf(w.peer.Controller()), a, "")
	return err == nil && code == server.WhyDormant
}

// state is what the client has of an actor: its N and those of its components.
func (w *wholeWorld) state(c *engine.Actor) string {
	if w.peer.State() != client.Playing {
		return fmt.Sprintf("the client is %s: %v", w.peer.State(), w.peer.Reason())
	}
	if c == nil {
		return "no copy"
	}
	out := []string{}
	for _, k := range c.Components {
		out = append(out, fmt.Sprintf("%s %v", k.ComponentName, rig.Get(k, "N").Num))
	}
	slices.Sort(out)
	return fmt.Sprintf("a %v %s", rig.Get(c, "N").Num, strings.Join(out, " "))
}

// TestWholeSleeps: an actor with components falls asleep in the end and has lost nothing, whatever packet is lost (R4.7).
func TestWholeSleeps(t *testing.T) {
	const away = "cull 1000, sleep, ticks 30, look 5000, ticks 180, watch, "
	for name, c := range map[string]struct{ want, story string }{
		"it falls asleep": {"a 0 One 1 Two 2", "watch, set One 1, ticks 2, sleep, set Two 2, ticks 30"},
		"it wakes for one component, then for the other": {
			"a 4 One 2 Two 3", "sleep, ticks 30, watch, set One 1, ticks 3, set One 2, ticks 5, set Two 3, ticks 1, set a 4, ticks 30",
		},
		"a move is taken back before it is due": {
			"a 0 One 0 Two 0", "rate 2, ticks 60, watch, at 105, ticks 4, at 110, sleep, ticks 8, at 105, ticks 30",
		},
		"it is called while it sleeps": {
			"a 0 One 1 Two 2", "sleep, ticks 30, watch, set One 1, say Two 5, ticks 4, set Two 2, ticks 30",
		},
		"components come and go": {
			"a 0 Extra 3 Two 0", "sleep, ticks 30, watch, add Extra, set Extra 1, ticks 3, drop One, ticks 3, set Extra 2, ticks 6, " +
				"drop Extra, ticks 1, add Extra, set Extra 3, ticks 30",
		},
		"it changes out of range": {
			"a 3 One 1 Two 2", away + "set One 1, ticks 4, set Two 2, ticks 4, look 0, ticks 4, set a 3, ticks 30",
		},
		"it is woken out of range": {"no copy", away + "wake, ticks 30"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := fmt.Sprint(c.want, " asleep ", c.want != "no copy")
			losses.Expect(t, want, func(x *losses.Exchange) string {
				w := newWholeWorld(20 * time.Millisecond)
				w.play(x, "spawn, ticks 30, "+c.story)
				x.Rest()
				w.Run(2)
				return fmt.Sprint(w.state(w.peer.Copy(w.a)), " asleep ", w.asleep(w.a))
			})
		})
	}
}
