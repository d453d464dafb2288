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
func (a *Actor) SetLocation(v vec) { a.Location = v; a.touchNative("Location") }
func (a *Actor) SetPhysics(p Physics) {
	a.Physics = p
	a.touchNative("Physics")
	a.world.refreshTick(a)
}
func (a *Actor) SetBase(b *Actor, attach bool) error { return nil }
func (a *Actor) baseLost()                           {}
func (a *Actor) collisionChanged()                   {}
