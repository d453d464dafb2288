package relevancy

import (
	"math"

	"github.com/tidelock/tidelock/engine"
)

// Weigh returns NetPriority and Factor of an actor, of the owner if bNetUseOwnerRelevancy is set. Their product
// is the weight of its waiting time (R4.2); only ratios matter.
func (x *Index) Weigh(v *Viewer, a *engine.Actor) (priority, factor float64) {
	o := x.prioritised(a)
	return o.NetPriority, x.factor(v, o)
}

// Factor returns an actor's view factor (R4.2), of the owner if bNetUseOwnerRelevancy is set; 1 is neutral. See
// [ViewFactors].
func (x *Index) Factor(v *Viewer, a *engine.Actor) float64 { return x.factor(v, x.prioritised(a)) }

// prioritised returns the actor whose priority counts. Owners cannot form a loop: the engine refuses it.
func (x *Index) prioritised(a *engine.Actor) *engine.Actor {
	if a.Outer != nil {
		a = a.Outer
	}
	for a.BNetUseOwnerRelevancy {
		o := x.world.Actor(a.Owner)
		if o == nil {
			break
		}
		a = o
	}
	return a
}

func (x *Index) factor(v *Viewer, a *engine.Actor) float64 {
	c := &x.cfg.View
	if v.Target != nil && x.belongs(a, v.Target) {
		return c.Target
	}
	if a.BHidden { // its location is not visible
		return 1
	}
	to := a.Location.Sub(v.Location)
	squared := to.SizeSquared()
	ahead := v.direction().Dot(to)
	switch {
	case ahead < 0 && squared > c.Near*c.Near:
		return c.Behind
	case ahead < 0 && squared > c.Close*c.Close:
		return c.BehindNear
	case ahead < 0:
		return 1
	case squared < c.Far*c.Far && ahead*ahead > x.aimShare*squared:
		return c.Aim
	case squared > c.Medium*c.Medium:
		return c.Aside
	}
	return 1
}

// belongs reports whether an actor is the view target, instigated by it, or owned by it, directly or
// indirectly.
func (x *Index) belongs(a, target *engine.Actor) bool {
	if a == target || a.Instigator == target.ID() {
		return true
	}
	for o := x.world.Actor(a.Owner); o != nil; o = x.world.Actor(o.Owner) {
		if o == target {
			return true
		}
	}
	return false
}

// aimShareOf returns the share of the squared distance along the line of view at the edge of the aim.
func aimShareOf(angle float64) float64 {
	c := math.Cos(angle)
	return c * c
}
