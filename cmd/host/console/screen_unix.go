//go:build unix

package console

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// watch is the goroutine that handles signals: from OpenScreen until Close.
func (s *Screen) watch() {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGQUIT)
	defer signal.Stop(signals)
	for {
		select {
		case <-s.ended:
			return
		case sig := <-signals:
			s.turn <- struct{}{}
			s.follow(sig, signals)
			<-s.turn
		}
	}
}

// stopWithin is the longest time until a stop signal stops this process.
const stopWithin = 100 * time.Millisecond

// follow handles a signal, with the terminal restored meanwhile; the caller has the turn.
func (s *Screen) follow(sig os.Signal, signals <-chan os.Signal) {
	switch sig {
	case syscall.SIGTSTP:
		s.leave()
		// Go does not restore the default action of SIGTSTP once it was requested. SIGTTOU stops a process in
		// the same way, unless no shell could continue it.
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGTTOU) // it cannot fail
		select {                                            // it stops here
		case <-signals:
		case <-time.After(stopWithin):
		}
		s.enter()
	case syscall.SIGCONT: // the shell had the terminal meanwhile
		s.enter()
	case syscall.SIGQUIT:
		s.leave()
		signal.Reset(syscall.SIGQUIT)
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGQUIT) // it cannot fail
	}
}
