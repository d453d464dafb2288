package assets

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/mods"
)

// Saved is what a list of saved files is about.
type Saved struct {
	// Scripts are those of script files, Shown those of sounds, animations, effects, materials and actions.
	Scripts, Shown []string
	// Mods are those of mod.toml files.
	Mods []string
	// Levels are the names of levels, in the order of the files: arena.
	Levels []string
}

// Watched reports whether a file in one of Folders or ContentFolders may be one of a match, by its name: what editors leave
// beside it is not.
func Watched(name string) bool {
	base := path.Base(name)
	if IsScript(base) {
		return true
	}
	return slices.Contains(contentEnds, path.Ext(base)) && !strings.HasPrefix(base, ".") && !strings.HasPrefix(base, "#")
}

// contentEnds are how files of content end.
var contentEnds = []string{".map", ".toml", ".glb", ".png", ".jpg", ".webp", ".ogg", ".mp3", ".wav"}

// ContentFolders are the content folders on disk: what there is to watch.
func (a *Assets) ContentFolders() []string { return a.origins[:len(a.origins):len(a.origins)] }

// shown are the folders of content whose files package media reads.
var shown = []string{"animations", "effects", "images", "materials", "models", "sounds"}

// Sort tells what saved files are, by their paths as package watch shows them. Files that a match has no use for are left
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
			continue // a mod's content lies among its scripts
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

// below is the place of a path under a folder, with slashes.
func below(dir, p string) (name string, in bool) {
	dir = filepath.ToSlash(filepath.Clean(dir))
	if dir == "." {
		return p, !path.IsAbs(p) && !strings.HasPrefix(p, "../")
	}
	return strings.CutPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}
