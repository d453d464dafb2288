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
	post, ghost := b.spawn("Post"), b.spawn("Ghost")
	b.set(ghost, "Other", engine.Ref(post))
	before := b.get(post, "Touches").Num
	if _, err := b.v.Call(ghost, "Fail"); err == nil || !strings.Contains(err.Error(), "now") || strings.Contains(err.Error(), "internal") {
		t.Fatal(err)
	}
	if n, s := b.get(ghost, "A").Num, b.get(ghost, "B").Str; n != 0 || s != "" || ghost.Base != 0 {
		t.Errorf("A %v, B %q, based on %v", n, s, ghost.Base)
	}
	if after := b.get(post, "Touches").Num; after <= before || strings.Contains(b.errors(), "internal") {
		t.Errorf("let go %v times, and after the undo %v\n%s", before, after, b.errors())
	}
}
