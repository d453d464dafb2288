package rig_test

import (
	"fmt"
	"runtime"
	"testing"
	"weak"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/simlink"
)

// note is an actor that names another, as many variables as round says: its layout is another with each.
func note(round int) *engine.ClassSpec {
	s := &engine.ClassSpec{
		Name: "Note", Parent: "Actor",
		Properties: []engine.PropertySpec{
			{Name: "N", Type: &engine.Type{Kind: engine.KindInt}},
			{Name: "Of", Type: &engine.Type{Kind: engine.KindRef, Class: "Actor"}},
		},
		Rules: []engine.RuleSpec{{Names: []string{"N", "Of"}, Notify: engine.NotifyChanged}},
	}
	for i := range round {
		s.Properties = append(s.Properties, engine.PropertySpec{Name: fmt.Sprintf("X%d", i), Type: &engine.Type{Kind: engine.KindInt}})
	}
	return s
}

// TestReloadLetsOldClassesGo: after a reload nothing keeps the classes of before (R5.23). They are the most that a world
// has; a designer saves hundreds of times, and each would else stay in every peer's memory because of an actor that is gone
// and was named, called or moved under them.
func TestReloadLetsOldClassesGo(t *testing.T) {
	o := newParty(nil)
	p := o.in(t, simlink.Path{})
	named := o.Spawn("Guest", engine.SpawnParams{})
	seldom := o.Spawn("Guest", engine.SpawnParams{}) // by so few that nothing else tidies up after them
	o.Reload(guest(), note(0), blob())
	o.Run(0.5)
	sets := map[string][]weak.Pointer[engine.Classes]{}
	const rounds = 8
	for n := 1; n <= rounds; n++ {
		sets["server"] = append(sets["server"], weak.Make(o.World.Classes))
		sets["client"] = append(sets["client"], weak.Make(p.World().Classes))
		var gone []*engine.Actor
		for i := range 6 {
			a, of := o.Spawn("Note", engine.SpawnParams{}), named
			if i == 0 {
				of = seldom
			}
			for name, x := range map[string]engine.Value{"N": engine.Int(10*n + i), "Of": engine.Ref(of)} {
				rig.Set(a, name, x)
			}
			if i%2 == 0 {
				gone = append(gone, a)
			}
		}
		o.Run(0.3)
		for _, a := range gone {
			a.Destroy()
		}
		o.Run(0.2)
		o.Reload(guest(), note(n), blob())
		o.Run(0.5)
	}
	runtime.GC()
	for who, list := range sets {
		kept := 0
		for _, w := range list {
			if w.Value() != nil {
				kept++
			}
		}
		if kept > 1 {
			t.Errorf("the %s keeps the classes of %d reloads of %d", who, kept, rounds)
		}
	}
	runtime.KeepAlive(o)
	runtime.KeepAlive(p)
}
