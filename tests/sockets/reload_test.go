//go:build unix

package sockets

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/tests/heap"
)

// ledger is an actor whose variables, of every kind that crosses differently, change all the time while it is busy.
// Once changes shortly before a reload and not again. EXTRA is a variable that some reloads bring and others take away.
const ledger = `
local Ledger = class("Ledger", "Actor")
Ledger.properties {
	Busy = true, Once = int(0), A = int(0), B = float(0), S = "", V = vector(0, 0, 0), L = array(int(0), 4), W = ref("Actor"), EXTRA
}
Ledger.defaults { bAlwaysRelevant = true }
Ledger.replication { { "Once", "A", "B", "S" }, { "V", "L", "W" }, NAME }

function Ledger:Sign(n)
	self.Once = n
end

function Ledger:Rest()
	self.Busy = false
end

function Ledger:Tick(_)
	if not self.Busy then
		return
	end
	self.A = self.A + 1
	if self.A % 7 == 0 then
		self.B = self.A / 4
		self.S = "page " .. self.A
	end
	if self.A % 5 == 0 then
		self.V = vector(self.A % 1000, 0, 1)
		self.L[self.A % 4 + 1] = self.A
		self.W = self.A % 2 == 0 and self or nil
	end
	SET
end
`

// ledgerOf is the class in a round: odd ones have one variable more.
func ledgerOf(round int) string {
	r := strings.NewReplacer("EXTRA", "", "NAME", "", "SET", "")
	if round%2 == 1 {
		r = strings.NewReplacer("EXTRA", "X = int(7),", "NAME", `{ "X" }`, "SET", "self.X = self.A + 1")
	}
	return r.Replace(ledger)
}

// TestReload: scripts are saved while thirty-two players play. All of them run the new function soon after, nobody is
// disconnected, and in the end every player has what the host has.
func TestReload(t *testing.T) {
	players, rounds := longer(8, 32), longer(4, 12)
	h := startHost(t, hostConfig{level: "arena?game=Crowd?bots=4?maxplayers=64", more: ledgerOf(0)})
	h.more = ""
	const ledgers = 6
	h.do(func() {
		w := h.match.World
		for range ledgers {
			if _, err := w.Spawn(w.Classes.Find("Ledger"), engine.SpawnParams{}); err != nil {
				t.Error(err)
			}
		}
	})
	k, err := newCrowd(crowdConfig{Addr: h.link.Addr(), Full: players, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	runs := map[string]map[string]time.Time{} // by round and player
	k.said = func(name, text string) {
		mu.Lock()
		defer mu.Unlock()
		if _, round, ok := strings.Cut(text, "round "); ok {
			if runs[round] == nil {
				runs[round] = map[string]time.Time{}
			}
			runs[round][name] = time.Now()
		}
	}
	if err := k.run(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := k.end(); err != nil {
			t.Error(err)
		}
	}()
	allRun := func(round string) func() bool {
		look := time.Time{}
		return func() bool {
			if time.Since(look) > time.Second {
				look = time.Now()
				if r := k.report(); r.Over > 0 || len(r.Faults) > 0 {
					t.Fatalf("round %s: %d of %d players are over: %q", round, r.Over, players, r.Faults)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			return len(runs[round]) == players
		}
	}
	until(t, "all players in", allRun("0"))
	ticks := ticksOf(t, k)
	memory := heapMB()

	var took, swap, each []time.Duration // of the last player, of the host, of every player
	for n := 1; n <= rounds; n++ {
		round := fmt.Sprint(n)
		// Of what crosses, some is on its way when the classes change, some has just been set.
		for i := range ledgers - 1 {
			h.do(func() { once(t, h, i, n) })
			h.tick()
		}
		saved := time.Now()
		if err := h.reload(round, func() { once(t, h, ledgers-1, n) }, ledgerOf(n)); err != nil {
			t.Fatal(err)
		}
		swap = append(swap, time.Since(saved))
		until(t, "all players run round "+round, allRun(round))
		last := saved
		mu.Lock()
		for _, at := range runs[round] {
			each = append(each, at.Sub(saved))
			if at.After(last) {
				last = at
			}
		}
		mu.Unlock()
		took = append(took, last.Sub(saved))
		pass(200 * time.Millisecond) // of the match, before the next
	}
	t.Logf("%d players, %d reloads: until the last runs the new function p50 %.0f ms, p95 %.0f ms; until any does p50 %.0f ms; of it at the host p50 %.0f ms",
		players, rounds, ms(quantile(took, 0.5)), ms(quantile(took, 0.95)), ms(quantile(each, 0.5)), ms(quantile(swap, 0.5)))
	if p := quantile(took, 0.95); p > 5*time.Second {
		figure(t, "p95 is %v", p)
	}

	now := heapMB()
	t.Logf("the host and all players live in %.0f MB, after the reloads in %.0f", memory, now)
	if now > 3*memory+50 { // it was six times when each world kept all classes it ever had
		t.Errorf("%.0f MB before %d reloads, %.0f after", memory, rounds, now)
	}

	h.do(func() {
		for _, a := range h.match.World.ActorsOf("Ledger") {
			if _, err := h.match.VM.Call(a, "Rest"); err != nil {
				t.Error(err)
			}
		}
	})
	var difference string
	still := time.Now()
	deadline := time.Now().Add(patience / 2)
	until(t, "every player has what the host has", func() bool {
		difference = differs(t, h, k, ledgers)
		return difference == "" || time.Now().After(deadline)
	})
	if difference != "" {
		t.Error(difference)
	}
	t.Logf("%.1f s after the last change every player has what the host has", time.Since(still).Seconds())
	for name, n := range ticksOf(t, k) {
		if n < ticks[name] {
			t.Errorf("%s counted %d ticks of its own before the reloads and %d after", name, ticks[name], n)
		}
	}
	if r := k.report(); r.Over > 0 || len(r.Faults) > 0 {
		t.Errorf("%d players did not stay: %q", r.Over, r.Faults)
	}
	if n := h.players(); n != players {
		t.Errorf("%d players at the host, want %d", n, players)
	}
	h.quiet(comeAgain)
}

// heapMB is what lives on the heap of this process.
func heapMB() float64 { return float64(heap.Live()) / 1e6 }

// once sets Once of a ledger, on the loop's goroutine.
func once(t *testing.T, h *host, ledger, value int) {
	if _, err := h.match.VM.Call(h.match.World.ActorsOf("Ledger")[ledger], "Sign", engine.Int(value)); err != nil {
		t.Error(err)
	}
}

// ticksOf is a variable that players count by themselves.
func ticksOf(t *testing.T, k *crowd) map[string]int {
	t.Helper()
	out := map[string]int{}
	err := k.each(func(f *fullPlayer) {
		if w := f.player.World(); w != nil && w.LocalPlayer() != nil {
			pc := w.LocalPlayer()
			out[f.name] = int(pc.Get(pc.Class.Property("Ticks")).Num)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// differs is the first difference between the host's ledgers and the players', "" for none.
func differs(t *testing.T, h *host, k *crowd, ledgers int) (text string) {
	t.Helper()
	truth := map[uint32]string{}
	h.do(func() {
		s := h.door.Server()
		for _, a := range h.match.World.ActorsOf("Ledger") {
			truth[s.NetOf(a.ID())] = page(h.match.World, a, s.NetOf)
		}
	})
	if len(truth) != ledgers {
		t.Fatalf("the host has %d ledgers, want %d", len(truth), ledgers)
	}
	err := k.each(func(f *fullPlayer) {
		w := f.player.World()
		if w == nil || text != "" {
			return
		}
		for net, want := range truth {
			a := f.player.Client().ByNet(net)
			if a == nil {
				text = fmt.Sprintf("%s has no ledger %d", f.name, net)
			} else if got := page(w, a, f.player.Client().NetOf); got != want {
				text = fmt.Sprintf("%s has ledger %d as %s, the host as %s", f.name, net, got, want)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// page is what of a ledger crosses, as text.
func page(w *engine.World, a *engine.Actor, netOf func(engine.ActorID) uint32) string {
	var b strings.Builder
	for _, v := range schema.New(w.Classes, 1).Of(a.Class).Vars {
		x := a.Get(v.Prop)
		switch v.Prop.Name {
		case "Location", "Rotation", "Velocity":
			continue // rounded on their way
		}
		if x.Kind == engine.KindRef {
			fmt.Fprintf(&b, "%s=#%d ", v.Prop.Name, netOf(x.Ref))
			continue
		}
		fmt.Fprintf(&b, "%s=%v%v%v%v ", v.Prop.Name, x.Num, x.Str, x.Vec, x.List)
	}
	return b.String()
}
