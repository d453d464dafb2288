//go:build unix

package web

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/tests/tier"
)

// A page of the host that sends what no client does is told so, and the match is unharmed. What hostile programs send is tried in
// cmd/host/web and netcode/carrier, and beside players in tests/hostile and tests/sockets.
func TestHostile(t *testing.T) {
	tier.Change(t)
	h := joinHost(t)
	w := openTab(t, h, "/?name=Ann&draw=0")
	w.walksAgain(h, "Ann")
	for message, want := range map[string]string{ // any order
		"new Uint8Array(2000000)": "malformed", "new Uint8Array(1201)": "malformed", `"text"`: "malformed",
		"new Uint8Array(0)": "", "crypto.getRandomValues(new Uint8Array(1200))": "",
	} {
		var told string
		w.eval(`new Promise((done) => {
			const s = new WebSocket("ws://" + location.host + "/ws");
			s.onopen = () => { for (let i = 0; i < 50; i++) s.send(`+message+`); setTimeout(() => s.close(), 500); };
			s.onclose = (e) => done(e.code + " " + e.reason);
			s.onerror = () => {};
		})`, &told)
		if !strings.Contains(told, want) {
			t.Errorf("%s: the page was told %q, expected %q", message, told, want)
		}
	}
	w.walksAgain(h, "Ann")
	if n := len(h.log("Ann")); n != 1 {
		t.Errorf("the host says of the player: %v", h.log("Ann"))
	}
	h.quiet("turned away at the gate")
	w.quiet("WebSocket connection to")
}
