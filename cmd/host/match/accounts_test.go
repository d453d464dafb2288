package match_test

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// TestAccounts (G6): a class that takes time is the most expensive of the world, with its mod, its actors and its function; one that only
// stands there has its actors.
func TestAccounts(t *testing.T) {
	m := open(t, "?game=GameInfo", engine.NMDedicatedServer, scriptvm.Options{},
		classfile.Source{Path: "scripts/mods/hats/Hat.lua", Text: "local Hat = class(\"Hat\", \"Actor\")\nlocal kept = {}\nfor i = 1, 15 do kept[i] = i .. (\"x\"):rep(20000) end\nfunction Hat:BeginPlay() self.mine = {} for i = 1, 10 do self.mine[i] = #kept .. i .. (\"y\"):rep(20000) end end\nfunction Hat:Tick(_) for _ = 1, 3000 do end end\n"},
		classfile.Source{Path: "scripts/sample/Stone.lua", Text: "local Stone = class(\"Stone\", \"Actor\")\n"})
	for range 3 {
		for _, class := range []string{"Hat", "Stone"} {
			if _, err := m.World.Spawn(m.World.Classes.Find(class), engine.SpawnParams{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 150 {
		m.World.Step(1.0 / 60)
		m.VM.Decide(m.VM.WatchMemory())
	}
	m.VM.AskMemory()
	if m.VM.MemoryKnown() {
		t.Error("memory is known though it is to be counted")
	}
	for n := 0; !m.VM.MemoryKnown(); n++ {
		if n > 600 {
			t.Fatal("memory is not counted after ten seconds")
		}
		m.World.Step(1.0 / 60)
		m.VM.Decide(m.VM.WatchMemory())
	}
	got := m.Accounts(nil)
	if len(got.Functions) == 0 || got.Functions[0].Class != "Hat" || got.Functions[0].Function != "Tick" || got.Functions[0].Units == 0 {
		t.Errorf("the costliest functions are %+v", got.Functions)
	}
	if c := got.Classes[0]; c.Class != "Hat" || c.Mod != "hats" || c.Trust.String() != "mod hats" || c.Actors != 3 || c.Seconds <= 0 || c.Every < 1 {
		t.Errorf("the costliest class is %+v", c)
	}
	if c := got.Classes[0]; c.Memory < 900_000 || c.Memory > 1_500_000 { // a file local and three fields
		t.Errorf("Hat keeps %d bytes", c.Memory)
	}
	stones, actors := 0, 0
	for _, c := range got.Classes {
		if c.Class == "Stone" {
			stones = c.Actors
		}
		actors += c.Actors
	}
	if stones != 3 || actors != got.Actors || got.Actors != m.World.Live() {
		t.Errorf("%d stones, %d actors in all classes, %d in all", stones, actors, got.Actors)
	}
	if got.Seconds <= 0 || got.Tick != 1.0/60 || got.Heap == 0 || got.Time < 2.4 {
		t.Errorf("%+v", got)
	}
}
