// Package cluster runs a cluster on a developer's machine: hosts and NATS servers, each a process (host cluster up).
//
// [FindServer] finds the program nats-server, or builds it from a module of its own, so that it is no part of the host's build.
// [Node] is one NATS server's configuration. [Up] runs all processes, restarts those that end, and ends them together.
//
// It deliberately does not: run anything on other machines, or know what hosts use the servers for.
//
// Guarantees: The server is never linked into the host. What ends is started again; all end together.
package cluster
