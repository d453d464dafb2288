package engine

import "math"

// TakeEffects appends the effects recorded since the last call to buf.
func (w *World) TakeEffects(buf []Effect) []Effect {
	buf = append(buf, w.effects...)
	clear(w.effects)
	w.effects = w.effects[:0]
	return buf
}

// HurtRadius calls TakeDamage on every actor with collision in sight of a within radius uu, by distance to its
// surface: full damage at 0, none at radius. a itself is left out (Unreal's HurtRadius). If it destroys the
// instigator, later calls have none.
func (w *World) HurtRadius(a *Actor, damage, radius float64, instigator *Actor, kind string, momentum float64) {
	at := a.Location
	for _, t := range w.actorsNear(at, radius+maxBodyRadius) {
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
			instigator = nil // it was destroyed: nobody can refer to it any more
		}
	}
}
