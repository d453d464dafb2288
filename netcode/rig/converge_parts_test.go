package rig_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/simlink"
	"github.com/tidelock/tidelock/tests/tier"
)

// TestConvergenceOfParts is TestConvergence for actors with components: these are set, added, destroyed and called while
// their actors sleep, wake, come and go. In the end every copy has the components of the server's actor with their values,
// every actor that wants to sleep does (R4.7), and the reliable calls of an actor and its components came in order (R6.4,
// R6.9).
func TestConvergenceOfParts(t *testing.T) {
	n := *seeds
	if n == 0 {
		n = tier.Choose(10, 60, 1000)
	}
	for seed := range uint64(n) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { convergeParts(t, seed) })
	}
}

// partWorld is one seed.
type partWorld struct {
	*rig.Rig
	rng    *rand.Rand
	actors []*engine.Actor
	left   []*engine.Actor       // bNetTemporary, which are not compared
	counts map[*engine.Actor]int // of calls, by actor
	heard  map[*engine.World]map[*engine.Actor][]int

	classes []*engine.ClassSpec
	reloads int
	rtt     float64
	// waited are the actors on which calls may wait for good.
	waited map[*engine.Actor]bool
}

// partHearer notes the number of every call by actor, whichever component it was on.
type partHearer struct {
	engine.NoScript
	by map[*engine.Actor][]int
}

func (h *partHearer) Received(a *engine.Actor, _ *engine.Function, args []engine.Value, _ string) engine.Receipt {
	if a.Outer != nil {
		a = a.Outer
	}
	h.by[a] = append(h.by[a], int(args[0].Num))
	return engine.Accepted
}

func newPartWorld(seed uint64) *partWorld {
	rng := rand.New(rand.NewPCG(seed, 79))
	w := &partWorld{rng: rng, counts: map[*engine.Actor]int{}, heard: map[*engine.World]map[*engine.Actor][]int{}, waited: map[*engine.Actor]bool{}}
	integer := &engine.Type{Kind: engine.KindInt}
	calls := []engine.FunctionSpec{
		{Name: "Say", Kind: engine.CallMulticast, Reliable: true, Stated: true, Params: []engine.Param{{Name: "n", Type: integer}}},
		{Name: "Hold", Kind: engine.CallMulticast, Reliable: true, Stated: true, Params: []engine.Param{
			{Name: "n", Type: integer}, {Name: "who", Type: &engine.Type{Kind: engine.KindRef, Class: "Actor", Wait: true}},
		}},
	}
	classes := []*engine.ClassSpec{
		{Name: "ActorComponent", Native: engine.NativeComponent},
		drawClass(rng, "P", "ActorComponent"), drawClass(rng, "Q", "ActorComponent"), drawClass(rng, "A", "Actor"), drawClass(rng, "B", "A"),
	}
	for _, c := range classes[1:4] {
		c.Functions = calls
	}
	classes[3].Components = []engine.ComponentSpec{{Name: "One", Class: "P"}}
	classes[4].Components = []engine.ComponentSpec{{Name: "Two", Class: "Q"}}
	w.classes = classes
	w.Rig = rig.New(classes...)
	w.Rig.Script = func(world *engine.World) engine.Script {
		w.heard[world] = map[*engine.Actor][]int{}
		return &partHearer{by: w.heard[world]}
	}
	w.Seed = seed
	w.Config = server.Config{Validate: true, Limits: server.Limits{Budget: 4000 + rng.IntN(60000)}}
	w.Config.Relevancy.NoSight = true
	w.Config.Relevancy.Timeout = 2
	w.Start()
	w.rtt = 0.02 + rng.Float64()*0.3
	for range 1 + rng.IntN(4) {
		i := simlink.Impairment{
			Lag: time.Duration(w.rtt / 2 * float64(time.Second)), Loss: rng.Float64() * 0.25, Dup: 0.1, Reorder: 0.2,
			Jitter: time.Duration(rng.Float64() * w.rtt / 8 * float64(time.Second)),
		}
		w.Join(simlink.Path{Up: i, Down: i})
	}
	arrive(w.Rig)
	return w
}

func (w *partWorld) player() *engine.Actor { return w.Peers[w.rng.IntN(len(w.Peers))].Controller() }

// any is an actor, or one of its components.
func (w *partWorld) any() *engine.Actor {
	a := w.actors[w.rng.IntN(len(w.actors))]
	if n := len(a.Components); n > 0 && w.rng.IntN(3) > 0 {
		return a.Components[w.rng.IntN(n)]
	}
	return a
}

// do does one thing at random.
func (w *partWorld) do() {
	rng := w.rng
	switch op := rng.IntN(24); {
	case op < 2 && len(w.actors) < 25 || len(w.actors) == 0:
		sp := engine.SpawnParams{Location: geom.Vector{X: rng.Float64()*40000 - 20000}}
		if rng.IntN(2) == 0 {
			sp.Owner = w.player()
		}
		a := w.Spawn([]string{"A", "B"}[rng.IntN(2)], sp)
		if rng.IntN(2) == 0 {
			rig.Set(a, "NetDormancy", engine.Int(int(engine.DormDormantAll)))
		}
		w.actors = append(w.actors, a)
	case op == 2:
		i := rng.IntN(len(w.actors))
		a := w.actors[i]
		w.actors = slices.Delete(w.actors, i, i+1)
		switch rng.IntN(6) {
		case 0:
			rig.Set(a, "bTearOff", engine.Bool(true))
		case 1:
			rig.Set(a, "bNetTemporary", engine.Bool(true))
			w.left = append(w.left, a)
		case 2:
			rig.Set(a, "bTearOff", engine.Bool(true))
			a.Destroy()
		default:
			a.Destroy()
		}
	case op == 15 && w.reloads < 2 && rng.IntN(4) == 0:
		w.reloads++
		k := rng.IntN(len(w.classes)-1) + 1
		c := *w.classes[k]
		more := drawClass(rng, fmt.Sprintf("%sr%d", c.Name, w.reloads), c.Parent)
		c.Properties, c.Rules = append(slices.Clone(c.Properties), more.Properties[0]), append(slices.Clone(c.Rules), more.Rules[0])
		w.classes[k] = &c
		w.Reload(w.classes...)
	case op == 3:
		a := w.actors[rng.IntN(len(w.actors))]
		name := []string{"One", "Two", "Three", "Four"}[rng.IntN(4)]
		_, _ = a.AddComponent(w.World.Classes.Find([]string{"P", "Q"}[rng.IntN(2)]), name) // an error where there is one already
	case op == 4:
		if k := w.any(); k.Outer != nil {
			k.Destroy()
		}
	case op == 5:
		w.actors[rng.IntN(len(w.actors))].SetLocation(geom.Vector{X: rng.Float64()*40000 - 20000})
	case op == 6:
		_ = w.actors[rng.IntN(len(w.actors))].SetOwner(w.player())
	case op == 7:
		a := w.actors[rng.IntN(len(w.actors))]
		switch rng.IntN(4) {
		case 0:
			rig.Set(a, "bAlwaysRelevant", engine.Bool(rng.IntN(3) == 0))
		case 1:
			rig.Set(a, "bOnlyRelevantToOwner", engine.Bool(rng.IntN(3) == 0))
		case 2:
			rig.Set(a, "NetUpdateFrequency", engine.Float([]float64{2, 10, 100}[rng.IntN(3)]))
		default:
			rig.Set(a, "RemoteRole", engine.Int(int(engine.RoleSimulatedProxy)+rng.IntN(2)))
		}
	case op < 11:
		a := w.actors[rng.IntN(len(w.actors))]
		rig.Set(a, "NetDormancy", engine.Int(int(engine.DormAwake)+rng.IntN(2)))
	case op < 14:
		k := w.any()
		whole := k
		if k.Outer != nil {
			whole = k.Outer
		}
		w.counts[whole]++
		n := engine.Int(w.counts[whole])
		if rng.IntN(3) > 0 {
			w.World.CallRemote(k, k.Class.Functions["Say"], []engine.Value{n}, "")
		} else {
			w.waited[whole] = w.Seed%2 == 1
			w.World.CallRemote(k, k.Class.Functions["Hold"], []engine.Value{n, engine.Ref(w.actors[rng.IntN(len(w.actors))])}, "")
		}
	case op == 14:
		switchConditions(rng, w.any())
	default:
		k := w.any()
		change(rng, w.World, k, k.Class.Replicated[rng.IntN(len(k.Class.Replicated))], w.actors)
	}
}

func convergeParts(t *testing.T, seed uint64) {
	w := newPartWorld(seed)
	for range 150 + w.rng.IntN(150) {
		w.do()
		if w.rng.IntN(3) == 0 {
			w.Step(1 + w.rng.IntN(12))
		}
	}
	if seed%2 == 0 { // what calls wait for arrives
		for _, a := range append(w.left, w.actors...) {
			rig.Set(a, "bAlwaysRelevant", engine.Bool(true))
		}
	}
	w.Run(2 + 15*w.rtt)
	for _, d := range w.wrong() {
		t.Errorf("at rest: %s", d)
	}
	w.Run(4)
	for _, d := range append(append(w.wrong(), w.sleepless()...), surplus(w.Rig, w.actors)...) {
		t.Errorf("4 s later: %s", d)
	}
	for i, p := range w.Peers {
		for a, list := range w.heard[p.World()] {
			if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
				t.Errorf("client %d: reliable calls on %s and its components came twice or out of order: %v", i, a, list)
			}
		}
		for _, l := range p.Lines {
			t.Errorf("client %d: %s", i, l)
		}
	}
	sound(t, w.Rig)
	if t.Failed() {
		t.Logf("seed %d, rtt %.2f, budget %d, %d clients", seed, w.rtt, w.Config.Limits.Budget, len(w.Peers))
	}
}

// wrong are the values and components that are not as they should be at rest.
func (w *partWorld) wrong() (out []string) {
	all := slices.Clone(w.actors)
	for _, a := range w.actors {
		all = append(all, a.Components...)
	}
	out = differences(w.Rig, all)
	for i, p := range w.Peers {
		conn := w.Server.ConnectionOf(p.Controller())
		if p.State() != client.Playing || conn == nil {
			continue // told by differences
		}
		for _, a := range w.actors {
			c := p.Copy(a)
			if c == nil {
				continue
			}
			if got, want := partNames(c), partNames(a); got != want {
				out = append(out, fmt.Sprintf("client %d: %s has the components %s, the truth is %s", i, a, got, want))
			}
		}
	}
	return out
}

// sleepless are the actors that want to sleep and do not, except where a call waits. Sleeping waits for confirmations, of
// which an idle client sends one a second.
func (w *partWorld) sleepless() (out []string) {
	for i, p := range w.Peers {
		conn := w.Server.ConnectionOf(p.Controller())
		for _, a := range w.actors {
			if conn == nil || p.Copy(a) == nil || a.NetDormancy != engine.DormDormantAll || w.waited[a] {
				continue
			}
			if code, text, _ := w.Server.Why(conn, a, ""); code != server.WhyDormant {
				out = append(out, fmt.Sprintf("client %d: %s does not sleep (%s: %s)", i, a, code, text))
			}
		}
	}
	return out
}

func partNames(a *engine.Actor) string {
	list := []string{}
	for _, k := range a.Components {
		list = append(list, k.ComponentName+":"+k.Class.Name)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}
