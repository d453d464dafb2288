package cluster

import "syscall"

// endsWithParent has a process end in order if this one is killed.
func endsWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGTERM }
