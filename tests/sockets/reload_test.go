//go:build unix

package sockets

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestReload: scripts are saved while thirty-two players play. All of them run the new function soon after, and nobody is disconnected. That
// every player has what the host has after reloads is tried in netcode/rig.
func TestReload(t *testing.T) {
	players, rounds := longer(8, 32), longer(4, 12)
	h := startHost(t, hostConfig{level: "arena?game=Crowd?bots=4?maxplayers=64"})
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
	await := func(round string) {
		t.Helper()
		look := time.Time{}
		until(t, "all players run round "+round, func() bool {
			if time.Since(look) > time.Second {
				look = time.Now()
				if r := k.report(); r.Over > 0 || len(r.Faults) > 0 {
					t.Fatalf("round %s: %d of %d players are over: %q", round, r.Over, players, r.Faults)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			return len(runs[round]) == players
		})
	}
	await("0")
	var took, swap, each []time.Duration // of the last player, of the host, of every player
	for n := 1; n <= rounds; n++ {
		round := fmt.Sprint(n)
		saved := time.Now()
		if err := h.reload(round); err != nil {
			t.Fatal(err)
		}
		swap = append(swap, time.Since(saved))
		await(round)
		var last time.Duration
		mu.Lock()
		for _, at := range runs[round] {
			each = append(each, at.Sub(saved))
			last = max(last, at.Sub(saved))
		}
		mu.Unlock()
		took = append(took, last)
		pass(200 * time.Millisecond) // of the match, before the next
	}
	t.Logf("%d players, %d reloads: until the last runs the new function p50 %.0f ms, p95 %.0f ms; until any does p50 %.0f ms; of it at the host p50 %.0f ms",
		players, rounds, ms(quantile(took, 0.5)), ms(quantile(took, 0.95)), ms(quantile(each, 0.5)), ms(quantile(swap, 0.5)))
	if r := k.report(); r.Over > 0 || len(r.Faults) > 0 {
		t.Errorf("%d players did not stay: %q", r.Over, r.Faults)
	}
	if n := h.players(); n != players {
		t.Errorf("%d players at the host, want %d", n, players)
	}
	h.quiet(comeAgain)
}
