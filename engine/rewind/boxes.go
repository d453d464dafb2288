package rewind

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// MaxBoxes bounds the hit boxes of one class.
const MaxBoxes = 32

// maxReach bounds each coordinate of a box relative to its pawn, in uu.
const maxReach = 4096

// Stance is whether a pawn stands or crouches; boxes have a place for each.
type Stance uint8

const (
	Standing  Stance = iota
	Crouching        // the pawn's bCrouching is true
	stances
)

// Place is the position of a box relative to its pawn: x forward, y right, z up, in uu from the pawn's
// Location.
type Place struct {
	// Offset is the box's centre, for a pawn that looks horizontally.
	Offset geom.Vector
	// Half are the half extents, each above 0.
	Half geom.Vector
	// Joint is the point around which view pitch turns the box, for example the neck for a head.
	Joint geom.Vector
}

// Box is a named hit box. It has a fixed place per stance, rotated by the pawn's yaw and, around its joint, by
// the pawn's view pitch (R11.3): a server knows no poses.
type Box struct {
	// Name is not empty and unique in the class.
	Name string
	// Standing and Crouching are its places; the zero Crouching means the same as Standing.
	Standing, Crouching Place
	// Pitch is how much of the view pitch turns the box: 0, the zero value, keeps it upright, 1 applies all of
	// it.
	Pitch float64
}

// Table is the hit boxes by class, the head first. A class that is not in it has its parent's; for one without
// any, or with an empty list, the collision cylinder is hit.
type Table map[string][]Box

// shape is the boxes of a class prepared for traces.
type shape struct {
	boxes []Box
	reach [stances]float64 // of a sphere around Location that contains all boxes, uu
}

func (b *Box) place(s Stance) *Place {
	if s == Crouching {
		return &b.Crouching
	}
	return &b.Standing
}

// makeShapes checks a table and copies it.
func makeShapes(cs *engine.Classes, t Table) (map[string]*shape, error) {
	shapes := make(map[string]*shape, len(t))
	for _, class := range slices.Sorted(maps.Keys(t)) { // so that the same of several mistakes is reported every time
		c := cs.Find(class)
		if c == nil {
			return nil, fmt.Errorf("rewind: hit boxes of class %q: there is no such class; name a class of this world", class)
		}
		if shapes[c.Name] != nil {
			return nil, fmt.Errorf("rewind: hit boxes of class %q: the class exists twice, as %s; keep one", class, c.Name)
		}
		s, err := makeShape(t[class])
		if err != nil {
			return nil, fmt.Errorf("rewind: hit boxes of class %q: %w", class, err)
		}
		shapes[c.Name] = s
	}
	return shapes, nil
}

// CheckBoxes returns what is wrong with the hit boxes of a class, nil if they are valid in a [Table].
func CheckBoxes(boxes []Box) error {
	_, err := makeShape(boxes)
	return err
}

func makeShape(boxes []Box) (*shape, error) {
	if len(boxes) > MaxBoxes {
		return nil, fmt.Errorf("%d boxes, at most %d are allowed; leave small ones out", len(boxes), MaxBoxes)
	}
	s := &shape{boxes: slices.Clone(boxes)}
	for i := range s.boxes {
		b := &s.boxes[i]
		if b.Name == "" {
			return nil, fmt.Errorf("box %d has no name; give it one", i+1)
		}
		if slices.ContainsFunc(s.boxes[:i], func(o Box) bool { return o.Name == b.Name }) {
			return nil, fmt.Errorf("box %q exists twice; give one another name", b.Name)
		}
		if !(b.Pitch >= 0 && b.Pitch <= 1) {
			return nil, fmt.Errorf("box %q: Pitch is %v, expected 0 (upright) to 1 (turns with the view)", b.Name, b.Pitch)
		}
		if b.Crouching == (Place{}) {
			b.Crouching = b.Standing
		}
		for st := range stances {
			p := b.place(st)
			if !within(p.Offset) || !within(p.Joint) || !within(p.Half) {
				return nil, fmt.Errorf("box %q: %+v is not within %d uu of its pawn; correct it", b.Name, *p, maxReach)
			}
			if !(p.Half.X > 0 && p.Half.Y > 0 && p.Half.Z > 0) {
				return nil, fmt.Errorf("box %q: half extents are %v, expected each above 0", b.Name, p.Half)
			}
			// Rotation around the joint does not change the distance from it.
			r := p.Joint.Size() + p.Offset.Distance(p.Joint) + p.Half.Size()
			s.reach[st] = math.Max(s.reach[st], r)
		}
	}
	return s, nil
}

// within reports whether a vector is finite and its coordinates bounded.
func within(v geom.Vector) bool {
	return math.Abs(v.X) <= maxReach && math.Abs(v.Y) <= maxReach && math.Abs(v.Z) <= maxReach
}

// kind is the data of a class that a history needs.
type kind struct {
	class                *engine.Class
	shape                *shape // nil: the collision cylinder
	crouching, viewPitch *engine.Property
}

// Boxes returns the hit boxes of a class, its parent's if it has none of its own; nil if its cylinder is hit.
// They must not be changed.
func (h *History) Boxes(c *engine.Class) []Box {
	if k := h.kindOf(c); k.shape != nil {
		return k.shape.boxes
	}
	return nil
}

// kindOf looks a class up; it allocates nothing.
func (h *History) kindOf(c *engine.Class) kind {
	declared := func(name string, of engine.Kind) *engine.Property {
		if p := c.Property(name); p != nil && p.Native == nil && p.Type.Kind == of {
			return p
		}
		return nil
	}
	k := kind{class: c, crouching: declared("bCrouching", engine.KindBool), viewPitch: declared("ViewPitch", engine.KindInt)}
	for p := c; p != nil; p = p.Parent {
		if s, ok := h.shapes[p.Name]; ok {
			if len(s.boxes) > 0 {
				k.shape = s
			}
			break
		}
	}
	return k
}

// solidBox is a box in the world.
type solidBox struct {
	centre geom.Vector
	axes   [3]geom.Vector
	half   [3]float64
}

// put returns where a box of a pawn is in a pose; f, r and u are the axes of its yaw.
func (b *Box) put(p *Pose, f, r, u geom.Vector) solidBox {
	at := b.place(p.Stance)
	out := solidBox{centre: p.Location, half: [3]float64{at.Half.X, at.Half.Y, at.Half.Z}}
	arm := at.Offset
	if pitch := float64(geom.Signed(p.ViewPitch)) * b.Pitch; pitch != 0 {
		out.centre = out.centre.MulAdd(f, at.Joint.X).MulAdd(r, at.Joint.Y).MulAdd(u, at.Joint.Z)
		arm = arm.Sub(at.Joint)
		sin, cos := math.Sincos(pitch * (math.Pi / 32768))
		f, u = f.Mul(cos).MulAdd(u, sin), u.Mul(cos).MulAdd(f, -sin)
	}
	out.axes = [3]geom.Vector{f, r, u}
	out.centre = out.centre.MulAdd(f, arm.X).MulAdd(r, arm.Y).MulAdd(u, arm.Z)
	return out
}

// line returns where the line from start along way enters the box, as a share of way in [0, 1], and the surface
// there. A line that starts inside enters at 0, and the normal points backwards.
func (b *solidBox) line(start, way geom.Vector) (fraction float64, normal geom.Vector, hit bool) {
	rel := start.Sub(b.centre)
	enter, leave := 0.0, 1.0
	normal = way.Normal().Neg()
	for i, axis := range b.axes {
		o, d := rel.Dot(axis), way.Dot(axis)
		if d == 0 {
			if math.Abs(o) > b.half[i] {
				return 0, geom.Vector{}, false
			}
			continue
		}
		side := math.Copysign(1, d)
		near, far := (-side*b.half[i]-o)/d, (side*b.half[i]-o)/d
		if near > enter {
			enter, normal = near, axis.Mul(-side)
		}
		leave = math.Min(leave, far)
		if enter > leave {
			return 0, geom.Vector{}, false
		}
	}
	return enter, normal, true
}

// cylinderLine is the same for the upright cylinder of a pose.
func cylinderLine(p *Pose, start, way geom.Vector) (fraction float64, normal geom.Vector, hit bool) {
	rel := start.Sub(p.Location)
	enter, leave := 0.0, 1.0
	normal = way.Normal().Neg()
	switch {
	case way.Z != 0:
		side := math.Copysign(1, way.Z)
		near, far := (-side*p.HalfHeight-rel.Z)/way.Z, (side*p.HalfHeight-rel.Z)/way.Z
		if near > enter {
			enter, normal = near, geom.V(0, 0, -side)
		}
		leave = math.Min(leave, far)
	case math.Abs(rel.Z) > p.HalfHeight:
		return 0, geom.Vector{}, false
	}
	a := way.X*way.X + way.Y*way.Y
	c := rel.X*rel.X + rel.Y*rel.Y - p.Radius*p.Radius
	if a == 0 {
		return enter, normal, c <= 0 && enter <= leave
	}
	b := rel.X*way.X + rel.Y*way.Y
	disc := b*b - a*c
	if disc < 0 {
		return 0, geom.Vector{}, false
	}
	root := math.Sqrt(disc)
	if near := (-b - root) / a; near > enter {
		enter = near
		normal = geom.V(rel.X+way.X*near, rel.Y+way.Y*near, 0).Normal()
	}
	leave = math.Min(leave, (-b+root)/a)
	return enter, normal, enter <= leave
}
