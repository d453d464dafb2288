// Package scriptvm runs the Lua of a world: it loads class files (by package classfile), makes actors tables
// in Lua, calls their events under a budget (by package sandbox), runs latent code and swaps code under live
// actors. It implements [engine.Script] and is, with its folders, the only place that knows gopher-lua.
//
// A VM belongs to one world and one goroutine. What scripts may name stands in package api, and every
// entry is bound here to a Go function; declared variables live in the engine, with a read copy in the
// actor's table (slots.go). Scripts cannot break it: errors, budgets and quarantine are in call.go, charge.go and quarantine.go.
//
// It does not decide what replicates, owns no clock and reads no files.
//
//	vm := scriptvm.New(scriptvm.Options{Peer: "server"})
//	if d := vm.Load(sources); vm.Classes() == nil { … }
//	w := engine.NewWorld(engine.Config{Classes: vm.Classes(), Script: vm})
//	vm.Bind(w)
package scriptvm
