package engine

import "github.com/tidelock/tidelock/engine/geom"

// Input is what a player's machine sets on its PlayerController before each tick (R9.0). Axes are in
// −1…1. The zero value is no key pressed, looking along +X.
type Input struct {
	Forward, Strafe, Up                                float64
	Jump, Fire, AltFire, Crouch, Run, Aim, Reload, Use bool
	// Weapon is the number key pressed, 0 for none.
	Weapon int
	View   geom.Rotator
}

// SetInput sets what the local player of a PlayerController presses, until changed.
func (w *World) SetInput(pc *Actor, in Input) {
	held, ok := w.inputs[pc.id]
	if !ok || in.View != held.View {
		held.turned = true
	}
	held.Input = in
	w.inputs[pc.id] = held
}

// heldInput is what a player presses, and whether his view was turned since the last tick: a view that is
// merely held does not undo what a script did to ViewRotation.
type heldInput struct {
	Input
	turned bool
}

// Input is what the local player of a PlayerController presses, and whether it has one.
func (w *World) Input(pc *Actor) (Input, bool) {
	in, ok := w.inputs[pc.id]
	return in.Input, ok
}

// playerInput hands the keys to the PlayerController of a local player and calls PlayerTick.
func (w *World) playerInput(pc *Actor, dt float64) {
	in, ok := w.inputs[pc.id]
	if !ok {
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
	if in.turned {
		in.turned = false
		w.inputs[pc.id] = in
	}
	pc.Event(EvPlayerTick, Float(dt))
}

// setKnown sets a declared variable from the engine's side; a value out of its declared range is dropped.
func (a *Actor) setKnown(p *Property, v Value) {
	before := a.Get(p)
	if sameValue(before, v) {
		return
	}
	if a.Set(p, v) == nil {
		a.world.Script.Changed(a, p)
	}
}
