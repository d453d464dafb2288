// Command long runs what takes longer than .ci/run may, item by item: a mutant, a fuzz target, an attack, a scenario file with twenty
// seeds. What each item gave stands in .ci/long.txt with the commit, the seconds and a hash of the files that it depends on; an item is
// stale when one of these files changed since. A run that ends early goes on where it ended.
//
//	go run ./tests/long list            the items of each kind: how many are fresh, stale, failed
//	go run ./tests/long run [PATTERN…]  runs the items that are not fresh, all or those whose names match
//	go run ./tests/long change          what .ci/run takes: stale items first, then some that the draw gives, within a budget
//
// It decides what runs and keeps the record; the tests judge.
//
// Guarantees: A choice follows from the record and from the number in tests/tier/draw.txt, never from a clock.
package main
