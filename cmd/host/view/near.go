package view

import (
	"sort"
	"unicode"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// sight is how far away in uu what is nearby may be.
const sight = 4000

// watched is whom a player watches in place of the own pawn, or nil.
func watched(pc *engine.Actor) *engine.Actor { return Reference(pc, "ViewTarget") }

// eyes are where a player is and where they look.
func eyes(pc *engine.Actor) (at geom.Vector, view geom.Rotator) {
	if a := watched(pc); a != nil {
		return a.Location, a.Rotation
	}
	view = Rotation(pc)
	if a := Pawn(pc); a != nil {
		return a.Location, view
	}
	return pc.Location, view
}

// Rotation is where a player looks: ViewRotation of their controller.
func Rotation(pc *engine.Actor) geom.Rotator {
	if v, ok := value(pc, "ViewRotation"); ok {
		return v.Rot
	}
	return pc.Rotation
}

// kind is what something on the chart is to the player.
type kind uint8

// ORDER: signs.
const (
	isSelf kind = iota
	isEnemy
	isFriend
	isItem
	isShot
	isMover
	isVehicle
)

// signs are the legend of the chart: what stands for what. Players stand for themselves by the first letter of their
// name, capital for an enemy.
var signs = [...]struct {
	sign  rune
	style string
	text  string
}{
	{'↑', own, "you"},
	{'A', hostile, "player"},
	{'a', friend, "team-mate"},
	{'+', useful, "item"},
	{'*', flying, "shot"},
	{'=', moving, "mover"},
	{'&', moving, "vehicle"},
}

// thing is an actor nearby that a view tells of.
type thing struct {
	actor *engine.Actor
	kind  kind
}

// around are the actors about a place that a view tells of, the nearest first.
func around(w *engine.World, pc *engine.Actor, at geom.Vector) []thing {
	self := Pawn(pc)
	if a := watched(pc); a != nil {
		self = a
	}
	side := teamOf(pc)
	var out []thing
	w.EachActor(func(a *engine.Actor) {
		if a == self || a.Deleted() || a.BHidden && !a.IsA("Mover") || a.Location.Distance(at) >= sight {
			return
		}
		if k, ok := kindOf(a, side); ok {
			out = append(out, thing{a, k})
		}
	})
	sort.SliceStable(out, func(i, j int) bool { return out[i].actor.Location.Distance(at) < out[j].actor.Location.Distance(at) })
	return out
}

// kindOf is what an actor is to a player of a team; false for what no view tells of.
func kindOf(a *engine.Actor, side int) (kind, bool) {
	switch {
	case a.IsA("Pawn"):
		if health, ok := Number(a, "Health"); ok && health <= 0 {
			return 0, false
		}
		if t := teamOf(a); side >= 0 && t == side {
			return isFriend, true
		}
		if a.IsA("Vehicle") && Reference(a, "PlayerReplicationInfo") == nil {
			return isVehicle, true
		}
		return isEnemy, !a.IsA("SpectatorPawn")
	case a.IsA("Pickup"):
		return isItem, true
	case a.IsA("Projectile"):
		return isShot, true
	case a.IsA("Mover"):
		return isMover, true
	}
	return 0, false
}

// teamOf is the team of a controller's or a pawn's player, -1 for none.
func teamOf(a *engine.Actor) int {
	if n, ok := Number(Reference(a, "PlayerReplicationInfo"), "Team"); ok {
		return int(n)
	}
	return -1
}

// neighbour is an actor nearby, as a line of the list tells of it.
type neighbour struct {
	Name     string
	Distance float64 // uu
	Towards  rune    // an arrow, up for straight ahead
	Kind     kind
}

// near tells of actors nearby, as seen by somebody who looks somewhere.
func near(list []thing, at geom.Vector, view geom.Rotator) (out []neighbour) {
	for _, t := range list {
		if t.kind == isMover {
			continue
		}
		a := t.actor
		n := neighbour{Name: a.Class.Name, Distance: a.Location.Distance(at), Kind: t.kind}
		if t.kind == isEnemy || t.kind == isFriend {
			n.Name = playerName(a)
		}
		n.Towards = arrow(int(a.Location.Sub(at).Rotation().Yaw) - int(view.Yaw))
		out = append(out, n)
	}
	return out
}

// marks are the same on the chart, with the player on top.
func marks(list []thing, at geom.Vector, view geom.Rotator) (out []mark) {
	for i := len(list) - 1; i >= 0; i-- { // the nearest on top
		t := list[i]
		m := mark{t.actor.Location, signs[t.kind].sign, signs[t.kind].style}
		switch t.kind {
		case isEnemy:
			m.sign = initial(playerName(t.actor))
		case isFriend:
			m.sign = unicode.ToLower(initial(playerName(t.actor)))
		default:
		}
		out = append(out, m)
	}
	return append(out, mark{at, arrow(int(view.Yaw)), signs[isSelf].style})
}
