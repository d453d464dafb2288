package main

import (
	"sync/atomic"
	"time"

	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/cmd/host/nats"
	"github.com/tidelock/tidelock/scriptvm"
)

// counted adds up the counters of a game over its matches, since those of a match begin at zero. It belongs to the loop's
// goroutine, reports excepted.
type counted struct {
	vm     *scriptvm.VM
	spent  int64 // of vm, as last added
	failed uint64
	at     time.Time // when the present phase began

	phases  [metrics.PhaseOther + 1]metrics.PhaseFigures
	faults  uint64
	classes metrics.Classes

	// quarantined is the length of the VM's list when its count of changes was listed.
	quarantined int
	listed      uint64
	// reports is counted by kind, on any goroutine: a match is also rehearsed beside the running one.
	reports [reportKinds]atomic.Uint64
}

// reportKinds is the number of kinds of reports.
const reportKinds = 3

// phase ends a phase: what scripts spent since the last call is its. It is called before the first phase of a tick, with
// PhaseOther, and after each.
func (c *counted) phase(vm *scriptvm.VM, p metrics.Phase) {
	if c.vm != vm {
		c.vm, c.spent, c.failed, c.quarantined, c.listed = vm, 0, 0, len(vm.Quarantined()), vm.OutOfUseChanged()
	}
	f := &c.phases[p]
	now := time.Now()
	if p != metrics.PhaseOther {
		f.Seconds += now.Sub(c.at).Seconds()
	}
	c.at = now
	spent, failed := vm.Spent(), vm.Stats().Faults
	if units := spent - c.spent; units > 0 {
		f.Units += uint64(units)
		f.ScriptSeconds += float64(units) * vm.CostScale() / 1e9
	}
	c.faults += failed - c.failed
	c.spent, c.failed = spent, failed
}

// clusterFigures fills in what monitoring shows of profiles and of other hosts.
func (g *game) clusterFigures(f *metrics.Figures) {
	if p := g.keeping.profiles; p != nil {
		n := p.Book.Figures()
		f.Profiles = metrics.ProfileFigures{Loading: n.Loading, Waiting: n.Waiting, Held: n.Held, Failed: n.Failed, Discarded: n.Discarded}
	}
	b, ok := g.keeping.cluster.Bus.(*nats.Bus)
	if !ok {
		return // a host by itself
	}
	n := b.Stats()
	c := metrics.ClusterFigures{
		In: true, Connected: n.Connected, Connects: n.Connects,
		MessagesOut: n.Published, MessagesIn: n.Received, Unsent: n.Unsent, Lost: n.Lost, Malformed: n.Malformed, Hosts: g.keeping.hosts.count(),
	}
	if g.hops != nil {
		h := &g.hops.Service.Stats
		c.HopsBegun, c.HopsArrived, c.HopsReceived = uint64(h.Begun), uint64(h.Sent), uint64(h.Arrived)   //nolint:gosec // counted
		c.HopsFailed, c.HopsReturned, c.HopTook = uint64(h.Failed-h.Returned), uint64(h.Returned), h.Took //nolint:gosec // counted
	}
	f.Cluster = c
}

// Figures fills in what monitoring shows of the match.
func (g *game) Figures(f *metrics.Figures) {
	c := &g.counted
	c.phase(g.VM, metrics.PhaseOther)
	for p := range c.phases {
		*f.Phase(metrics.Phase(p)) = c.phases[p]
	}
	f.Faults = c.faults
	if n := g.VM.OutOfUseChanged(); n != c.listed {
		c.quarantined, c.listed = len(g.VM.Quarantined()), n
	}
	f.Quarantined, f.ScriptMemory = c.quarantined, g.VM.MemoryKept()
	f.Reports = f.Reports[:0]
	for k := range c.reports {
		f.Reports = append(f.Reports, metrics.Count{Name: reportEvent(scriptvm.ReportKind(k)), N: c.reports[k].Load()})
	}
	f.Level = g.levelName()
	f.Draining = g.drain.Active()
	f.Time, f.Actors, f.Classes = g.World.Time, g.World.Live(), len(g.World.Classes.All())
	storeFigures(g.store, f)
	g.clusterFigures(f)
	if g.door == nil {
		return
	}
	g.door.Figures(f, &c.classes)
	f.MaxPlayers = g.MaxPlayers()
}
