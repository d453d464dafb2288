package impair

import (
	"testing"
	"time"
)

// play sends n numbers 10 ms apart and returns what arrives, in order, with the delays.
func play(rule Rule, seed uint64, n int) (got []int, delays []time.Duration) {
	l := NewLine[int](rule, seed)
	for now := time.Duration(0); now < time.Duration(n)*10*time.Millisecond+10*time.Second; now += time.Millisecond {
		if i := int(now / (10 * time.Millisecond)); i < n && now%(10*time.Millisecond) == 0 {
			l.Put(now, i, 72)
		}
		for v, ok := l.Get(now); ok; v, ok = l.Get(now) {
			got = append(got, v)
			delays = append(delays, now-time.Duration(v)*10*time.Millisecond)
		}
	}
	return got, delays
}

func TestLine(t *testing.T) {
	const n = 2000
	for _, tt := range []struct {
		name       string
		rule       Rule
		least      int
		most       int
		ordered    bool
		from, till time.Duration
	}{
		{"perfect", Rule{}, n, n, true, 0, 0},
		{"lag", Rule{Lag: 50 * time.Millisecond}, n, n, true, 50 * time.Millisecond, 50 * time.Millisecond},
		{"jitter keeps the order", Rule{Lag: 50 * time.Millisecond, Jitter: 40 * time.Millisecond}, n, n, true, 50 * time.Millisecond, 91 * time.Millisecond},
		{"loss", Rule{Loss: 0.3}, n * 65 / 100, n * 75 / 100, true, 0, 0},
		{"loss in bursts", Rule{Loss: 0.3, Burst: 5}, n * 60 / 100, n * 80 / 100, true, 0, 0},
		{"doubling", Rule{Dup: 0.25}, n * 120 / 100, n * 130 / 100, true, 0, 11 * time.Millisecond},
		{"reordering", Rule{Lag: 100 * time.Millisecond, Reorder: 0.3}, n, n, false, 100 * time.Millisecond, 171 * time.Millisecond},
		{"rate", Rule{Rate: 9000}, n / 2, n - 1, true, 0, 1100 * time.Millisecond}, // 100 B each, 10 000 B/s offered
		{"nothing", Rule{Loss: 1}, 0, 0, true, 0, 0},
	} {
		got, delays := play(tt.rule, 1, n)
		again, _ := play(tt.rule, 1, n)
		if len(got) < tt.least || len(got) > tt.most {
			t.Errorf("%s: %d of %d arrived", tt.name, len(got), n)
		}
		ordered := true
		for i := range got {
			ordered = ordered && (i == 0 || got[i] >= got[i-1])
			if got[i] != again[i] {
				t.Fatalf("%s: another run of the same seed differs", tt.name)
			}
			if delays[i] < tt.from || delays[i] > tt.till {
				t.Fatalf("%s: a packet took %v", tt.name, delays[i])
			}
		}
		if ordered != tt.ordered {
			t.Errorf("%s: in order: %v", tt.name, ordered)
		}
	}
}

func TestBursts(t *testing.T) {
	const n = 20000
	for _, burst := range []float64{0, 4} {
		got, _ := play(Rule{Loss: 0.2, Burst: burst}, 1, n)
		runs, next := 0, 0
		for _, i := range got {
			if i != next {
				runs++
			}
			next = i + 1
		}
		want := 1.25 // 1 / (1 − loss), where losses are independent
		if burst > 1 {
			want = burst
		}
		if mean := float64(n-len(got)) / float64(runs); mean < want*0.9 || mean > want*1.1 {
			t.Errorf("burst %g: %d lost in %d runs, %.2f in each, want %.2f", burst, n-len(got), runs, mean, want)
		}
	}
}
