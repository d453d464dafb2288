package rig_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/traffic"
)

// The log of a class (R13.4) has every actor and every variable that is sent, as often as the counters have it, can be
// switched while the game runs, and says nothing of other classes.
func TestLogOfAClass(t *testing.T) {
	class := func(name string) *engine.ClassSpec {
		return &engine.ClassSpec{
			Name: name, Parent: "Actor", Rules: []engine.RuleSpec{{Names: []string{"Gold"}, Named: engine.CondOwnerOnly}, {Names: []string{"Label"}}},
			Properties: []engine.PropertySpec{{Name: "Gold", Type: &engine.Type{Kind: engine.KindInt}}, {Name: "Label", Type: &engine.Type{Kind: engine.KindString}}},
		}
	}
	r := rig.New(class("Chest"), class("Box")).Start()
	a := r.Join(path(20*time.Millisecond, 0.05))
	r.Run(1)
	var lines []string
	take := func() string {
		all := strings.Join(lines, "\n")
		lines = nil
		return all
	}
	spawn := func(class string) *engine.Actor { return r.Spawn(class, engine.SpawnParams{Owner: a.Controller()}) }
	set := func(of *engine.Actor, n int) { rig.Set(of, "Gold", engine.Int(n)) }
	counted := func() (n uint64) {
		r.Server.Connections(func(c *server.Conn) {
			c.Traffic.Each(func(k traffic.Kind, name string, e traffic.Entry) {
				if k == traffic.Property && name == "Chest.Gold" {
					n = e.Count
				}
			})
		})
		return n
	}

	spawn("Chest")
	r.Run(0.5)
	if s := take(); s != "" {
		t.Errorf("it is off, and says:\n%s", s)
	}

	r.Server.LogClass("Chest", true, func(text string) { lines = append(lines, text) })
	from := counted()
	c, b := spawn("Chest"), spawn("Box")
	set(c, 1)
	r.Run(0.5)
	s := take()
	if !strings.Contains(s, "open "+c.String()) || !strings.Contains(s, "Gold") {
		t.Errorf("an actor that is opened with a variable: %q", s)
	}
	logged := strings.Count(s, "Gold")
	// Now and then, and in every net update.
	for i := range 100 {
		if i%20 == 0 || i > 60 {
			set(c, i+2)
		}
		set(b, i)
		r.Step(2)
	}
	r.Run(1)
	s = take()
	logged += strings.Count(s, "Gold")
	if n := counted() - from; uint64(logged) != n || n < 40 {
		t.Errorf("Gold was sent %d times and stands in the log %d times", n, logged)
	}
	if strings.Contains(s, "Box") {
		t.Errorf("it speaks of another class:\n%s", s)
	}
	rig.Set(c, "Label", engine.String("x"))
	r.Run(0.5)
	if s := take(); !strings.Contains(s, "send "+c.String()) || !strings.Contains(s, "Label") || strings.Contains(s, "Gold") {
		t.Errorf("one variable was set: %q", s)
	}
	c.Destroy()
	r.Run(0.5)
	if s := take(); !strings.Contains(s, "close") {
		t.Errorf("an actor that goes: %q", s)
	}

	r.Server.LogClass("Chest", false, nil)
	set(spawn("Chest"), 9)
	r.Run(0.5)
	if s := take(); s != "" {
		t.Errorf("it is off again, and says:\n%s", s)
	}
}
