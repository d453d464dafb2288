package classfile

import (
	"github.com/yuin/gopher-lua/ast"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/rewind"
)

// A class file declares hit boxes as
//
//	C.hitboxes {
//		{ name = "head", at = vector(6, 0, 72), size = vector(12, 9, 12), joint = vector(0, 0, 58), pitch = 1,
//			crouching = { at = vector(6, 0, 26), joint = vector(0, 0, 14) } },
//		…
//	}
//
// the head first (R11.2): at is the box's middle and joint the point about which view pitch turns it, as their pawn
// sees them, forward, right and up from its Location; size is its half extents; pitch is the share of the view
// pitch that turns it. Values that crouching omits are those of standing; values that a box omits are zero, except
// size. A child without .hitboxes inherits its parent's; an empty list leaves the collision cylinder.

// hitBoxes reads C.hitboxes{…}.
func (u *unit) hitBoxes(c *classDecl, table *ast.TableExpr) {
	label := "class " + c.name + ": .hitboxes"
	c.hitBoxes = []*lit{}
	for _, f := range u.literal(table, label).fields {
		switch {
		case f.value.kind == litBad:
		case f.name != "" || f.value.kind != litTable:
			u.errorf(f.pos, "bad-type", `%s: expected a list of boxes, { name = "head", at = vector(…), size = vector(…) }, got %s`, label, f.value.describe())
		default:
			c.hitBoxes = append(c.hitBoxes, f.value)
		}
	}
}

var boxKeys, crouchKeys = []string{"name", "at", "size", "joint", "pitch", "crouching"}, []string{"at", "size", "joint"}

// makeHitBoxes converts a class's boxes to the form that the history needs; ok is false if they have errors.
func (m *maker) makeHitBoxes(c *classDecl) (boxes []rewind.Box, ok bool) {
	ok = true
	bad := func(pos engine.Pos, format string, args ...any) {
		m.errorf(pos, "bad-type", "class "+c.name+": .hitboxes: "+format, args...)
		ok = false
	}
	vector := func(l *lit, key string, to *geom.Vector) {
		if l.kind != litCall || l.text != "vector" {
			bad(l.pos, "%s: expected a vector, got %s", key, l.describe())
			return
		}
		n, good := m.numbers(l, "class "+c.name+": .hitboxes: "+key)
		*to, ok = geom.V(n[0], n[1], n[2]), ok && good
	}
	place := func(f *litField, p *rewind.Place) bool {
		switch f.name {
		case "at":
			vector(f.value, "at", &p.Offset)
		case "size":
			vector(f.value, "size", &p.Half)
		case "joint":
			vector(f.value, "joint", &p.Joint)
		default:
			return false
		}
		return true
	}
	for _, l := range c.hitBoxes {
		var b rewind.Box
		var crouching *lit
		for i := range l.fields {
			f := &l.fields[i]
			switch v := f.value; {
			case v.kind == litBad:
				ok = false
			case place(f, &b.Standing):
			case f.name == "name" && v.kind == litString:
				b.Name = v.text
			case f.name == "pitch" && v.kind == litNumber:
				b.Pitch = v.num
			case f.name == "crouching" && v.kind == litTable:
				crouching = v
			case contains(boxKeys, f.name):
				bad(v.pos, "%s: expected %s, got %s", f.name, map[string]string{"name": "a name in quotes", "pitch": "a number", "crouching": "a table"}[f.name], v.describe())
			default:
				bad(f.pos, "unknown key %q%s", f.name, engine.Nearest(f.name, boxKeys))
			}
		}
		if b.Crouching = b.Standing; crouching != nil {
			for i := range crouching.fields {
				if f := &crouching.fields[i]; f.value.kind == litBad {
					ok = false
				} else if !place(f, &b.Crouching) {
					bad(f.pos, "crouching: unknown key %q%s", f.name, engine.Nearest(f.name, crouchKeys))
				}
			}
		}
		boxes = append(boxes, b)
	}
	if !ok {
		return nil, false
	}
	if err := rewind.CheckBoxes(boxes); err != nil {
		bad(c.seen["hitboxes"], "%v", err)
		return nil, false
	}
	return boxes, true
}
