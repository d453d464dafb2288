package view

import (
	"sort"
	"unicode"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// sight is the distance in uu within which actors count as nearby.
const sight = 4000

// watched returns the actor that a player watches in place of their own pawn, or nil.
func watched(pc *engine.Actor) *engine.Actor { return Reference(pc, "ViewTarget") }

// eyes returns the location of a player's eyes and the direction of the view.
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

// Rotation returns the direction in which a player looks: ViewRotation of their controller.
func Rotation(pc *engine.Actor) geom.Rotator {
	if v, ok := value(pc, "ViewRotation"); ok {
		return v.Rot
	}
	return pc.Rotation
}

// kind is the relation of an actor on the chart to the player.
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

// signs are the legend of the chart. A player's sign is the first letter of their name, a capital for an enemy.
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

// thing is a nearby actor that a view lists.
type thing struct {
	actor *engine.Actor
	kind  kind
}

// around returns the actors around a location that a view lists, the nearest first.
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

// kindOf returns the relation of an actor to a player of a team; false for an actor that no view lists.
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

// teamOf returns the team of a controller's or a pawn's player, -1 for none.
func teamOf(a *engine.Actor) int {
	if n, ok := Number(Reference(a, "PlayerReplicationInfo"), "Team"); ok {
		return int(n)
	}
	return -1
}

// neighbour is a row of the list of nearby actors.
type neighbour struct {
	Name     string
	Distance float64 // uu
	Towards  rune    // an arrow, up for straight ahead
	Kind     kind
}

// near describes nearby actors relative to a location and a direction.
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

// marks returns the same for the chart, with the player on top.
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
