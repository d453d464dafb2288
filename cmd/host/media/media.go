// Package media turns the files of content that a world needs to know into what it knows: sounds (content/sounds,
// docs/sound.md) and animations (content/animations, docs/animation.md). Recordings and pictures are not its affair; clients of other kinds find those by name.
//
// It owns the formats of these files, which are TOML, and their messages. It reads folders only through what it is
// given.
//
//	files, err := media.Files(content)
//	m, err := media.Read(files)
//	world := engine.NewWorld(engine.Config{Sounds: m.Sounds, Animations: m.Animations})
package media

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/animation"
	"github.com/tidelock/tidelock/netcode/bundle"
)

// Bounds of these files, which a client has from a server it need not trust.
const (
	// MaxFileBytes bounds one; a larger one is an error.
	MaxFileBytes = 64 << 10
	// MaxFiles bounds how many there are.
	MaxFiles = 1024
)

// The folders below content/ and how the files in them end.
const (
	soundFolder     = "sounds/"
	animationFolder = "animations/"
	fileEnd         = ".toml"
)

// Media is what the files say.
type Media struct {
	// Sounds by name: sounds/boom.toml.
	Sounds map[string]engine.Sound
	// Animations by name and number: animations/reload.toml.
	Animations *animation.Library
}

// Error is a file that cannot be used.
type Error struct {
	File string
	Line int // 0 where none is to blame
	Text string
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
	}
	return e.File + ": " + e.Text
}

// Files reads the files of a content folder that clients need, too, in order of their names. content may be nil.
func Files(content fs.FS) ([]bundle.File, error) {
	if content == nil {
		return nil, nil
	}
	var out []bundle.File
	for _, folder := range [...]string{animationFolder, soundFolder} {
		err := fs.WalkDir(content, path.Clean(folder), func(name string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case d.IsDir() || path.Ext(name) != fileEnd || strings.HasPrefix(path.Base(name), "."):
				return nil
			}
			data, err := fs.ReadFile(content, name)
			if err != nil {
				return err
			}
			out = append(out, bundle.File{Name: name, Data: data})
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("content/%s: %w", folder, err)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, nil
}

// Is reports whether a file below content/ is one of a sound or an animation.
func Is(name string) bool {
	return strings.HasSuffix(name, fileEnd) && (strings.HasPrefix(name, animationFolder) || strings.HasPrefix(name, soundFolder))
}

// Read makes media of files; those of other folders are passed over.
func Read(files []bundle.File) (*Media, error) {
	m := &Media{Sounds: map[string]engine.Sound{}}
	var specs []animation.Spec
	var spaces []animation.SpaceSpec
	n := 0
	for i := range files {
		f := &files[i]
		moves := strings.HasPrefix(f.Name, animationFolder)
		if !Is(f.Name) {
			continue
		}
		if n++; n > MaxFiles {
			return nil, &Error{File: f.Name, Text: fmt.Sprintf("more than %d files of sounds and animations", MaxFiles)}
		}
		if moves {
			if err := readAnimation(f, &specs, &spaces); err != nil {
				return nil, err
			}
			continue
		}
		s, err := readSound(f)
		if err != nil {
			return nil, err
		}
		m.Sounds[s.Name] = s
	}
	lib, err := animation.NewLibrary(specs, spaces)
	if err != nil {
		var bad *animation.SpecError
		if errors.As(err, &bad) {
			return nil, &Error{bad.Name, lineOf(files, bad), bad.Text}
		}
		return nil, err
	}
	m.Animations = lib
	return m, nil
}

// decode reads a file into a struct whose fields are its keys.
func decode(f *bundle.File, into any) error {
	if len(f.Data) > MaxFileBytes {
		return &Error{File: f.Name, Text: fmt.Sprintf("%d bytes; at most %d", len(f.Data), MaxFileBytes)}
	}
	if line, why := plain(string(f.Data)); line > 0 {
		return &Error{f.Name, line, why}
	}
	md, err := toml.Decode(string(f.Data), into)
	if err != nil {
		var pe toml.ParseError
		if errors.As(err, &pe) {
			return &Error{f.Name, pe.Position.Line, pe.Message}
		}
		return &Error{File: f.Name, Text: strings.TrimPrefix(err.Error(), "toml: ")}
	}
	if rest := md.Undecoded(); len(rest) > 0 {
		return &Error{f.Name, keyLine(f.Data, rest[0][len(rest[0])-1]), fmt.Sprintf("unknown key %q; docs/sound.md and docs/animation.md list them", rest[0].String())}
	}
	return nil
}
