package classfile

import "strings"

// Layer is the owner of a file (docs/rules.md, G). The zero value is the game.
type Layer uint8

// The layers.
const (
	LayerGame Layer = iota // folders of scripts without a mod.toml
	LayerCore              // scripts/core and scripts/lib
	LayerMod               // a folder with a mod.toml, or one that was added by --scripts
)

// String names the layer as messages do.
func (l Layer) String() string {
	switch l {
	case LayerGame:
		return "game"
	case LayerCore:
		return "core"
	case LayerMod:
		return "mod"
	}
	return "unknown"
}

// Trust is the layer of a file and, in LayerMod, the name of the mod. The zero value is the game's.
type Trust struct {
	Layer Layer
	Mod   string
}

// Folders of a script set from which TrustOf derives layers.
const (
	coreFolder = "core/"
	libFolder  = "lib/"
	// ModFolder holds the mods of a script set, each in a folder with its name: mods/hats/Hat.lua.
	ModFolder = "mods/"
)

// TrustOf returns the layer of a file by its place in the script set: core/Pawn.lua, mods/hats/Hat.lua,
// sample/Rifle.lua.
func TrustOf(place string) Trust {
	if rest, ok := strings.CutPrefix(place, ModFolder); ok {
		if name, _, inside := strings.Cut(rest, "/"); inside && name != "" {
			return Trust{LayerMod, name}
		}
	}
	if strings.HasPrefix(place, coreFolder) || strings.HasPrefix(place, libFolder) {
		return Trust{Layer: LayerCore}
	}
	return Trust{}
}

// InMod returns a place in the script set without the folder of its mod, and the mod's name: core/Pawn.lua and hats
// for mods/hats/core/Pawn.lua. If it is in no mod, mod is empty and the place unchanged.
func InMod(place string) (inside, mod string) {
	if t := TrustOf(place); t.Layer == LayerMod {
		return place[len(ModFolder)+len(t.Mod)+1:], t.Mod
	}
	return place, ""
}

// Less reports whether code is trusted less than other code: mods less than the game, the game less than core (G1).
func (t Trust) Less(other Trust) bool { return t.rank() < other.rank() }

func (t Trust) rank() int {
	switch t.Layer {
	case LayerMod:
		return 0
	case LayerGame:
		return 1
	case LayerCore:
		return 2
	}
	return 0
}

// String returns the text in brackets after a position in messages: core, mod hats; "" for the game, whose files
// are the usual ones.
func (t Trust) String() string {
	switch t.Layer {
	case LayerCore:
		return "core"
	case LayerMod:
		return "mod " + t.Mod
	case LayerGame:
	}
	return ""
}

// trust returns the layer of a source: its own field, or else that of its place or its path.
func (s *Source) trust() Trust {
	if s.Trust != (Trust{}) {
		return s.Trust
	}
	if s.Place != "" {
		return TrustOf(s.Place)
	}
	place := "/" + s.Path
	if i := strings.LastIndex(place, "/scripts/"); i >= 0 {
		return TrustOf(place[i+len("/scripts/"):])
	}
	return Trust{}
}
