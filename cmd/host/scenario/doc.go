// Package scenario runs scenario files: `host test`, and `go test ./...` through tests/scenarios_test.go.
//
// It finds the files, gives every scenario a fresh stage (a clock, a server made by cmd/host/match, clients that join
// it over links), runs it once for each of its seeds and writes TAP. The Lua of scenario files is package
// scriptvm/scenario.
//
// The clock is simulated: a peer that ticks at 60 Hz has its k-th tick k/60 s after it was made, and the
// stage goes from tick to tick in the order of their times, the server first where two fall together. On transport
// sim, links are simulated on that clock: a run depends on its seed and on nothing else, and wall time is looked at
// only to end a run that hangs. On transport kcp the same ticks wait for their time by the wall clock from when the
// first client is made, and the links are UDP sockets on 127.0.0.1.
//
// Every run ends with the sum of R13.1: for each connection, what was counted by variable, function and class is what
// was handed to the link, and the bytes of the link are that and its own overhead. The server compares every actor with
// what was last sent in every net update (R4.7). What either finds fails the scenario.
//
// Scenarios run side by side, as many at once on a virtual clock as there are processors. They share what is compiled and
// nothing else; only the sandbox's memory bound counts the whole process, which is why it takes two strikes.
//
// What it deliberately does not do: parse Lua, know packets.
//
//	code := scenario.Main(scenario.Options{Files: []string{"tests/scenarios"}, Out: os.Stdout, Err: os.Stderr})
package scenario
