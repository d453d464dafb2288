//go:build !unix

package cluster

import (
	"os"
	"os/exec"
)

// inGroup does nothing: there are no process groups.
func inGroup(*exec.Cmd, int) {}

func groupLives(int) bool { return true }

// terminate ends a process; it cannot be asked to.
func terminate(p *os.Process) error { return p.Kill() }

// lock does nothing: two processes may build the same program, and one of them puts its own in place.
func lock(string) (unlock func(), err error) { return func() {}, nil }
