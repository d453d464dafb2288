//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package console

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// mode is a terminal's mode before it was changed.
type mode struct{ before *unix.Termios }

// keys makes a terminal return every key at once without echo. Signals and line ends are unchanged. first says
// that the present mode is the one to restore.
func (m *mode) keys(f *os.File, first bool) {
	t, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	if err != nil {
		return
	}
	if first {
		before := *t
		m.before = &before
	}
	t.Lflag &^= unix.ICANON | unix.ECHO | unix.ECHONL | unix.IEXTEN
	t.Lflag |= unix.ISIG
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	setMode(f, t)
}

func (m *mode) restore(f *os.File) {
	if m.before != nil {
		setMode(f, m.before)
	}
}

// setMode retries until no signal interrupts it: a process that was continued in the background is stopped
// here, and continues when it has the terminal.
func setMode(f *os.File, t *unix.Termios) {
	for errors.Is(unix.IoctlSetTermios(int(f.Fd()), setTermios, t), unix.EINTR) {
	}
}
