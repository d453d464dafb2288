package look

import "github.com/tidelock/tidelock/engine"

// Bounds of looks. Clients get class files from a server they need not trust, so clients check them again.
const (
	// MaxWhens bounds the entries of `when` of a class, inherited ones included: each doubles the number of
	// variants.
	MaxWhens = 16
	// MaxParts bounds `parts` of one table, MaxOn the names of `on`.
	MaxParts, MaxOn = 32, 32
	// MaxText bounds a text, a color or a file's name in bytes.
	MaxText = 256
	// maxExtent bounds sizes and offsets, in uu.
	maxExtent = 20000
)

// Kind is the kind of a key's value.
type Kind uint8

// The kinds of keys. ORDER: kinds.
const (
	KindNumber Kind = iota
	KindVector      // { x, y, z }
	KindColor       // "#rrggbb"
	KindText
	KindWord // one of Key.Words
	KindFile // a file in content
	KindTable
	KindParts   // a list of tables
	KindEffects // { Name = file }
	numKinds
)

var kindNames = [numKinds]string{"a number", "three numbers { x, y, z }", `a color "#rrggbb"`, "a text in quotes", "a word in quotes", "a file's name in quotes", "a table", "a list of tables", "a table of names and effects"}

func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return "Kind(?)"
}

// Place is a kind of table; each has its own keys.
type Place uint8

// The places.
const (
	// Root is the table of the class's looks, and of an entry of `when`.
	Root Place = 1 << iota
	// Part is an element of `parts`.
	Part
	// First is `first`: the view model in first person.
	First
	// Hold is `hold`, Light is `light`.
	Hold
	Light
)

// Key is one key.
type Key struct {
	Name string
	Kind Kind
	// Min and Max bound a number, and each of the three in a vector.
	Min, Max float64
	// Words are the values of a KindWord.
	Words []string
	// Folder and End are the folder and the extension of the files of a KindFile.
	Folder, End string
	// Table is the kind of table of a KindTable, or of an element of a KindParts.
	Table Place
	// In are the kinds of tables that have the key.
	In Place
	// Doc is its purpose in one line.
	Doc string
}

// Effects is the folder of effects in content.
const Effects = "effects/"

// keys lists all keys of all tables.
//
// ORDER: as docs/see.md lists them.
var keys = []Key{
	{Name: "shape", Kind: KindWord, Words: []string{"box", "sphere", "cylinder", "capsule", "cone", "plane", "sprite", "none", "hull"}, In: Root | Part | First, Doc: "its form; by default that of its collision"},
	{Name: "size", Kind: KindVector, Min: 0, Max: maxExtent, In: Root | Part | First, Doc: "whole extent forward, right and up"},
	{Name: "at", Kind: KindVector, Min: -maxExtent, Max: maxExtent, In: Root | Part | First | Hold, Doc: "where its middle is: forward, right and up"},
	{Name: "rotation", Kind: KindVector, Min: -360, Max: 360, In: Root | Part | First | Hold, Doc: "pitch, yaw and roll, in degrees"},
	{Name: "scale", Kind: KindNumber, Min: 0.01, Max: 100, In: Root | Part | First, Doc: "factor of all lengths; by default the actor's DrawScale"},
	{Name: "color", Kind: KindColor, In: Root | Part | First | Light, Doc: "by default a color that follows from the class's name"},
	{Name: "accent", Kind: KindColor, In: Root | First, Doc: "second color of a body"},
	{Name: "glow", Kind: KindNumber, Max: 1, In: Root | Part | First, Doc: "share of the color that shines by itself"},
	{Name: "opacity", Kind: KindNumber, Max: 1, In: Root | Part | First, Doc: "1 is solid"},
	{Name: "model", Kind: KindFile, Folder: "models/", End: ".glb", In: Root | Part | First, Doc: "glTF binary that takes the place of the shape once it is there"},
	{Name: "image", Kind: KindFile, Folder: "images/", End: ".png", In: Root | Part | First, Doc: "picture of a sprite or a plane"},
	{Name: "spin", Kind: KindNumber, Min: -3600, Max: 3600, In: Root | Part | First, Doc: "turning about Z, in degrees a second"},
	{Name: "wheel", Kind: KindNumber, Max: 1000, In: Part, Doc: "radius, in uu, of a wheel that rolls with the actor's way forward"},
	{Name: "bob", Kind: KindNumber, Max: 100, In: Root | Part | First, Doc: "how far it rises and sinks, in uu"},
	{Name: "body", Kind: KindWord, Words: []string{"humanoid"}, In: Root, Doc: "the articulated body in the place of the shape"},
	{Name: "joint", Kind: KindWord, Words: []string{"head", "chest", "hips", "hand", "leftHand", "foot", "leftFoot"}, In: Part, Doc: "what of the body it hangs on"},
	{Name: "trail", Kind: KindFile, Folder: Effects, End: ".toml", In: Root | Part | First, Doc: "effect that it leaves where it goes"},
	{Name: "light", Kind: KindTable, Table: Light, In: Root | Part | First, Doc: "light that it gives"},
	{Name: "radius", Kind: KindNumber, Max: 5000, In: Light, Doc: "how far a light reaches, in uu"},
	{Name: "intensity", Kind: KindNumber, Max: 10, In: Light, Doc: "1 by default"},
	{Name: "label", Kind: KindText, In: Root | Part, Doc: "text above it"},
	{Name: "parts", Kind: KindParts, Table: Part, In: Root | First, Doc: "what it is made of besides"},
	{Name: "first", Kind: KindTable, Table: First, In: Root, Doc: "what its player sees of it in first person; `at` is from the eye"},
	{Name: "hold", Kind: KindTable, Table: Hold, In: Root, Doc: "how it lies in the hand of the pawn it is attached to"},
	{Name: "on", Kind: KindEffects, Folder: Effects, End: ".toml", In: Root, Doc: "effects by animation notify, event or function"},
}

// Keys returns all keys, in the order of docs.
func Keys() []Key { return append([]Key(nil), keys...) }

// Find returns the key of that name in a table, or nil.
func Find(in Place, name string) *Key {
	for i := range keys {
		if k := &keys[i]; k.Name == name && k.In&in != 0 {
			return k
		}
	}
	return nil
}

// Names returns the keys of a table, for "did you mean".
func Names(in Place) []string {
	var out []string
	for i := range keys {
		if keys[i].In&in != 0 {
			out = append(out, keys[i].Name)
		}
	}
	return out
}

// Takes reports whether a variable of a type may give the key's value.
func (k *Key) Takes(t *engine.Type) bool {
	switch k.Kind {
	case KindNumber:
		return t.Kind == engine.KindInt || t.Kind == engine.KindFloat
	case KindVector:
		return t.Kind == engine.KindVector
	case KindText:
		return t.Kind == engine.KindString || t.Kind == engine.KindEnum || t.Kind == engine.KindInt || t.Kind == engine.KindFloat
	case KindColor, KindWord, KindFile:
		return t.Kind == engine.KindString || t.Kind == engine.KindEnum
	case KindTable, KindParts, KindEffects, numKinds:
	}
	return false
}

// Variable returns the type that a variable must have for the key, "" if it accepts none.
func (k *Key) Variable() string {
	switch k.Kind {
	case KindNumber:
		return "an int or a float"
	case KindVector:
		return "a vector"
	case KindText:
		return "a string, an enum or a number"
	case KindColor, KindWord, KindFile:
		return "a string or an enum"
	case KindTable, KindParts, KindEffects, numKinds:
	}
	return ""
}

// IsColor reports whether a text is "#rrggbb".
func IsColor(s string) bool {
	if len(s) != 7 || s[0] != '#' {
		return false
	}
	for _, c := range []byte(s[1:]) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}
