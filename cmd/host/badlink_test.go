package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/inspect"
	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
)

// TestLagAndLoss: an admin gives a player who came over UDP a longer path and takes it back; the player measures it, and
// players and the connections of the inspector show it.
func TestLagAndLoss(t *testing.T) {
	var log bytes.Buffer
	g, addr := hostedGame(t, "flat?game=DeathMatch?bots=1", engine.NMDedicatedServer, slog.NewTextHandler(&log, nil))
	r := steered(t, g, slog.NewTextHandler(&log, nil))
	ann, err := join.New(join.Options{Target: join.Target{Addr: addr}, Name: "Ann", Timeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ann.Close(link.Reason{Code: "left", Text: "the player left"}) }) // the test is over
	start, tick := time.Now(), time.NewTicker(2*time.Millisecond)                           // packets need real time
	defer tick.Stop()
	until := func(what string, is func() bool) {
		t.Helper()
		for from := time.Now(); !is(); {
			if time.Since(from) > time.Minute || ann.Over() {
				t.Fatalf("%s: not after %v; the player: %v\n%s", what, time.Since(from), ann.Client().Reason(), log.String())
			}
			<-tick.C
			g.Step(1.0 / 60)
			ann.Tick(time.Since(start), 1.0/60)
		}
	}
	mo := command.Caller{Name: "Mo", Role: access.Admin, Via: "api"}
	says := func(who command.Caller, line, want string) {
		t.Helper()
		answer, err := r.Do(t.Context(), who, line)
		text := strings.Join(answer, "|")
		if err != nil {
			text = "error: " + err.Error()
		}
		if !strings.Contains(text, want) || strings.HasPrefix(text, "error: ") != strings.HasPrefix(want, "error: ") {
			t.Errorf("%s: %s, want %s", line, text, want)
		}
	}
	shown := func() inspect.Connection {
		_, s := g.Current()
		list := inspect.Connections(s)
		if len(list) != 1 {
			t.Fatalf("%d connections", len(list))
		}
		return list[0]
	}
	until("the player is in", func() bool { return ann.Pawn() != nil && ann.Joined() })

	says(mo, "lag Ann 400", `the path to "Ann": 400 ms`)
	says(mo, "loss Ann 5", `the path to "Ann": 400 ms, 5 % lost`)
	says(mo, "players", "400 ms, 5 % lost")
	if x := shown(); x.Lag != 400 || x.Loss != 0.05 {
		t.Errorf("shown: a lag of %g ms and a loss of %g", x.Lag, x.Loss)
	}
	until("the round trip has grown", func() bool { return shown().Ping > 150 })
	says(mo, "lag Ann 0", `the path to "Ann": 5 % lost`)
	says(mo, "loss Ann 0", `the path to "Ann" is as it is`)
	if x := shown(); x.Lag != 0 || x.Loss != 0 {
		t.Errorf("taken back: a lag of %g ms and a loss of %g", x.Lag, x.Loss)
	}
	until("the round trip has shrunk", func() bool { return shown().Ping < 100 })

	bot := g.World.ActorsOf("AIController")[0].Name
	says(mo, "lag "+bot+" 100", `error: "`) // has no connection
	says(mo, "lag Nobody 100", `error: there is no player "Nobody"`)
	says(command.Caller{Name: "Eve", Role: access.Moderator}, "lag Ann 100", "error: lag needs the role admin")
	if want := `who=Mo role=admin via=api line="lag Ann 400"`; !strings.Contains(log.String(), want) {
		t.Errorf("the log has no %s:\n%s", want, log.String())
	}
}
