//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// asks are SIGUSR2. Only a host takes them: elsewhere they do what the system has them do.
func asks() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR2)
	return c
}
