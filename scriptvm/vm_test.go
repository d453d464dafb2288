package scriptvm

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
)

func TestFirstTick(t *testing.T) {
	b := newBench(t, `
local A = class("A", "Actor")
A.properties { N = float(1), Who = ref("A"), V = vector(1, 2, 3), L = array(int(0), 3), S = struct { X = int(1) } }
function A:Tick(dt)
	self.N = self.N + 1
	self.Who = self
	self.V = self.V + vector(1, 0, 0)
	self.L[2] = self.L[2] + 1
	self.S.X = self.L[2] * 10
	self.Velocity = vector(dt, 0, 0)
end
`)
	a := b.spawn("A")
	b.run(1)
	b.clean()
	if n := b.get(a, "N").Num; n != 61 {
		t.Errorf("N = %v", n)
	}
	if b.get(a, "Who").Ref != a.ID() {
		t.Error("Who is not the actor")
	}
	if v := b.get(a, "V").Vec; v.X != 61 || v.Z != 3 {
		t.Errorf("V = %v", v)
	}
	if l := b.get(a, "L").List; l[1].Num != 60 {
		t.Errorf("L = %v", l)
	}
	_ = engine.Float
}
