package heap

import (
	"math/rand/v2"
	"testing"
)

// TestPerRoundTellsGrowthFromScatter: what keeps a megabyte a round is seen through a scatter of three, and the scatter alone
// is not taken for growth.
func TestPerRoundTellsGrowthFromScatter(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var flat, grows []int64
		for i := range 9 {
			noise := int64(r.IntN(3<<20)) - 3<<19
			flat = append(flat, 40<<20+noise)
			grows = append(grows, 40<<20+int64(i)<<20+noise)
		}
		if n := PerRound(flat); n > 1<<19 {
			t.Errorf("seed %d: %d bytes a round of nothing", seed, n)
		}
		if n := PerRound(grows); n < 1<<19 {
			t.Errorf("seed %d: %d bytes a round of a megabyte", seed, n)
		}
	}
}

var kept []byte

// TestLive sees what is kept, and not what was let go.
func TestLive(t *testing.T) {
	before := Live()
	kept = make([]byte, 8<<20)
	with := Live()
	kept = nil
	without := Live()
	if d := with - before; d < 7<<20 || d > 9<<20 {
		t.Errorf("8 MB count as %d bytes", d)
	}
	if d := without - before; d > 1<<20 {
		t.Errorf("%d bytes live after 8 MB were let go", d)
	}
}
