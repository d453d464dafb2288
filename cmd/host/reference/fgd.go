package reference

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// EditorFolder is the folder's name below TrenchBroom's games folder.
const EditorFolder = "Tidelock"

// gameConfig describes our levels to TrenchBroom (2024.2 and later). Brushes have no pictures there: only the
// names of materials are kept.
const gameConfig = `{
    "version": 9,
    "name": "Tidelock",
    "fileformats": [
        { "format": "Valve" },
        { "format": "Standard" }
    ],
    "filesystem": {
        "searchpath": ".",
        "packageformat": { "extension": ".zip", "format": "zip" }
    },
    "materials": {
        "root": "textures",
        "extensions": [ ".png", ".jpg", ".tga" ]
    },
    "entities": {
        "definitions": [ "Tidelock.fgd" ],
        "defaultcolor": "0.6 0.6 0.6 1.0"
    },
    "tags": {
        "brush": [],
        "brushface": []
    },
    "faceattribs": {
        "surfaceflags": [],
        "contentflags": []
    },
    "softMapBounds": "-16384 -16384 -16384 16384 16384 16384"
}
`

// Editor returns the files of TrenchBroom's game folder by their names below its games folder: the format of
// our levels, and the entities and keys.
func (m *Model) Editor() map[string][]byte {
	return map[string][]byte{
		EditorFolder + "/GameConfig.cfg": []byte(gameConfig),
		EditorFolder + "/Tidelock.fgd":   m.fgd(),
	}
}

// unplaced are classes whose actors, and those of their children, are never placed in a level: controllers,
// rules, carried items, projectiles, spectators. Actors with a LifeSpan are not placed either.
var unplaced = []string{"ReplicationInfo", "GameLogin", "Controller", "Inventory", "Projectile", "WeaponAttachment", "SpectatorPawn", "Ragdoll", "HUD"}

// roots are base classes that are never placed themselves.
var roots = []string{"Actor", "Info", "ArmedActor"}

// solids are classes whose shape is brushes, with their children.
var solids = []string{"Mover", "Trigger", "PhysicsVolume"}

// engineKeys are the engine's variables that are useful as keys of any actor.
var engineKeys = []string{
	"bHidden", "bStatic", "bNoDelete", "bCollideActors", "bBlockActors", "bBlockPlayers", "CollisionRadius", "CollisionHeight", "Tag",
	"DrawScale", "AmbientSound", "SoundRadius", "NetCullDistance",
}

// fgdWriter writes entity definitions.
type fgdWriter struct {
	bytes.Buffer
	m       *Model
	classes map[string]*Class
	engine  map[string]*Property
}

// fgd returns the file of entity definitions, in the dialect that TrenchBroom reads: every class that a level
// may place, with its properties as keys. Inherited keys are listed with the class that declares them; a class
// with another default repeats the key.
func (m *Model) fgd() []byte {
	w := &fgdWriter{m: m, classes: map[string]*Class{}, engine: map[string]*Property{}}
	for i := range m.Classes {
		w.classes[m.Classes[i].Name] = &m.Classes[i]
	}
	for i := range m.Properties {
		w.engine[m.Properties[i].Name] = &m.Properties[i]
	}
	w.WriteString("// Entities of Tidelock for level editors, made by `host fgd`; what is changed here by hand is lost.\n")
	w.worldspawn()
	placed := map[string]bool{}
	needed := map[string]bool{}
	for i := range m.Classes {
		c := &m.Classes[i]
		if placed[c.Name] = w.placed(c); !placed[c.Name] {
			continue
		}
		for at := c; at != nil; at = w.classes[at.Parent] {
			needed[at.Name] = true
		}
	}
	for i := range m.Classes {
		if c := &m.Classes[i]; needed[c.Name] {
			w.keys(c)
		}
	}
	for i := range m.Classes {
		if c := &m.Classes[i]; placed[c.Name] {
			w.class(c)
		}
	}
	return w.Bytes()
}

func (w *fgdWriter) isA(c *Class, any []string) bool {
	for ; c != nil; c = w.classes[c.Parent] {
		if slices.Contains(any, c.Name) {
			return true
		}
	}
	return false
}

func (w *fgdWriter) placed(c *Class) bool {
	if !w.isA(c, []string{"Actor"}) || slices.Contains(roots, c.Name) || w.isA(c, unplaced) {
		return false
	}
	life, _ := strconv.ParseFloat(w.inherited(c, "LifeSpan"), 64) // without one it lives forever
	return life == 0 && w.inherited(c, "bNetTemporary") != "true"
}

// inherited returns the default of a class for an engine variable, "" if no class sets one.
func (w *fgdWriter) inherited(c *Class, name string) string {
	for ; c != nil; c = w.classes[c.Parent] {
		for i := range c.Defaults {
			if c.Defaults[i].Name == name {
				return c.Defaults[i].Default
			}
		}
	}
	return ""
}

func (w *fgdWriter) worldspawn() {
	w.WriteString(`
@SolidClass = worldspawn : "The level itself."
[
	message(string) : "message" : "" : "The level's name for people"
	game(choices) : "game" : "" : "The rules that are played here where the start URL says none" =
	[
		"" : "GameInfo"
`)
	for i := range w.m.Classes {
		if c := &w.m.Classes[i]; w.isA(c, []string{"GameInfo"}) && c.Name != "GameInfo" {
			fmt.Fprintf(w, "\t\t%s : %s\n", quoted(c.Name), quoted(c.Name))
		}
	}
	w.WriteString(`	]
	gravity(float) : "gravity" : "-980" : "uu/s^2, negative downwards"
	killz(float) : "killz" : : "Map units: below it nobody comes back"
	scale(float) : "scale" : "1" : "uu a map unit"
	sky_color(string) : "sky_color" : : "Color of the sky overhead: #rrggbb, or three numbers"
	fog_color(string) : "fog_color" : : "Color of the fog, and of the sky at the horizon"
	fog_distance(float) : "fog_distance" : : "uu from which on nothing is seen but fog"
	sun_color(string) : "sun_color" : : "Color of the sun's light"
	sun_angles(string) : "sun_angles" : "-55 -38" : "Pitch and yaw in degrees along which the sun's light falls"
	water_color(string) : "water_color" : : "Color of water"
	water_opacity(float) : "water_opacity" : : "1 is opaque, 0 is not seen at all"
]
`)
}

// keys writes what a class itself adds, as a base of it and its children.
func (w *fgdWriter) keys(c *Class) {
	base := ""
	if c.Parent != "" {
		base = " base(" + c.Parent + "_keys)"
	}
	fmt.Fprintf(w, "\n@BaseClass%s = %s_keys\n[\n", base, c.Name)
	if c.Name == "Actor" {
		w.WriteString("\ttargetname(target_source) : \"targetname\" : : \"The actor's name in the level\"\n")
		w.WriteString("\tangle(integer) : \"angle\" : 0 : \"Degrees about the vertical; angles, for pitch, yaw and roll, goes before it\"\n")
		w.WriteString("\tangles(string) : \"angles\" : : \"Pitch, yaw and roll in degrees\"\n")
		for _, name := range engineKeys {
			if p := w.engine[name]; p != nil {
				w.key(p, "")
			}
		}
	}
	for i := range c.Properties {
		w.key(&c.Properties[i], c.Properties[i].Default)
	}
	for i := range c.Defaults {
		d := c.Defaults[i]
		if w.engine[d.Name] != nil && !slices.Contains(engineKeys, d.Name) {
			continue
		}
		if slices.ContainsFunc(c.Properties, func(p Property) bool { return p.Name == d.Name }) {
			continue // its own, already written with that default
		}
		if d.Doc == "" {
			d.Doc = w.doc(c, d.Name)
		}
		w.key(&d, d.Default)
	}
	w.WriteString("]\n")
}

// doc returns the description of a variable at its declaration.
func (w *fgdWriter) doc(c *Class, name string) string {
	if p := w.engine[name]; p != nil {
		return p.Doc
	}
	for ; c != nil; c = w.classes[c.Parent] {
		for i := range c.Properties {
			if c.Properties[i].Name == name {
				return c.Properties[i].Doc
			}
		}
	}
	return ""
}

// key writes one; nothing for a type that no key can represent.
func (w *fgdWriter) key(p *Property, def string) {
	kind, value, choices := "string", "", ""
	switch {
	case p.Lua == "boolean":
		kind, choices = "choices", " =\n\t[\n\t\t0 : \"no\"\n\t\t1 : \"yes\"\n\t]"
		value = map[string]string{"true": "1", "false": "0"}[def]
	case p.Lua == "integer":
		kind, value = "integer", def
	case p.Lua == "number":
		kind = "float"
		if def != "" {
			value = quoted(def)
		}
	case p.Lua == "string":
		if def != "" {
			value = quoted(strings.Trim(def, `"`))
		}
	case strings.HasPrefix(p.Lua, `"`):
		kind, value = "choices", quoted(strings.Trim(def, `"`))
		choices = " =\n\t[\n"
		for name := range strings.SplitSeq(p.Lua, "|") {
			choices += "\t\t" + name + " : " + name + "\n"
		}
		choices += "\t]"
	case p.Lua == "vector" || p.Lua == "rotator":
		value = triple(def)
	case p.Lua == "class?":
		if def != "" && def != "nil" {
			value = quoted(strings.Trim(def, `"`))
		}
	case strings.HasSuffix(p.Lua, "?"):
		kind = "target_destination"
	default:
		return
	}
	if value != "" {
		value = " " + value
	}
	fmt.Fprintf(w, "\t%s(%s) : %s :%s : %s%s\n", p.Name, kind, quoted(p.Name), value, quoted(p.Doc), choices)
}

// triple returns a Lua vector or rotator as the value of a key: three numbers, for a rotator in degrees.
func triple(def string) string {
	kind, list, ok := strings.Cut(strings.TrimSuffix(def, ")"), "(")
	if !ok || list == "" {
		return quoted("0 0 0")
	}
	out := strings.Split(list, ", ")
	if kind == "rotator" {
		for i, s := range out {
			n, _ := strconv.ParseFloat(s, 64) // written by Literal
			out[i] = strconv.FormatFloat(math.Round(n*360/65536*100)/100, 'g', -1, 64)
		}
	}
	return quoted(strings.Join(out, " "))
}

// quoted returns a string of the file, without quotes and line ends.
func quoted(s string) string {
	return `"` + strings.ReplaceAll(strings.Join(strings.Fields(s), " "), `"`, "'") + `"`
}

// class writes an entity that a level may place.
func (w *fgdWriter) class(c *Class) {
	doc, _, _ := strings.Cut(c.Doc, "\n\n")
	doc = strings.TrimPrefix(doc, c.Name+": ")
	if w.isA(c, solids) {
		fmt.Fprintf(w, "\n@SolidClass base(%s_keys) = %s : %s []\n", c.Name, c.Name, quoted(doc))
		return
	}
	size := func(name string, def float64) int {
		if v, err := strconv.ParseFloat(w.inherited(c, name), 64); err == nil {
			def = v
		}
		return int(math.Max(8, math.Round(def)))
	}
	r, h := size("CollisionRadius", 22), size("CollisionHeight", 22)
	fmt.Fprintf(w, "\n@PointClass base(%s_keys) size(%d %d %d, %d %d %d)%s = %s : %s []\n", c.Name, -r, -r, -h, r, r, h, w.colour(c), c.Name, quoted(doc))
}

// colour gives starts, pickups and vehicles different colors.
func (w *fgdWriter) colour(c *Class) string {
	for _, of := range [...]struct{ class, rgb string }{{"PlayerStart", "0 200 0"}, {"Pickup", "0 128 255"}, {"VehicleFactory", "255 160 0"}, {"Pawn", "220 40 40"}} {
		if w.isA(c, []string{of.class}) {
			return " color(" + of.rgb + ")"
		}
	}
	return ""
}
