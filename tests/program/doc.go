// Package program runs the host, or another program, as a process of its own: for tests of the real thing. It keeps what the process says,
// line by line, and waits for lines; it never sleeps for a result.
//
//	path, err := program.Build("../..", dir)
//	p := program.Start(t, program.Options{Path: path, Args: []string{"serve", "arena"}})
//	line, next, err := p.Await(0, `^ready: `)
//
// Guarantees: A process ends with its test at the latest, and no setting of this process's environment reaches it.
package program
