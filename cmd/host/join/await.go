package join

import (
	"context"
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

// Await waits for a run that other goroutines do, which ends with ctx: until ended gives its result. A first signal calls
// stop, which ends ctx. A second one, which is an *ErrLeft, and a run that goes on for long after ctx leave it behind, after
// hang.
func Await(ctx context.Context, ended <-chan error, stop func(), signals <-chan os.Signal, hang func()) error {
	over := ctx.Done()
	var late <-chan time.Time
	signalled := false
	for {
		select {
		case err := <-ended:
			return err
		case <-over:
			over, late = nil, time.After(goodbyeWithin)
		case sig := <-signals:
			if signalled {
				hang()
				return &ErrLeft{sig}
			}
			signalled = true
			stop()
		case <-late:
			hang()
			return fmt.Errorf("it did not end within %v and was left behind", goodbyeWithin)
		}
	}
}
