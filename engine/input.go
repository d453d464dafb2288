package engine

import (
	"slices"

	"github.com/tidelock/tidelock/engine/geom"
)

// Input is what a player's machine sets on its PlayerController before each tick (R9.0). Axes are in −1…1. The
// zero value is no key pressed, looking along +X.
type Input struct {
	Forward, Strafe, Up                                float64
	Jump, Fire, AltFire, Crouch, Run, Aim, Reload, Use bool
	// Weapon is the number key pressed, 0 for none.
	Weapon int
	View   geom.Rotator
	// Actions are the values of further actions, see SetAction. The slice must not be changed in place.
	Actions []ActionValue
}

// SetInput sets the keys of the local player of a PlayerController, until changed.
func (w *World) SetInput(pc *Actor, in Input) {
	held := w.inputs[pc.id]
	if held == nil {
		held = &heldInput{turned: true}
		w.inputs[pc.id] = held
	}
	if in.View != held.View {
		held.turned = true
	}
	in.Actions = append(held.Actions[:0], in.Actions...)
	held.Input = in
}

// heldInput is the input of a player, and whether their view was turned since the last tick: an unchanged view
// does not undo what a script did to ViewRotation.
type heldInput struct {
	Input
	turned bool

	// set has the actions of the player, made from content's at epoch and from the classes in from; values and
	// before are those of this tick and of the last, in the order of the set. who is scratch.
	set            *ActionSet
	epoch          int
	from           []*Class
	values, before []float64
	who            []*Actor
}

// ActionValue is an action with its value.
type ActionValue struct {
	Name  string
	Value float64
}

// ActionSet is the set of actions that a player has at a time: those of content, then those of the classes of
// what they play with. It is immutable; another combination makes another set.
type ActionSet struct {
	List []Action
	// Number differs for every set of a world, from 1.
	Number int
}

// Input returns the input of the local player of a PlayerController, and whether it has one.
func (w *World) Input(pc *Actor) (Input, bool) {
	held := w.inputs[pc.id]
	if held == nil {
		return Input{}, false
	}
	in := held.Input
	in.Actions = slices.Clone(in.Actions)
	return in, true
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

// Find returns the index of an action, -1 if there is none of that name.
func (s *ActionSet) Find(name string) int {
	return slices.IndexFunc(s.List, func(a Action) bool { return a.Name == name })
}
