package scenario

import (
	"strings"
	"testing"

	netclient "github.com/tidelock/tidelock/netcode/client"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// TestTrail: a run that parts from another is noticed, with when it did; one that does not part is not.
func TestTrail(t *testing.T) {
	s, err := Open(Options{Root: "../../..", Files: []string{"testdata/trail.lua"}})
	if err != nil {
		t.Fatal(err)
	}
	runs := map[string]*trail{}
	for name, run := range map[string]struct {
		c    int
		seed uint64
	}{"first": {0, 1}, "again": {0, 1}, "other seed": {0, 2}, "later": {1, 1}, "shorter": {2, 1}, "said": {3, 1}, "set": {4, 1}} {
		runs[name] = newTrail()
		if o := s.Cases[run.c].runLeaving(run.seed, runs[name]); !o.OK || o.Sum == 0 {
			t.Fatalf("%s: %s", name, Diagnostics(s.Cases[run.c], o))
		}
	}
	if text := runs["again"].differs(runs["first"]); text != "" {
		t.Errorf("the same run: %s", text)
	}
	for name, want := range map[string]string{
		"other seed": "from 0.0", "later": "from 1.0", "shorter": "from 1.5", "said": "from 1.0", "set": "from 1.0",
	} {
		if text := runs[name].differs(runs["first"]); !strings.Contains(text, want) {
			t.Errorf("%s: %q, expected %q in it", name, text, want)
		}
	}
}

// TestTrailSeesEvents: the order in which a client is told of changes is part of the sum.
func TestTrailSeesEvents(t *testing.T) {
	a, b := script.TraceEvent{Event: "notified", Class: "Bag", Name: "A"}, script.TraceEvent{Event: "notified", Class: "Bag", Name: "B"}
	sum := func(events ...script.TraceEvent) uint64 {
		k := newTrail()
		st := &stage{trail: k}
		c := &client{seat: &seat{net: &network{stage: st}}, stage: st, opt: script.ClientOptions{Name: "a"}}
		for _, e := range events {
			c.saw(c.seat, netclient.Event{Kind: netclient.Notified, Class: e.Class, Name: e.Name})
		}
		return k.sum()
	}
	one, again, other := sum(a, b), sum(a, b), sum(b, a)
	if one != again || one == other {
		t.Errorf("the order of two notifies is not in the sum: %x and again %x, the other way round %x", one, again, other)
	}
}
