//go:build unix

package console

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Size returns a terminal's size, in characters; false if w is not a terminal or its size is unknown.
func Size(w io.Writer) (width, height int, ok bool) {
	f, is := w.(*os.File)
	if !is {
		return 0, 0, false
	}
	s, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil || s.Col == 0 || s.Row == 0 {
		return 0, 0, false
	}
	return int(s.Col), int(s.Row), true
}
