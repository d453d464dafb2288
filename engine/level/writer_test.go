package level_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine/geom"
)

// writer writes .map text.
type writer struct {
	strings.Builder
	half bool // give what is written half a turn about z
	open bool // an entity's brace is
}

func (w *writer) note(format string, args ...any) { fmt.Fprintf(w, "// "+format+"\n", args...) }

func (w *writer) entity(class string, keys ...string) {
	w.end()
	fmt.Fprintf(w, "{\n\"classname\" %q\n", class)
	for i := 0; i < len(keys); i += 2 {
		fmt.Fprintf(w, "%q %q\n", keys[i], keys[i+1])
	}
	w.open = true
}

func (w *writer) end() {
	if w.open {
		w.WriteString("}\n")
		w.open = false
	}
}

func (w *writer) at(v geom.Vector) geom.Vector {
	if w.half {
		return geom.V(0-v.X, 0-v.Y, v.Z)
	}
	return v
}

// twice writes things and their counterparts half a turn on, so that opposite sides are equal.
func (w *writer) twice(fn func()) {
	fn()
	w.half = true
	fn()
	w.half = false
}

func num(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func vec(v geom.Vector) string { return num(v.X) + " " + num(v.Y) + " " + num(v.Z) }

// solid writes a brush from three points a face, turned outward from inside.
func (w *writer) solid(texture string, inside geom.Vector, faces ...[3]geom.Vector) {
	w.WriteString("{\n")
	for _, f := range faces {
		for i := range f {
			f[i] = w.at(f[i])
		}
		if f[0].Sub(f[1]).Cross(f[2].Sub(f[1])).Dot(w.at(inside).Sub(f[0])) > 0 {
			f[0], f[2] = f[2], f[0]
		}
		fmt.Fprintf(w, "( %s ) ( %s ) ( %s ) %s 0 0 0 1 1\n", vec(f[0]), vec(f[1]), vec(f[2]), texture)
	}
	w.WriteString("}\n")
}

// prism is an upright column over a convex outline.
func (w *writer) prism(texture string, z0, z1 float64, outline ...geom.Vector) {
	var inside geom.Vector
	for _, v := range outline {
		inside = inside.MulAdd(v, 1/float64(len(outline)))
	}
	inside.Z = (z0 + z1) / 2
	up := func(v geom.Vector, z float64) geom.Vector { return geom.V(v.X, v.Y, z) }
	faces := [][3]geom.Vector{
		{up(outline[0], z0), up(outline[1], z0), up(outline[2], z0)},
		{up(outline[0], z1), up(outline[1], z1), up(outline[2], z1)},
	}
	for i, a := range outline {
		b := outline[(i+1)%len(outline)]
		faces = append(faces, [3]geom.Vector{up(a, z0), up(b, z0), up(a, z1)})
	}
	w.solid(texture, inside, faces...)
}

func (w *writer) box(texture string, x0, y0, z0, x1, y1, z1 float64) {
	w.prism(texture, z0, z1, geom.V(x0, y0, 0), geom.V(x1, y0, 0), geom.V(x1, y1, 0), geom.V(x0, y1, 0))
}

// ramp fills the part of a box under the slope that rises from its low edge (at from) to its high one (at to)
// along x or y.
func (w *writer) ramp(texture string, alongX bool, from, to, side0, side1, z0, z1 float64) {
	v := func(along, side, z float64) geom.Vector {
		if alongX {
			return geom.V(along, side, z)
		}
		return geom.V(side, along, z)
	}
	inside := v(from*0.25+to*0.75, (side0+side1)/2, z0*0.75+z1*0.25)
	w.solid(texture, inside,
		[3]geom.Vector{v(from, side0, z0), v(to, side0, z0), v(to, side1, z0)},
		[3]geom.Vector{v(to, side0, z0), v(to, side0, z1), v(to, side1, z1)},
		[3]geom.Vector{v(from, side0, z0), v(to, side0, z0), v(to, side0, z1)},
		[3]geom.Vector{v(from, side1, z0), v(to, side1, z0), v(to, side1, z1)},
		[3]geom.Vector{v(from, side0, z0), v(from, side1, z0), v(to, side1, z1)})
}

// opening is a hole in a wall: from a to b along it, from z0 to z1.
type opening struct{ a, b, z0, z1 float64 }

// wall is an upright slab along x or y with openings, given in order: doorways, windows.
func (w *writer) wall(texture string, alongX bool, from, to, side0, side1, z0, z1 float64, holes ...opening) {
	part := func(a, b, low, high float64) {
		switch {
		case b <= a || high <= low:
		case alongX:
			w.box(texture, a, side0, low, b, side1, high)
		default:
			w.box(texture, side0, a, low, side1, b, high)
		}
	}
	for _, o := range holes {
		part(from, o.a, z0, z1)
		part(o.a, o.b, z0, o.z0)
		part(o.a, o.b, o.z1, z1)
		from = o.b
	}
	part(from, to, z0, z1)
}

// stairs are solid steps of 16 uu from the floor z0 to one step below z1, with treads of 32 uu; top is where
// the last one ends at what it leads to, dir is +1 or −1: where the stairs lie from there.
func (w *writer) stairs(texture string, alongX bool, top, dir, side0, side1, z0, z1 float64) {
	n := int((z1 - z0) / 16)
	for k := 1; k < n; k++ {
		far := top + dir*32*float64(n-k)
		a, b := min(top, far), max(top, far)
		if alongX {
			w.box(texture, a, side0, z0, b, side1, z0+16*float64(k))
		} else {
			w.box(texture, side0, a, z0, side1, b, z0+16*float64(k))
		}
	}
}

func (w *writer) point(class string, x, y, z float64, keys ...string) {
	w.entity(class, append([]string{"origin", vec(w.at(geom.V(x, y, z)))}, keys...)...)
	w.end()
}

// mover is a lift or a door of one box, which opens by way in so many seconds and stays there a while.
func (w *writer) mover(name, texture string, way geom.Vector, seconds, stay float64, x0, y0, z0, x1, y1, z1 float64) {
	turned := w.at(way)
	turned = geom.V(turned.X+0, turned.Y+0, turned.Z) // −0 is 0
	w.entity("Mover", "targetname", name, "MoveTo", vec(turned), "MoveTime", num(seconds), "StayOpenTime", num(stay))
	w.box(texture, x0, y0, z0, x1, y1, z1)
	w.end()
}

// pair places a thing and its counterpart half a turn on: NAME1 and NAME2.
func (w *writer) pair(class, name string, x, y, z float64, keys ...string) {
	n := 0
	w.twice(func() {
		n++
		w.point(class, x, y, z, append([]string{"targetname", fmt.Sprint(name, n)}, keys...)...)
	})
}

// start places a player whose feet are at z, facing yaw degrees.
func (w *writer) start(x, y, z, yaw float64) {
	if w.half {
		yaw = math.Mod(yaw+180, 360)
	}
	w.point("PlayerStart", x, y, z+pawn.Z, "angle", num(yaw))
}
