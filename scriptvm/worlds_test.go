package scriptvm

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
)

// TestWorldsOfOneProgram: worlds of a process that run the same files share what was made of them, and nothing that
// happens in one of them is seen in another: not what its scripts count, nor a quarantine, nor a condition's fault that was
// told, nor a reload.
func TestWorldsOfOneProgram(t *testing.T) {
	const text = `local n = 0
local A = class("A", "Actor")
A.properties { Other = ref("Actor"), V = float(0), L = array(int(7), 2) }
A.replication { { "V", when = function(self) return self.Other.bHidden end } }
function A:Count() n = n + 1 self.V = self.V + n self.L[1] = n return self.V end
function A:Break() error("broken") end
function A.server:Ask() self.V = 99 end
`
	worlds := []*bench{newBench(t, text), newBench(t, text)}
	a, b := worlds[0], worlds[1]
	if a.w.Classes != b.w.Classes {
		t.Fatal("two programs of the same files")
	}
	x, y := a.spawn("A"), b.spawn("A")
	counts := func(w *bench, k *engine.Actor, want float64, when string) {
		t.Helper()
		if v := w.result(k, "Count").Num; v != want {
			t.Errorf("%s it counts %v, want %v", when, v, want)
		}
	}
	counts(a, x, 1, "at first")
	counts(a, x, 3, "again")
	counts(b, y, 1, "in the second world")
	if l := y.Class.Default(y.Class.Property("L")).List; len(l) != 2 || l[0].Num != 7 {
		t.Errorf("a world wrote into the default of both: %v", l)
	}
	for _, w := range worlds {
		k := map[*bench]*engine.Actor{a: x, b: y}[w]
		for range 2 {
			w.v.Condition(k.Class.Property("V").Rule, k, engine.ConnBits{})
		}
		if n := strings.Count(w.errors(), "nil"); n != 1 {
			t.Errorf("a condition's fault was told %d times, want once in each world:\n%s", n, w.errors())
		}
		w.reports = nil
	}
	for range QuarantineFaults {
		if _, err := a.v.Call(x, "Break"); err == nil {
			t.Fatal("no error")
		}
	}
	if len(a.v.Quarantined()) != 1 || len(b.v.Quarantined()) != 0 {
		t.Errorf("quarantined: %v and %v, want A in the first world", a.v.Quarantined(), b.v.Quarantined())
	}
	counts(b, y, 3, "beside a quarantine in the first")
	a.reloads(strings.Replace(text, "n + 1", "n + 10", 1))
	counts(a, x, 13, "after its reload")
	counts(b, y, 6, "after a reload of the first")
	if a.w.Classes == b.w.Classes {
		t.Error("a reload of one world was one of both")
	}
	// A world that takes a change back has the same classes again, and its actors go on.
	if r := a.reload(text); r.Failed || a.w.Classes != b.w.Classes {
		t.Errorf("the files of before are another program: %v", r.Diagnostics)
	}
	counts(a, x, 14, "with the files of before")
}
