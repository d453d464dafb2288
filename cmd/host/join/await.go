package join

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"
)

// goodbyeWithin bounds the duration of the end.
const goodbyeWithin = 3 * time.Second

// ErrLeft is an end by a second signal, before the goodbye was sent.
type ErrLeft struct{ Signal os.Signal }

func (e *ErrLeft) Error() string { return "left at once: " + e.Signal.String() }

// Number returns the signal's number, 0 if it has none.
func (e *ErrLeft) Number() int {
	n, _ := e.Signal.(syscall.Signal)
	return int(n)
}

// Await waits for the result of a run on other goroutines, which ends with ctx. A first signal calls stop,
// which ends ctx. After a second one, which is an *ErrLeft, or a timeout after the end of ctx, it abandons the
// run and calls hang.
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
			return fmt.Errorf("it did not end within %v and was abandoned", goodbyeWithin)
		}
	}
}
