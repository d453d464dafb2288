package rig_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/simlink"
)

// story writes down what a world's scripts are told of a class's copies.
type story struct {
	engine.NoScript
	lines []string
}

func (s *story) Notify(a *engine.Actor, p *engine.Property, _ engine.Value) {
	s.lines = append(s.lines, fmt.Sprintf("%s.%s", a.Class.Name, p.Name))
}

func (s *story) FastEvent(_ *engine.Actor, p *engine.Property, how engine.FastChange, key uint32, _ engine.Value) {
	s.lines = append(s.lines, fmt.Sprintf("%s %d %d", p.Name, how, key))
}

// TestNotifyOrder: what one update changed is told in order of the variables, and that of fast arrays after all their items
// (R5.14): the same run each time.
func TestNotifyOrder(t *testing.T) {
	spec := &engine.ClassSpec{Name: "Bag", Parent: "Actor", Defaults: []engine.DefaultSpec{{Name: "bAlwaysRelevant", Value: engine.Bool(true)}}}
	var want []string
	const n = 24 // a few fast arrays would come in the right order by chance
	for i := range n {
		name := fmt.Sprintf("V%02d", i)
		typ := &engine.Type{Kind: engine.KindFastArray, Elem: refStruct()}
		if i%3 == 0 {
			typ = &engine.Type{Kind: engine.KindInt}
			want = append(want, "Bag."+name)
		} else {
			want = append(want, name+" 0 1")
		}
		spec.Properties = append(spec.Properties, engine.PropertySpec{Name: name, Type: typ})
		spec.Rules = append(spec.Rules, engine.RuleSpec{Names: []string{name}, Notify: engine.NotifyChanged})
	}
	for i := range n {
		if i%3 != 0 {
			want = append(want, fmt.Sprintf("Bag.V%02d", i))
		}
	}
	r := rig.New(spec)
	told := map[*engine.World]*story{}
	r.Script = func(w *engine.World) engine.Script {
		told[w] = &story{}
		return told[w]
	}
	r.Start()
	p := r.Join(simlink.Path{})
	r.Run(1)
	bag := r.Spawn("Bag", engine.SpawnParams{})
	for at, fill := range []bool{true, false} { // the opening, and a later update
		told[p.World()].lines = nil
		for _, q := range bag.Class.Replicated {
			switch {
			case q.Native != nil:
			case q.Type.Kind == engine.KindInt:
				_ = bag.Set(q, engine.Int(at+1))
			case fill:
				_, _ = bag.FastAdd(q, q.Type.Elem.Zero())
			default:
				_ = bag.FastRemove(q, 1)
			}
		}
		r.Run(0.3)
		got := slices.DeleteFunc(told[p.World()].lines, func(l string) bool { return !strings.Contains(l, "V") })
		if !fill {
			for i := range want {
				want[i] = strings.Replace(want[i], " 0 1", fmt.Sprintf(" %d 1", engine.FastRemoved), 1)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("told:\n%v\nexpected:\n%v", got, want)
		}
	}
}

// TestNotifyOrderAfterReload: references that wait are told of in one order after a reload, too, when their actor comes: by
// actor, and within it by variable.
func TestNotifyOrderAfterReload(t *testing.T) {
	spec := &engine.ClassSpec{Name: "Pointer", Parent: "Actor", Defaults: []engine.DefaultSpec{{Name: "bAlwaysRelevant", Value: engine.Bool(true)}}}
	for i := range 8 {
		name := fmt.Sprintf("V%02d", i)
		spec.Properties = append(spec.Properties, engine.PropertySpec{Name: name, Type: &engine.Type{Kind: engine.KindRef}})
		spec.Rules = append(spec.Rules, engine.RuleSpec{Names: []string{name}, Named: engine.CondInitialOnly, Notify: engine.NotifyChanged})
	}
	r := rig.New(spec).Start()
	p := r.Join(simlink.Path{})
	r.Run(1)
	target := r.Spawn("Actor", engine.SpawnParams{})
	var want []string
	for range 8 {
		a := r.Spawn("Pointer", engine.SpawnParams{})
		for _, q := range spec.Properties {
			rig.Set(a, q.Name, engine.Ref(target))
			want = append(want, fmt.Sprintf("%d %s", r.Server.NetOf(a.ID()), q.Name))
		}
	}
	r.Run(0.3)
	rig.Set(target, "bOnlyRelevantToOwner", engine.Bool(true)) // clients keep in mind what referred to it
	r.Run(1)
	if p.Copy(target) != nil {
		t.Fatal("the target is still there: the test tests nothing")
	}
	other := *spec // the variables get other numbers
	other.Properties, other.Rules = nil, nil
	for i := range len(spec.Properties) {
		name := fmt.Sprintf("N%02d", i)
		other.Properties = append(other.Properties, engine.PropertySpec{Name: name, Type: &engine.Type{Kind: engine.KindInt}})
		other.Rules = append(other.Rules, engine.RuleSpec{Names: []string{name}})
	}
	other.Properties, other.Rules = append(other.Properties, spec.Properties...), append(other.Rules, spec.Rules...)
	r.Reload(&other)
	r.Run(0.5)
	var got []string
	p.Trace = true
	rig.Set(target, "bOnlyRelevantToOwner", engine.Bool(false))
	r.Run(1)
	for _, e := range p.Events {
		if e.Kind.String() == "notified" && e.Class == "Pointer" {
			got = append(got, fmt.Sprintf("%d %s", e.Net, e.Name))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("told:\n%v\nexpected:\n%v", got, want)
	}
}
