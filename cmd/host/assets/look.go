package assets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/mods"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

const (
	// modsFolder is the folder of scripts in which every folder is a mod, with or without a mod.toml.
	modsFolder = "mods"
	// contentFolder is the folder of a mod whose files are content.
	contentFolder = "content"
)

// view is the result of a scan. It never changes.
type view struct {
	mods     []Mod // all of them, the used ones first and in their order
	used     int   // of mods
	content  overlay
	origins  []string // folders of mods' content
	problems []*mods.Error
	notes    []*mods.Error
	game     [2]int // script files of core and of the game that are used
}

// Mod is a mod that was found.
type Mod struct {
	mods.Mod
	// Files counts its script files.
	Files int
	// Content is set where it has a content folder.
	Content bool

	layer int    // in which it was found
	below string // its folder below that of the layer, "." for the layer's folder itself
	names []string
}

// tree is the script files and mod.toml files of one layer: path below its folder → text. A file that was
// listed but not read has no text.
type tree struct {
	names []string
	texts map[string]string // nil: nothing is read yet
}

// Scripts scans the folders and reads all scripts, sorted by path. Folders in snapshot are not read from disk:
// their files are those of the snapshot (path below the folder → text), so that a set that package watch found
// stable is loaded unchanged. Broken mods are left out, and Problems lists them; a used mod whose mod.toml
// broke keeps its last state.
func (a *Assets) Scripts(snapshot map[string]map[string]string) ([]Script, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := look{a: a, before: a.now.Load(), view: &view{}, trees: make([]tree, len(a.layers))}
	files := map[string]owned{}
	for i := range a.layers {
		if err := l.layer(i, snapshot, files); err != nil {
			return nil, fmt.Errorf("%s: %w", a.layers[i].Show, err)
		}
	}
	for _, f := range files {
		if classfile.TrustOf(f.Place).Layer == classfile.LayerCore {
			l.view.game[0]++
		} else {
			l.view.game[1]++
		}
	}
	if err := l.order(files); err != nil {
		return nil, err
	}
	out := make([]Script, 0, len(files))
	for _, f := range files {
		out = append(out, f.Script)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	l.view.content = append(l.view.content, a.host...)
	a.news = append(a.news, newsOf(l.before, l.view)...)
	a.now.Store(l.view)
	return out, nil
}

// look is one scan of the folders.
type look struct {
	a      *Assets
	before *view // nil at the first scan
	view   *view
	trees  []tree
	found  []*Mod
}

// owned is a script with the mod that it belongs to, nil for none.
type owned struct {
	Script
	mod *Mod
}

// layer finds the mods of a layer, and reads its scripts that belong to no mod into files.
func (l *look) layer(i int, snapshot map[string]map[string]string, files map[string]owned) error {
	layer := &l.a.layers[i]
	t := &l.trees[i]
	if texts, ok := snapshot[layer.Dir]; ok && layer.Dir != "" {
		t.texts = texts
		for name := range texts {
			t.names = append(t.names, name)
		}
		sort.Strings(t.names)
	} else if err := t.list(layer.fs); err != nil {
		return err
	}
	if !layer.mod && slices.Contains(t.names, mods.File) {
		l.problem(path.Join(layer.Show, mods.File), "this folder holds the game and its mods and is not a mod itself; move the mod into a folder of its own")
	}
	folders := layer.modFolders(t)
	byFolder := map[string]*Mod{}
	for _, dir := range folders {
		if m := l.mod(i, dir); m != nil {
			byFolder[dir] = m
		}
	}
	for _, name := range t.names {
		dir := ownerOf(name, folders)
		if m := byFolder[dir]; m != nil {
			inside := within(name, dir)
			if odd(inside) {
				l.problem(printable(m.Show+"/"+inside), "%s", errOdd)
				continue
			}
			if path.Base(inside) == mods.File && inside != mods.File {
				l.problem(m.Show+"/"+inside, "a mod inside of the mod %s; move its folder out", m.Name)
			}
			if IsScript(name) && !strings.HasPrefix(inside, contentFolder+"/") {
				m.names = append(m.names, name)
			}
			continue
		}
		if dir != "" || !IsScript(name) {
			continue // part of a broken mod, or a mod.toml
		}
		text, ok := t.texts[name]
		if t.texts == nil {
			var err error
			if text, ok, err = readFile(layer.fs, name, MaxScriptBytes); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		if ok {
			files[name] = owned{Script: Script{Path: path.Join(layer.Show, name), Place: name, Lib: libName(name), Text: text, File: layer.file(name)}}
		}
	}
	for _, dir := range folders {
		if m := byFolder[dir]; m != nil && (!m.Bare || m.Content || len(m.names) > 0) { // otherwise it only contains mods
			l.found = append(l.found, m)
		}
	}
	return nil
}

// file returns where a file of a layer is, "" for one that is compiled in.
func (l *Layer) file(name string) string {
	if l.Dir == "" {
		return ""
	}
	return filepath.Join(l.Dir, filepath.FromSlash(name))
}

// list finds the script files and mod.toml files of a folder and its sub-folders, without hidden folders. Files
// may be links (as in mounted config maps); links to folders are not followed, so that there are no loops.
func (t *tree) list(f fs.FS) error {
	return fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // removed since the folder was listed
		case err != nil:
			return err
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.IsDir() && (IsScript(name) || d.Name() == mods.File):
			t.names = append(t.names, name)
		}
		return nil
	})
}

// modFolders returns the folders of a layer that are mods, "." for the whole layer.
func (l *Layer) modFolders(t *tree) []string {
	if l.Dir == "" {
		return nil
	}
	var out []string
	seen := map[string]bool{}
	add := func(dir string) {
		if !seen[dir] {
			seen[dir] = true
			out = append(out, dir)
		}
	}
	if l.mod {
		add(".")
	}
	asked := map[string]bool{}
	for _, name := range t.names {
		for dir := path.Dir(name); dir != "." && !asked[dir]; dir = path.Dir(dir) {
			asked[dir] = true
			// Whether the entry is a folder or a pipe: a folder with a mod.toml never counts as part of the
			// game.
			_, err := os.Lstat(filepath.Join(l.Dir, filepath.FromSlash(dir), mods.File))
			if err == nil || !l.mod && path.Dir(dir) == modsFolder {
				add(dir)
			}
		}
		if path.Base(name) == mods.File && path.Dir(name) != "." {
			add(path.Dir(name))
		}
	}
	if root := slices.Contains(t.names, mods.File); root && l.mod {
		return []string{"."} // all of it is one mod
	}
	slices.Sort(out) // a folder comes before its sub-folders
	outer := out[:0:0]
	for _, dir := range out {
		if !slices.ContainsFunc(outer, func(o string) bool { return strings.HasPrefix(dir, o+"/") }) {
			outer = append(outer, dir)
		}
	}
	return outer
}

// ownerOf returns the mod's folder that a file belongs to, "" for none. No folder is inside another one except
// in ".", which has the remaining files.
func ownerOf(name string, folders []string) string {
	owner := ""
	for _, dir := range folders {
		switch {
		case dir == ".":
			owner = dir
		case strings.HasPrefix(name, dir+"/"):
			return dir
		}
	}
	return owner
}

// within returns a file's path in a mod's folder.
func within(name, dir string) string {
	if dir == "." {
		return name
	}
	return strings.TrimPrefix(name, dir+"/")
}

func (l *look) problem(file, format string, args ...any) {
	l.view.problems = append(l.view.problems, &mods.Error{File: file, Text: fmt.Sprintf(format, args...)})
}

// mod returns the mod in a folder of a layer, nil if it is broken or there is none.
func (l *look) mod(i int, below string) *Mod {
	layer, t := &l.a.layers[i], &l.trees[i]
	if odd(below) {
		l.problem(printable(path.Join(layer.Show, below)), "%s", errOdd)
		return nil
	}
	m := &Mod{layer: i, below: below}
	m.Dir, m.Show = filepath.Join(layer.Dir, filepath.FromSlash(below)), path.Join(layer.Show, below)
	if _, err := os.Lstat(filepath.Join(m.Dir, contentFolder)); err == nil {
		if err := (contained{dir: m.Dir}).check(contentFolder); err != nil {
			l.problem(m.Show+"/"+contentFolder, "%s", reason(err))
		} else {
			m.Content = true
		}
	}
	file := path.Join(below, mods.File)
	switch _, err := os.Lstat(filepath.Join(m.Dir, mods.File)); {
	case slices.Contains(t.names, file) || err == nil:
		if m.Manifest, err = l.manifest(m, t, file); err != nil {
			return l.asBefore(m, err)
		}
	default:
		folder, err := filepath.Abs(m.Dir)
		if err != nil {
			folder = m.Dir
		}
		m.Bare, m.Name = true, mods.NameOf(filepath.Base(folder))
	}
	m.Off = slices.Contains(l.a.off, m.Name)
	return m
}

// manifest reads the mod.toml of a mod.
func (l *look) manifest(m *Mod, t *tree, file string) (mods.Manifest, error) {
	show := m.Show + "/" + mods.File
	inside := contained{dir: m.Dir}
	text, read := t.texts[file]
	if t.texts == nil {
		var err error
		if text, read, err = readFile(inside, mods.File, mods.MaxBytes+1); err != nil {
			return mods.Manifest{}, &mods.Error{File: show, Text: reason(err).Error()}
		}
	} else if err := inside.check(mods.File); err != nil {
		return mods.Manifest{}, &mods.Error{File: show, Text: reason(err).Error()}
	}
	if !read {
		return mods.Manifest{}, &mods.Error{File: show, Text: "not a file; write name, version and requires into a file of that name"}
	}
	return mods.Parse(show, []byte(text))
}

// asBefore returns a broken mod in its state at the last scan, nil if it was not there.
func (l *look) asBefore(m *Mod, err error) *Mod {
	var bad *mods.Error
	if !errors.As(err, &bad) {
		bad = &mods.Error{File: m.At(), Text: err.Error()}
	}
	if l.before != nil {
		for i := range l.before.mods[:l.before.used] {
			if old := &l.before.mods[i]; old.Dir == m.Dir && !old.Bare {
				l.view.problems = append(l.view.problems, &mods.Error{File: bad.File, Line: bad.Line, Text: bad.Text + "; the mod stays as it was until the file is fixed"})
				m.Manifest = old.Manifest
				m.Off = slices.Contains(l.a.off, m.Name)
				return m
			}
		}
	}
	m.Name, m.Problem = mods.NameOf(path.Base(m.Show)), bad
	if m.Off = slices.Contains(l.a.off, m.Name); m.Off {
		return m // it is off, so its errors are not reported; its name is its folder's
	}
	l.view.problems = append(l.view.problems, bad)
	l.view.mods = append(l.view.mods, *m)
	return nil
}

// order sorts the mods and reads their scripts into files, where they replace those with the same place.
func (l *look) order(files map[string]owned) error {
	broken := l.view.mods
	l.view.mods = nil
	sort.SliceStable(l.found, func(i, j int) bool { // of two with one name the running one continues
		return l.ran(l.found[i]) && !l.ran(l.found[j])
	})
	list := make([]*mods.Mod, len(l.found))
	byMod := map[*mods.Mod]*Mod{}
	for i, m := range l.found {
		list[i] = &m.Mod
		byMod[list[i]] = m
	}
	order, problems := mods.Order(list)
	l.view.problems = append(l.view.problems, problems...)
	for _, o := range order {
		m := byMod[o]
		if err := l.read(m, order, files); err != nil {
			return err
		}
		l.view.mods = append(l.view.mods, *m)
		// Added even if it does not exist: it may be created while the host runs.
		from := source{contained{m.Dir, contentFolder}, path.Join(m.Show, contentFolder)}
		l.view.content = append(overlay{from}, l.view.content...)
		l.view.origins = append(l.view.origins, filepath.Join(m.Dir, contentFolder))
	}
	l.view.used = len(order)
	for _, m := range l.found {
		if m.Off || m.Problem != nil {
			m.Files = len(m.names)
			l.view.mods = append(l.view.mods, *m)
		}
	}
	l.view.mods = append(l.view.mods, broken...)
	return nil
}

// ran reports whether a mod was used at the last scan.
func (l *look) ran(m *Mod) bool {
	return l.before != nil && slices.ContainsFunc(l.before.mods[:l.before.used], func(o Mod) bool { return o.Dir == m.Dir && o.Name == m.Name })
}

// read reads the scripts of a mod.
func (l *look) read(m *Mod, order []*mods.Mod, files map[string]owned) error {
	t, inside := &l.trees[m.layer], contained{dir: m.Dir}
	for _, name := range m.names {
		place := within(name, m.below)
		text, ok := t.texts[name]
		var err error
		if t.texts == nil {
			text, ok, err = readFile(inside, place, MaxScriptBytes)
		} else {
			err = inside.check(place)
		}
		if errors.Is(err, fs.ErrNotExist) || err == nil && !ok {
			continue
		}
		if err != nil {
			l.problem(m.Show+"/"+place, "%s", reason(err))
			continue
		}
		if was := files[place].mod; was != nil && !mods.Needs(&m.Mod, was.Name, order) {
			l.view.notes = append(l.view.notes, &mods.Error{File: m.Show + "/" + place, Text: fmt.Sprintf(
				"it replaces the file of the mod %s, which the mod %s does not require; rename one of them, or require it", was.Name, m.Name)})
		}
		m.Files++
		files[place] = owned{Script{Path: path.Join(m.Show, place), Place: classfile.ModFolder + m.Name + "/" + place, Lib: libName(place), Text: text, File: l.a.layers[m.layer].file(name)}, m}
	}
	return nil
}
