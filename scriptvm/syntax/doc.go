// Package syntax turns the text of a script into a checked tree and, at the end, into bytecode.
// Nothing a script says runs here.
//
// Purpose: gopher-lua's parser and compiler trust their input. A file of 1 MB of "{" ends the process,
// 255 KB of "- - -" compiles for 40 s, a function call of 400 arguments or a closure over 256 locals
// compiles into wrong code. Everything here stands between a modder's file and those: Parse refuses
// what would be too much, with file, line and column; Harden takes out the operations whose cost the
// instruction count does not see; Compile never panics.
//
// A Chunk owns its tree, its tokens, its comments and what was found out about its names. The tree is
// gopher-lua's own (package ast), which knows lines only. The parser is ours: until Compile, the line of a
// node is the number of its token, by which Pos, Start and NamePos give lines and columns.
//
// gopher-lua v1.1.2 also compiles plain Lua wrongly: 'a, b = b, a' loses a value, 'x = f() and g()'
// leaves x as it was when f gives nil, a loop whose body begins with a jump goes back to anywhere.
// Harden spells these differently; package sandbox compares thousands of random programs with PUC Lua
// (TestProgramsMeanWhatLuaSays), which is how they were found. One difference from Lua 5.1 is left as it
// is: in 'local f = function() … f … end' the inner f is the new local already, as with local function.
//
// Invariant: a chunk that Parse returned compiles within the bounds of limits.go, whatever it says.
// Invariant: bytecode comes out of Compile only for a chunk that went through Harden.
//
// What it deliberately does not do: know any class, property or global beyond what the caller says
// (package loader), run anything (package sandbox), or keep the language larger than Lua 5.1: goto
// and labels, which gopher-lua adds, are refused because they disconnect closures from their
// variables there (TestGotoIsRefused shows it).
//
//	chunk, err := syntax.Parse("Rocket.lua", src)
//	if err != nil { return err } // *syntax.Error: Rocket.lua:12:7: unexpected 'end' …
//	if err := syntax.Harden(chunk, syntax.HardenOptions{}); err != nil { return err }
//	proto, err := syntax.Compile(chunk)
package syntax
