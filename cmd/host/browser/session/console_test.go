package session_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidelock/tidelock/cmd/host/browser/session"
	"github.com/tidelock/tidelock/engine"
)

// TestConsole: a line of Lua runs in the player's own world, in its sandbox, and the host does not see it; other lines reach the host as
// commands of that player.
func TestConsole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, session.Config{Host: "here", Name: "Ann"})
		if _, err := r.s.Obey("eval 1"); err == nil || !strings.Contains(err.Error(), "not in the match") {
			t.Errorf("before the match: %v", err)
		}
		r.until("the player", 20*time.Second, func() bool { return r.s.Pawn() != nil })
		for _, c := range []struct{ line, answer, fails string }{
			{"", "", ""},
			{"eval 20 + 1, world.NetMode == NM_Client", "21, true", ""},
			{"  eval  1 ", "1", ""},
			{"eval", "", "the line of Lua is missing"},
			{"eval while true do end", "", "instruction budget spent"},
			{"eval world.Own = 5", "", "Own"},
			{"help", "eval LUA runs a line of Lua in your own copy of the match; anything else is a command of the host, if you have a role there; /help lists those", ""},
			{"say " + strings.Repeat("x", engine.MaxMessage), "", "the host takes up to 254"},
		} {
			answer, err := r.s.Obey(c.line)
			if answer != c.answer || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%q: %q, %v; expected %q, %q", c.line, answer, err, c.answer, c.fails)
			}
		}
		if _, err := r.s.Obey(`eval world:ActorsOf("PlayerController")[1].Pawn.Health = 7`); err != nil {
			t.Error(err)
		}
		r.until("a second", 2*time.Second, func() bool { return r.ticks%60 == 0 })
		r.match.World.EachActor(func(a *engine.Actor) {
			if p := a.Class.Property("Health"); p != nil && a.Get(p).Num == 7 {
				t.Errorf("the host has what a client set in its own world: %s", a.Name)
			}
		})
		var given []string
		for _, line := range []string{"status now", "/help"} {
			if answer, err := r.s.Obey(line); answer != "" || err != nil {
				t.Errorf("%s: %q, %v", line, answer, err)
			}
		}
		r.until("the host has the commands", 2*time.Second, func() bool {
			r.match.World.TakeCommands(func(c engine.PlayerCommand) { given = append(given, c.Line) })
			return len(given) >= 2
		})
		if got := strings.Join(given, "|"); got != "status now|help" {
			t.Errorf("the host was given %q", got)
		}
	})
}
