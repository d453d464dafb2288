package relevancy

import (
	"math"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// Viewer is the player for whom relevancy is decided, and their view. [Index.View] fills it; a recording or a
// test may fill it directly. The zero value sees from the origin and owns nothing.
type Viewer struct {
	Player *engine.Actor // the PlayerController of the connection
	Target *engine.Actor // the view target: usually the pawn, the PlayerController while there is none
	Pawn   *engine.Actor // nil while the player has none
	// Location is the view point, Rotation where it looks.
	Location geom.Vector
	Rotation geom.Rotator
	// Sights, if not nil, returns the connection's Sight of another actor, nil for none. Owners and bases that
	// decide for others (R3.3, R3.6) then use their own Sight; without it each actor's own Sight records when
	// its owner or base was seen, which may differ by one trace.
	Sights func(a *engine.Actor) *Sight

	// The direction of Rotation, computed once.
	aim    geom.Vector
	aimFor geom.Rotator
	aimed  bool
}

// direction returns the unit vector of the line of view.
func (v *Viewer) direction() geom.Vector {
	if !v.aimed || v.aimFor != v.Rotation {
		v.aim, v.aimFor, v.aimed = v.Rotation.Vector(), v.Rotation, true
	}
	return v.aim
}

// View returns the viewer of a PlayerController. The view target is its ViewTarget, if its class has such a
// variable and it is set, else its Pawn, else the controller itself: a player without a pawn sees from the
// controller's Location. The view point is the target's Location, raised by EyeHeight if its class has that;
// the direction is the controller's ViewRotation for its own pawn, and the target's own direction otherwise.
func (x *Index) View(pc *engine.Actor) Viewer {
	if pc == nil {
		return Viewer{}
	}
	k := x.info(pc.Class)
	v := Viewer{Player: pc, Pawn: x.ref(pc, k.pawn), Target: x.ref(pc, k.viewTarget)}
	if v.Target == nil {
		v.Target = v.Pawn
	}
	if v.Target == nil {
		v.Target = pc
	}
	if v.Pawn != nil {
		x.info(v.Pawn.Class) // so that concurrent searches find it ready
	}
	t := v.Target
	tk := x.info(t.Class)
	v.Location, v.Rotation = t.Location, t.Rotation
	if p := tk.eyeHeight; p != nil {
		v.Location.Z += math.Float64frombits(t.Word(p))
	}
	switch {
	case (t == pc || t == v.Pawn) && k.viewRotation != nil:
		v.Rotation = geom.UnpackRotator(pc.Word(k.viewRotation))
	case tk.viewPitch != nil:
		v.Rotation.Pitch = uint16(t.Word(tk.viewPitch) << 8)
	}
	return v
}

// ref reads a declared reference; a nil variable is none.
func (x *Index) ref(a *engine.Actor, p *engine.Property) *engine.Actor {
	if p == nil {
		return nil
	}
	to := x.world.Actor(engine.ActorID(a.Word(p)))
	if to == nil || to.Deleted() {
		return nil
	}
	return to
}
