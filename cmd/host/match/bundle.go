package match

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/media"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// Naming of a match's files for clients. A script that ends in .lua is a class file, or a module if it is in
// lib/ of the host's or a mod's folder; any other is a chunk of several classes (classfile.Source.Multi), as in
// scenarios.
const (
	scriptFolder = "scripts/"
	libFolder    = "lib/"
	scriptEnd    = ".lua"
	levelFolder  = "levels/"
	levelEnd     = ".map"
)

// Bundle returns what clients fetch to run a match: its scripts and its level; level may be empty. The location
// of a script on this machine is not revealed: only the path after the last folder called scripts, or else the
// file's name.
func Bundle(sources []classfile.Source, content fs.FS, level string) (*bundle.Bundle, error) {
	files, err := scriptFiles(sources)
	if err != nil {
		return nil, err
	}
	if level != "" {
		name := levelFolder + level + levelEnd
		if content == nil {
			return nil, fmt.Errorf("level %q: there is no content folder", level)
		}
		data, err := fs.ReadFile(content, name)
		if err != nil {
			return nil, fmt.Errorf("level %q: %w", level, err)
		}
		files = append(files, bundle.File{Name: name, Data: data})
	}
	shown, err := media.Files(content)
	if err != nil {
		return nil, err
	}
	return bundle.New(append(files, shown...))
}

// Bundle returns what clients fetch to run this match: what it was opened with and has reloaded since,
// regardless of the folders' present content. Content shared with before, which may be nil, is not compressed
// again.
func (m *Match) Bundle(before *bundle.Bundle) (*bundle.Bundle, error) {
	files, err := scriptFiles(m.VM.Sources())
	if err != nil {
		return nil, err
	}
	if m.levelFile.Name != "" {
		files = append(files, m.levelFile)
	}
	return bundle.Next(before, append(files, m.shown.files...))
}

// NextBundle builds the successor of a bundle with other scripts, other sounds and animations, or both; nil
// ones stay as they are. Shared content is not compressed again.
func NextBundle(before *bundle.Bundle, sources []classfile.Source, shown *Shown) (*bundle.Bundle, error) {
	files, err := scriptFiles(sources)
	if err != nil {
		return nil, err
	}
	for _, f := range before.Files {
		script := strings.HasPrefix(f.Name, scriptFolder)
		level := strings.HasPrefix(f.Name, levelFolder)
		if level || script && sources == nil || !script && !level && shown == nil {
			files = append(files, f)
		}
	}
	if shown != nil {
		files = append(files, shown.files...)
	}
	return bundle.Next(before, files)
}

// scriptFiles returns scripts in the form that clients fetch.
func scriptFiles(sources []classfile.Source) ([]bundle.File, error) {
	files := make([]bundle.File, 0, len(sources)+1)
	for i := range sources {
		s := &sources[i]
		name, err := bundleName(s)
		if err != nil {
			return nil, err
		}
		files = append(files, bundle.File{Name: name, Data: []byte(s.Text)})
	}
	return files, nil
}

func bundleName(s *classfile.Source) (string, error) {
	switch {
	case s.LineOffset != 0:
		return "", fmt.Errorf("%s: a script that begins inside another file cannot be sent to clients", s.Path)
	case s.Place != "" && !s.Multi:
		return scriptFolder + s.Place, nil
	case s.Lib != "":
		return scriptFolder + strings.ReplaceAll(s.Lib, ".", "/") + scriptEnd, nil
	case s.Multi:
		if strings.HasSuffix(s.Path, scriptEnd) {
			return "", fmt.Errorf("%s: a chunk of several classes needs a name that does not end in %s to be sent to clients", s.Path, scriptEnd)
		}
		return scriptFolder + s.Path, nil
	}
	p := "/" + s.Path
	if i := strings.LastIndex(p, "/"+scriptFolder); i >= 0 {
		return p[i+1:], nil
	}
	return scriptFolder + path.Base(s.Path), nil
}

// Sources returns the scripts of a bundle's files, in the order of their names; other files are skipped.
func Sources(files []bundle.File) []classfile.Source { return NextSources(nil, files) }

// NextSources is Sources after others, which may be nil: equal texts are reused.
func NextSources(before []classfile.Source, files []bundle.File) []classfile.Source {
	out := make([]classfile.Source, 0, len(files))
	for i := range files {
		name := files[i].Name
		if !strings.HasPrefix(name, scriptFolder) {
			continue
		}
		place := strings.TrimPrefix(name, scriptFolder)
		s := classfile.Source{Path: name, Place: place}
		if n := len(out); n < len(before) && before[n].Text == string(files[i].Data) {
			s.Text = before[n].Text
		} else {
			s.Text = string(files[i].Data)
		}
		inside, _ := classfile.InMod(place)
		switch {
		case !strings.HasSuffix(name, scriptEnd):
			s.Path, s.Place, s.Multi = place, "", true
		case strings.HasPrefix(inside, libFolder):
			s.Lib = strings.ReplaceAll(strings.TrimSuffix(inside, scriptEnd), "/", ".")
		}
		out = append(out, s)
	}
	return out
}
