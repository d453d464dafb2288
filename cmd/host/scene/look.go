package scene

import (
	"fmt"
	"hash/fnv"
	"math"

	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/engine"
)

// look is how the actors of a class appear.
type look struct {
	number int
	class  string // name
	color  string
	used   uint64 // frame

	pawn bool
	// Variables that every frame asks for, nil where the class has none.
	health, crouching, info *engine.Property
}

// hand is the size of what a pawn holds in its hand: nothing says how large that is.
var hand = [3]float64{36, 6, 8}

const (
	// smallest and largest are bounds of a size along an axis, in uu.
	smallest, largest = 2, 20000
	// loose is the most that is shown of what has no body at all, an effect for example, before DrawScale.
	loose = 16
)

// reclass gives an entry the look of its actor's class.
func (s *Stage) reclass(a *engine.Actor, t *entry) {
	t.class = a.Class
	l := s.looks[a.Class]
	if l == nil {
		name := engine.OneLine(a.Class.Name, maxName)
		number, ok := s.numbers[name]
		if !ok {
			if len(s.numbers) >= maxLooks { // of worlds before: numbers are told again with every actor
				clear(s.numbers)
			}
			number = len(s.numbers) + 1
			s.numbers[name] = number
		}
		l = &look{number: number, class: name, color: Color(a.Class), pawn: a.Class.IsPawn()}
		find := func(name string, kind engine.Kind) *engine.Property {
			if p := a.Class.Property(name); p != nil && p.Type.Kind == kind {
				return p
			}
			return nil
		}
		if l.pawn {
			l.health, l.crouching, l.info = find("Health", engine.KindInt), find("bCrouching", engine.KindBool), find("PlayerReplicationInfo", engine.KindRef)
		}
		s.looks[a.Class] = l
	}
	t.look = l
}

func (l *look) crouches(a *engine.Actor) bool {
	return l.crouching != nil && a.Get(l.crouching).Num != 0
}

func (l *look) dead(a *engine.Actor) bool {
	return l.pawn && (a.State != nil && a.State.Is("Dying") || l.health != nil && a.Get(l.health).Num <= 0)
}

// belongs finds whose a pawn is; it reports whether that is another player or team than before.
func (s *Stage) belongs(a *engine.Actor, t *entry) (changed bool) {
	if t.look.info == nil {
		return false
	}
	id := a.Get(t.look.info).Ref
	info := s.world.Actor(id)
	team, name := -1, ""
	if info != nil {
		if n, ok := view.Number(info, "Team"); ok {
			team = int(n)
		}
		name = view.Text(info, "PlayerName")
	}
	if team == t.team && name == t.name {
		return false
	}
	t.team, t.name = team, name
	return true
}

// tell tells how an actor looks.
func (s *Stage) tell(a *engine.Actor, slot int32, spawned bool) {
	t := &s.list[slot]
	kind := "changed"
	if spawned {
		kind = "spawned"
	}
	shape, size, model := s.shape(a)
	t.brush = shape == "hull"
	e := s.events.Begin(kind).Int("slot", int(slot)).Int("look", t.look.number).Text("class", t.look.class).
		Text("name", engine.OneLine(a.Name, maxName)).Text("shape", shape).Vector("size", size[0], size[1], size[2]).Text("color", t.look.color)
	if t.brush {
		e.Int("model", model)
	}
	if t.team >= 0 {
		e.Int("team", t.team)
	}
	if t.name != "" {
		e.Text("player", t.name)
	}
	e.End()
}

// shape is an actor's form by its body: its brushes, the box or ball of a rigid body, else an upright capsule or cylinder.
func (s *Stage) shape(a *engine.Actor) (shape string, size [3]float64, model int) {
	if i := s.model(a); i >= 0 {
		m := &s.models[i].Size
		return "hull", [3]float64{float64(m[0]), float64(m[1]), float64(m[2])}, i
	}
	scale := math.Max(0.01, math.Min(a.DrawScale, 100))
	bounded := func(x, y, z float64) [3]float64 {
		b := func(v float64) float64 { return math.Max(smallest, math.Min(v*scale, largest)) }
		return [3]float64{b(x), b(y), b(z)}
	}
	r, h := 2*a.CollisionRadius, 2*a.CollisionHeight
	switch {
	case a.IsA("Ragdoll"): // it carries a body, which is seen
		return "none", bounded(r, r, h), -1
	case a.IsA("WeaponAttachment"):
		return "box", bounded(hand[0], hand[1], hand[2]), -1
	case a.Physics == engine.PhysRigidBody:
		if p := a.Class.Property("BodyExtent"); p != nil && p.Type.Kind == engine.KindVector {
			if v := a.Get(p).Vec; v.IsFinite() && v.X > 0 {
				if p := a.Class.Property("BodyShape"); p != nil && a.Get(p).Str == "Sphere" {
					return "capsule", bounded(2*v.X, 2*v.X, 2*v.X), -1
				}
				return "box", bounded(2*v.X, 2*v.Y, 2*v.Z), -1
			}
		}
		return "box", bounded(r, r, h), -1
	case a.Class.IsPawn():
		return "capsule", bounded(r, r, h), -1
	case !a.BCollideActors && !a.BCollideWorld:
		return "capsule", bounded(math.Min(r, loose), math.Min(r, loose), math.Min(h, loose)), -1
	}
	return "cylinder", bounded(r, r, h), -1
}

// model is the index of an actor's brushes, -1 for none. An actor with brushes began where its entity stands.
func (s *Stage) model(a *engine.Actor) int {
	if a.LevelName == "" {
		return -1
	}
	home := singles(a.Home())
	for i := range s.models {
		m := &s.models[i]
		if m.Origin == home && m.Class == a.Class.Name && half(m.Size[0], m.Size[1]) == float32(a.CollisionRadius) {
			return i
		}
	}
	return -1
}

// half is the radius that an entity's brushes give its actor.
func half(x, y float32) float32 { return max(x, y) / 2 }

// Color is the color of a class that says nothing about its looks: from its name, calm, the same everywhere; pawns,
// pickups and projectiles are the most saturated.
func Color(c *engine.Class) string {
	h := fnv.New32a()
	h.Write([]byte(c.Name)) // it never fails
	n := h.Sum32()
	hue, saturation, lightness := float64(n%360), 0.35, 0.5+0.1*float64(int(n>>16%3)-1)
	if c.IsPawn() || c.IsA("Pickup") || c.IsA("Projectile") {
		saturation = 0.7
	}
	return rgb(hue, saturation, lightness)
}

// rgb is a color by hue in degrees, saturation and lightness.
func rgb(hue, saturation, lightness float64) string {
	chroma := (1 - math.Abs(2*lightness-1)) * saturation
	part := func(n float64) int {
		k := math.Mod(n+hue/30, 12)
		return int(math.Round(255 * (lightness - chroma/2*math.Max(-1, math.Min(math.Min(k-3, 9-k), 1)))))
	}
	return fmt.Sprintf("#%02x%02x%02x", part(0), part(8), part(4))
}
