// Package media reads sounds, animations, effects, materials and input actions from content files into the data of a
// world and of a page. The files are in content/sounds (docs/sound.md), content/animations (docs/animation.md),
// content/effects and content/materials (docs/see.md), and content/input.toml (docs/input.md). Of recordings, models
// and pictures it reads only names and hashes.
//
// It owns the formats of these files, which are TOML, and their messages. It reads folders only through the
// file system it is given.
//
//	files, err := media.Files(content)
//	m, err := media.Read(files)
//	world := engine.NewWorld(engine.Config{Sounds: m.Sounds, Animations: m.Animations})
//
// Guarantees: A broken file is an error with its name and line. Clients read the same files, so no content of a file
// may do harm.
package media

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/tidelock/tidelock/cmd/host/plain"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/animation"
	"github.com/tidelock/tidelock/netcode/bundle"
)

// Bounds of these files, which a client has from a server it need not trust.
const (
	// MaxFileBytes bounds one; a larger one is an error.
	MaxFileBytes = 64 << 10
	// MaxFiles bounds the number of files.
	MaxFiles = 1024
	// MaxItemBytes bounds their descriptions for a page.
	MaxItemBytes = 4 << 20
)

// The folders below content/ and the extensions of their files.
const (
	soundFolder     = "sounds/"
	animationFolder = "animations/"
	effectFolder    = "effects/"
	materialFolder  = "materials/"
	fileEnd         = ".toml"
)

var folders = [...]string{animationFolder, effectFolder, materialFolder, soundFolder}

// Media is the content of the files.
type Media struct {
	// Sounds by name: sounds/boom.toml.
	Sounds map[string]engine.Sound
	// Animations by name and number: animations/reload.toml.
	Animations *animation.Library
	// Actions are those of content/input.toml, in its order.
	Actions []engine.Action
	// Art lists the recordings, models and pictures, in the order of the list.
	Art []Art
	// Items are the descriptions of the files for a page, in order of their names.
	Items []Item

	size  int    // of Items
	wants []want // in the order of the files
}

// Item is the description of a file for a page: checked, with defaults filled in.
type Item struct {
	// Kind is "effect", "material", "sound", "animation" or "art", Name the path of the file below content/.
	Kind, Name string
	// Data is JSON, under the keys of the file.
	Data []byte
}

// Notifies returns the names of all notifies of the animations, in order.
func (m *Media) Notifies() []string {
	names := []string{}
	for _, name := range m.Animations.Names() {
		if a := m.Animations.Find(name); a != nil {
			for i := range a.Track.Notifies {
				names = append(names, a.Track.Notifies[i].Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Error is a file that cannot be used.
type Error = plain.Error

// Files reads the files of a content folder that clients need, too, in order of their names, with ArtList.
// content may be nil. The error is an *Error if a file is at fault.
func Files(content fs.FS) ([]bundle.File, error) {
	if content == nil {
		return nil, nil
	}
	var out []bundle.File
	for _, folder := range folders {
		err := walk(content, folder, func(name string, _ fs.DirEntry) error {
			if path.Ext(name) != fileEnd || strings.HasPrefix(path.Base(name), ".") {
				return nil
			}
			data, err := fs.ReadFile(content, name)
			out = append(out, bundle.File{Name: name, Data: data})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	data, err := fs.ReadFile(content, InputFile)
	switch {
	case err == nil:
		out = append(out, bundle.File{Name: InputFile, Data: data})
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("content/%s: %w", InputFile, err)
	}
	art, err := artList(content)
	if err != nil {
		return nil, err
	}
	if len(art.Data) > 0 {
		out = append(out, art)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, nil
}

// walk calls do for every file below a folder of content, which need not exist. Only an *Error is returned
// unchanged.
func walk(content fs.FS, folder string, do func(name string, d fs.DirEntry) error) error {
	err := fs.WalkDir(content, path.Clean(folder), func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || d.IsDir():
			return err
		}
		return do(name, d)
	})
	if err == nil || errors.As(err, new(*Error)) {
		return err
	}
	return fmt.Errorf("content/%s: %w", folder, err)
}

// Is reports whether a file below content/ is one that this package reads.
func Is(name string) bool {
	return name == ArtList || name == InputFile || strings.HasSuffix(name, fileEnd) && slices.ContainsFunc(folders[:], func(f string) bool { return strings.HasPrefix(name, f) })
}

// Read parses the files; those of other folders are skipped.
func Read(files []bundle.File) (*Media, error) {
	m := &Media{Sounds: map[string]engine.Sound{}}
	var specs []animation.Spec
	var spaces []animation.SpaceSpec
	n := 0
	for i := range files {
		f := &files[i]
		if !Is(f.Name) {
			continue
		}
		if n++; n > MaxFiles {
			return nil, plain.Errorf(f.Name, 0, "more than %d files of sounds, animations, effects and materials", MaxFiles)
		}
		if err := m.read(f, &specs, &spaces); err != nil {
			return nil, err
		}
	}
	lib, err := animation.NewLibrary(specs, spaces)
	if err != nil {
		var bad *animation.SpecError
		if errors.As(err, &bad) {
			return nil, plain.Errorf(bad.Name, lineOf(files, bad), "%s", bad.Text)
		}
		return nil, err
	}
	m.Animations = lib
	for _, name := range lib.Names() {
		if a := lib.Find(name); a != nil {
			if err := m.item("animation", name, shownAnimation(a)); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(m.Items, func(a, b Item) int { return strings.Compare(a.Name, b.Name) })
	return m, nil
}

// Check parses one file alone, without its relations to others. A file of another folder is accepted.
func Check(f *bundle.File) error {
	var specs []animation.Spec
	var spaces []animation.SpaceSpec
	if !Is(f.Name) {
		return nil
	}
	return (&Media{Sounds: map[string]engine.Sound{}}).read(f, &specs, &spaces)
}

// read parses one file; animations are assembled when all are read.
func (m *Media) read(f *bundle.File, specs *[]animation.Spec, spaces *[]animation.SpaceSpec) error {
	switch {
	case f.Name == InputFile:
		list, err := readInput(f)
		m.Actions = list
		return err
	case f.Name == ArtList:
		return m.readArt(f)
	case strings.HasPrefix(f.Name, animationFolder):
		return readAnimation(f, specs, spaces)
	case strings.HasPrefix(f.Name, effectFolder):
		d, err := readEffect(f)
		if err != nil {
			return err
		}
		return m.item("effect", f.Name, d)
	case strings.HasPrefix(f.Name, materialFolder):
		d, err := readMaterial(f)
		if err != nil {
			return err
		}
		if d.Image != "" {
			m.wants = append(m.wants, want{d.Image, *plain.Errorf(f.Name, keyLine(f.Data, "image"), "image")})
		}
		return m.item("material", f.Name, d)
	}
	s, d, err := readSound(f)
	if err != nil {
		return err
	}
	if s.File != "" {
		m.wants = append(m.wants, want{s.File, *plain.Errorf(f.Name, keyLine(f.Data, "file"), "file")})
	}
	m.Sounds[s.Name] = s
	return m.item("sound", f.Name, d)
}

// item adds the description of a file.
func (m *Media) item(kind, name string, data any) error {
	b, err := json.Marshal(data)
	if err != nil {
		return plain.Errorf(name, 0, "%s", err.Error())
	}
	if m.size += len(b); m.size > MaxItemBytes {
		return plain.Errorf(name, 0, "sounds, animations, effects and materials take more than %d MiB together", MaxItemBytes>>20)
	}
	m.Items = append(m.Items, Item{kind, name, b})
	return nil
}

// decode reads a file into a struct whose fields are its keys.
func decode(f *bundle.File, into any) error {
	if len(f.Data) > MaxFileBytes {
		return plain.Errorf(f.Name, 0, "%d bytes; at most %d", len(f.Data), MaxFileBytes)
	}
	if line, why := plain.Check(string(f.Data)); line > 0 {
		return plain.Errorf(f.Name, line, "%s", why)
	}
	md, err := toml.Decode(string(f.Data), into)
	if err != nil {
		var pe toml.ParseError
		if errors.As(err, &pe) {
			return plain.Errorf(f.Name, pe.Position.Line, "%s", pe.Message)
		}
		return plain.Errorf(f.Name, 0, "%s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	if rest := md.Undecoded(); len(rest) > 0 {
		return plain.Errorf(f.Name, keyLine(f.Data, rest[0][len(rest[0])-1]), "unknown key %q; docs/sound.md, docs/animation.md, docs/see.md and docs/input.md list them", rest[0].String())
	}
	return nil
}
