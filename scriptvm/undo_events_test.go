package scriptvm

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
)

// Undoing what a native variable means may call scripts (Touch); what is still to be undone survives that.
func TestUndoThatCallsScripts(t *testing.T) {
	b := newBench(t, `
		local Post = class("Post", "Actor")
		Post.properties { Touches = int(0), Other = ref("Actor") }
		Post.defaults { bCollideActors = true }
		function Post:Detach(other) self.Touches = self.Touches + 1; self.by = other:GetClass() end -- in the VM
		local Ghost = class("Ghost", "Post")
		Ghost.properties { A = int(0), B = "" }
		function Ghost:Fail()
			self.A = 5
			self.B = "x"
			self.Base = self.Other
			self.A = 6
			error("now")
		end`)
	spawn := func(class string) *engine.Actor {
		a, err := b.w.Spawn(b.v.Classes().Find(class), engine.SpawnParams{})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	post, ghost := spawn("Post"), spawn("Ghost")
	if err := ghost.Set(ghost.Class.Property("Other"), engine.Ref(post)); err != nil {
		t.Fatal(err)
	}
	b.v.Changed(ghost, ghost.Class.Property("Other"))
	before := post.Get(post.Class.Property("Touches")).Num
	if _, err := b.v.Call(ghost, "Fail"); err == nil || !strings.Contains(err.Error(), "now") || strings.Contains(err.Error(), "internal") {
		t.Fatal(err)
	}
	if n := ghost.Get(ghost.Class.Property("A")).Num; n != 0 || ghost.Base != 0 || ghost.Get(ghost.Class.Property("B")).Str != "" {
		t.Errorf("A %v, B %q, based on %v", n, ghost.Get(ghost.Class.Property("B")).Str, ghost.Base)
	}
	if after := post.Get(post.Class.Property("Touches")).Num; after <= before {
		t.Errorf("let go %v times, and after the undo %v", before, after)
	}
	for _, r := range b.reports {
		if strings.Contains(r.Text, "internal") {
			t.Error(r)
		}
	}
}
