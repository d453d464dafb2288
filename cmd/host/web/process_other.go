//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package web

import (
	"context"
	"os/exec"
)

// apart does nothing: only the command itself is killed, and its children end when their output has no reader.
func apart(*exec.Cmd) {}

func yield(*exec.Cmd) {}

// lock does not lock: two hosts at once build twice, and the rename at the end leaves one build.
func lock(context.Context, string) (unlock func(), err error) { return func() {}, nil }
