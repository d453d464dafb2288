package scriptvm

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

const gateClasses = `
local Gate = class("Gate", "Actor")
Gate.properties { Ticks = int(0), Opened = int(0) }
function Gate:Tick(_) self.Ticks = self.Ticks + 1 end
function Gate:Open() self.Opened = self.Opened + 1 return "gate" end
function Gate:Close() return "shut" end
local Barred = class("Barred", "Gate")
Barred.properties { bBad = true }
function Barred:Open()
	if self.bBad then error("barred") end
	return "barred"
end
function Barred:Close() return Barred.super.Close(self) end
local Walled = class("Walled", "Barred")
function Walled:Open() return Barred.Open(self) end
`

// TestQuarantineIsOfAFunction (G2): three faults put one function out of use; calls by the engine and by scripts go to the nearest
// ancestor's version, the class's other functions and its ancestors go on.
func TestQuarantineIsOfAFunction(t *testing.T) {
	b := newBench(t, gateClasses)
	gate := b.spawn("Barred")
	b.v.Call(gate, "Close")
	for i := range QuarantineFaults {
		if got := b.v.Quarantined(); len(got) != 0 {
			t.Fatalf("quarantined %v after %d faults", got, i)
		}
		if _, err := b.v.Call(gate, "Open"); err == nil {
			t.Fatal("no fault")
		}
	}
	if got := b.quarantined(); got != "[Barred:Open]" {
		t.Errorf("quarantined %s", got)
	}
	if want := "Barred:Open: scripts:9:17: function quarantined after 3 faults in 10 s: calls go to Gate's version; the next reload lifts it (server)"; !strings.Contains(b.errors(), want) {
		t.Errorf("told\n%s\nwant %s", b.errors(), want)
	}
	if out, err := b.v.Call(gate, "Open"); err != nil || len(out) != 1 || out[0].Str != "gate" {
		t.Errorf("Open gives %v, %v; want the ancestor's", out, err)
	}
	if out, _ := b.v.Call(b.spawn("Walled"), "Open"); len(out) != 1 || out[0].Str != "gate" {
		t.Errorf("a script's call gives %v, want the ancestor's", out)
	}
	if out, _ := b.v.Call(gate, "Close"); len(out) != 1 || out[0].Str != "shut" {
		t.Errorf("Close gives %v", out)
	}
	b.run(1)
	if got := b.get(gate, "Ticks").Num; got != 60 {
		t.Errorf("ticked %v times", got)
	}
}

// TestClassFollows (G2): a class whose functions in use are quarantined by more than half is quarantined whole; one that has others
// in use is not, be they called by the engine or by its own functions.
func TestClassFollows(t *testing.T) {
	const text = `
local Sick = class("Sick", "Actor")
function Sick:Tick(_) error("ill") end
function Sick:Rest() return 1 end
local Mixed = class("Mixed", "Actor")
Mixed.properties { bBad = true }
function Mixed:Tick(_) self:Help() if self.bBad then error("ill") end end
function Mixed:Help() end
function Mixed:Rest() return 1 end
`
	b := newBench(t, text)
	sick, mixed := b.spawn("Sick"), b.spawn("Mixed")
	b.run(1)
	if got := b.quarantined(); got != "[Sick Mixed:Tick]" {
		t.Fatalf("quarantined %s\n%s", got, b.errors())
	}
	if out, err := b.v.Call(sick, "Rest"); len(out) != 0 || err != nil {
		t.Errorf("Rest of a quarantined class gives %v, %v", out, err)
	}
	if out, err := b.v.Call(mixed, "Rest"); len(out) != 1 || err != nil {
		t.Errorf("Rest of the other gives %v, %v", out, err)
	}
	r := b.reload(text)
	if got := strings.Join(r.Notes, "; "); len(b.v.Quarantined()) != 0 || got != "class Sick is no longer quarantined; Mixed:Tick is no longer quarantined" {
		t.Errorf("after a reload of the same text: %v, notes %q", b.v.Quarantined(), got)
	}
	if out, _ := b.v.Call(sick, "Rest"); len(out) != 1 {
		t.Errorf("Rest gives %v after the reload", out)
	}
}

// TestCoreRests (G2): a function of core is never quarantined; it rests, each time twice as long, and works again.
func TestCoreRests(t *testing.T) {
	b := newBench(t, "", classfile.Source{Path: "scripts/core/Pump.lua", Text: `local Pump = class("Pump", "Actor")
Pump.properties { bBad = true, Ticks = int(0) }
function Pump:Tick(_)
	if self.bBad then error("dry") end
	self.Ticks = self.Ticks + 1
end
`})
	pump := b.spawn("Pump")
	rests := func() (n int) {
		return strings.Count(b.errors(), "Pump:Tick: scripts/core/Pump.lua:3:15: function of core rests for ")
	}
	b.run(0.5)
	if rests() != 1 || !strings.Contains(b.errors(), "rests for 1 s after 3 faults in 10 s: calls do nothing meanwhile (server) [core]") {
		t.Fatal(b.errors())
	}
	b.run(2) // it failed again, and rests for 2 s
	if rests() != 2 || !strings.Contains(b.errors(), "rests for 2 s") {
		t.Fatal(b.errors())
	}
	b.set(pump, "bBad", engine.Bool(false))
	b.run(2)
	if got := b.get(pump, "Ticks").Num; got < 30 || got > 119 || len(b.v.Quarantined()) != 0 {
		t.Errorf("ticked %v times after its rest, quarantined %v", got, b.v.Quarantined())
	}
}

// TestDecisionsFailClosed (G2): while a function that decides is quarantined the answer is no, whatever an ancestor would say.
func TestDecisionsFailClosed(t *testing.T) {
	b := newBench(t, `
local Ghost = class("Ghost", "Actor")
Ghost.properties { N = int(0) }
function Ghost:IsNetRelevantFor(_) error("who") end
function Ghost:Other() end
local Rules = class("Rules", "GameInfo")
function Rules:PreLogin(_, _) error("rules") end
function Rules:Other() end
`)
	ghost, pc := b.spawn("Ghost"), b.spawn("PlayerController")
	b.v.Call(ghost, "Other")
	for range QuarantineFaults {
		if _, asked := b.v.Relevant(ghost, pc); asked {
			t.Error("a fault decides")
		}
	}
	if relevant, asked := b.v.Relevant(ghost, pc); relevant || !asked {
		t.Errorf("relevant %v, asked %v; want no for an answer", relevant, asked)
	}
	rules := b.spawn("Rules")
	b.v.Call(rules, "Other")
	for range QuarantineFaults {
		b.v.Call(rules, "PreLogin", engine.String(""), engine.String(""))
	}
	if _, err := b.v.Call(rules, "PreLogin", engine.String(""), engine.String("")); err == nil || !strings.Contains(err.Error(), "quarantined") {
		t.Errorf("PreLogin lets in: %v", err)
	}
	if got := b.quarantined(); got != "[Ghost:IsNetRelevantFor Rules:PreLogin]" && got != "[Rules:PreLogin Ghost:IsNetRelevantFor]" {
		t.Errorf("quarantined %s", got)
	}
}
