package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/cmd/host/query"
)

// asks queries the host, which runs meanwhile.
func (p *party) asks() query.Description {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	done := make(chan error, 1)
	var a query.Answer
	go func() { // ends with ctx, or by the answer
		var err error
		a, err = query.Ask(ctx, p.addr)
		done <- err
	}()
	p.until("an answer", func() bool { return len(done) > 0 })
	must(p.t, <-done)
	return a.Description
}

// TestAbout: a query tells the level, the players, the public options of the match that runs, and whether it drains; and no secret.
func TestAbout(t *testing.T) {
	t.Parallel()
	p := newParty(t, t.TempDir(), gameOptions{URL: "flat?game=GameInfo?bots=1?maxplayers=9?goalscore=20?ban=192.0.2.7?password=sesame"})
	got := p.asks()
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
	ann := p.enter(join.Options{Target: join.Target{Options: "?password=sesame"}, Name: "Ann"})
	p.until("the player is in", playing(ann))
	p.steps(60)
	if got := p.asks(); got.Players != 1 || got.Draining {
		t.Errorf("with a player: %+v", got)
	}
	old := p.World
	p.World.Travel("wall")
	p.until("travel", func() bool { return p.World != old })
	p.drain.Start(nil)
	p.steps(2)
	if got := p.asks(); got.Level != "wall" || !got.Password || !got.Draining {
		t.Errorf("after a travel, while it drains: %+v", got)
	}
}
