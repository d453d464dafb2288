//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package console

import (
	"os"

	"golang.org/x/term"
)

// mode is a terminal's mode before it was changed.
type mode struct{ before *term.State }

// keys makes a terminal return every key at once without echo, Ctrl-C included.
func (m *mode) keys(f *os.File, first bool) {
	before, err := term.MakeRaw(int(f.Fd()))
	if err == nil && first {
		m.before = before
	}
}

func (m *mode) restore(f *os.File) {
	if m.before != nil {
		_ = term.Restore(int(f.Fd()), m.before) // a terminal that is gone needs no restoring
	}
}
