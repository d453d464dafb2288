package scriptvm

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
)

// Tables of functions are made when an actor, or a script by the class's name, wants them first: a reload makes none for
// classes and states of which there is no actor. What is made late is right all the same, also after reloads.
func TestTablesOnDemand(t *testing.T) {
	text := func(n string) string {
		return `local A = class("A", "Actor")
A.state("Busy", {})
function A:What() return ` + n + ` end
function A.state.Busy:What() return ` + n + ` * 10 end
local B = class("B", "A")
function B:What() return B.super.What(self) + 1 end
function B:Of() return A.What(self) end`
	}
	b := newBench(t, text("1"))
	made := func() (n int) {
		for _, name := range []string{"A", "B"} {
			c := b.v.classes[name].data
			for _, d := range []*engine.Dispatch{c.Dispatch, c.States["Busy"].Dispatch} {
				if b.v.tables[d.Index] != nil {
					n++
				}
			}
		}
		return n
	}
	if n := made(); n != 0 {
		t.Errorf("%d tables for nobody", n)
	}
	a, k := b.spawn("A"), b.spawn("B")
	call := func(want float64, what string) {
		t.Helper()
		if out := b.result(k, what); out.Num != want {
			t.Errorf("%s gives %v, want %g", what, out, want)
		}
	}
	call(2, "What")
	call(1, "Of")
	b.reloads(text("5"))
	if n := made(); n != 2 {
		t.Errorf("%d tables for two actors in no state", n)
	}
	call(6, "What")
	call(5, "Of")
	a.GotoState("Busy")
	if out := b.result(a, "What"); out.Num != 50 {
		t.Error(out)
	}
	b.clean()
}
