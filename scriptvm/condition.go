package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
)

// Condition evaluates the condition of a replication rule for an actor and a connection. Nearly all are compiled
// and do not use the VM (R5.6); one that is not compiled runs here and is counted in Stats.Conditions. A fault in
// it means false, and is reported as usual.
func (v *VM) Condition(r *engine.Rule, a *engine.Actor, bits engine.ConnBits) bool {
	c := r.Cond
	if c == nil {
		return true
	}
	if c.Native() {
		ok := c.Eval(a, bits.Input(a))
		if f, bad := v.world.TakeCondFault(c); bad {
			v.reportError(a, r.Class.Name, "replication", f.Text)
		}
		return ok
	}
	b := v.body(r.Script)
	if b == nil || b.duty != onDuty {
		return false
	}
	v.faults.stats.Conditions++
	b.called, b.wasCalled = v.world.Time, true
	outer := v.conn
	v.conn = &bits
	mark := v.world.Mark()
	out, err := v.vm.Call(r.Class.Name, b.fn, a.Script.(*object).table)
	v.conn = outer
	if err != nil {
		_ = v.failed(mark, err, &engine.Function{Name: "replication", Class: r.Class, Script: r.Script}, a)
		return false
	}
	// A condition has no effects; the checker rejected those that it could detect.
	v.world.Rollback(mark)
	return lua.LVAsBool(out)
}
