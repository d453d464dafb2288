package scriptvm

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// TestDeletedClassIsKept: a class whose file was deleted stays while actors of it live, and is named; what else was saved
// is reloaded. With its last actor it goes.
func TestDeletedClassIsKept(t *testing.T) {
	file := func(name, text string) classfile.Source {
		return classfile.Source{Path: "scripts/mygame/" + name + ".lua", Text: text}
	}
	lib := classfile.Source{Path: "scripts/lib/wood.lua", Lib: "lib.wood", Text: "return { Kind = function() return \"oak\" end }"}
	base := file("Base", "local Base = class(\"Base\", \"Actor\")\nlocal wood = require(\"lib.wood\")\nfunction Base:Wood() return \"base of \" .. wood.Kind() end\nreturn Base\n")
	chest := file("Chest", "local Chest = class(\"Chest\", \"Base\")\nfunction Chest:Say() return \"chest, \" .. self:Wood() end\nreturn Chest\n")
	lamp := func(says string) classfile.Source {
		return file("Lamp", "local Lamp = class(\"Lamp\", \"Actor\")\nfunction Lamp:Say() return \""+says+"\" end\nreturn Lamp\n")
	}
	stool := file("Stool", "local Stool = class(\"Stool\", \"Actor\")\nfunction Stool:Say() return \"stool\" end\nreturn Stool\n")
	b := newBench(t, "local Spare = class(\"Spare\", \"Actor\")", lib, base, chest, lamp("old"), stool)
	core := b.core[:len(b.core)-5]
	reload := func(kept int, files ...classfile.Source) ReloadResult {
		t.Helper()
		b.core = append(core[:len(core):len(core)], files...)
		r := b.reloads("local Spare = class(\"Spare\", \"Actor\")")
		if len(r.Kept) != kept {
			t.Errorf("kept %v, want %d", r.Kept, kept)
		}
		return r
	}
	say := func(a *engine.Actor, want string) {
		t.Helper()
		if out := b.result(a, "Say"); out.Str != want {
			t.Errorf("it says %v, want %q", out, want)
		}
	}
	c1, c2, l := b.spawn("Chest"), b.spawn("Chest"), b.spawn("Lamp")

	r := reload(1, lib, base, lamp("new"), stool) // Chest is gone
	say(l, "new")
	say(c1, "chest, base of oak")
	if r.Kept[0] != "Chest" || !strings.Contains(strings.Join(r.Notes, "\n"), "scripts/mygame/Chest.lua is gone, and 2 actors of class Chest live: the class is kept") {
		t.Errorf("kept %v, notes %q", r.Kept, r.Notes)
	}
	again := b.v.Prepare(b.sources("local Spare = class(\"Spare\", \"Actor\")"))
	if !slices.ContainsFunc(again.Sources(), func(s classfile.Source) bool { return s.Path == "scripts/mygame/Chest.lua" }) {
		t.Error("clients would not get the class that is kept")
	}
	again.Drop()

	r = reload(2, lamp("newer")) // and what it needs is gone, and a class that nobody is of
	say(l, "newer")
	say(c2, "chest, base of oak")
	if got := strings.Join(r.Kept, " "); got != "Base Chest" {
		t.Errorf("kept %s, want Base and Chest", got)
	}
	if b.w.Classes.Find("Stool") != nil {
		t.Error("a class that no actor is of and that is gone is still there")
	}

	reload(0, lamp("newest"), file("Chest", "local Chest = class(\"Chest\", \"Actor\")\nfunction Chest:Say() return \"moved\" end\nreturn Chest\n"))
	say(c1, "moved")

	reload(1, lamp("x"))
	c1.Destroy()
	if r = reload(1, lamp("y")); !strings.Contains(strings.Join(r.Notes, "\n"), "1 actor of class Chest lives") {
		t.Error(r.Notes)
	}
	c2.Destroy()
	if r = reload(0, lamp("z")); b.w.Classes.Find("Chest") != nil || !strings.Contains(strings.Join(r.Changes(), "\n"), "Chest is gone") {
		t.Errorf("after its last actor the class is still there, or it says %q", r.Changes())
	}
	b.clean()

	// What is kept does not make bad files good.
	k := b.spawn("Lamp")
	b.core = append(core[:len(core):len(core)], file("Bad", "local Bad = class(\"Bad\", \"Nobody\")\nreturn Bad\n"))
	if r = b.reload(""); !r.Failed || !strings.Contains(r.Diagnostics[0].Text, "Nobody") {
		t.Error(r.Diagnostics)
	}
	say(k, "z")
}
