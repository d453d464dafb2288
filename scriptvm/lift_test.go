package scriptvm

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// victimFile is a class that fails because of another file's.
const victimFile = `local Victim = class("Victim", "Actor")
Victim.properties { Work = int(0), Naps = int(0), Tool = ref("Tool") }
function Victim:Labor() self.Work = self.Work + self.Tool:Give() end
function Victim:Tick(_) self:Labor() end
Victim.state("Nap", {})
function Victim.state.Nap:Code()
	while true do Sleep(0.1) self.Naps = self.Naps + 1 end
end
`

// TestReloadLiftsQuarantine: a class that was quarantined for another's fault works again when that other is repaired
// (G3), though its own file stays as it is; its latent code goes on meanwhile.
func TestReloadLiftsQuarantine(t *testing.T) {
	tool := func(gives string) string {
		return "local Tool = class(\"Tool\", \"Actor\")\nfunction Tool:Give() return " + gives + " end\n"
	}
	b := newBench(t, tool("nil"), classfile.Source{Path: "victim", Text: victimFile, Multi: true})
	v, k := b.spawn("Victim"), b.spawn("Tool")
	b.set(v, "Tool", engine.Ref(k))
	b.call(v, "GotoState", engine.String("Nap"))
	b.run(1)
	if got := b.quarantined(); got != "[Victim:Labor]" {
		t.Fatalf("quarantined: %s\n%s", got, b.errors())
	}
	naps := b.get(v, "Naps").Num
	if naps < 8 {
		t.Errorf("its latent code napped %v times in a second beside a quarantined function", naps)
	}
	b.reports = nil
	r := b.reloads(tool("1"))
	if len(b.v.Quarantined()) != 0 || !strings.Contains(strings.Join(r.Notes, "\n"), "Victim:Labor is no longer quarantined") {
		t.Fatalf("still quarantined: %s, notes %q", b.quarantined(), r.Notes)
	}
	b.run(1)
	if got := b.get(v, "Work").Num; got != 60 {
		t.Errorf("it worked %v times in 60 ticks", got)
	}
	if got := b.get(v, "Naps").Num; got < naps+8 {
		t.Errorf("its latent code napped %v times in a second", got-naps)
	}
	b.clean()

	// The same fault in the same place is told and counted again.
	b.reload(tool("nil"))
	b.run(1)
	if n := strings.Count(b.errors(), "Victim:Labor: victim:3:47"); n != 1 || len(b.v.Quarantined()) != 1 {
		t.Errorf("told %d times, quarantined %v:\n%s", n, b.v.Quarantined(), b.errors())
	}
	b.reload(tool("nil") + "-- saved again\n")
	if len(b.v.Quarantined()) != 0 {
		t.Error("a reload that changes a comment does not lift the quarantine")
	}
	b.run(1)
	if told, n := strings.Count(b.errors(), "Victim:Labor: victim:3:47"), strings.Count(b.errors(), "function quarantined after"); told != 2 || n != 2 {
		t.Errorf("the fault was told %d times and quarantined %d times, want twice:\n%s", told, n, b.errors())
	}
}

// TestReloadLiftsQuarantineOfStateCode: latent code that does not run because it was quarantined begins when a reload lifts that (G3).
func TestReloadLiftsQuarantineOfStateCode(t *testing.T) {
	tool := func(gives string) string {
		return "local Tool = class(\"Tool\", \"Actor\")\nfunction Tool:Give() return " + gives + " end\n"
	}
	b := newBench(t, tool("nil"), classfile.Source{Path: "victim", Multi: true, Text: `local Victim = class("Victim", "Actor")
Victim.properties { Work = int(0), Tool = ref("Tool") }
Victim.state("Toil", {})
function Victim.state.Toil:Code()
	while true do Sleep(0.1) self.Work = self.Work + self.Tool:Give() end
end
`})
	v := b.spawn("Victim")
	b.set(v, "Tool", engine.Ref(b.spawn("Tool")))
	for range QuarantineFaults + 1 {
		b.call(v, "GotoState", engine.String("Toil"))
		b.run(0.5)
		v.GotoState("")
	}
	b.call(v, "GotoState", engine.String("Toil"))
	if len(b.v.Quarantined()) != 1 {
		t.Fatalf("quarantined: %s\n%s", b.quarantined(), b.errors())
	}
	b.reloads(tool("1"))
	b.run(1)
	if got := b.get(v, "Work").Num; got < 8 {
		t.Errorf("its code ran %v times in a second", got)
	}
}
