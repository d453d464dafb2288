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
	value := func(w *bench, k *engine.Actor, name string) float64 {
		t.Helper()
		out, err := w.v.Call(k, name)
		if err != nil || len(out) != 1 {
			t.Fatalf("%s gives %v: %v", name, out, err)
		}
		return out[0].Num
	}
	value(a, x, "Count")
	if v := value(a, x, "Count"); v != 3 {
		t.Errorf("the first world counts %v, want 3", v)
	}
	if v := value(b, y, "Count"); v != 1 {
		t.Errorf("the second world counts %v, want 1", v)
	}
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
	if v := value(b, y, "Count"); v != 3 {
		t.Errorf("the second world counts %v beside a quarantine in the first, want 3", v)
	}
	if r := a.reload(strings.Replace(text, "n + 1", "n + 10", 1)); r.Failed {
		t.Fatal(r.Diagnostics)
	}
	if v := value(a, x, "Count"); v != 13 {
		t.Errorf("the first world counts %v after its reload, want 13", v)
	}
	if v := value(b, y, "Count"); v != 6 {
		t.Errorf("the second world counts %v after a reload of the first, want 6", v)
	}
	if a.w.Classes == b.w.Classes {
		t.Error("a reload of one world was one of both")
	}
	// A world that takes a change back has the same classes again, and its actors go on.
	if r := a.reload(text); r.Failed || a.w.Classes != b.w.Classes {
		t.Errorf("the files of before are another program: %v", r.Diagnostics)
	}
	if v := value(a, x, "Count"); v != 14 {
		t.Errorf("the first world counts %v with the files of before, want 14", v)
	}
}
