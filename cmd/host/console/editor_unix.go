//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package console

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// edits says that a terminal's keys can be read one by one while signals stay what they are.
const edits = true

// foreground reports whether the program has the terminal. One without job control has it always.
func foreground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// watch is the goroutine that handles signals: from OpenEditor until Close.
func (e *Editor) watch() {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGQUIT, syscall.SIGWINCH)
	defer signal.Stop(signals)
	for {
		select {
		case <-e.ended:
			return
		case sig := <-signals:
			e.follow(sig, signals)
		}
	}
}

// follow handles a signal.
func (e *Editor) follow(sig os.Signal, signals <-chan os.Signal) {
	switch sig {
	case syscall.SIGTSTP:
		e.turn <- struct{}{}
		e.leave()
		<-e.turn
		// As [Screen] does: Go does not restore the default action of SIGTSTP once it was requested.
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGTTOU) // it cannot fail
		select {                                            // it stops here
		case <-signals:
		case <-time.After(stopWithin):
		}
		e.resume()
	case syscall.SIGCONT: // the shell had the terminal meanwhile
		e.resume()
	case syscall.SIGWINCH:
		e.resize()
	case syscall.SIGQUIT:
		e.turn <- struct{}{}
		e.leave()
		<-e.turn
		signal.Reset(syscall.SIGQUIT)
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGQUIT) // it cannot fail
	}
}

// resume takes the terminal again after a stop, and shows what was being typed. In the background the reader waits for it.
func (e *Editor) resume() {
	e.lost()
	if e.enter() {
		e.show()
	}
}
