// Package tier decides which tests run. It knows three tiers: plain `go test ./...`, .ci/run for what must hold for a change, and
// .ci/long for everything. What a tier runs follows from the tree alone: a choice among many goes by the number in draw.txt, and
// never by a clock, a random number or the machine.
//
// It owns no test and measures nothing. A test asks it:
//
//	func TestWander(t *testing.T) {
//		tier.Change(t) // takes ten seconds of processor time
//		hours := tier.Choose(1, 1, 24)
//
// Guarantees: Two runs of one commit in one tier choose the same tests and the same seeds.
package tier
