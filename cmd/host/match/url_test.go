package match_test

import (
	"testing"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
)

// The start URL's options are those of the player at the server's own machine, too; without a name they are the host.
func TestLocalPlayer(t *testing.T) {
	sources, a := builtIn(t)
	for _, c := range []struct{ url, want string }{
		{"flat", "?name=Host"},
		{"flat?bots=0?Name=Ann", "?bots=0?Name=Ann"},
		{"flat?spectator=1", "?spectator=1?name=Host"},
	} {
		var warned []string
		m, err := match.Open(match.Options{
			Sources: sources, Content: a.Content(), URL: c.url, NetMode: engine.NMStandalone,
			VM: scriptvm.Options{Peer: "test", Report: func(r scriptvm.Report) { warned = append(warned, r.Text) }},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Close)
		if got := m.LocalPlayer("Host"); got != c.want || warned != nil {
			t.Errorf("%s: %s, want %s; %v", c.url, got, c.want, warned)
		}
	}
}
