package main

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/inspect"
)

// TestLagAndLoss: an admin gives a player who came over UDP a longer path and takes it back; the player measures it, and
// players and the connections of the inspector show it.
func TestLagAndLoss(t *testing.T) {
	t.Parallel()
	p := newParty(t, t.TempDir(), gameOptions{URL: "flat?game=DeathMatch?bots=1"})
	r := steered(t, p.game, slog.NewTextHandler(&p.log, nil))
	p.joined("Ann")
	mo := command.Caller{Name: "Mo", Role: access.Admin, Via: "api"}
	says := func(who command.Caller, line, want string) {
		t.Helper()
		says(t, r, who, line, want)
	}
	shown := func() inspect.Connection {
		_, s := p.Current()
		list := inspect.Connections(s)
		if len(list) != 1 {
			t.Fatalf("%d connections", len(list))
		}
		return list[0]
	}
	says(mo, "lag Ann 400", `the path to "Ann": 400 ms`)
	says(mo, "loss Ann 5", `the path to "Ann": 400 ms, 5 % lost`)
	says(mo, "players", "400 ms, 5 % lost")
	if x := shown(); x.Lag != 400 || x.Loss != 0.05 {
		t.Errorf("shown: a lag of %g ms and a loss of %g", x.Lag, x.Loss)
	}
	p.until("the round trip has grown", func() bool { return shown().Ping > 150 })
	says(mo, "lag Ann 0", `the path to "Ann": 5 % lost`)
	says(mo, "loss Ann 0", `the path to "Ann" is as it is`)
	if x := shown(); x.Lag != 0 || x.Loss != 0 {
		t.Errorf("taken back: a lag of %g ms and a loss of %g", x.Lag, x.Loss)
	}
	p.until("the round trip has shrunk", func() bool { return shown().Ping < 100 })

	bot := p.World.ActorsOf("AIController")[0].Name
	says(mo, "lag "+bot+" 100", `error: "`) // has no connection
	says(mo, "lag Nobody 100", `error: there is no player "Nobody"`)
	says(command.Caller{Name: "Eve", Role: access.Moderator}, "lag Ann 100", "error: lag needs the role admin")
	if want := `who=Mo role=admin via=api line="lag Ann 400"`; !strings.Contains(p.log.String(), want) {
		t.Errorf("the log has no %s:\n%s", want, p.log.String())
	}
}
