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
// Ticks may have any length (R1.2). The same time simulated at 20, 60 and 144 Hz ends in the same location:
// within 0.000001 uu in the open (walking with its turns and stops, falls, flight, projectiles with gravity,
// movers), within 0.5 uu if falls end on a floor, within 3 uu after some seconds along walls, over stairs,
// ramps and ledges (rate_test.go). Contacts are detected within a tick, so the same actors meet unless they
// miss each other by less than that.
//
// The files form layers, which a test enforces. At the bottom are the records, which hold what all subjects
// keep: class.go, actor.go, world.go and body.go. Above them variables.go sets variables and event.go calls
// scripts; then comes one file per subject, and on top step.go, which is the tick. The types of a subject that
// an actor or the world stores are with the records.
//
// Movement, collision and touching: body.go has the state, move.go the order of events, collide.go decides
// which actors stop each other, walk.go, fall.go, fly.go, projectile.go, mover.go and proxy.go implement one
// mode each, and simulate.go chooses among them.
//
//	w := engine.NewWorld(engine.Config{Classes: classes, Script: vm, Seed: 1})
//	a, err := w.Spawn(classes.Find("Rocket"), engine.SpawnParams{Location: geom.V(0, 0, 100)})
//	w.Step(1.0 / 60)
//
// Guarantees: No Lua, sockets, files, goroutines or wall clock. Same seed and input, same state.
package engine
