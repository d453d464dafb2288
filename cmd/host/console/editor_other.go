//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package console

import "os"

// edits says that a terminal's keys cannot be read one by one here while Ctrl-C stays a signal.
const edits = false

func foreground(*os.File) bool { return true }

// watch handles no signals: there is no editor here.
func (*Editor) watch() {}
