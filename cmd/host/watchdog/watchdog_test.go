package watchdog

import (
	"strings"
	"testing"
	"time"
)

// kennel is a watchdog on a clock of the test's own.
type kennel struct {
	dog    *Dog
	clock  chan time.Time
	said   []Hang
	ended  []Hang
	looked chan struct{}
}

func newKennel(t *testing.T) *kennel {
	k := &kennel{clock: make(chan time.Time), looked: make(chan struct{}, 1)}
	k.dog = Start(Options{
		Doing:   func() (string, string) { return "Brain:Tick", "world.FindPath" },
		Watched: "loop.Run",
		Say:     func(h Hang) { k.said = append(k.said, h) },
		End:     func(h Hang) { k.ended = append(k.ended, h) },
		Ticks:   func(time.Duration) (<-chan time.Time, func()) { return k.clock, func() {} },
		Stacks: func(int) []byte {
			return []byte("goroutine 1 [select]:\nmain.main()\n\ngoroutine 7 [running]:\nloop.Run(0xc000012345, 0x1)\n\t/a/b.go:12 +0x1f\n")
		},
	})
	t.Cleanup(k.dog.Stop)
	return k
}

// tick gives the watchdog so many ticks. The clock has no buffer, so that all but the last are looked at when it returns, and
// the last one is when the next is taken; settle waits for that.
func (k *kennel) tick(d time.Duration) {
	for range int(d / Every) {
		select {
		case k.clock <- time.Time{}:
		case <-k.dog.done:
			return
		}
	}
}

// settle ends the watch, after which what it said can be read.
func (k *kennel) settle() { k.dog.Stop() }

func TestHangIsToldAndEnded(t *testing.T) {
	k := newKennel(t)
	k.dog.Begin()
	k.tick(EndAfter + 2*Every)
	k.settle()
	if len(k.said) != 1 || len(k.ended) != 1 {
		t.Fatalf("said %d times and ended %d times, expected one each", len(k.said), len(k.ended))
	}
	if got, want := k.said[0].String(), "the world hangs: one tick has taken 2 s so far, in Brain:Tick, in the native world.FindPath"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if k.ended[0].For != EndAfter {
		t.Errorf("ended after %v, want %v", k.ended[0].For, EndAfter)
	}
	stacks := k.said[0].Stacks
	if !strings.HasPrefix(stacks, "goroutine 7 [running]:\nloop.Run(") {
		t.Errorf("the watched goroutine is not told first:\n%s", stacks)
	}
	if strings.Contains(stacks, "0x") {
		t.Errorf("the stacks have addresses:\n%s", stacks)
	}
}

func TestWorkThatGoesOnIsNoHang(t *testing.T) {
	k := newKennel(t)
	for range 20 { // each shorter than the warning, together longer than the end
		k.dog.Begin()
		k.tick(WarnAfter - Every)
		k.dog.End()
	}
	k.tick(2 * EndAfter) // nothing to do
	k.settle()
	if len(k.said)+len(k.ended) > 0 {
		t.Errorf("said %v, ended %v", k.said, k.ended)
	}
}

// TestOnlyOwnTimeCounts: however long it is between two ticks, such as on a machine that was suspended, each counts as one.
func TestOnlyOwnTimeCounts(t *testing.T) {
	k := newKennel(t)
	k.dog.Begin()
	for i := range int(WarnAfter/Every) - 1 {
		k.clock <- time.Time{}.Add(time.Duration(i) * time.Hour)
	}
	k.settle()
	if len(k.said)+len(k.ended) > 0 {
		t.Errorf("said %v, ended %v", k.said, k.ended)
	}
}

func TestEndOfAHangIsTold(t *testing.T) {
	k := newKennel(t)
	k.dog.Begin()
	k.tick(WarnAfter + 2*Every) // all but the last are looked at before the end
	k.dog.End()
	k.tick(2 * Every)
	k.settle()
	if len(k.said) != 2 || !k.said[1].Over || len(k.ended) > 0 {
		t.Errorf("said %v, ended %v", k.said, k.ended)
	}
	if got, want := k.said[len(k.said)-1].String(), "the world goes on after 2"; !strings.HasPrefix(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
}

func TestStacksAreBounded(t *testing.T) {
	dump := strings.Repeat("goroutine 9 [select]:\nx()\n\n", 10000) + "goroutine 1 [running]:\nloop.Run()\n"
	got := shown([]byte(dump), "loop.Run")
	if len(got) > maxStacks+100 || !strings.HasPrefix(got, "goroutine 1 [running]:\nloop.Run()") {
		t.Errorf("%d bytes, beginning with %.60q", len(got), got)
	}
}
