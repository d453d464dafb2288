package scriptvm

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// TestCallsBeyondTheBudget: a reliable call that cannot be sent raises where the script calls, runs nowhere, and is charged to
// the mod that made it, wherever the function stands (R6.5, G10).
func TestCallsBeyondTheBudget(t *testing.T) {
	b := newBench(t, "",
		classfile.Source{Path: "scripts/sample/Bell.lua", Text: `local Bell = class("Bell", "Actor")
Bell.properties { Rung = int(0) }
function Bell.multicast.reliable:Ring() self.Rung = self.Rung + 1 end
function Bell.multicast:Hum() end
function Bell:Play() self:Ring() end
function Bell:Late() self:SetTimer(0.1, false, "Ring") end
`},
		classfile.Source{Path: "scripts/mods/hats/Hat.lua", Text: `local Hat = class("Hat", "Actor")
function Hat:Use(bell) bell:Play() end
function Hat:Hum(bell) bell:Hum() end
`})
	n := b.wire(engine.NMDedicatedServer)
	bell, hat := b.spawn("Bell"), b.spawn("Hat")
	b.call(bell, "Play")
	if n.by != "" {
		t.Errorf("the game's call is charged to mod %q", n.by)
	}
	b.call(hat, "Use", engine.Ref(bell))
	if n.by != "hats" {
		t.Errorf("a mod's call is charged to mod %q", n.by)
	}
	if got := b.get(bell, "Rung").Num; got != 2 {
		t.Errorf("rang %g times", got)
	}
	n.full = errors.New("the budget is spent")
	b.fails("Bell:Play: scripts/sample/Bell.lua:5:", bell, "Play")
	b.reports = nil
	if _, err := b.v.Call(hat, "Use", engine.Ref(bell)); err == nil ||
		!strings.Contains(b.errors(), "Hat:Use: scripts/sample/Bell.lua:5:27: the budget is spent, called at scripts/mods/hats/Hat.lua:2:") {
		t.Errorf("got %v\n%s", err, b.errors())
	}
	b.reports = nil
	b.call(bell, "Late")
	b.w.Step(0.2)
	if !strings.Contains(b.errors(), "Bell:Ring: the budget is spent") {
		t.Errorf("a timer's call: %s", b.errors())
	}
	b.reports = nil
	if got := b.get(bell, "Rung").Num; got != 2 {
		t.Errorf("a call that was refused ran here: rang %g times", got)
	}
}
