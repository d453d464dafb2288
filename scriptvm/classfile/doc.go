// Package classfile compiles class files to classes and bytecode: parse, read the declarations, check, rewrite,
// compile. It does not run scripts.
//
// It owns the meaning of a class file: the content of its top level (class, .properties, .defaults, .replication,
// .params, .state, .components, .hitboxes, .looks, .actions, .moves, .auto_state and function definitions), the
// rules of `host check` ([Rules]), the rewriting of self.X into numbered slots, and the part of a file that package
// condition may use to compile its replication conditions.
//
// It works in two passes. The first reads every file separately into declarations and facts (what is read, assigned
// and called), which needs no other file and is cached by content. The second builds the classes
// ([engine.BuildClasses]), checks the facts against them, rewrites the trees with the slots, which are known now,
// and compiles; its result is cached by content and by everything that the rewriting depends on.
//
// It deliberately does not run a chunk, hold a VM, or know which worlds use a program. Protos and parsed files are
// shared between worlds and immutable; a [Program], its defs and its classes belong together.
//
//	p, diags := classfile.Load(sources, classfile.Options{Cache: cache})
//	if p == nil { … } // diags holds at least one error
//	for _, f := range p.Files { … } // run f.Proto with the natives of runtime.go as arguments
//
// Guarantees: Runs no script. Worlds of a process that run the same files share one immutable program, including
// classes.
package classfile
