// Package scenario is the Lua side of scenario files: `scenario(name, function(t) … end)`, the object t,
// peers, handles of actors, checks.
//
// A file is parsed and compiled once, and so are the modules of the folder "shared" beside it that it requires.
// Every run of a scenario has a sandboxed VM of its own in which the file runs from its top, so that no state of a
// scenario reaches the next, and a run depends only on its seed. Worlds, the clock and the network are a [Stage],
// which cmd/host/scenario implements.
//
// Values are passed between the scenario's VM and those of the peers by value: plain values, vectors, rotators,
// plain tables. An actor is passed as a handle, which identifies a peer and its actor and reads and writes through.
//
// Invariant: a check that failed fails the run, even if the script catches the error that it raises.
//
// It deliberately does not create worlds, keep a clock, print results, or measure how long a run takes.
//
//	f, err := scenario.Load("tests/scenarios/r1.lua", text, scenario.Options{Read: read})
//	for _, s := range f.Scenarios { r := s.Run(scenario.Run{Seed: 1, Stage: stage}) … }
//
// Guarantees: The same checks for every transport.
package scenario
