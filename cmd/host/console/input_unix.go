//go:build unix

package console

import (
	"errors"
	"os/signal"
	"syscall"
)

// readInBackground makes reads from the terminal in the background fail, instead of stopping the program.
func readInBackground() { signal.Ignore(syscall.SIGTTIN) }

// refused reports whether a read failed because the program is in the background.
func refused(err error) bool { return errors.Is(err, syscall.EIO) }
