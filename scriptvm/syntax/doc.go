// Package syntax parses the text of a script to a checked tree and, at the end, compiles it to bytecode. It does
// not run scripts.
//
// Purpose: gopher-lua's parser and compiler trust their input. A file of 1 MB of "{" ends the process, 255 KB of "-
// - -" compiles for 40 s, and a function call of 400 arguments or a closure over 256 locals compiles into wrong
// code. This package protects them from a modder's file: Parse rejects what would be too much, with file, line and
// column; Harden removes the operations whose cost the instruction count does not include; Compile never panics.
//
// A Chunk owns its tree, its tokens, its comments and the analysis of its names. The tree is gopher-lua's own
// (package ast), which only has lines. The parser is ours: until Compile, the line of a node is the number of its
// token, from which Pos, Start and NamePos compute lines and columns.
//
// gopher-lua v1.1.2 also compiles plain Lua wrongly: 'a, b = b, a' loses a value, 'x = f() and g()' leaves x
// unchanged when f returns nil, and a loop whose body begins with a jump continues at an arbitrary instruction.
// Harden rewrites these; package sandbox compares thousands of random programs with PUC Lua
// (TestProgramsMeanWhatLuaSays), which found them. One difference from Lua 5.1 remains: in 'local f = function() …
// f … end' the inner f is the new local already, as with local function.
//
// Invariant: a chunk that Parse returned compiles within the bounds of limits.go, whatever it contains.
//
// Invariant: Compile only produces bytecode for a chunk that Harden has processed.
//
// It deliberately does not know any class, property or global beyond what the caller passes (package loader), run
// anything (package sandbox), or accept more than Lua 5.1: goto and labels, which gopher-lua adds, are rejected
// because there they disconnect closures from their variables (TestGotoIsRefused shows it).
//
//	chunk, err := syntax.Parse("Rocket.lua", src)
//	if err != nil { return err } // *syntax.Error: Rocket.lua:12:7: unexpected 'end' …
//	if err := syntax.Harden(chunk, syntax.HardenOptions{}); err != nil { return err }
//	proto, err := syntax.Compile(chunk)
//
// Guarantees: Refuses text that would hang or break the parser.
package syntax
