package rig_test

import (
	"math"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine/pace"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/simlink"
)

// paced runs a rig's server, and its clients unless they are silent, at the pace of the match.
type paced struct {
	*rig.Rig
	pace   pace.Pace
	silent bool
}

func (r *paced) step(ticks int) {
	dt := 1 / float64(r.Tick)
	for range ticks {
		r.Ticks++
		r.Now += time.Second / time.Duration(r.Tick)
		r.Server.Receive(r.Now)
		for range r.pace.Next() {
			r.World.Step(dt)
		}
		r.Server.Send(r.Now, r.Ticks%(r.Tick/r.Net) == 0)
		if r.silent {
			continue
		}
		for _, p := range r.Peers {
			p.Receive(r.Now)
			if w := p.World(); w != nil {
				for range p.Ticks(dt) {
					w.Step(dt)
				}
			}
			p.Send(r.Now)
		}
	}
}

func (r *paced) set(t *testing.T, scale float64) {
	t.Helper()
	r.pace.Set(scale)
	if err := r.Server.SetPace(scale, 0); err != nil {
		t.Fatal(err)
	}
}

func paceOf(t *testing.T, seed uint64, path simlink.Path) (*paced, *rig.Peer) {
	t.Helper()
	r := rig.New()
	r.Warm, r.Seed = true, seed
	r.Start()
	p := r.Join(path)
	r.Step(120)
	for tries := 0; p.Controller() == nil && tries < 1200; tries++ {
		r.Step(1)
	}
	if p.Controller() == nil {
		t.Fatal("not in: ", p.Reason(), r.Lines)
	}
	return &paced{Rig: r}, p
}

// TestPaceIsNotConfirmed: a client that claims not to know of a pause has two seconds of the world from that and no
// more, and nothing again from the next.
func TestPaceIsNotConfirmed(t *testing.T) {
	r, p := paceOf(t, 1, path(50*time.Millisecond, 0))
	pc := p.Controller()
	r.silent = true
	for n := range 3 {
		r.set(t, 0)
		r.step(150)
		if lead, most := r.World.PaceLead(pc); most < lead || most > 2 || lead > 2 || lead < 1.9 && n > 0 {
			t.Fatalf("pause %d: the lead is %.3f s, want up to 2", n, lead)
		}
	}
}

// TestPaceRefuses: what a host may not set is an error, and changes nothing.
func TestPaceRefuses(t *testing.T) {
	r, p := paceOf(t, 1, simlink.Path{})
	for _, c := range []struct {
		scale float64
		steps int
	}{{-1, 0}, {0.001, 0}, {4.1, 0}, {math.NaN(), 0}, {0, -1}, {0, 601}, {1, 3}} {
		if r.Server.SetPace(c.scale, c.steps) == nil {
			t.Errorf("scale %v with %d steps was accepted", c.scale, c.steps)
		}
	}
	r.step(30)
	if scale, pending := p.Pace(); scale != 1 || pending != 0 || r.Server.Pace() != 1 {
		t.Errorf("scale %v, pending %d", scale, pending)
	}
}

// TestClockOvertakesPace: an exchange of times can overtake the message that the pace has changed, where that is sent again. The client's
// clock then runs at the new pace from that exchange on: once both sides have one pace, it is right.
func TestClockOvertakesPace(t *testing.T) {
	worst := 0.0
	for seed := range uint64(40) {
		r, p := paceOf(t, seed, path(200*time.Millisecond, 0.1))
		for i := range 12 {
			r.set(t, []float64{0.5, 2, 0.25, 1}[i%4])
			for range 2 * r.Tick {
				r.step(1)
				if scale, _ := p.Pace(); p.World() != nil && scale == r.Server.Pace() {
					worst = max(worst, p.World().ServerTime()-r.World.Time)
				}
			}
		}
	}
	if worst > 0.3 {
		t.Errorf("ahead by %.3f s", worst)
	}
}
