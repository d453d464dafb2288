package main

import (
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets"
)

// TestFilesAreMadeBeforeTheReload: what clients fetch of new scripts is read and compressed where they are checked, not between
// two ticks; what was made of other scripts, or for another level, is not used.
func TestFilesAreMadeBeforeTheReload(t *testing.T) {
	g := hostedGame(t, "flat?game=GameInfo")
	scripts := func() []assets.Script {
		list, err := g.assets.Scripts(nil)
		must(t, err)
		return list
	}
	first, second := scripts(), scripts()
	second[0].Text += "\n-- another line\n"
	g.Check(second, nil)
	made := g.packed.Load()
	if made == nil {
		t.Fatal("nothing was made")
	}
	if r := g.Reload(second, nil, false); r.Failed || g.served.Load().files != made.files || g.packed.Load() != nil {
		t.Error("what was made is not used, or used twice: ", r.Diagnostics)
	}
	g.Check(second, nil)
	made = g.packed.Load()
	if r := g.Reload(first, nil, false); r.Failed || g.served.Load().files.Hash == made.files.Hash {
		t.Error("files of other scripts are served: ", r.Diagnostics)
	}
	g.Check(second, nil)
	made = g.packed.Load()
	made.base = nil
	if r := g.Reload(second, nil, false); r.Failed || g.served.Load().files == made.files {
		t.Error("files beside others than those that are served are used: ", r.Diagnostics)
	}
}
