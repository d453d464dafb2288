package classfile

import "testing"

// A reload judges the calls of all files, and reads those only that changed; of files as they were, nothing is kept.
func TestTreesAreKept(t *testing.T) {
	src := coreSources(t)
	c := NewCache(Natives())
	load := func() map[[32]byte]*unit {
		t.Helper()
		if p, diags := Load(src, Options{Cache: c, Calls: true}); p == nil {
			t.Fatal(text(diags))
		}
		return c.trees
	}
	first := load()
	src[3].Text += "\n-- another\n"
	second := load()
	again := 0
	for k, u := range second { // any order: they are counted
		if first[k] != u {
			again++
		}
	}
	if again != 1 || len(second) != len(src) {
		t.Errorf("%d files were read again, and %d trees are kept of %d files", again, len(second), len(src))
	}
}
