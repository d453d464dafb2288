package rig_test

import (
	"flag"
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
	"github.com/tidelock/tidelock/netcode/wire"
	"github.com/tidelock/tidelock/tests/tier"
)

var seeds = flag.Int("seeds", 0, "how many seeds TestConvergence runs; 0: 12 by plain go test, 60 by .ci/run, 1000 by .ci/long")

// TestConvergence draws classes, links and what happens in a world, lets it all come to rest, and compares what every
// client has with the truth (R5.8): 2 s and 15 round trips after the last change, whatever was lost meanwhile. Every second
// seed has many clients who see the same, so that they are served in common; of each kind some lose 30 % all the time, and
// some have their classes reloaded in the very last moment.
func TestConvergence(t *testing.T) {
	n := *seeds
	if n == 0 {
		n = tier.Choose(12, 60, 1000)
	}
	late, common, ran := 0, 0, 0
	slowest, slow := 0.0, uint64(0)
	for seed := range uint64(n) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			ran++
			share := converge(t, seed, &common)
			if share > 1 {
				late++
			}
			if share > slowest {
				slowest, slow = share, seed
			}
		})
	}
	t.Logf("%d of %d seeds were late; the slowest, %d, took %.0f %% of 2 s and 15 round trips", late, ran, slow, 100*slowest)
	if common < 50*ran {
		t.Errorf("only %d updates of actors went to clients by way of what they have in common", common)
	}
	t.Logf("%d updates of actors went out in common", common)
}

// drawClass makes a class of random variables and rules.
func drawClass(rng *rand.Rand, name, parent string) *engine.ClassSpec {
	item := func() *engine.Type {
		return &engine.Type{Kind: engine.KindStruct, Fields: []engine.Field{
			{Name: "A", Type: &engine.Type{Kind: engine.KindInt}},
			{Name: "R", Type: &engine.Type{Kind: engine.KindRef}},
			{Name: "L", Type: &engine.Type{Kind: engine.KindInt}, Local: true},
			{Name: "S", Type: &engine.Type{Kind: engine.KindString}},
		}}
	}
	types := []func() *engine.Type{
		func() *engine.Type { return &engine.Type{Kind: engine.KindBool} },
		func() *engine.Type { return &engine.Type{Kind: engine.KindInt} },
		func() *engine.Type { return &engine.Type{Kind: engine.KindInt, Ranged: true, Min: -5, Max: 3000} },
		func() *engine.Type { return &engine.Type{Kind: engine.KindFloat} },
		func() *engine.Type { return &engine.Type{Kind: engine.KindString} },
		func() *engine.Type { return &engine.Type{Kind: engine.KindEnum, Enum: []string{"a", "b", "c"}} },
		func() *engine.Type { return &engine.Type{Kind: engine.KindVector} },
		func() *engine.Type { return &engine.Type{Kind: engine.KindVector, Quant: 100} },
		func() *engine.Type { return &engine.Type{Kind: engine.KindRotator} },
		func() *engine.Type { return &engine.Type{Kind: engine.KindRef} },
		func() *engine.Type { return &engine.Type{Kind: engine.KindClass} },
		item,
		func() *engine.Type {
			return &engine.Type{Kind: engine.KindArray, Len: 5, Elem: &engine.Type{Kind: engine.KindInt}}
		},
		func() *engine.Type {
			return &engine.Type{Kind: engine.KindArray, Len: 3, Elem: &engine.Type{Kind: engine.KindRef}}
		},
		func() *engine.Type { return &engine.Type{Kind: engine.KindFastArray, Elem: item()} },
	}
	s := &engine.ClassSpec{Name: name, Parent: parent}
	fasts := 0
	for i := range 3 + rng.IntN(12) {
		v := fmt.Sprintf("%s%d", name, i)
		drawn := types[rng.IntN(len(types))]()
		if drawn.Kind == engine.KindFastArray {
			if fasts++; fasts > 2 { // a class and its parent have five at most
				drawn = types[1]()
			}
		}
		s.Properties = append(s.Properties, engine.PropertySpec{Name: v, Type: drawn})
		conds := []engine.NetCondition{engine.CondNone, engine.CondNone, engine.CondNone, engine.CondOwnerOnly, engine.CondSkipOwner, engine.CondCustom}
		rule := engine.RuleSpec{Names: []string{v}, Named: conds[rng.IntN(len(conds))]}
		if rng.IntN(3) == 0 {
			rule.Notify = engine.NotifyChanged
		}
		s.Rules = append(s.Rules, rule)
	}
	return s
}

func drawValue(rng *rand.Rand, w *engine.World, t *engine.Type, actors []*engine.Actor) engine.Value {
	switch t.Kind {
	case engine.KindBool:
		return engine.Bool(rng.IntN(2) == 0)
	case engine.KindInt:
		if t.Ranged {
			return engine.Int(int(t.Min) + rng.IntN(int(t.Max-t.Min)))
		}
		return engine.Int(rng.IntN(1<<31) >> rng.IntN(31))
	case engine.KindFloat:
		return engine.Float(float64(float32(rng.NormFloat64() * 1000)))
	case engine.KindString:
		return engine.String(strings.Repeat(string(rune('a'+rng.IntN(26))), rng.IntN(40)))
	case engine.KindEnum:
		return engine.Value{Kind: engine.KindEnum, Str: t.Enum[rng.IntN(len(t.Enum))]}
	case engine.KindVector:
		return engine.Vec(geom.Vector{X: rng.Float64() * 5000, Y: rng.Float64()*70000 - 35000, Z: float64(rng.IntN(100))})
	case engine.KindRotator:
		return engine.Rotation(geom.Rotator{Yaw: uint16(rng.Uint32()), Pitch: uint16(rng.Uint32())})
	case engine.KindRef:
		if len(actors) == 0 || rng.IntN(4) == 0 {
			return engine.Value{Kind: engine.KindRef}
		}
		return engine.Ref(actors[rng.IntN(len(actors))])
	case engine.KindClass:
		all := w.Classes.All()
		return engine.Value{Kind: engine.KindClass, Str: all[rng.IntN(len(all))].Name}
	case engine.KindStruct:
		v := engine.Value{Kind: engine.KindStruct}
		for i := range t.Fields {
			v.List = append(v.List, drawValue(rng, w, t.Fields[i].Type, actors))
		}
		return v
	default:
		v := engine.Value{Kind: engine.KindArray}
		for range t.Len {
			v.List = append(v.List, drawValue(rng, w, t.Elem, actors))
		}
		return v
	}
}

// converge runs one seed and gives how much of the time it took until there was no difference any more, 2 for all of it and
// more.
func converge(t *testing.T, seed uint64, common *int) (share float64) {
	rng := rand.New(rand.NewPCG(seed, 77))
	classes := []*engine.ClassSpec{drawClass(rng, "A", "Actor"), drawClass(rng, "B", "A"), drawClass(rng, "C", "Actor")}
	for _, c := range classes {
		if c.Name != "B" {
			c.Functions = []engine.FunctionSpec{{Name: "Count", Kind: engine.CallMulticast, Reliable: true, Stated: true, Params: []engine.Param{{Name: "n", Type: &engine.Type{Kind: engine.KindInt}}}}}
		}
	}
	r := rig.New(classes...)
	heard := map[*engine.World]*counting{}
	r.Script = func(w *engine.World) engine.Script {
		heard[w] = &counting{by: map[engine.ActorID][]int{}, items: map[fastOf]map[uint32]bool{}}
		return heard[w]
	}
	r.Seed = seed
	r.Config = server.Config{Validate: true, Limits: server.Limits{Budget: 1000 + rng.IntN(60000)}}
	r.Config.Relevancy.NoSight = true
	clients, loss, spread := 1+rng.IntN(3), 0.3, 40000.0
	if seed%2 == 0 { // many who see the same, and most lose little: they are served in common
		clients, loss, spread = 3+rng.IntN(6), 0.03, 4000
		r.Config.Limits.Budget += 40000
	}
	r.Start()
	rtt := 0.05 + rng.Float64()*0.95
	for range clients {
		i := simlink.Impairment{
			Lag: time.Duration(rtt / 2 * float64(time.Second)), Loss: rng.Float64() * loss, Dup: 0.25, Reorder: 0.3,
			Jitter: time.Duration(rng.Float64() * rtt / 8 * float64(time.Second)),
		}
		if seed%8 >= 5 {
			i.Loss = 0.3
		}
		r.Join(simlink.Path{Up: i, Down: i})
	}
	arrive(r)
	var actors []*engine.Actor
	reloads, counts := 0, map[engine.ActorID]int{}
	kinds := []string{"A", "B", "C"}
	place := func() geom.Vector { return geom.Vector{X: rng.Float64()*spread - spread/2, Y: rng.Float64() * 3000} }
	// One class loses a variable and gets another, of a new type; some defaults change, also those that a child has from its
	// parent and those of the engine's own variables.
	drawn := rand.New(rand.NewPCG(seed, 78)) // apart, so that what else a seed draws does not hang on it
	defaults := func() {
		for i, old := range classes {
			c := *old
			c.Properties = append([]engine.PropertySpec(nil), c.Properties...)
			for n := range c.Properties {
				if q := &c.Properties[n]; drawn.IntN(3) == 0 && q.Type.Kind != engine.KindFastArray {
					q.Default = drawValue(drawn, r.World, q.Type, nil)
				}
			}
			c.Defaults = []engine.DefaultSpec{{Name: "DrawScale", Value: engine.Float(float64(1 + drawn.IntN(4)))}, {Name: "NetPriority", Value: engine.Float(float64(1 + drawn.IntN(4)))}}
			if up := classes[0].Properties[drawn.IntN(len(classes[0].Properties))]; c.Parent == "A" && up.Type.Kind != engine.KindFastArray {
				c.Defaults = append(c.Defaults, engine.DefaultSpec{Name: up.Name, Value: drawValue(drawn, r.World, up.Type, nil)})
			}
			classes[i] = &c
		}
	}
	reload := func() {
		reloads++
		c := *classes[rng.IntN(3)]
		n := rng.IntN(len(c.Properties))
		c.Properties = append(append([]engine.PropertySpec(nil), c.Properties[:n]...), c.Properties[n+1:]...)
		c.Rules = append(append([]engine.RuleSpec(nil), c.Rules[:n]...), c.Rules[n+1:]...)
		more := drawClass(rng, fmt.Sprintf("%sr%d", c.Name, reloads), c.Parent)
		c.Properties, c.Rules = append(c.Properties, more.Properties[0]), append(c.Rules, more.Rules[0])
		classes = append([]*engine.ClassSpec(nil), classes...)
		for i := range classes {
			if classes[i].Name == c.Name {
				classes[i] = &c
			}
		}
		defaults()
		r.Reload(classes...)
	}
	for range 60 + rng.IntN(100) {
		switch op := rng.IntN(20); {
		case op < 3 || len(actors) == 0:
			sp := engine.SpawnParams{Location: place()}
			if rng.IntN(2) == 0 {
				sp.Owner = r.Peers[rng.IntN(len(r.Peers))].Controller()
			}
			if len(actors) < 60 {
				actors = append(actors, r.Spawn(kinds[rng.IntN(3)], sp))
			}
		case op == 3:
			i := rng.IntN(len(actors))
			if drawn.IntN(4) == 0 {
				rig.Set(actors[i], "bNetTemporary", engine.Bool(true)) // from here on it is not compared
			} else {
				actors[i].Destroy()
			}
			actors = append(actors[:i], actors[i+1:]...)
		case op == 4:
			_ = actors[rng.IntN(len(actors))].SetOwner(r.Peers[rng.IntN(len(r.Peers))].Controller())
		case op == 5:
			actors[rng.IntN(len(actors))].SetLocation(place())
		case op == 6:
			a := actors[rng.IntN(len(actors))]
			set := func(name string, v engine.Value) { _ = a.Set(a.Class.Property(name), v) }
			switch rng.IntN(4) {
			case 0:
				set("bAlwaysRelevant", engine.Bool(rng.IntN(2) == 0))
			case 1:
				set("bOnlyRelevantToOwner", engine.Bool(rng.IntN(3) == 0))
			case 2:
				set("NetDormancy", engine.Int(int(engine.DormAwake)+rng.IntN(2)))
			case 3:
				set("NetUpdateFrequency", engine.Float([]float64{2, 10, 100}[rng.IntN(3)]))
			}
		case op == 8 && reloads < 3 && rng.IntN(3) == 0:
			reload()
		case op == 9:
			a := actors[rng.IntN(len(actors))]
			counts[a.ID()]++
			r.World.CallRemote(a, a.Class.Functions["Count"], []engine.Value{engine.Int(counts[a.ID()])}, "")
		case op == 7:
			switchConditions(rng, actors[rng.IntN(len(actors))])
		default:
			a := actors[rng.IntN(len(actors))]
			p := a.Class.Replicated[rng.IntN(len(a.Class.Replicated))]
			if p.Native != nil {
				break
			}
			if p.Type.Kind == engine.KindFastArray {
				if changeFast(rng, r.World, a, p, actors); drawn.IntN(3) == 0 {
					restoreFast(drawn, r.World, a, p)
				}
				break
			}
			v := drawValue(rng, r.World, p.Type, actors)
			if drawn.IntN(4) == 0 {
				v = a.Class.Default(p)
			}
			if err := a.Set(p, v); err != nil {
				t.Fatal(err)
			}
		}
		if rng.IntN(3) == 0 {
			for range 1 + rng.IntN(12) {
				if seed%2 == 0 {
					for _, a := range actors[:len(actors)/2] {
						a.SetLocation(a.Location.Add(geom.Vector{X: rng.Float64() * 20}))
					}
				}
				r.Step(1)
				*common += r.Server.Stats.Common
				countChannels(t, r)
			}
		}
	}
	if seed%4 >= 2 {
		reload()
	}
	// At rest.
	const looks = 40
	quiet, bound := r.Now, 2+15*rtt
	left := []string{}
	for i := range looks {
		r.Run(float64(i+1)*bound/looks - (r.Now - quiet).Seconds())
		if left = differences(r, actors); len(left) > 0 {
			share = float64(i+2) / looks
		}
	}
	if len(left) > 0 {
		share = 2
	}
	for _, d := range left {
		t.Errorf("%.2f s after the last change, of %.2f: %s", (r.Now - quiet).Seconds(), bound, d)
	}
	// It stays so, and what a client is not to know any more goes (R3.10: 5 s, looked at every second).
	r.Run(6.5)
	for _, d := range append(differences(r, actors), surplus(r, actors)...) {
		t.Errorf("6.5 s later: %s", d)
	}
	for i, p := range r.Peers {
		for _, l := range heard[p.World()].untold(p, actors) {
			t.Errorf("client %d: %s", i, l)
		}
		for id, list := range heard[p.World()].by {
			if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
				t.Errorf("reliable calls at %v came twice or out of order: %v", id, list)
			}
		}
	}
	sound(t, r)
	if t.Failed() {
		t.Logf("seed %d, rtt %.2f, budget %d", seed, rtt, r.Config.Limits.Budget)
	}
	return share
}

// arrive waits until all are in.
func arrive(r *rig.Rig) {
	for range 60 {
		r.Run(0.5)
		if !slices.ContainsFunc(r.Peers, func(p *rig.Peer) bool { return p.Controller() == nil }) {
			return
		}
	}
}

// sound checks that the server found no error, nor a change that was not marked.
func sound(t *testing.T, r *rig.Rig) {
	t.Helper()
	for _, l := range r.Lines {
		if strings.Contains(l, "without a mark") || strings.HasPrefix(l, "error") {
			t.Error(l)
		}
	}
}

// surplus are the copies of actors that are nobody's, far from every client, and awake (R4.7).
func surplus(r *rig.Rig, actors []*engine.Actor) (out []string) {
	for pi, p := range r.Peers {
		for _, a := range actors {
			far := a.BOnlyRelevantToOwner || a.Location.Size() > 16000
			if far && !a.BAlwaysRelevant && a.TopOwner() != p.Controller() && a.NetDormancy != engine.DormDormantAll && p.Copy(a) != nil {
				out = append(out, fmt.Sprintf("client %d still has %s at %v", pi, a, a.Location))
			}
		}
	}
	return out
}

// countChannels compares Channels, which is kept and not counted, with the channels that are open.
func countChannels(t *testing.T, r *rig.Rig) {
	t.Helper()
	r.Server.Connections(func(c *server.Conn) {
		n := 0
		r.Server.EachCopy(c, func(x server.Copy) {
			if x.State == server.CopyOpen {
				n++
			}
		})
		if got := c.Channels(); got != n {
			t.Fatalf("connection %d has %d open channels, Channels is %d", c.ID, n, got)
		}
	})
}

// counting is a script side that remembers the reliable calls of each actor, and the items of fast arrays that it was told of.
type counting struct {
	engine.NoScript
	by    map[engine.ActorID][]int
	items map[fastOf]map[uint32]bool
	wrong []string
}

// fastOf is a fast array of an actor.
type fastOf struct {
	a    engine.ActorID
	name string
}

func (s *counting) FastEvent(a *engine.Actor, p *engine.Property, how engine.FastChange, key uint32, _ engine.Value) {
	of := fastOf{a.ID(), p.Name}
	if s.items[of] == nil {
		s.items[of] = map[uint32]bool{}
	}
	if had := s.items[of][key]; had == (how == engine.FastAdded) {
		s.wrong = append(s.wrong, fmt.Sprintf("%s.%s: %v of item %d, which was there: %v", a, p.Name, how, key, had))
	}
	if s.items[of][key] = true; how == engine.FastRemoved {
		delete(s.items[of], key)
	}
}

// untold are the fast arrays of a client that have other items than its script was told of (R5.12, C2).
func (s *counting) untold(p *rig.Peer, actors []*engine.Actor) []string {
	for _, a := range actors {
		k := p.Copy(a)
		if k == nil {
			continue
		}
		for _, q := range k.Class.Replicated {
			if q.Type.Kind != engine.KindFastArray {
				continue
			}
			if told, has := len(s.items[fastOf{k.ID(), q.Name}]), k.Fast(q).Len(); told != has {
				s.wrong = append(s.wrong, fmt.Sprintf("%s.%s: told of %d items, has %d", a, q.Name, told, has))
			}
		}
	}
	return s.wrong
}

func (s *counting) Received(a *engine.Actor, _ *engine.Function, args []engine.Value, _ string) engine.Receipt {
	s.by[a.ID()] = append(s.by[a.ID()], int(args[0].Num))
	return engine.Accepted
}

// restoreFast gives a fast array items back, as a profile does.
func restoreFast(rng *rand.Rand, w *engine.World, a *engine.Actor, p *engine.Property) {
	var back []engine.KeyedItem
	for key := uint32(1); key <= a.Fast(p).LastKey(); key++ {
		if x, ok := a.FastGet(p, key); ok && rng.IntN(4) > 0 {
			back = append(back, engine.KeyedItem{Key: key, Value: x})
		} else if rng.IntN(4) == 0 {
			back = append(back, engine.KeyedItem{Key: key, Value: drawValue(rng, w, p.Type.Elem, nil)})
		}
	}
	_, _ = a.FastRestore(p, 0, back)
}

// switchConditions sets all custom conditions of an actor at random.
func switchConditions(rng *rand.Rand, a *engine.Actor) {
	for _, p := range a.Class.Replicated {
		if p.Rule.Named == engine.CondCustom {
			_ = a.SetCustomIsActive(p.Name, rng.IntN(2) == 0)
		}
	}
}

// change gives a variable of a script another value.
func change(rng *rand.Rand, w *engine.World, a *engine.Actor, p *engine.Property, actors []*engine.Actor) {
	switch {
	case p.Native != nil:
	case p.Type.Kind == engine.KindFastArray:
		changeFast(rng, w, a, p, actors)
	default:
		rig.Set(a, p.Name, drawValue(rng, w, p.Type, actors))
	}
}

func changeFast(rng *rand.Rand, w *engine.World, a *engine.Actor, p *engine.Property, actors []*engine.Actor) {
	items := a.Fast(p).Items()
	switch k := rng.IntN(4); {
	case k < 2 || len(items) == 0:
		_, _ = a.FastAdd(p, drawValue(rng, w, p.Type.Elem, actors))
	case k == 2:
		_ = a.FastSet(p, items[rng.IntN(len(items))].Key, drawValue(rng, w, p.Type.Elem, actors))
	default:
		_ = a.FastRemove(p, items[rng.IntN(len(items))].Key)
	}
}

// differences are those of every client's copies from the truth, after quantisation, as far as conditions let it know.
func differences(r *rig.Rig, actors []*engine.Actor) (out []string) {
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for pi, p := range r.Peers {
		if p.State() != client.Playing {
			add("client %d is %s: %v; %v", pi, p.State(), p.Reason(), r.Lines)
			continue
		}
		conn := r.Server.ConnectionOf(p.Controller())
		if conn == nil {
			add("client %d has not heard of its controller", pi)
			continue
		}
		n := 0
		for _, a := range actors {
			k := p.Copy(a)
			code, text, _ := r.Server.Why(conn, a, "")
			relevant := k != nil
			if relevant {
				n++
			}
			owner := a.TopOwner() == p.Controller()
			whole := a // of a component, its actor
			if a.Outer != nil {
				whole = a.Outer
			}
			should := whole.BAlwaysRelevant || owner || !whole.BOnlyRelevantToOwner && whole.Location.Size() < 14000
			if should && !relevant {
				add("client %d has no copy of %s at %v (%s: %s)", pi, a, a.Location, code, text)
			}
			if !relevant {
				continue
			}
			for _, q := range a.Class.Replicated {
				switch q.Rule.Named {
				case engine.CondOwnerOnly:
					if !owner {
						continue
					}
				case engine.CondSkipOwner:
					if owner {
						continue
					}
				case engine.CondCustom:
					if !a.CustomIsActive(q) {
						continue
					}
				default:
				}
				if q.Name == "Velocity" || q.Name == "Owner" {
					continue
				}
				if k.Class.Property(q.Name) == nil {
					add("client %d runs older classes: %s has no %s there", pi, a, q.Name)
					continue
				}
				if want, got := show(r, nil, a, q, p), show(r, p, k, k.Class.Property(q.Name), p); want != got {
					code, text, _ := r.Server.Why(conn, a, q.Name)
					add("client %d, %s.%s: %s, the truth is %s (%s: %s)", pi, a, q.Name, got, want, code, text)
				}
			}
		}
	}
	return out
}

// show writes a value as it should be on a client: quantised, actors by number where that client has them. p is nil on
// the server.
func show(r *rig.Rig, p *rig.Peer, a *engine.Actor, q *engine.Property, of *rig.Peer) string {
	if q.Type.Kind == engine.KindFastArray {
		s := ""
		for _, it := range a.Fast(q).Items() {
			v, _ := a.FastGet(q, it.Key)
			s += fmt.Sprintf("%d:%s ", it.Key, showValue(r, p, q.Type.Elem, v, of))
		}
		return s
	}
	return showValue(r, p, q.Type, a.Get(q), of)
}

func showValue(r *rig.Rig, p *rig.Peer, t *engine.Type, v engine.Value, of *rig.Peer) string {
	switch t.Kind {
	case engine.KindVector:
		g := wire.GridOf(t)
		q, _ := g.Quantise(v.Vec)
		return fmt.Sprint(q)
	case engine.KindRotator:
		return fmt.Sprint(v.Rot.Pitch>>8, v.Rot.Yaw>>8, v.Rot.Roll>>8)
	case engine.KindRef:
		if v.Ref == 0 {
			return "nil"
		}
		if p != nil {
			if n := p.NetOf(v.Ref); n != 0 {
				return fmt.Sprint(n)
			}
			return "nil" // torn off or left to the client since: the server knows nothing of that copy
		}
		n := r.Server.NetOf(v.Ref)
		if of.ByNet(n) == nil {
			return "nil"
		}
		return fmt.Sprint(n)
	case engine.KindStruct, engine.KindArray:
		s := "{"
		for i := range v.List {
			e := t.Elem
			if t.Kind == engine.KindStruct {
				if t.Fields[i].Local {
					continue
				}
				e = t.Fields[i].Type
			}
			s += showValue(r, p, e, v.List[i], of) + " "
		}
		return s + "}"
	default:
		return fmt.Sprint(v.Num, v.Str)
	}
}
