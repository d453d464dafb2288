// Package condition compiles replication conditions and the conditions of looks into [engine.Condition]s, which run without
// the script VM (R5.5, R5.6).
//
// A [Scope] reads the syntax tree of a function into a [Function], which outlives the tree; [Compile] makes
// closures from it for a set of classes. Every node of an expression knows which types its value can have, whether
// it can result in an error, and what it may be on each side of a connection (R5.16). An [engine.NativeProperty]
// says how a native variable is read; a pure native function is one entry in natives.
//
// It does not run scripts and does not know the script VM. Compiled conditions never change and may be evaluated by
// many goroutines while the world does not change; an evaluation allocates nothing.
//
// Guarantees: Knows classes and syntax, but no VM. An evaluation neither allocates nor changes anything.
package condition
