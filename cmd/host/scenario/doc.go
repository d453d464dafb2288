// Package scenario runs scenario files: `host test`, and `go test ./...` through tests/scenarios_test.go.
//
// It finds the files (those of folders "shared" are modules of the others), gives every scenario a fresh stage (a
// clock, a server made by cmd/host/match, clients that join it over links), runs it once for each of its seeds and
// writes TAP. The Lua of scenario files is package scriptvm/scenario.
//
// The clock is simulated: a peer that ticks at 60 Hz has its k-th tick k/60 s after it was created, and the
// stage runs ticks in the order of their times, the server first at equal times. On transport sim, links are
// simulated on that clock: a run depends only on its seed, and wall time is used only to end a run that hangs.
// On transport kcp the same ticks wait for their wall-clock time from the creation of the first client, and the
// links are UDP sockets on 127.0.0.1.
//
// Every run ends with the sum of R13.1: for each connection, what was counted by variable, function and class
// equals what was handed to the link, and the bytes of the link are that plus its own overhead. In every net
// update the server compares every actor with what was last sent (R4.7). A difference in either fails the
// scenario.
//
// Scenarios run concurrently, on a virtual clock as many as there are processors. They share only compiled
// scripts; the sandbox's memory bound counts the whole process, which is why it requires two violations.
//
// It deliberately does not: parse Lua, or know packets.
//
//	code := scenario.Main(scenario.Options{Files: []string{"tests/scenarios"}, Out: os.Stdout, Err: os.Stderr})
//
// Guarantees: A virtual clock: the same seed gives the same run. Every run ends by checking the sum of R13.1.
package scenario
