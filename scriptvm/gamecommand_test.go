package scriptvm

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

const consoleGame = `
local Base = class("Base", "GameInfo")
Base.properties { Coins = int(3, { min = 0, max = 100 }) }
-- Add coins, and say how many there are.
-- The second line goes on.
function Base.console:CoinsAdd(Caller, Count, Why)
	self.Coins = self.Coins + Count
	if Why == "fail" then error("no coins\nfor " .. tostring(Caller)) end
	return ("%d coins, %s, %s"):format(self.Coins, Why, tostring(Caller))
end
Base.params { CoinsAdd = { ref("PlayerController"), int(0), optional("no reason") }, Away = { ref("PlayerController"), str("") } }
Base.roles { CoinsAdd = "moderator" }
-- Do nothing.
function Base.console:Idle() end
-- Never end.
function Base.console:Spin() while true do self.Coins = 7 end end
-- Return what cannot be shown.
function Base.console:Odd() self.Coins = 9 return { 1 } end
-- Go somewhere.
function Base.console:Away(Caller, Place) return "to " .. Place .. tostring(Caller) end
local Child = class("Child", "Base")
-- Do nothing in a child.
function Child.console:Idle() return "child" end
-- Stay: it has other arguments than the parent's.
function Child.console:Away() return "here" end
`

// TestRunCommand: a command gets who gave it, its arguments and defaults; a fault is one line with its place, leaves the world as it was and
// is charged to nobody, however often it happens; a reload replaces commands.
func TestRunCommand(t *testing.T) {
	b := newBench(t, consoleGame)
	game := b.spawn("Child")
	find := func(command string) *engine.Function {
		t.Helper()
		for _, f := range classfile.Commands(game.Class) {
			if f.Script.(*classfile.Def).Console.Command == command {
				return f
			}
		}
		t.Fatalf("there is no command %q", command)
		return nil
	}
	var names []string
	for _, f := range classfile.Commands(game.Class) {
		c := f.Script.(*classfile.Def).Console
		names = append(names, c.Command+" "+c.Role+" "+c.Help)
	}
	for _, want := range []string{"coins add moderator Add coins, and say how many there are. The second line goes on.", "idle admin Do nothing in a child.", "spin admin Never end."} {
		if !strings.Contains(strings.Join(names, "\n"), want) {
			t.Errorf("%q is missing in\n%s", want, strings.Join(names, "\n"))
		}
	}
	none := engine.Value{}
	pc := b.spawn("PlayerController")
	for _, c := range []struct {
		command    string
		args       []engine.Value
		want, errs string
	}{
		{"coins add", []engine.Value{none, engine.Int(2), none}, "5 coins, no reason, nil", ""},
		{"coins add", []engine.Value{engine.Ref(pc), engine.Int(1), engine.String("x")}, "6 coins, x, PlayerController_0", ""},
		{"coins add", []engine.Value{none, engine.Int(1), engine.String("fail")}, "", "scripts:8: no coins for nil"},
		{"idle", nil, "child", ""},
		{"away", nil, "here", ""},
		{"spin", nil, "", "instruction budget spent"},
		{"odd", nil, "", "Base.console:Odd returned { 1 }; expected one string, or nothing"},
	} {
		got, err := b.v.RunCommand(game, find(c.command), c.args)
		switch {
		case c.errs == "" && (err != nil || got != c.want):
			t.Errorf("%s: %q, %v, want %q", c.command, got, err, c.want)
		case c.errs != "" && (err == nil || !strings.Contains(err.Error(), c.errs) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s: %q, %v, want the error %q", c.command, got, err, c.errs)
		}
	}
	for range 200 {
		if _, err := b.v.RunCommand(game, find("coins add"), []engine.Value{none, engine.Int(1), engine.String("fail")}); err == nil {
			t.Fatal("no error")
		}
		b.run(0.02)
	}
	if n := b.get(game, "Coins").Num; n != 6 {
		t.Errorf("commands that faulted left %g coins", n)
	}
	b.clean()

	old := find("idle")
	if r := b.reloads(strings.Replace(consoleGame, `return "child"`, `return "changed"`, 1)); !strings.Contains(r.Summary(), "Child.console:Idle changed") {
		t.Error(r.Summary())
	}
	if got, err := b.v.RunCommand(game, find("idle"), nil); got != "changed" || err != nil {
		t.Errorf("after a reload: %q, %v", got, err)
	}
	if _, err := b.v.RunCommand(game, old, nil); err == nil || !strings.Contains(err.Error(), "give the command again") {
		t.Errorf("the function from before the reload: %v", err)
	}
}
