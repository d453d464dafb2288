package engine

import (
	"fmt"
	"math"
	"strings"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

// Entities of a level become actors: classname is the class (case counts), every other key one of its
// variables, parsed by its type (levelkey.go). Some words of other games' editors are understood:
// foreignClasses. These keys have a meaning of their own:
//
//	origin            Location, in map units
//	angle, angles     Rotation, in degrees
//	targetname        the actor's name; references to it may come before it
//	names starting with _   belong to the editor and are skipped
//
// An entity with brushes gives them to its actor: for a class that blocks they are solid and move with it
// (Mover), for any other they are a volume that is touched exactly where the brushes are; its CollisionRadius
// and CollisionHeight become the half extents of their bounds. What cannot be understood is skipped, with one
// warning per kind.

// foreignClasses maps classes of other games' levels to the classes used here.
var foreignClasses = map[string]string{
	"info_player_start":      "PlayerStart",
	"info_player_start2":     "PlayerStart",
	"info_player_deathmatch": "PlayerStart",
	"info_player_coop":       "PlayerStart",
	"info_player_team1":      "PlayerStart",
	"info_player_team2":      "PlayerStart",
}

// quakeFeet is how far below its origin a Quake player's feet are, in map units.
const quakeFeet = 24

// Placing player starts: at most so far out of solids, and down to a floor so far below, in uu.
const (
	startLift = 100
	startDrop = 200
)

// levelKeys are keys that are not variables.
var levelKeys = map[string]bool{"classname": true, "origin": true, "angle": true, "angles": true, "targetname": true}

// loading is one LoadEntities in progress.
type loading struct {
	w        *World
	lv       *level.Level
	warnings []level.Warning
	kinds    map[string]int // index among warnings
	refs     []levelRef
	numbers  map[*Class]int
	names    map[string]int // how often each name was given
}

// levelRef is a reference by name, resolved when every actor exists.
type levelRef struct {
	from *Actor
	prop *Property
	name string
	line int
}

// LoadEntities spawns the actors placed in the level's editor, in the order of the file, and then sets
// references between them. A client spawns only those that it keeps locally: actors with bNoDelete or bStatic,
// by their class or by a key (R1.4); [World.ActorByLevelName] finds them.
func (w *World) LoadEntities(lv *level.Level) []level.Warning {
	l := &loading{w: w, lv: lv, kinds: map[string]int{}, numbers: map[*Class]int{}, names: map[string]int{}}
	for i := range lv.Entities {
		l.entity(&lv.Entities[i])
	}
	for _, r := range l.refs {
		to := w.ActorByName(r.name)
		if r.from.destroying {
			continue
		}
		if to == nil {
			l.warn("target", r.line, "%s.%s: nothing in the level has the targetname %q", r.from.Class.Name, r.prop.Name, r.name)
			continue
		}
		if err := r.from.Set(r.prop, Ref(to)); err != nil {
			l.warn("ref "+r.prop.Name, r.line, "%s.%s: %v", r.from.Class.Name, r.prop.Name, err)
			continue
		}
		if r.prop.Native == nil {
			w.Script.Changed(r.from, r.prop)
		}
	}
	return l.warnings
}

func (l *loading) warn(kind string, line int, format string, args ...any) {
	if i, ok := l.kinds[kind]; ok {
		l.warnings[i].Count++
		return
	}
	l.kinds[kind] = len(l.warnings)
	l.warnings = append(l.warnings, level.Warning{Name: l.lv.Name, Line: line, Count: 1, Text: fmt.Sprintf(format, args...)})
}

func (l *loading) entity(e *level.Entity) {
	w := l.w
	name := e.ClassName
	c, alias := l.classOf(e)
	switch {
	case c == nil && e.Static:
		return // its brushes are part of the level
	case c == nil:
		l.warn("class "+name, e.Line, "there is no class %q; its entities are left out%s", e.ClassName, Nearest(e.ClassName, l.classNames()))
		return
	case c.IsComponent():
		l.warn("class "+name, e.Line, "%s is a component and cannot stand in a level by itself", name)
		return
	}
	sp := SpawnParams{Location: e.Origin, Rotation: e.Rotation()}
	var number int
	if sp.Name, sp.level, number = l.nameOf(c, e); number >= 0 {
		w.nextNum[c] = max(w.nextNum[c], number+1)
	}
	if w.NetMode == NMClient && !l.flag(c, e, "bStatic", c.defVars.BStatic) && !l.flag(c, e, "bNoDelete", c.defVars.BNoDelete) {
		return
	}
	refs := len(l.refs)
	for i := range e.Keys {
		if k := &e.Keys[i]; !levelKeys[k.Name] && !strings.HasPrefix(k.Name, "_") && e.Keys.Find(k.Name) == k {
			l.key(c, k, alias, &sp)
		}
	}
	if c.IsA("PlayerStart") {
		sp.Location = l.placeStart(c, e, alias)
	}
	if len(e.Brushes) > 0 && !e.Static {
		l.brushes(c, e, &sp)
	}
	a, err := w.Spawn(c, sp)
	w.space.brushes = nil
	if err != nil {
		l.warn("spawn "+c.Name, e.Line, "%s cannot be made: %v", c.Name, err)
	}
	if a == nil {
		l.refs = l.refs[:refs]
		return
	}
	for i := refs; i < len(l.refs); i++ {
		l.refs[i].from = a
	}
}

// classOf returns the class of an entity, nil if there is none, and whether its name is a word of other games.
func (l *loading) classOf(e *level.Entity) (c *Class, alias bool) {
	name := e.ClassName
	foreign, alias := foreignClasses[name]
	if alias && l.w.Classes.byName[name] == nil {
		name = foreign
	}
	return l.w.Classes.Find(name), alias
}

// nameOf returns the name of the actor of the next entity, its name in the level, and the number in its name, -1 if the level
// gives it a name.
func (l *loading) nameOf(c *Class, e *level.Entity) (name, inLevel string, number int) {
	number = l.numbers[c]
	l.numbers[c]++
	if name, _ = e.Keys.Get("targetname"); name == "" {
		name = fmt.Sprintf("%s_%d", c.Name, number)
	} else {
		number = -1
	}
	return name, l.levelName(name), number
}

// levelHulls returns the brushes of the level's entities by the names of their actors in the level.
func (w *World) levelHulls() map[string][]collision.Hull {
	out := map[string][]collision.Hull{}
	if w.Level == nil {
		return out
	}
	l := &loading{w: w, lv: w.Level, numbers: map[*Class]int{}, names: map[string]int{}}
	for i := range w.Level.Entities {
		e := &w.Level.Entities[i]
		c, _ := l.classOf(e)
		if c == nil || c.IsComponent() {
			continue
		}
		_, name, _ := l.nameOf(c, e)
		if hulls, _ := movingHulls(e); len(hulls) > 0 && !e.Static {
			out[name] = hulls
		}
	}
	return out
}

// movingHulls returns the brushes of an entity that move with its actor, and their bounds.
func movingHulls(e *level.Entity) (hulls []collision.Hull, box geom.Bounds) {
	for i := range e.Brushes {
		b := &e.Brushes[i]
		if b.Contents == level.Origin {
			continue
		}
		if len(hulls) == 0 {
			box = b.Bounds
		}
		box = box.Union(b.Bounds)
		hulls = append(hulls, b.Hull)
	}
	return hulls, box
}

// levelName returns the name by which server and client identify an entity's actor: its own, or if an earlier
// entity has that name, with a number. Entities that a client skips count, too.
func (l *loading) levelName(name string) string {
	n := l.names[name]
	l.names[name]++
	if n == 0 {
		return name
	}
	return l.levelName(fmt.Sprintf("%s#%d", name, n+1))
}

// flag returns an entity's value of a boolean variable.
func (l *loading) flag(c *Class, e *level.Entity, name string, def bool) bool {
	k := e.Keys.Find(name)
	if k == nil {
		return def
	}
	v, err := parseKey(c.byName[name], k.Value, l.lv.Scale)
	return v.Num != 0 && err == nil || err != nil && def
}

// key turns a key into an assignment at the spawn, or into a reference for later.
func (l *loading) key(c *Class, k *level.Key, foreign bool, sp *SpawnParams) {
	p := c.byName[k.Name]
	switch {
	case p == nil && foreign:
		return // another game's: its keys mean nothing here
	case p == nil:
		l.warn("key "+c.Name+"."+k.Name, k.Line, "class %s has no variable %s%s", c.Name, k.Name, Nearest(k.Name, c.PropertyNames()))
		return
	case p.Native != nil && p.Native.readOnly:
		l.warn("key "+c.Name+"."+k.Name, k.Line, "%s.%s is set by the engine", c.Name, k.Name)
		return
	}
	if p.Type.Kind == KindRef {
		l.refs = append(l.refs, levelRef{prop: p, name: k.Value, line: k.Line})
		return
	}
	v, err := parseKey(p, k.Value, l.lv.Scale)
	if err == nil {
		v, err = p.Type.Check(l.w, v)
	}
	if err != nil {
		l.warn("value "+c.Name+"."+k.Name, k.Line, "%s.%s = %q: %v", c.Name, k.Name, k.Value, err)
		return
	}
	sp.Init = append(sp.Init, Assignment{k.Name, v})
}

// brushes makes an entity's brushes its actor's body.
func (l *loading) brushes(c *Class, e *level.Entity, sp *SpawnParams) {
	hulls, box := movingHulls(e)
	if len(hulls) == 0 {
		return
	}
	l.w.space.brushes = hulls
	half := box.Extent()
	size := []Assignment{
		{"CollisionRadius", Float(math.Min(math.Max(half.X, half.Y), 10000))},
		{"CollisionHeight", Float(math.Min(half.Z, 10000))},
	}
	for i := range size {
		if p := c.byName[size[i].Name]; p != nil {
			size[i].Value, _ = p.Type.Check(nil, size[i].Value)
		}
	}
	sp.Init = append(size, sp.Init...)
}

// placeStart finds where a pawn fits that starts at a player start: out of solids, then down onto the floor.
// Quake's origin is 24 map units above the feet of a player who is smaller than ours.
func (l *loading) placeStart(c *Class, e *level.Entity, foreign bool) vec {
	w := l.w
	half := vec{X: c.defVars.CollisionRadius, Y: c.defVars.CollisionRadius, Z: c.defVars.CollisionHeight}
	at := e.Origin
	if foreign {
		at.Z += half.Z - quakeFeet*l.lv.Scale
	}
	q := &w.space.query
	way, ok := q.Depenetrate(at, half, startLift, collision.Filter{})
	if !ok {
		l.warn("start", e.Line, "there is no room for a pawn at this %s", e.ClassName)
		return at
	}
	at = at.Add(way)
	if h := q.Sweep(at, at.Sub(vec{Z: startDrop}), half, collision.Filter{}); h.Blocked() {
		at = h.Location
	}
	return at
}

func (l *loading) classNames() []string {
	names := make([]string, len(l.w.Classes.sorted))
	for i, c := range l.w.Classes.sorted {
		names[i] = c.Name
	}
	return names
}

// NewWorld returns an empty world with the level's brushes; no actor is spawned yet.
func NewWorld(c Config) *World {
	w := &World{
		Classes: c.Classes, Script: c.Script, NetMode: c.NetMode, Level: c.Level,
		Gravity: c.Gravity, sounds: c.Sounds, animations: c.Animations, animRates: DefaultAnimationRates(), nextNum: map[*Class]int{}, inputs: map[ActorID]*heldInput{}, actions: c.Actions, groups: map[ActorID][]string{},
	}
	if w.Script == nil {
		w.Script = NoScript{}
	}
	if w.Gravity == 0 && c.Level != nil && !math.IsNaN(c.Level.Gravity) {
		w.Gravity = -math.Abs(c.Level.Gravity) // Quake's levels write it without the sign
	} else if w.Gravity == 0 {
		w.Gravity = DefaultGravity
	}
	w.KillZ = DefaultKillZ
	w.Rand.Seed(c.Seed)
	w.openSpace()
	return w
}

// parseKey parses the text of a level's key by the variable's type: numbers as they are; a vector as three
// numbers in map units (a unit normal is not scaled); a rotator as pitch, yaw, roll in degrees; a boolean as 1,
// 0, true, false, yes, no, on or off; an enum by its name or number; a class by its name. The engine's own
// numbered constants (PHYS_Falling) may be written by name.
func parseKey(p *Property, text string, scale float64) (Value, error) {
	if f := kinds[p.Type.Kind].parse; f != nil {
		return f(p, text, scale)
	}
	return Value{}, fmt.Errorf("a %s cannot be given in a level", p.Type.Kind)
}
