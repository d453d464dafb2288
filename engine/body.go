package engine

// DefaultKillZ is where actors fall out of a world whose level says nothing, in uu.
const DefaultKillZ = -100000

type bodyState struct{}

func (b *bodyState) hash(*Hash) {}

type space struct{}

func (w *World) openSpace()          {}
func (w *World) enterSpace(a *Actor) {}
func (w *World) leaveSpace(a *Actor) {}
func (w *World) began(a *Actor)      {}
func (w *World) move(a *Actor, dt float64) {
}
func (a *Actor) SetLocation(v vec) bool { a.Location = v; a.touchNative("Location"); return true }
func (a *Actor) SetPhysics(p Physics) {
	a.Physics = p
	a.touchNative("Physics")
	a.world.refreshTick(a)
}
func (a *Actor) SetBase(b *Actor, attach bool) error                 { return nil }
func (a *Actor) baseLost()                                           {}
func (a *Actor) collisionChanged()                                   {}
func (a *Actor) SetCollision(actors, blockActors, blockPlayers bool) {}
func (a *Actor) SetCollisionSize(r, h float64) bool                  { return true }
func (a *Actor) Move(d vec) (Hit, bool)                              { a.Location = a.Location.Add(d); return Hit{}, false }
func (a *Actor) Touching() []*Actor                                  { return nil }
func (a *Actor) VisibleFrom(at vec) bool                             { return true }
func (w *World) Trace(from, to vec, opt TraceOptions) (Hit, bool)    { return Hit{}, false }
func (w *World) FastTrace(from, to vec) bool                         { return true }
func (w *World) LevelName() string                                   { return "" }
func (w *World) ActorsInRadius(c *Class, at vec, r float64) []*Actor {
	var out []*Actor
	w.EachActor(func(a *Actor) {
		if a.Outer == nil && a.Class.Descends(c) && a.Location.Sub(at).SizeSquared() <= r*r {
			out = append(out, a)
		}
	})
	return out
}
func (w *World) actorsNear(buf []*Actor, at vec, r float64) []*Actor {
	w.EachActor(func(a *Actor) {
		if a.Outer == nil {
			buf = append(buf, a)
		}
	})
	return buf
}

// Travelling reports whether the actor is on its way by itself: FinishMove waits for its end.
func (a *Actor) Travelling() bool { return false }
