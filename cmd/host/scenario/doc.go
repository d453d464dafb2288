// Package scenario runs scenario files: `host test`, and `go test ./...` through tests/scenarios_test.go.
//
// It finds the files, gives every scenario a fresh stage (a virtual clock, a server made by
// cmd/host/match, later clients on a [Network]), runs it once for each of its seeds and writes TAP. The
// Lua of scenario files is package scriptvm/scenario.
//
// The clock is simulated: a peer that ticks at 60 Hz has its k-th tick k/60 s after it was made, and the
// stage goes from tick to tick in the order of their times, the server first where two fall together. A
// run depends on its seed and on nothing else. Wall time is looked at only to end a run that hangs.
//
// What it deliberately does not do: parse Lua, know packets, run two scenarios at once on a virtual clock
// (the sandbox's memory bound counts the whole process).
//
//	code := scenario.Main(scenario.Options{Files: []string{"tests/scenarios"}, Out: os.Stdout, Err: os.Stderr})
package scenario
