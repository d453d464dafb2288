package main

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/cmd/host/query"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
)

// TestAbout: a query tells the level, the players and the public options of the match that runs, and no secret.
func TestAbout(t *testing.T) {
	g, addr := hostedGame(t, "flat?game=GameInfo?bots=1?maxplayers=9?goalscore=20?ban=192.0.2.7?password=sesame", engine.NMDedicatedServer, slog.DiscardHandler)
	start := time.Now()
	tick := time.NewTicker(2 * time.Millisecond) // packets need real time
	defer tick.Stop()
	var p *join.Player
	until := func(what string, is func() bool) {
		t.Helper()
		for !is() {
			if <-tick.C; time.Since(start) > time.Minute {
				t.Fatalf("%s: not after %v", what, time.Since(start))
			}
			g.Step(1.0 / 60)
			if p != nil && !p.Over() {
				p.Tick(time.Since(start), 1.0/60)
			}
		}
	}
	ask := func() query.Description {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		type result struct {
			a   query.Answer
			err error
		}
		done := make(chan result, 1)
		go func() { // ends with ctx, or by the answer
			a, err := query.Ask(ctx, addr)
			done <- result{a, err}
		}()
		var r result
		until("an answer", func() bool {
			select {
			case r = <-done:
				return true
			default:
				return false
			}
		})
		if r.err != nil {
			t.Fatal(r.err)
		}
		return r.a.Description
	}
	second := func() {
		n := 60
		until("ticks", func() bool { n--; return n < 0 })
	}
	got := ask()
	if got.Name != "Test" || got.Level != "flat" || got.Game != "GameInfo" || got.Players != 0 || got.Max != 9 || !got.Password || got.Token {
		t.Errorf("got %+v", got)
	}
	if len(got.Rules) != 2 || got.Rules["bots"] != "1" || got.Rules["goalscore"] != "20" {
		t.Errorf("rules %v", got.Rules)
	}
	text, err := got.Encode(1000)
	if err != nil || strings.Contains(string(text), "sesame") || strings.Contains(string(text), "192.0.2.7") {
		t.Errorf("%s, %v", text, err)
	}

	p, err = join.New(join.Options{Target: join.Target{Addr: addr, Options: "?password=sesame"}, Name: "Ann", Timeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close(link.Reason{Code: "left", Text: "the player left"}) }() // the test is over
	until("the player is in", func() bool { return p.Pawn() != nil || p.Over() })
	second()
	if got := ask(); got.Players != 1 {
		t.Errorf("with a player: %+v", got)
	}
	old := g.World
	g.World.Travel("wall")
	until("travel", func() bool { return g.World != old })
	if got := ask(); got.Level != "wall" || !got.Password {
		t.Errorf("after a travel: %+v", got)
	}
}
