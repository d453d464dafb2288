// Package condition compiles replication conditions and the conditions of looks into [engine.Condition]s, which run without
// the script VM (R5.5, R5.6).
//
// A [Scope] reads the syntax tree of a function into a [Function], which outlives the tree; [Compile] makes closures of that
// for a set of classes. Every node of an expression knows which types its value can have, whether it can end in an error,
// and what it may be on each side of a connection (R5.16). What a native variable is read by comes from its
// [engine.NativeProperty]; what a pure native function does is one entry in natives.
//
// It runs nothing and knows nothing of the script VM. Compiled conditions never change and may be evaluated by many
// goroutines while the world stands still; an evaluation allocates nothing.
package condition
