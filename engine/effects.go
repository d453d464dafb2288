package engine

import "math"

// EffectKind is what an [Effect] is.
type EffectKind uint8

// The kinds of effects.
const (
	EffectSound EffectKind = iota
	EffectMontage
	// EffectCue is a notify, an event or a function that the class's looks name in `on`.
	EffectCue
)

// Effect is a cosmetic effect that the world leaves to viewers.
type Effect struct {
	Kind EffectKind
	// Actor is who makes it, 0 for a sound of nobody. It may be gone by the time that the effect is shown; to hold the
	// actor itself would keep it, its scripts and the classes it was made of for as long as nobody takes effects.
	Actor ActorID
	At    vec
	// Name is the sound, the montage or the cue.
	Name string
	// Class is the class's name whose looks want the cue.
	Class string
}

// MaxEffects bounds the effects kept between two calls of TakeEffects; the oldest go first.
const MaxEffects = 1024

// AddEffect leaves an effect to be shown.
func (w *World) AddEffect(e Effect) {
	if len(w.effects) >= MaxEffects { // a share at once: where nobody takes them, to move all for each would cost more than they
		w.effects = w.effects[:copy(w.effects, w.effects[MaxEffects/8:])]
	}
	w.effects = append(w.effects, e)
}

// Cue leaves for viewers that something happened which the class's looks want to be told of: an animation notify, an event or
// a function of that name. What happens to a component happens to its actor. Others, and dedicated servers, which nobody
// looks at, pay one test.
func (a *Actor) Cue(name string) {
	l := a.Class.Looks
	if l == nil || a.world.NetMode == NMDedicatedServer || !l.Wants(name) {
		return
	}
	o := a
	if a.Outer != nil {
		o = a.Outer
	}
	a.world.AddEffect(Effect{Kind: EffectCue, Actor: o.id, At: o.Location, Name: name, Class: a.Class.Name})
}

// TakeEffects appends what has been left since the last call to buf.
func (w *World) TakeEffects(buf []Effect) []Effect {
	buf = append(buf, w.effects...)
	clear(w.effects)
	w.effects = w.effects[:0]
	return buf
}

// HurtRadius calls TakeDamage on every actor with collision in sight of a within radius uu, by distance to
// its surface: full damage at 0, none at radius. a itself is left out (Unreal's HurtRadius). Once it was the end of the
// instigator, nobody is to blame.
func (w *World) HurtRadius(a *Actor, damage, radius float64, instigator *Actor, kind string, momentum float64) {
	at := a.Location
	for _, t := range w.actorsNear(nil, at, radius+maxBodyRadius) {
		if t == a || t.deleted || !t.BCollideActors || t.Outer != nil {
			continue
		}
		d := t.Location.Sub(at)
		dist := math.Max(1, d.Size())
		surface := math.Max(0, dist-t.CollisionRadius)
		if surface >= radius || !t.Defines(EvTakeDamage) || !t.VisibleFrom(at) {
			continue
		}
		scale := 1 - surface/radius
		dir := d.Mul(1 / dist)
		hit := t.Location.Sub(dir.Mul(0.5 * (t.CollisionHeight + t.CollisionRadius)))
		t.Event(EvTakeDamage, Float(damage*scale), Ref(instigator), Vec(hit), Vec(dir.Mul(momentum*scale)), String(kind))
		if a.deleted {
			return
		}
		if instigator != nil && (instigator.deleted || instigator.destroying) {
			instigator = nil // they were among them: nobody can refer to them any more
		}
	}
}
