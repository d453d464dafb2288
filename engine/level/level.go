package level

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// ErrLimit is wrapped by every error about a bound in limits.go.
var ErrLimit = errors.New("limit reached")

// ParseError says where a file is broken and what was expected there. It wraps ErrLimit if a bound was reached.
type ParseError struct {
	Name string // as given to Parse
	Line int    // from 1
	Text string
	err  error
}

func (e *ParseError) Error() string { return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.Text) }

// Unwrap returns ErrLimit or nil.
func (e *ParseError) Unwrap() error { return e.err }

// Options steer Parse.
type Options struct {
	// Scale is uu per map unit; 0 uses worldspawn's key scale, or 1. It overrides that key: it is what a URL
	// says.
	Scale float64
}

// Level is a parsed level. Locations and sizes are in uu. It never changes, and any number of worlds may share
// it (see [Cache]).
type Level struct {
	Name  string
	Scale float64 // uu per map unit, as applied
	World Keys    // of worldspawn

	Game    string  // key game: a class name, "" if not given
	Gravity float64 // key gravity, uu/s² along z, not scaled; NaN if not given
	KillZ   float64 // key killz, uu (scaled: the editor shows map units); NaN if not given

	// Brushes are the static world: those of worldspawn and of entities that are Static, solid or not.
	Brushes  []Brush
	Entities []Entity // in file order, without worldspawn and entities that only group brushes
	Warnings []Warning

	once    sync.Once
	derived any
}

// Derive returns data computed once from the level for all worlds that share it, on any goroutine: for example
// its brushes prepared for rigid bodies. The first caller's function computes it, and must not depend on the
// caller.
func (l *Level) Derive(make func() any) any {
	l.once.Do(func() { l.derived = make() })
	return l.derived
}

// Entity is an object placed in the editor: with brushes (a lift, a trigger) or without (a player start).
type Entity struct {
	ClassName string
	Keys      Keys
	Line      int
	// Origin is the key origin, or for entities with brushes the centre of their bounds (of an origin brush's,
	// if there is one).
	Origin geom.Vector
	// Brushes are in world coordinates, not relative to Origin. They are not part of Level.Brushes. Those of
	// trigger_* and func_illusionary have no solid contents.
	Brushes []Brush
	// Static marks an entity whose brushes became part of Level.Brushes (func_wall and similar ones): without a
	// class of its name the level is still complete.
	Static bool
}

// Brush is a convex solid of a level.
type Brush struct {
	collision.Hull
	Line     int
	Contents Contents
	Textures []string // by Face.Source, as written
}

// Contents is what fills a brush.
type Contents uint8

// ORDER: contentsNames
const (
	Solid Contents = iota // stops everything
	Clip                  // stops bodies, lets lines (shots, sight) through
	Water                 // and the other liquids stop nothing
	Slime
	Lava
	Portal // the surface of a teleporter
	Empty  // hints, triggers and similar ones
	Origin // marks the origin of the entity
	contentsCount
)

var contentsNames = [contentsCount]string{"solid", "clip", "water", "slime", "lava", "portal", "empty", "origin"}

func (c Contents) String() string {
	if c < contentsCount {
		return contentsNames[c]
	}
	return "contents " + strconv.Itoa(int(c))
}

// IsSolid reports whether it stops bodies.
func (c Contents) IsSolid() bool { return c == Solid || c == Clip }

// IsLiquid reports whether bodies swim in it.
func (c Contents) IsLiquid() bool { return c == Water || c == Slime || c == Lava }

// Solids returns the hulls that stop bodies, in order of Brushes.
func (l *Level) Solids() []collision.Hull { return Solids(l.Brushes) }

// Solids returns the hulls of those brushes that stop bodies: for example of an entity that moves.
func Solids(brushes []Brush) []collision.Hull {
	var out []collision.Hull
	for i := range brushes {
		if brushes[i].Contents.IsSolid() {
			out = append(out, brushes[i].Hull)
		}
	}
	return out
}

// Key is one key of an entity with its value, unescaped.
type Key struct {
	Name, Value string
	Line        int
}

// Keys are an entity's keys in file order. A repeated key is listed twice; the last counts.
type Keys []Key

// Get returns the value of a key; ok is false if there is none. Keys are case-sensitive.
func (k Keys) Get(name string) (value string, ok bool) {
	if key := k.Find(name); key != nil {
		return key.Value, true
	}
	return "", false
}

// Find returns the key of that name, or nil.
func (k Keys) Find(name string) *Key {
	for i := len(k) - 1; i >= 0; i-- {
		if k[i].Name == name {
			return &k[i]
		}
	}
	return nil
}

// Rotation returns where the entity looks: the key angle (degrees of yaw; −1 is up, −2 down) or angles
// (degrees: pitch, positive down as in Quake, yaw, roll). It looks along +X if there is neither or it is not a
// number.
func (e *Entity) Rotation() geom.Rotator {
	if s, ok := e.Keys.Get("angles"); ok {
		if v, ok := ParseVector(s); ok {
			return geom.Rotator{Pitch: units(-v.X), Yaw: units(v.Y), Roll: units(v.Z)}
		}
	}
	s, _ := e.Keys.Get("angle")
	a, ok := parseFloat(strings.TrimSpace(s))
	switch {
	case !ok:
		return geom.Rotator{}
	case a == -1:
		return geom.Rotator{Pitch: units(90)}
	case a == -2:
		return geom.Rotator{Pitch: units(-90)}
	}
	return geom.Rotator{Yaw: units(a)}
}

func units(degrees float64) uint16 {
	return geom.FromRadians(math.Mod(degrees, 360) * math.Pi / 180)
}

// ParseVector reads three finite numbers separated by white space.
func ParseVector(s string) (v geom.Vector, ok bool) {
	f := strings.Fields(s)
	if len(f) != 3 {
		return v, false
	}
	var okX, okY, okZ bool
	v.X, okX = parseFloat(f[0])
	v.Y, okY = parseFloat(f[1])
	v.Z, okZ = parseFloat(f[2])
	if !okX || !okY || !okZ {
		return geom.Vector{}, false
	}
	return v, true
}

func parseFloat(s string) (float64, bool) {
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && f-f == 0
}

// Warning is something in a file that was skipped or corrected: one per kind, with the first line.
type Warning struct {
	Name  string // of the level
	Line  int    // of the first
	Count int
	Text  string
}

func (w Warning) String() string {
	if w.Count == 1 {
		return fmt.Sprintf("%s:%d: %s", w.Name, w.Line, w.Text)
	}
	return fmt.Sprintf("%s:%d: %s (the first of %d)", w.Name, w.Line, w.Text, w.Count)
}
