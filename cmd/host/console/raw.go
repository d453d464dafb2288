package console

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// Raw has a terminal give every key at once and show none of them, Ctrl-C included, which comes as a key. restore
// undoes that; it may be called more than once and by several goroutines. ok is false where r is no terminal.
func Raw(r io.Reader) (restore func(), ok bool) {
	f, is := r.(*os.File)
	if !is || !term.IsTerminal(int(f.Fd())) {
		return nil, false
	}
	before, err := term.MakeRaw(int(f.Fd()))
	if err != nil {
		return nil, false
	}
	var once sync.Once
	return func() {
		once.Do(func() { _ = term.Restore(int(f.Fd()), before) }) // a terminal that is gone needs no restoring
	}, true
}
