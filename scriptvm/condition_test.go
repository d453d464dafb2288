package scriptvm

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
)

// TestConditionsInTheVM: what cannot be compiled is asked of the VM, which knows the connection, and leaves no
// trace.
func TestConditionsInTheVM(t *testing.T) {
	b := newBench(t, `
local A = class("A", "Actor")
A.properties { N = int(1), M = int(2) }
A.replication {
	{ "N", when = function(self) return self.bNetOwner and ("x" .. self.N) == "x1" and self.RemoteRole == ROLE_AutonomousProxy end },
	{ "M" },
}
`)
	a := b.spawn("A")
	r := a.Class.Property("N").Rule
	if r.Cond.Native() {
		t.Fatal("this condition is compiled by now; take one that is not")
	}
	owner := engine.ConnBits{Owner: true, RemoteRole: engine.RoleAutonomousProxy}
	if !b.v.Condition(r, a, owner) || !b.v.Condition(a.Class.Property("M").Rule, a, owner) {
		t.Error("the owner is refused")
	}
	if b.v.Condition(r, a, engine.ConnBits{RemoteRole: engine.RoleSimulatedProxy}) {
		t.Error("another is let through")
	}
	b.set(a, "N", engine.Int(2))
	if b.v.Condition(r, a, owner) {
		t.Error("the variable is not read")
	}
	if n := b.v.Stats().Conditions; n != 3 {
		t.Errorf("counted %d entries of 3", n)
	}
	b.clean()
}
