package main

import (
	"testing"

	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/traffic"
)

// TestFigures: what monitoring shows is what the world has, and no counter falls when the match travels or a player leaves.
func TestFigures(t *testing.T) {
	g := newParty(t, t.TempDir(), gameOptions{URL: "flat?game=GameInfo?bots=2?maxplayers=5"})
	p := g.come("Ann")
	var last metrics.Figures
	read := func() *metrics.Figures {
		t.Helper()
		var f metrics.Figures
		g.Figures(&f)
		sent := map[string]uint64{}
		for _, s := range f.Sent {
			sent[s.Class] = s.Bytes
		}
		for _, s := range last.Sent {
			if sent[s.Class] < s.Bytes {
				t.Errorf("bytes of %s fell from %d to %d", s.Class, s.Bytes, sent[s.Class])
			}
		}
		for i := range f.Phases {
			if now, was := f.Phases[i], last.Phases[i]; now.Units < was.Units || now.Seconds < was.Seconds || now.ScriptSeconds < was.ScriptSeconds {
				t.Errorf("phase %v fell from %+v to %+v", metrics.Phase(i), was, now)
			}
		}
		if f.Faults < last.Faults || f.Calls < last.Calls {
			t.Errorf("%d faults after %d, %d calls after %d", f.Faults, last.Faults, f.Calls, last.Calls)
		}
		last = f
		return &f
	}
	g.until("the player is in", func() bool { return g.Status().Players == 1 && p.Pawn() != nil })
	g.steps(120)
	f := read()
	udp := f.Carrier(metrics.CarrierUDP)
	if f.Actors != g.World.Live() || f.Players != 1 || f.MaxPlayers != 5 || f.Time != g.World.Time || f.Classes != len(g.World.Classes.All()) {
		t.Errorf("got %+v", f)
	}
	if udp.PacketsIn == 0 || udp.BytesOut == 0 || *f.Carrier(metrics.CarrierWeb) != (metrics.CarrierFigures{}) || f.Relevant == 0 {
		t.Errorf("carriers %+v, %d relevant", f.Carriers, f.Relevant)
	}
	var units, payload uint64
	for _, ph := range f.Phases {
		units += ph.Units
	}
	if want := uint64(g.VM.Spent()); units != want {
		t.Errorf("phases spent %d units, the VM %d", units, want)
	}
	if f.Phase(metrics.PhaseWorld).Units == 0 || f.Phase(metrics.PhaseWorld).Seconds <= 0 || f.Phase(metrics.PhaseOther).Seconds != 0 {
		t.Errorf("phases %+v", f.Phases)
	}
	for _, s := range f.Sent {
		payload += s.Bytes
	}
	if payload == 0 || payload > udp.BytesOut {
		t.Errorf("%d bytes of classes, %d on the wire", payload, udp.BytesOut)
	}
	var counted uint64
	c := g.door.Server().ConnectionOf(g.World.ActorsOf("PlayerController")[0])
	c.Traffic.Each(func(_ traffic.Kind, _ string, e traffic.Entry) { counted += e.Bytes })
	if payload != counted {
		t.Errorf("%d bytes by class, %d by the connection", payload, counted)
	}

	if _, err := g.VM.Call(g.Game, "Broadcast", engine.Bool(true)); err == nil {
		t.Error("no fault")
	}
	faults := read().Faults
	if faults == 0 {
		t.Error("a fault is not counted")
	}
	old := g.World
	g.World.Travel("wall")
	g.until("travel", func() bool { return g.World != old && g.Status().Players == 1 && p.Pawn() != nil })
	if f := read(); f.Faults < faults || f.Time > old.Time {
		t.Errorf("%d faults, %g s", f.Faults, f.Time)
	}
	g.leave(p)
	g.until("the player leaves", func() bool { return g.Status().Players == 0 })
	g.steps(60)
	if f := read(); f.Players != 0 || f.MaxPlayers != 64 && f.MaxPlayers != 5 {
		t.Errorf("got %+v", f)
	}
	if n := testing.AllocsPerRun(50, func() { g.Figures(&last) }); n != 0 {
		t.Errorf("the figures allocate %g times", n)
	}
}
