package match_test

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
)

// The start URL's options are those of the player at the server's own machine, too; without a name they are the host.
func TestLocalPlayer(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"flat", "?name=Host"},
		{"flat?bots=0?Name=Ann", "?bots=0?Name=Ann"},
		{"flat?spectator=1", "?spectator=1?name=Host"},
	} {
		var warned []string
		m := open(t, c.url, engine.NMStandalone, scriptvm.Options{Peer: "test", Report: func(r scriptvm.Report) { warned = append(warned, r.Text) }})
		if got := m.LocalPlayer("Host"); got != c.want || warned != nil {
			t.Errorf("%s: %s, want %s; %v", c.url, got, c.want, warned)
		}
	}
}
