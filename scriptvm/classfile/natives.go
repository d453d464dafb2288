package classfile

// NativeNames lists the natives that a compiled class file takes as the arguments of its main chunk, in this order.
// They are locals with names that no script can write, so that nothing can reach or shadow them. Their behavior is
// part of the contract with the runtime:
//
//	class(name)                → the class's table. name is the class's own
//	def(k, function)           takes the body of File.Defs[k-1]; runs while the file's top level runs
//	ssuper(C, state)           → what C.super means inside a function of that state: indexing it with a
//	                           name gives the function of the same state in a parent class, or of a state
//	                           it extends ([engine.Class.StateSuper]), else the parent class's own
//	set(self, i, v)            self.X = v for the declared variable of slot i − SlotOffset
//	get(self, id)              → the engine's variable NativeProperties()[id]
//	put(self, id, v)           sets it
//	part(self, i, axis)        → X, Y, Z or Pitch, Yaw, Roll (axis 0, 1, 2) of the declared vector or
//	                           rotator of slot i − SlotOffset
//	npart(self, id, axis)      the same of an engine's variable
//	index(self, key)           → self[key] for a key that is not a literal string
//	newindex(self, key, v)     self[key] = v for such a key
//	store(t, key, v)           t[key] = v in a file that is not core's, where t may be an actor
//
// In addition, rewritten code indexes an actor's table directly: self[i] with i ≥ 3 reads the declared variable of
// slot i − SlotOffset (a nil there invokes the metatable with the number as key), and self[2].Name(self, …) calls a
// function through the table of the actor's class and state.
//
// ORDER: natives.
var NativeNames = []string{"class", "def", "ssuper", "set", "get", "put", "part", "npart", "index", "newindex", "store"}

// SlotOffset is added to a variable's slot to get its index in an actor's table: the first two indexes belong to
// the runtime.
const SlotOffset = 2

// dispatchIndex is the index of the present function table in an actor's table.
const dispatchIndex = 2

func hidden(name string) string { return "(" + name + ")" }
