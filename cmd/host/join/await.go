package join

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// goodbyeWithin bounds the end of a run.
const goodbyeWithin = 3 * time.Second

// ErrLeft is the end by a second signal, before goodbye was said.
type ErrLeft struct{ Signal os.Signal }

func (e *ErrLeft) Error() string { return "left at once: " + e.Signal.String() }

// Number is the signal's, 0 where it has none.
func (e *ErrLeft) Number() int {
	n, _ := e.Signal.(syscall.Signal)
	return int(n)
}

// Await waits for a run that other goroutines do: until ended gives its result, or, after runFor (0: never) or a first
// signal, stop was called and then ended gives its result. A second signal, which is an *ErrLeft, and a run that does
// not end leave it behind, after hang.
func Await(ended <-chan error, stop func(), runFor time.Duration, signals <-chan os.Signal, hang func()) error {
	var over, late <-chan time.Time
	if runFor > 0 {
		t := time.NewTimer(runFor)
		defer t.Stop()
		over = t.C
	}
	begin := func() {
		stop()
		if late == nil {
			late = time.After(goodbyeWithin)
		}
	}
	signalled := false
	for {
		select {
		case err := <-ended:
			return err
		case <-over:
			begin()
		case sig := <-signals:
			if signalled {
				hang()
				return &ErrLeft{sig}
			}
			signalled = true
			begin()
		case <-late:
			hang()
			return fmt.Errorf("it did not end within %v and was left behind", goodbyeWithin)
		}
	}
}
