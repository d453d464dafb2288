package engine

import (
	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/engine/profile"
)

// Step advances the world by dt seconds: controllers and input, then actors in order of spawning with an
// actor's Base before the actor, then all rigid bodies together, then animations, then latent code and timers;
// then destroyed actors are freed (R1.3). A dt above [MaxDelta] is split into equal parts; one that is not
// above 0 does nothing.
func (w *World) Step(dt float64) {
	if !(dt > 0) {
		return
	}
	n := 1
	for dt/float64(n) > MaxDelta {
		n++
	}
	for range n {
		w.step(dt / float64(n))
	}
}

func (w *World) step(dt float64) {
	w.frame++
	w.Time += dt
	w.Delta = dt
	w.inStep = true
	w.swingHung()
	w.controllers.settle()
	w.tickers.settle()
	count.Add(count.Actors, len(w.controllers.list)+len(w.tickers.list))
	for _, a := range w.controllers.list {
		w.tickActor(a, dt, 0)
	}
	for _, a := range w.tickers.list {
		w.tickActor(a, dt, 0)
	}
	if w.space.rigid != nil {
		outer := w.Profile.Enter(profile.Movement)
		w.stepRigid(dt)
		w.Profile.Leave(outer)
	}
	w.animate(dt)
	w.Script.RunLatent()
	w.runTimers()
	w.inStep = false
	w.bury()
	if w.recorder != nil {
		w.recorder.Record(w.Time)
	}
}

// tickActor ticks an actor once in this frame, its Base first.
func (w *World) tickActor(a *Actor, dt float64, depth int) {
	if a == nil || a.deleted || a.tickFrame == w.frame || a.spawnFrame == w.frame || !a.tickable {
		return
	}
	if a.Base != 0 && depth < MaxEventDepth {
		if b := w.Actor(a.Base); b != nil && b.tickable {
			w.tickActor(b, dt, depth+1)
		}
	}
	if a.deleted || a.tickFrame == w.frame {
		return
	}
	a.tickFrame = w.frame
	if a.Class.kind&kindPlayerController != 0 {
		w.playerInput(a, dt)
	}
	if f := a.Dispatch.Event[EvTick]; f != nil && !a.tickOff && !a.deleted && w.runs(a, f) {
		w.depth++
		w.Script.Tick(a, f, dt)
		w.depth--
	}
	if !a.deleted && a.Physics != PhysNone && !a.MovedByPlayer() {
		outer := w.Profile.Enter(profile.Movement)
		w.moveInTick(a, dt)
		w.Profile.Leave(outer)
	}
	a.body.limited = false
}

// Enter and Leave bracket a call into scripts that is not an event (a timer, latent code, a command), so that
// nesting is bounded and destroyed actors stay until it ends.
func (w *World) Enter() { w.depth++ }

// Leave ends Enter and, outside of a tick, frees destroyed actors.
func (w *World) Leave() {
	w.depth--
	if w.depth == 0 && !w.inStep && len(w.doomed) > 0 {
		w.bury()
	}
}

// playerInput hands the keys to the PlayerController of a local player and calls PlayerTick.
func (w *World) playerInput(pc *Actor, dt float64) {
	in := w.inputs[pc.id]
	if in == nil {
		return
	}
	c := pc.Class
	num := func(k known, v float64) {
		if p := c.known[k]; p != nil && p.Type.Kind == KindFloat {
			pc.setKnown(p, Float(v))
		}
	}
	key := func(k known, v bool) {
		if p := c.known[k]; p != nil && p.Type.Kind == KindBool {
			pc.setKnown(p, Bool(v))
		}
	}
	num(knAForward, in.Forward)
	num(knAStrafe, in.Strafe)
	num(knAUp, in.Up)
	key(knBJump, in.Jump)
	key(knBFire, in.Fire)
	key(knBAltFire, in.AltFire)
	key(knBCrouch, in.Crouch)
	key(knBRun, in.Run)
	key(knBAim, in.Aim)
	key(knBReload, in.Reload)
	key(knBUse, in.Use)
	if p := c.known[knWeaponKey]; p != nil && p.Type.Kind == KindInt {
		pc.setKnown(p, Int(in.Weapon))
	}
	if p := c.known[knViewRotation]; p != nil && p.Type.Kind == KindRotator && in.turned {
		pc.setKnown(p, Rotation(in.View))
	}
	in.turned = false
	w.pressActions(pc, in)
	pc.Event(EvPlayerTick, Float(dt))
}
