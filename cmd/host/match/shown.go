package match

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/media"
	"github.com/tidelock/tidelock/netcode/bundle"
)

// Shown holds the checked sounds, animations, effects, materials and actions of a match. It never changes; any
// number of matches may share one.
type Shown struct {
	files []bundle.File // in order of their names
	media *media.Media
	path  func(string) string // pathsOf the content; nil if it came from a server
}

// ReadShown reads the sounds and animations of a content folder, which may be nil. The error is a *media.Error
// if a file is at fault.
func ReadShown(content fs.FS) (*Shown, error) {
	files, err := media.Files(content)
	if err != nil {
		return nil, err
	}
	s, err := shownOf(files)
	if err != nil {
		return nil, placed(content, err)
	}
	s.path = pathsOf(content)
	return s, nil
}

// CheckShown is ReadShown with all errors: every file alone first, then all together. shown is nil if there is
// an error.
func CheckShown(content fs.FS) (shown *Shown, errs []error) {
	files, err := media.Files(content)
	if err != nil {
		return nil, []error{err}
	}
	for i := range files {
		if err := media.Check(&files[i]); err != nil {
			errs = append(errs, placed(content, err))
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	if shown, err = shownOf(files); err != nil {
		return nil, []error{placed(content, err)}
	}
	shown.path = pathsOf(content)
	return shown, nil
}

// pathsOf returns the function that gives a content file's path in messages: in its mod's folder, if content
// knows that, otherwise in content/.
func pathsOf(content fs.FS) func(name string) string {
	if c, ok := content.(interface{ Path(name string) string }); ok {
		return c.Path
	}
	return func(name string) string { return "content/" + name }
}

// placed returns an error with the path of its file in messages.
func placed(content fs.FS, err error) error {
	var bad *media.Error
	if errors.As(err, &bad) {
		at := *bad
		at.File = pathsOf(content)(at.File)
		return &at
	}
	return err
}

// Missing returns files of content/ that name a recording or a picture that does not exist.
func (s *Shown) Missing() []error {
	var out []error
	for _, err := range s.media.Missing() {
		var bad *media.Error
		if errors.As(err, &bad) && s.path != nil {
			at := *bad
			at.File = s.path(at.File)
			err = &at
		}
		out = append(out, err)
	}
	return out
}

// Notifies returns the names of all notifies of the animations, in order.
func (s *Shown) Notifies() []string { return s.media.Notifies() }

// ActionNames returns the names of the actions that content/input.toml declares, in its order; an empty list
// for none.
func (s *Shown) ActionNames() []string {
	names := make([]string, len(s.media.Actions))
	for i := range names {
		names[i] = s.media.Actions[i].Name
	}
	return names
}

// shownOf reads those of a list of files; other files are skipped.
func shownOf(files []bundle.File) (*Shown, error) {
	m, err := media.Read(files)
	if err != nil {
		return nil, err
	}
	s := &Shown{media: m}
	for i := range files {
		if media.Is(files[i].Name) {
			s.files = append(s.files, files[i])
		}
	}
	return s, nil
}

// Items returns the descriptions of the files for a page, in order of their names. They must not be changed.
func (s *Shown) Items() []media.Item { return s.media.Items }

// is reports whether a list of files has these sounds and animations.
func (s *Shown) is(files []bundle.File) bool {
	i := 0
	for k := range files {
		if !media.Is(files[k].Name) {
			continue
		}
		if i == len(s.files) || s.files[i].Name != files[k].Name || !bytes.Equal(s.files[i].Data, files[k].Data) {
			return false
		}
		i++
	}
	return i == len(s.files)
}

// Changes lists the changes since another one, file by file.
func (s *Shown) Changes(since *Shown) []string {
	var out []string
	find := func(list []bundle.File, name string) []byte {
		i, ok := slices.BinarySearchFunc(list, name, func(f bundle.File, name string) int { return strings.Compare(f.Name, name) })
		if !ok {
			return nil
		}
		return list[i].Data
	}
	for _, f := range s.files {
		switch was := find(since.files, f.Name); {
		case was == nil:
			out = append(out, f.Name+" is new")
		case !bytes.Equal(was, f.Data):
			out = append(out, f.Name+" changed")
		}
	}
	for _, f := range since.files {
		if find(s.files, f.Name) == nil {
			out = append(out, f.Name+" is gone")
		}
	}
	return out
}

// Shown returns the sounds and animations of the match.
func (m *Match) Shown() *Shown { return m.shown }

// Show replaces the match's sounds and animations, between two ticks: what plays continues in the new version
// of its file.
func (m *Match) Show(s *Shown) {
	m.shown = s
	m.World.SetSounds(s.media.Sounds)
	m.World.SetAnimations(s.media.Animations)
	m.World.SetActions(s.media.Actions)
}
