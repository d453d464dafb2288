package rig_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/rig/losses"
)

// lampLevel has one actor that clients have from the level, too.
const lampLevel = `{ "classname" "worldspawn" }
{ "classname" "Lamp" "targetname" "lamp" "origin" "100 0 0" }`

// newLevelWorld is a server with a level, and with a client where join is set. The lamp is a Speaker with bNoDelete,
// DORM_Initial and the components One and Two.
func newLevelWorld(t *testing.T, join bool) *wholeWorld {
	lv, err := level.Parse("maps/lamp.map", []byte(lampLevel), level.Options{Scale: 1})
	if err != nil {
		t.Fatal(err)
	}
	yes := engine.Bool(true)
	specs := append(speakers(), &engine.ClassSpec{
		Name: "Lamp", Parent: "Speaker",
		Defaults: []engine.DefaultSpec{{Name: "bNoDelete", Value: yes}, {Name: "bAlwaysRelevant", Value: yes}, {Name: "NetDormancy", Value: engine.Int(int(engine.DormInitial))}},
	})
	w := &wholeWorld{Rig: rig.New(specs...)}
	w.Rig.Script = func(world *engine.World) engine.Script {
		world.LoadEntities(lv)
		return engine.NoScript{}
	}
	w.Plenty().Start()
	if join {
		w.enter()
	}
	w.a = w.World.ActorByLevelName("lamp")
	return w
}

func (w *wholeWorld) enter() {
	w.peer = w.Join(path(20*time.Millisecond, 0))
	w.peer.Trace = true
	w.Run(1.2)
}

// TestLevelSleeps: an actor of the level with DORM_Initial and components of its class is told of with the first change of
// one, whatever packet is lost, and not before (R4.7, R5.20, R1.4).
func TestLevelSleeps(t *testing.T) {
	for name, c := range map[string]struct {
		late        bool // the client joins after it
		story, want string
	}{
		"a variable of a component is set":              {false, "set Two 4, ticks 30", "a 0 One 0 Two 4 role 1"},
		"a variable of a component was set before":      {true, "set Two 4, ticks 30", "a 0 One 0 Two 4 role 1"},
		"a component of its class is destroyed":         {false, "drop One, ticks 30", "a 0 Two 0 role 1"},
		"a component of its class was destroyed before": {true, "drop One, ticks 30", "a 0 Two 0 role 1"},
		"it is torn off with what was set of a component": {
			false, "set One 6, set a 7, tear, ticks 30", "a 7 One 6 Two 0 role 3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(x *losses.Exchange) string {
				w := newLevelWorld(t, !c.late)
				if c.late {
					w.play(x, c.story)
					w.enter()
				} else {
					if n := len(w.peer.Events); n > 0 && w.peer.Events[n-1].Class == "Lamp" {
						t.Fatalf("the client was told of the lamp before anything of it changed: %v", w.peer.Events[n-1])
					}
					w.play(x, "watch, "+c.story)
				}
				x.Rest()
				w.Run(2)
				lamp := w.peer.World().ActorByLevelName("lamp") // the client has its own
				return fmt.Sprintf("%s role %d", w.state(lamp), lamp.Role)
			}
			if !c.late {
				losses.Expect(t, c.want, run)
			} else if got := run(&losses.Exchange{}); got != c.want {
				t.Errorf("it is %q, expected %q", got, c.want)
			}
		})
	}
}
