package scriptvm

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
)

const fieldScripts = `
local A = class("A", "Actor")
A.properties { Other = ref("A"), On = false, Place = vector(1, 2, 3) }
function A:Read() local a, n = self.Other, 0
	for _ = 1, 50 do if a.On or a.bHidden or a.bDeleteMe then n = n + 1 end end
	return n
end
function A:Write() local a = self.Other
	for i = 1, 50 do a.On = i % 2 == 0 end
end
return A
`

// TestFieldsOfOthersAllocateNothing: the name of a variable of another actor is not boxed again for each use. A call itself
// allocates a little.
func TestFieldsOfOthersAllocateNothing(t *testing.T) {
	b, _ := newNetBench(t, engine.NMDedicatedServer, fieldScripts)
	a := b.spawn("A", engine.Assignment{Name: "Other", Value: engine.Ref(b.spawn("A"))})
	for _, name := range []string{"Read", "Write"} {
		call := func() {
			if _, err := b.v.Call(a, name); err != nil {
				t.Fatal(err)
			}
		}
		call()
		if n := testing.AllocsPerRun(20, call); n > 10 {
			t.Errorf("%s: %v allocations for 50 fields", name, n)
		}
	}
}
