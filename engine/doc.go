// Package engine is the world as a pure state machine: commands and [World.Step] in, state and dirty
// marks out. It knows neither Lua nor sockets, reads no clock, starts no goroutine and keeps nothing
// global, so a process can hold many worlds and a test can replay any of them.
//
// It owns classes as plain data ([Class], [Property], [Function], [State]), actors with generational
// ids ([Actor], [ActorID]), typed variables in slots, the tick order of rule R1.3, timers, physics
// modes and collision against the level. Gameplay is called through one small interface, [Script],
// which package scriptvm implements.
//
// It does not load class files, does not decide what a script may do, and does not send anything.
//
//	w := engine.NewWorld(engine.Config{Classes: classes, Script: vm, Seed: 1})
//	a, err := w.Spawn(classes.Find("Rocket"), engine.SpawnParams{Location: geom.V(0, 0, 100)})
//	w.Step(1.0 / 60)
package engine
