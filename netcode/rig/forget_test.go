package rig_test

import (
	"fmt"
	"runtime"
	"testing"
	"weak"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
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

// alive counts those that a collection leaves.
func alive[T any](list []weak.Pointer[T]) (n int) {
	runtime.GC()
	for _, w := range list {
		if w.Value() != nil {
			n++
		}
	}
	return n
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
	for who, list := range sets {
		if kept := alive(list); kept > 1 {
			t.Errorf("the %s keeps the classes of %d reloads of %d", who, kept, rounds)
		}
	}
	runtime.KeepAlive(o)
	runtime.KeepAlive(p)
}

// TestWhoLeftIsLetGo: when more than eight have come, seen what all see, and left, nothing of their connections stays with
// the actors that are still there: a connection is a hundred kilobytes, and a server runs for weeks.
func TestWhoLeftIsLetGo(t *testing.T) {
	o := newParty(nil)
	o.Spawn("Guest", engine.SpawnParams{}) // who all see
	const rounds, guests = 3, 12
	var left []weak.Pointer[server.Conn]
	for range rounds {
		first := len(left)
		for range guests {
			o.in(t, simlink.Path{})
		}
		for _, pc := range o.World.ActorsOf("PlayerController") {
			left = append(left, weak.Make(o.Server.ConnectionOf(pc)))
		}
		if len(left) != first+guests {
			t.Fatal(len(left), "connections have a player")
		}
		for _, p := range o.Peers {
			p.Leave(link.Reason{Code: "left"})
		}
		o.Run(2)
		o.Peers = nil
		if n := o.Standing(); n != 0 {
			t.Fatal(n, "connections still stand")
		}
	}
	if kept := alive(left); kept > 0 {
		t.Errorf("%d connections of %d that ended are kept", kept, len(left))
	}
	runtime.KeepAlive(o)
}
