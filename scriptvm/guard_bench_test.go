package scriptvm

import "testing"

// BenchmarkGuard measures natives behind the guard in a loop of a script: of a call without arguments, with a number, a vector
// and a table.
func BenchmarkGuard(b *testing.B) {
	for _, c := range []struct{ name, line string }{
		{"loop", ""}, {"none", "self:GetId()"}, {"number", "world:ActorById(5)"}, {"vector", "self:VisibleFrom(at)"}, {"table", "self:Trace(at, at, opts)"}, {"variable", "self.Velocity = at"}, {"string", "world:ActorByName(name)"},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := newBench(b, `
local Try = class("Try", "Actor")
function Try:Go()
	local at, opts, name = vector(1, 2, 3), { pawns = false }, "nobody"
	for _ = 1, 1000 do `+c.line+` end
end
`)
			a := w.spawn("Try")
			b.ReportAllocs()
			for b.Loop() {
				if _, err := w.v.Call(a, "Go"); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/turn")
		})
	}
}
