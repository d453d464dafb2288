//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// asks delivers SIGUSR2. Only a host handles it: other commands keep the system's default action.
func asks() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR2)
	return c
}

// drains delivers SIGUSR1, under the same condition.
func drains() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	return c
}
