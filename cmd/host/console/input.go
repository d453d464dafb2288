package console

import (
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// backgroundPause is how often a program in the background checks whether it may read its terminal.
const backgroundPause = time.Second

// Input returns a reader of lines for a program that may be moved to the background of its terminal's shell.
// There a read would stop the whole program; this reader waits until the program is in the foreground again.
// Readers that are not terminals are returned unchanged.
func Input(r io.Reader) io.Reader {
	f, ok := r.(*os.File)
	if !ok || !IsTerminal(f) {
		return r
	}
	readInBackground()
	return input{f}
}

type input struct{ *os.File }

// Read implements io.Reader. A closed terminal is the end.
func (i input) Read(p []byte) (int, error) {
	for {
		n, err := i.File.Read(p)
		if n > 0 || !refused(err) {
			return n, err
		}
		if !term.IsTerminal(int(i.Fd())) {
			return 0, io.EOF
		}
		time.Sleep(backgroundPause)
	}
}
