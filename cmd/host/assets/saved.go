package assets

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/mods"
)

// Saved sorts a list of saved files by kind.
type Saved struct {
	// Scripts are those of script files, Shown those of sounds, animations, effects, materials and actions.
	Scripts, Shown []string
	// Mods are those of mod.toml files.
	Mods []string
	// Levels are the names of levels, in the order of the files: arena.
	Levels []string
}

// Watched reports whether a file in Folders or ContentFolders may belong to a match, by its name: editors' own
// files do not.
func Watched(name string) bool {
	base := path.Base(name)
	if IsScript(base) {
		return true
	}
	return slices.Contains(contentEnds, path.Ext(base)) && !strings.HasPrefix(base, ".") && !strings.HasPrefix(base, "#")
}

// contentEnds are the extensions of content files.
var contentEnds = []string{".map", ".toml", ".glb", ".png", ".jpg", ".webp", ".ogg", ".mp3", ".wav"}

// ContentFolders returns the content folders on disk, which are to be watched.
func (a *Assets) ContentFolders() []string { return a.origins[:len(a.origins):len(a.origins)] }

// shown are the content folders whose files package media reads.
var shown = []string{"animations", "effects", "images", "materials", "models", "sounds"}

// Sort sorts saved files by kind, by their paths from package watch. Files that a match does not use are left
// out.
func (a *Assets) Sort(paths []string) Saved {
	var s Saved
	ofMods := a.now.Load().origins
	for _, p := range paths {
		for _, dir := range slices.Concat(a.origins, ofMods) {
			name, in := below(dir, p)
			switch folder, rest, _ := strings.Cut(name, "/"); {
			case !in || !Watched(name):
			case folder == "levels" && path.Ext(rest) == ".map" && !strings.Contains(rest, "/"): // editors keep copies in folders
				s.Levels = append(s.Levels, strings.TrimSuffix(rest, ".map"))
			case slices.Contains(shown, folder) && path.Ext(rest) != ".map", name == "input.toml":
				s.Shown = append(s.Shown, p)
			}
		}
		if slices.ContainsFunc(ofMods, func(dir string) bool { _, in := below(dir, p); return in }) {
			continue // a mod's content is inside its scripts
		}
		for _, l := range a.layers {
			name, in := below(l.Dir, p)
			if l.Dir == "" || !in {
				continue
			}
			if IsScript(name) {
				s.Scripts = append(s.Scripts, p)
				break
			}
			if path.Base(name) == mods.File {
				s.Mods = append(s.Mods, p)
				break
			}
		}
	}
	return s
}

// below returns the path relative to a folder, with slashes.
func below(dir, p string) (name string, in bool) {
	dir = filepath.ToSlash(filepath.Clean(dir))
	if dir == "." {
		return p, !path.IsAbs(p) && !strings.HasPrefix(p, "../")
	}
	return strings.CutPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}
