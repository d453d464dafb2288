// Package classfile turns class files into classes and bytecode: parse, read the declarations, check,
// rewrite, compile. Nothing a script says runs here.
//
// It owns the meaning of a class file: what stands at its top level (class, .properties, .defaults,
// .replication, .params, .state, .components, .hitboxes, .looks, .actions, .moves, .auto_state and function definitions), the rules of
// `host check` ([Rules]), the rewriting of self.X into numbered slots, and what package condition may know of a
// file whose replication conditions it compiles.
//
// It works in two passes. The first reads every file by itself into declarations and facts (what is read,
// assigned and called where), which needs no other file and is cached by content. The second builds the
// classes ([engine.BuildClasses]), judges the facts against them, rewrites the trees with the slots that
// are now known, and compiles; its result is cached by content and by everything the rewriting looked at.
//
// It deliberately does not: run a chunk, hold a VM, know which worlds use a program. Protos and parsed
// files are shared between worlds and never change; a [Program], its defs and its classes belong to one.
//
//	p, diags := classfile.Load(sources, classfile.Options{Cache: cache})
//	if p == nil { … } // diags holds at least one error
//	for _, f := range p.Files { … } // run f.Proto with the natives of runtime.go as arguments
package classfile
