package scene

import (
	"math"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

const (
	// MaxTriangles bounds the triangles of a level, so that its arrays stay below 50 MB.
	MaxTriangles = 1 << 19
	// MaxLights bounds the lights, MaxKeys the keys of worldspawn and of each light.
	MaxLights, MaxKeys = 4096, 64
	// maxWord bounds a key, a value, a texture's or a class's name, in bytes.
	maxWord = 256
)

// Level contains the brushes of a level as triangles, three corners each, none shared: corner i has
// Positions[3i:3i+3], Normals[3i:3i+3] and UVs[2i:2i+2]. The corners a, b, c of a triangle are in the order in
// which (b-a)×(c-a), by the usual formula, points along its normal, out of the brush. Because the engine's axes
// are left-handed, that is clockwise as seen from outside.
//
// A Level depends only on the level's file: two peers get the same one.
type Level struct {
	Name string `json:"name"`

	// Positions are in uu, those of models relative to Model.Origin.
	Positions []float32 `json:"-"`
	Normals   []float32 `json:"-"`
	// UVs are uu along the face, so that a pattern of 64 uu repeats every 64; they continue over neighboring
	// faces of one plane. On a wall v is the height; on a floor u is along X and v along Y.
	UVs []float32 `json:"-"`

	// Groups are runs of corners with the same surface, in the order of the corners.
	Groups   []Group  `json:"groups"`
	Textures []string `json:"textures"`
	// Models are the brushes of entities, which move with their actor.
	Models []Model `json:"models"`
	// World contains the keys of worldspawn, Lights the entities whose class begins with "light", as they were
	// written.
	World  map[string]string `json:"world"`
	Lights []Light           `json:"lights"`
	// Left counts triangles, lights and keys that were left out because there were too many.
	Left int `json:"left"`
}

// Group is a run of corners with one texture, of the level or of one model.
type Group struct {
	// First and Count are in corners: 3 per triangle.
	First int `json:"first"`
	Count int `json:"count"`
	// Texture is an index of Level.Textures.
	Texture int `json:"texture"`
	// Contents is the contents of the brushes, by the names of package level: "solid", "clip", "water",
	// "slime", "lava", "portal", "empty" and "origin". Only "solid" blocks sight; "clip", "empty" and "origin"
	// are never visible in a game.
	Contents string `json:"contents"`
	// Model is an index of Level.Models, -1 for the level itself.
	Model int `json:"model"`
}

// Model contains the brushes of an entity that has a class of its own: a lift, a trigger. Liquids are not
// models but part of the level, because the actor of a volume is never visible.
type Model struct {
	Class string `json:"class"`
	// Origin is the initial location of the actor, Size the extent of all brushes along the axes, in uu.
	Origin [3]float32 `json:"origin"`
	Size   [3]float32 `json:"size"`
}

// Light is a light source.
type Light struct {
	Class string            `json:"class"`
	At    [3]float32        `json:"at"`
	Keys  map[string]string `json:"keys"`
}

// LevelOf returns the mesh of a level; nil for none.
func LevelOf(lv *level.Level) *Level {
	if lv == nil {
		return nil
	}
	l := meshOf(lv)
	l.Name = engine.LevelName(lv)
	return l
}

// surface is what the corners of a group have in common.
type surface struct {
	texture  string
	contents level.Contents
	model    int
}

// mesher collects triangles by surface.
type mesher struct {
	to       *Level
	order    []surface // in order of appearance
	faces    map[surface][]triangle
	textures map[string]int
	count    int
}

// triangle is three corners, and the directions of its u and v.
type triangle struct {
	at           [3]geom.Vector
	normal, u, v geom.Vector
}

func meshOf(lv *level.Level) *Level {
	l := &Level{
		Groups: []Group{}, Textures: []string{}, Models: []Model{}, Lights: []Light{},
	}
	l.World = l.keys(lv.World)
	m := &mesher{to: l, faces: map[surface][]triangle{}, textures: map[string]int{}}
	for i := range lv.Brushes {
		m.brush(&lv.Brushes[i], geom.Vector{}, -1)
	}
	for i := range lv.Entities {
		m.entity(&lv.Entities[i])
	}
	m.write()
	return l
}

func (m *mesher) entity(e *level.Entity) {
	if strings.HasPrefix(strings.ToLower(e.ClassName), "light") {
		if len(m.to.Lights) == MaxLights {
			m.to.Left++
		} else {
			m.to.Lights = append(m.to.Lights, Light{cut(e.ClassName), singles(e.Origin), m.to.keys(e.Keys)})
		}
	}
	model, bounds := -1, geom.Bounds{}
	for i := range e.Brushes {
		b := &e.Brushes[i]
		switch {
		case b.Contents == level.Origin:
		case b.Contents.IsLiquid():
			m.brush(b, geom.Vector{}, -1)
		case model < 0:
			model, bounds = len(m.to.Models), b.Bounds
			m.to.Models = append(m.to.Models, Model{Class: cut(e.ClassName), Origin: singles(e.Origin)})
			m.brush(b, e.Origin, model)
		default:
			bounds = bounds.Union(b.Bounds)
			m.brush(b, e.Origin, model)
		}
	}
	if model >= 0 {
		m.to.Models[model].Size = singles(bounds.Max.Sub(bounds.Min))
	}
}

// brush adds a brush, relative to origin.
func (m *mesher) brush(b *level.Brush, origin geom.Vector, model int) {
	for i := range b.Faces {
		f := &b.Faces[i]
		s := surface{contents: b.Contents, model: model}
		if f.Source < len(b.Textures) {
			s.texture = cut(b.Textures[f.Source])
		}
		if _, ok := m.faces[s]; !ok {
			m.order = append(m.order, s)
		}
		for _, t := range trianglesOf(b, i) {
			if m.count == MaxTriangles {
				m.to.Left++
				continue
			}
			m.count++
			for k := range t.at {
				t.at[k] = t.at[k].Sub(origin)
			}
			m.faces[s] = append(m.faces[s], t)
		}
	}
}

// trianglesOf splits a face into triangles. Corners are the hull's own, so that those of neighboring faces are
// equal to the last bit and no light shines through between them.
func trianglesOf(b *level.Brush, face int) []triangle {
	f := &b.Faces[face]
	corners := make([]geom.Vector, 0, len(f.Winding))
	for _, p := range f.Winding {
		v := nearest(b.Vertices, p)
		if n := len(corners); n == 0 || corners[n-1] != v && corners[0] != v {
			corners = append(corners, v)
		}
	}
	if len(corners) < 3 {
		return nil
	}
	// Newell's normal is exact enough for slivers, where a single corner gives no direction.
	var normal geom.Vector
	for i, p := range corners {
		q := corners[(i+1)%len(corners)]
		normal = normal.Add(p.Sub(corners[0]).Cross(q.Sub(corners[0])))
	}
	normal = normal.Neg().Normal() // windings are clockwise
	if normal.IsZero() {
		return nil
	}
	u, v := along(normal)
	out := make([]triangle, 0, len(corners)-2)
	for k := 2; k < len(corners); k++ {
		out = append(out, triangle{[3]geom.Vector{corners[0], corners[k], corners[k-1]}, normal, u, v})
	}
	return out
}

// along returns two orthogonal directions along a face: of a wall, horizontal and up; of a face flatter than
// 45°, as close to X and Y as possible.
func along(n geom.Vector) (u, v geom.Vector) {
	if math.Abs(n.Z) < math.Sqrt2/2 {
		u = geom.V(-n.Y, n.X, 0).Normal()
		v = n.Cross(u)
		if v.Z < 0 {
			v = v.Neg()
		}
		return u, v
	}
	u = geom.V(1, 0, 0)
	u = u.MulAdd(n, -u.Dot(n)).Normal()
	v = n.Cross(u)
	if v.Y < 0 {
		v = v.Neg()
	}
	return u, v
}

func nearest(list []geom.Vector, p geom.Vector) geom.Vector {
	best, most := p, math.Inf(1)
	for _, v := range list {
		if d := v.Sub(p).SizeSquared(); d < most {
			best, most = v, d
		}
	}
	return best
}

// write writes the triangles, group after group, to the level's arrays.
func (m *mesher) write() {
	l := m.to
	l.Positions = make([]float32, 0, 9*m.count)
	l.Normals = make([]float32, 0, 9*m.count)
	l.UVs = make([]float32, 0, 6*m.count)
	for _, s := range m.order {
		list := m.faces[s]
		if len(list) == 0 {
			continue
		}
		texture, ok := m.textures[s.texture]
		if !ok {
			texture = len(l.Textures)
			m.textures[s.texture] = texture
			l.Textures = append(l.Textures, s.texture)
		}
		l.Groups = append(l.Groups, Group{First: len(l.Positions) / 3, Count: 3 * len(list), Texture: texture, Contents: s.contents.String(), Model: s.model})
		for i := range list {
			t := &list[i]
			for _, p := range t.at {
				l.Positions = append(l.Positions, float32(p.X), float32(p.Y), float32(p.Z))
				l.Normals = append(l.Normals, float32(t.normal.X), float32(t.normal.Y), float32(t.normal.Z))
				l.UVs = append(l.UVs, float32(p.Dot(t.u)), float32(p.Dot(t.v)))
			}
		}
	}
}

// keys returns an entity's keys, the last value of each.
func (l *Level) keys(list level.Keys) map[string]string {
	out := make(map[string]string, min(len(list), MaxKeys))
	for i := range list {
		k := cut(list[i].Name)
		if _, known := out[k]; !known && len(out) == MaxKeys {
			l.Left++
			continue
		}
		out[k] = cut(list[i].Value)
	}
	return out
}

func singles(v geom.Vector) [3]float32 { return [3]float32{float32(v.X), float32(v.Y), float32(v.Z)} }

// cut shortens a word; a character is never split.
func cut(s string) string { return engine.OneLine(s, maxWord) }
