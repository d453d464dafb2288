// Package scenario is the Lua side of scenario files: `scenario(name, function(t) … end)`, the object t,
// peers, handles of actors, checks.
//
// A file is parsed and compiled once. Every run of a scenario has a sandboxed VM of its own in which the
// file runs from its top, so that nothing a scenario leaves behind reaches the next, and so that a run
// depends on its seed alone. What a scenario acts on (worlds, the clock, the network) is a [Stage], which
// cmd/host/scenario implements.
//
// Values cross between the scenario's VM and those of the peers by value: plain values, vectors, rotators,
// plain tables. An actor crosses as a handle, which names a peer and an actor of it and reads and writes
// through.
//
// Invariant: a check that failed fails the run, even where the script catches the error that it raises.
//
// What it deliberately does not do: make worlds, keep a clock, print results, know how long a run takes.
//
//	f, err := scenario.Load("tests/scenarios/r1.lua", text, scenario.Limits{})
//	for _, s := range f.Scenarios { r := s.Run(scenario.Run{Seed: 1, Stage: stage}) … }
package scenario
