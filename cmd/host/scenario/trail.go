package scenario

import (
	"fmt"

	"github.com/tidelock/tidelock/engine"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// stateEvery is how often, in seconds of simulated time, a trail includes the whole state of every world.
const stateEvery = 1

// trail hashes a run on a virtual clock as it goes: every packet, everything that a client saw, every line that
// was logged, and from time to time the state of all worlds. Two runs with one seed give the same.
type trail struct {
	hash   *engine.Hash
	marks  []mark
	logged int     // lines of the stage's log included so far
	state  float64 // when states were last included
}

// mark is the hash up to a time.
type mark struct {
	at  float64
	sum uint64
}

func newTrail() *trail { return &trail{hash: engine.NewHash(), state: -stateEvery} }

// saw adds an event of a client's.
func (t *trail) saw(who string, e *script.TraceEvent) {
	h := t.hash
	for _, text := range [...]string{who, e.Event, e.Class, e.Name} {
		h.String(text)
	}
	h.Word(uint64(e.Actor))
	h.Float(e.Time)
	t.value(e.Value)
	for _, v := range e.Args {
		t.value(v)
	}
}

func (t *trail) value(v engine.Value) {
	h := t.hash
	h.Word(uint64(v.Kind))
	h.Float(v.Num)
	h.String(v.Str)
	h.Vector(v.Vec)
	h.Word(uint64(v.Rot.Pitch) | uint64(v.Rot.Yaw)<<16 | uint64(v.Rot.Roll)<<32)
	h.Word(uint64(v.Ref))
	h.Word(uint64(len(v.List)))
	for _, x := range v.List {
		t.value(x)
	}
}

// step adds the results of a peer's tick. end includes the states of all worlds in any case.
func (t *trail) step(s *stage, end bool) {
	for _, line := range s.log[t.logged:] {
		t.hash.String(line)
	}
	t.logged = len(s.log)
	for _, h := range s.sites {
		if h.network == nil {
			continue
		}
		if w, ok := h.network.way.(*simWay); ok {
			t.hash.Word(w.net.Sum())
		}
	}
	if end || s.now-t.state >= stateEvery {
		t.state = s.now
		for _, h := range s.sites {
			if h.server != nil && h.server.Match != nil {
				t.hash.Word(h.server.World().HashState())
			}
			if h.network == nil {
				continue
			}
			for _, c := range h.network.clients {
				if w := c.World(); w != nil {
					t.hash.Word(w.HashState())
				}
			}
		}
	}
	t.marks = append(t.marks, mark{s.now, t.hash.Sum()})
}

// sum returns that of the whole run.
func (t *trail) sum() uint64 { return t.hash.Sum() }

// differs returns where a run begins to differ from another with the same seed, "" if it does not.
func (t *trail) differs(from *trail) string {
	for i := range min(len(t.marks), len(from.marks)) {
		if t.marks[i] != from.marks[i] {
			return fmt.Sprintf("the run differs from an earlier one with the same seed, from %s s on", seconds(from.marks[i].at))
		}
	}
	if len(t.marks) != len(from.marks) {
		return fmt.Sprintf("the run has %d ticks, an earlier one with the same seed had %d", len(t.marks), len(from.marks))
	}
	return ""
}
