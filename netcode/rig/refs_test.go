package rig_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/rig/losses"
	"github.com/tidelock/tidelock/netcode/simlink"
	"github.com/tidelock/tidelock/netcode/traffic"
)

// refRules are the conditions under which TestReferences replicates each kind of variable.
var refRules = []struct {
	name  string
	named engine.NetCondition
}{{"Always", engine.CondNone}, {"First", engine.CondInitialOnly}, {"FirstOwn", engine.CondInitialOrOwner}, {"Own", engine.CondOwnerOnly}}

// refKinds are the types that hold a reference, each with one in it.
var refKinds = []struct {
	name string
	t    func() *engine.Type
}{
	{"Ref", func() *engine.Type { return &engine.Type{Kind: engine.KindRef} }},
	{"Struct", refStruct},
	{"Array", func() *engine.Type {
		return &engine.Type{Kind: engine.KindArray, Len: 3, Elem: &engine.Type{Kind: engine.KindRef}}
	}},
	{"Structs", func() *engine.Type { return &engine.Type{Kind: engine.KindArray, Len: 2, Elem: refStruct()} }},
	{"Fast", func() *engine.Type { return &engine.Type{Kind: engine.KindFastArray, Elem: refStruct()} }},
}

func refStruct() *engine.Type {
	return &engine.Type{Kind: engine.KindStruct, Fields: []engine.Field{
		{Name: "N", Type: &engine.Type{Kind: engine.KindInt}}, {Name: "Who", Type: &engine.Type{Kind: engine.KindRef}},
	}}
}

// refClass has a variable of each kind under each condition.
func refClass(name, parent string) *engine.ClassSpec {
	s := &engine.ClassSpec{Name: name, Parent: parent}
	for _, k := range refKinds {
		for _, r := range refRules {
			v := k.name + r.name
			s.Properties = append(s.Properties, engine.PropertySpec{Name: v, Type: k.t()})
			s.Rules = append(s.Rules, engine.RuleSpec{Names: []string{v}, Named: r.named, Notify: engine.NotifyChanged})
		}
	}
	return s
}

// refWorld is a server with two clients, an actor of the first one's whose variables refer to targets, its component, and
// targets that nobody may know of yet.
type refWorld struct {
	*rig.Rig
	pointer *engine.Actor
	targets []*engine.Actor
	keys    map[*engine.Property]uint32
	classes []*engine.ClassSpec
	told    map[*engine.World]*notified
}

// notified counts notifies that told of no change.
type notified struct {
	engine.NoScript
	empty []string
}

func (s *notified) Notify(a *engine.Actor, p *engine.Property, old engine.Value) {
	if p.Type.Kind == engine.KindRef && a.Get(p).Ref == old.Ref {
		s.empty = append(s.empty, fmt.Sprintf("%s.%s", a, p.Name))
	}
}

func newRefWorld(lag time.Duration) *refWorld {
	pointer := refClass("Pointer", "Actor")
	pointer.Defaults = []engine.DefaultSpec{{Name: "bAlwaysRelevant", Value: engine.Bool(true)}}
	pointer.Components = []engine.ComponentSpec{{Name: "Hand", Class: "Hand"}}
	classes := []*engine.ClassSpec{
		{Name: "ActorComponent", Native: engine.NativeComponent},
		pointer, refClass("Hand", "ActorComponent"),
		{Name: "Target", Parent: "Actor", Defaults: []engine.DefaultSpec{{Name: "bOnlyRelevantToOwner", Value: engine.Bool(true)}}},
	}
	w := &refWorld{
		Rig: rig.New(classes...), classes: classes,
		keys: map[*engine.Property]uint32{}, told: map[*engine.World]*notified{},
	}
	w.Rig.Script = func(world *engine.World) engine.Script {
		w.told[world] = &notified{}
		return w.told[world]
	}
	w.Plenty().Start()
	w.Join(path(lag, 0))
	w.Join(path(lag, 0))
	w.Run(1 + 8*lag.Seconds())
	for range 3 {
		w.targets = append(w.targets, w.Spawn("Target", engine.SpawnParams{}))
	}
	return w
}

// set has every variable of the pointer and its component refer to a target by its number from 1, 0 for nobody.
func (w *refWorld) set(n int) {
	ref := engine.Value{Kind: engine.KindRef}
	if n > 0 {
		ref = engine.Ref(w.targets[n-1])
	}
	st := engine.Value{Kind: engine.KindStruct, List: []engine.Value{engine.Int(1), ref}}
	none := engine.Value{Kind: engine.KindRef}
	for _, a := range []*engine.Actor{w.pointer, w.pointer.ComponentNamed("Hand")} {
		for _, p := range a.Class.Replicated {
			var err error
			switch v := p.Type; {
			case p.Native != nil:
			case v.Kind == engine.KindRef:
				err = a.Set(p, ref)
			case v.Kind == engine.KindStruct:
				err = a.Set(p, st)
			case v.Kind == engine.KindArray && v.Elem.Kind == engine.KindRef:
				err = a.Set(p, engine.Value{Kind: engine.KindArray, List: []engine.Value{none, ref, none}})
			case v.Kind == engine.KindArray:
				err = a.Set(p, engine.Value{Kind: engine.KindArray, List: []engine.Value{v.Elem.Zero(), st}})
			case w.keys[p] == 0:
				w.keys[p], err = a.FastAdd(p, st)
			default:
				err = a.FastSet(p, w.keys[p], st)
			}
			if err != nil {
				panic(fmt.Sprint(p.Name, ": ", err))
			}
		}
	}
}

// reload gives every variable of the pointer and its component another number.
func (w *refWorld) reload() {
	var classes []*engine.ClassSpec
	for _, c := range w.classes {
		k := *c
		if len(k.Rules) > 0 {
			k.Properties = append([]engine.PropertySpec{{Name: "Before", Type: &engine.Type{Kind: engine.KindInt}}}, c.Properties...)
			k.Rules = append([]engine.RuleSpec{{Names: []string{"Before"}}}, c.Rules...)
		}
		classes = append(classes, &k)
	}
	w.Reload(classes...)
}

// relevant makes an actor known to all, or to its owner alone.
func (*refWorld) relevant(a *engine.Actor, on bool) {
	rig.Set(a, "bOnlyRelevantToOwner", engine.Bool(!on))
	rig.Set(a, "bAlwaysRelevant", engine.Bool(on))
}

// state is what every client has: by condition, what its variables refer to, where all kinds say the same of that.
func (w *refWorld) state() string {
	var out []string
	for i, p := range w.Peers {
		if p.State() != client.Playing {
			return fmt.Sprintf("client %d is %s: %v", i, p.State(), p.Reason())
		}
		top := p.Copy(w.pointer)
		if top == nil {
			out = append(out, fmt.Sprintf("client %d has no pointer", i))
			continue
		}
		for _, r := range refRules {
			line := ""
			for _, a := range []*engine.Actor{top, top.ComponentNamed("Hand")} {
				for _, k := range refKinds {
					line += fmt.Sprintf(" %s %s", k.name, w.refers(p, a, a.Class.Property(k.name+r.name)))
				}
				line += ";"
			}
			out = append(out, fmt.Sprintf("client %d %s:%s", i, r.name, line))
		}
		if e := w.told[p.World()].empty; len(e) > 0 {
			out = append(out, fmt.Sprintf("client %d was notified of no change: %v", i, e))
		}
	}
	return strings.Join(out, "\n")
}

// refers names the target that a client's variable refers to: by its number from 1, 0 for nobody.
func (w *refWorld) refers(p *rig.Peer, a *engine.Actor, q *engine.Property) string {
	v := engine.Value{}
	switch {
	case q.Type.Kind != engine.KindFastArray:
		v = a.Get(q)
	case a.Fast(q).Len() == 0:
		return "-"
	default:
		v, _ = a.FastGet(q, a.Fast(q).Items()[0].Key)
	}
	for len(v.List) > 0 { // in a struct and in an array it is the second
		v = v.List[1]
	}
	id := v.Ref
	if id == 0 {
		return "0"
	}
	for n, x := range w.targets {
		if net := w.Server.NetOf(x.ID()); net != 0 && p.NetOf(id) == net {
			return fmt.Sprint(n + 1)
		}
	}
	return fmt.Sprintf("?%d", p.NetOf(id))
}

// expect is the state where variables refer to these targets, by client and condition in the order of refRules; a fast
// array under Own has no item for the client that is not the owner.
func expect(want [2][4]int) string {
	var out []string
	for i := range want {
		for j, r := range refRules {
			line := ""
			for range 2 {
				for _, k := range refKinds {
					n := fmt.Sprint(want[i][j])
					if i == 1 && k.name == "Fast" && r.named == engine.CondOwnerOnly {
						n = "-"
					}
					line += fmt.Sprintf(" %s %s", k.name, n)
				}
				line += ";"
			}
			out = append(out, fmt.Sprintf("client %d %s:%s", i, r.name, line))
		}
	}
	return strings.Join(out, "\n")
}

// play does the steps of a story.
func (w *refWorld) play(x *losses.Exchange, story string) {
	for step := range strings.SplitSeq(story, ", ") {
		var name string
		var n int
		_, _ = fmt.Sscan(step, &name, &n)
		switch name {
		case "watch": // from here on packets are lost
			x.Watch(w.Peers[0].End, w.Peers[1].End)
		case "point":
			w.pointer = w.Spawn("Pointer", engine.SpawnParams{Owner: w.Peers[0].Controller()})
		case "set": // to target n, 0 for nobody
			w.set(n)
		case "come": // target n becomes known to all
			w.relevant(w.targets[n-1], true)
		case "go":
			w.relevant(w.targets[n-1], false)
		case "die":
			w.targets[n-1].Destroy()
		case "hide": // the pointer, but from its owner
			w.relevant(w.pointer, false)
		case "show":
			w.relevant(w.pointer, true)
		case "sleep":
			rig.Set(w.pointer, "NetDormancy", engine.Int(int(engine.DormDormantAll)))
		case "reload":
			w.reload()
		case "ticks":
			w.Step(n)
		case "settle": // more than a round trip and the time in which a loss is noticed, twice
			w.Run(0.6)
		default:
			panic("no step " + step)
		}
	}
}

// TestReferences: references end as they should whatever packet is lost, alone and within structs, arrays and fast arrays,
// in actors and components, under every condition that ends (R5.13).
func TestReferences(t *testing.T) {
	const initially = "it changes before the client has the pointer"
	first, second := [2][4]int{{1, 1, 1, 1}, {1, 1, 1, 0}}, [2][4]int{{2, 2, 2, 2}, {2, 2, 2, 0}}
	ended := [2][4]int{{2, 0, 2, 2}, {2, 0, 0, 0}} // that it was nobody ended the initial send
	for name, c := range map[string]struct {
		want  [2][4]int // what variables refer to without a loss, by client and condition
		story string
	}{
		"the target comes later":                                 {first, "point, set 1, settle, watch, come 1, settle"},
		"pointer and target come at once":                        {first, "watch, point, set 1, come 1, settle"},
		"the target comes one update after":                      {first, "watch, point, set 1, ticks 2, come 1, settle"},
		"it is another one by then":                              {second, "point, set 1, come 2, settle, watch, set 2, settle, come 1, settle"},
		"it is another one that comes, too":                      {second, "point, set 1, settle, watch, set 2, settle, come 1, ticks 6, come 2, settle"},
		"it is another one by then, and the first never comes":   {second, "point, set 1, come 2, settle, watch, set 2, settle"},
		"it is another one that comes, and the first never does": {second, "point, set 1, settle, watch, set 2, settle, come 2, settle"},
		initially:                             {second, "come 1, come 2, settle, watch, point, set 1, ticks 2, set 2, settle"},
		"it is nobody, and another one later": {ended, "point, set 1, come 2, settle, watch, set 0, settle, set 2, settle"},
		"it is nobody by then":                {[2][4]int{}, "point, set 1, settle, watch, set 0, settle, come 1, settle"},
		"it is dead before it came":           {ended, "point, set 1, come 2, settle, watch, die 1, settle, set 2, settle"},
		"it goes and comes back":              {first, "come 1, ticks 6, point, set 1, settle, watch, go 1, ticks 12, come 1, settle"},
		"it comes, goes and comes back at once": {
			first, "point, set 1, settle, watch, come 1, ticks 4, go 1, ticks 4, come 1, settle",
		},
		"it goes, is set to nobody, and comes back": {
			[2][4]int{{0, 1, 0, 0}, {0, 1, 1, 0}},
			"come 1, ticks 6, point, set 1, settle, go 1, settle, watch, set 0, ticks 18, come 1, settle",
		},
		"the pointer sleeps when it comes":     {first, "point, set 1, settle, sleep, settle, watch, come 1, settle"},
		"the pointer falls asleep as it comes": {first, "point, set 1, settle, watch, come 1, ticks 2, sleep, settle"},
		"it comes while one client does not have the pointer": {
			first, "point, set 1, settle, watch, hide, ticks 12, come 1, ticks 12, show, settle",
		},
		"the pointer is opened again as it comes": {first, "point, set 1, settle, watch, hide, ticks 2, come 1, show, settle"},
		"a reload comes before it":                {first, "point, set 1, settle, watch, reload, settle, come 1, settle"},
		"a reload comes with it":                  {first, "point, set 1, settle, watch, come 1, ticks 2, reload, settle, settle"},
		"it came, and another change is not the initial one": {
			[2][4]int{{2, 1, 2, 2}, {2, 1, 1, 0}}, "point, set 1, settle, come 2, ticks 12, watch, come 1, settle, set 2, settle",
		},
	} {
		for _, lag := range []time.Duration{10 * time.Millisecond, 60 * time.Millisecond} {
			if name == initially && lag < 60*time.Millisecond {
				continue // it is there by then
			}
			t.Run(fmt.Sprintf("%s/%v", name, lag), func(t *testing.T) {
				t.Parallel()
				losses.Expect(t, expect(c.want), func(x *losses.Exchange) string {
					w := newRefWorld(lag)
					w.play(x, c.story)
					x.Rest()
					w.Run(1.5)
					return w.state()
				})
			})
		}
	}
}

// TestInitialReferenceEnds: the initial send of a reference that waited ends when a datagram brings it, also where an older one
// with the same is found to be lost only afterwards (R5.7, R5.13).
func TestInitialReferenceEnds(t *testing.T) {
	w := newRefWorld(10 * time.Millisecond)
	w.play(nil, "point, set 1, come 2, settle")
	lost := 0
	w.Peers[0].End.Judge(nil, func() simlink.Fate {
		lost++
		return simlink.Fate{Lost: lost == 1} // the second repeats what it held
	})
	w.play(nil, "come 1, ticks 8")
	if got := w.Server.ConnectionOf(w.Peers[0].Controller()).Session().Lost; got != 0 || lost < 2 {
		t.Fatalf("%d packets went, %d are known to be lost: the test tests nothing", lost, got)
	}
	w.play(nil, "set 2, settle, settle")
	if got, want := w.state(), expect([2][4]int{{2, 1, 2, 2}, {2, 1, 1, 0}}); got != want {
		t.Errorf("%s\nexpected:\n%s", got, want)
	}
}

// TestForgottenReference: an actor to which nothing refers any more comes without a word about what once did (R5.13).
func TestForgottenReference(t *testing.T) {
	w := newRefWorld(10 * time.Millisecond)
	w.play(nil, "point, set 1, come 2, settle, set 2, settle")
	sent := func() (n uint64) {
		w.Server.ConnectionOf(w.Peers[0].Controller()).Traffic.Each(func(k traffic.Kind, name string, e traffic.Entry) {
			if k == traffic.Property && (strings.HasPrefix(name, "Pointer.") || strings.HasPrefix(name, "Hand.")) {
				n += e.Count
			}
		})
		return n
	}
	before := sent()
	w.play(nil, "come 1, settle")
	if w.Peers[0].Copy(w.targets[0]) == nil || before == 0 {
		t.Fatal("the actor did not come: the test tests nothing")
	}
	if n := sent() - before; n != 0 {
		t.Errorf("%d variables that refer to another actor were sent again", n)
	}
}
