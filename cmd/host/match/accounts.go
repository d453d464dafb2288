package match

import (
	"cmp"
	"runtime/metrics"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/traffic"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// Accounts are the costs of a world, by function and by class with its mod (G6).
type Accounts struct {
	// Level is the level being played, Time the world's age in seconds, Tick the length of a tick in seconds.
	Level      string
	Time, Tick float64
	// Seconds per tick of all scripts, on average over the last whole second.
	Seconds float64
	Actors  int
	// Heap is the heap of the whole process, in bytes, including garbage that was not collected yet.
	Heap uint64
	// Functions are all that cost something, the most expensive of the last second first.
	Functions []scriptvm.Cost
	// Classes are all that cost something or have actors, the most expensive first.
	Classes []ClassAccount
	// Quarantined are classes by name, and functions of others as Class:Function.
	Quarantined []string
}

// ClassAccount is the cost of one class, or of one module, which only uses memory.
type ClassAccount struct {
	Class string
	Trust classfile.Trust
	// Mod is the mod that declares it, "" for core and the game.
	Mod    string
	Actors int
	// Seconds per tick of its functions, on average over the last whole second.
	Seconds float64
	// Bytes sent for its actors to the present players, since each of them joined.
	Bytes uint64
	// Memory is how many bytes scripts kept for it at the end of the last count (scriptvm.VM.AskMemory); 0 if
	// not measured.
	Memory uint64
	// Every is how many ticks pass between two calls of Tick; 1 if it is not throttled.
	Every int
}

// Accounts computes the costs of the match; players is the network side of its world, nil without one. It takes
// some microseconds for each actor, class and player, so it is called only on demand, between two ticks.
func (m *Match) Accounts(players *server.Server) Accounts {
	a := Accounts{
		Level: m.url.Level, Time: m.World.Time, Tick: m.World.Delta, Seconds: m.VM.Milliseconds() / 1e3, Actors: m.World.Live(),
		Functions: m.VM.Costs(), Quarantined: m.VM.Quarantined(),
	}
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	if metrics.Read(heap); heap[0].Value.Kind() == metrics.KindUint64 {
		a.Heap = heap[0].Value.Uint64()
	}
	by := map[string]*ClassAccount{}
	at := func(class string) *ClassAccount {
		c := by[class]
		if c == nil {
			c = &ClassAccount{Class: class, Every: 1}
			if ec := m.World.Classes.Find(class); ec != nil { // a removed class has only what it sent
				c.Mod, c.Trust = ec.Mod(), m.VM.TrustOf(ec)
			}
			by[class] = c
		}
		return c
	}
	m.World.EachActor(func(x *engine.Actor) { at(x.Class.Name).Actors++ })
	for _, f := range a.Functions {
		at(f.Class).Seconds += f.Milliseconds / 1e3
	}
	for _, k := range m.VM.Memory() {
		if k.Sum || k.Kept == 0 {
			continue
		}
		c := at(k.Name)
		c.Memory, c.Trust, c.Mod = uint64(k.Kept), k.Trust, k.Trust.Mod
	}
	for _, t := range m.VM.Throttled() {
		at(t.Class).Every = t.Every
	}
	if players != nil {
		players.Connections(func(c *server.Conn) {
			c.Traffic.ByClass(func(class string, e traffic.Entry) { at(class).Bytes += e.Bytes })
		})
	}
	for _, c := range by { // any order: sorted below
		a.Classes = append(a.Classes, *c)
	}
	slices.SortFunc(a.Classes, func(x, y ClassAccount) int {
		return cmp.Or(cmp.Compare(y.Seconds, x.Seconds), cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(y.Memory, x.Memory),
			cmp.Compare(y.Actors, x.Actors), strings.Compare(x.Class, y.Class))
	})
	return a
}
