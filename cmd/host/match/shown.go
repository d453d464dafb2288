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

// Shown is the sounds, animations, effects, materials and actions of a match, read and checked. It never changes; any number of matches may share one.
type Shown struct {
	files []bundle.File // in order of their names
	media *media.Media
	path  func(string) string // pathsOf the content; nil where it came from a server
}

// ReadShown reads the sounds and animations of a content folder, which may be nil. The error is a *media.Error where a file
// is to blame.
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

// CheckShown is ReadShown for those who want to know all that is wrong: every file by itself first, then all together. shown
// is nil where there is an error.
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

// pathsOf is how messages name a file of content: in the folder of the mod that it is from, where content says so, or else in
// content/.
func pathsOf(content fs.FS) func(name string) string {
	if c, ok := content.(interface{ Path(name string) string }); ok {
		return c.Path
	}
	return func(name string) string { return "content/" + name }
}

// placed is an error with its file as it is named from outside content/.
func placed(content fs.FS, err error) error {
	var bad *media.Error
	if errors.As(err, &bad) {
		at := *bad
		at.File = pathsOf(content)(at.File)
		return &at
	}
	return err
}

// Missing are files of content/ that name a recording or a picture which is not there.
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

// Notifies are the names of all notifies of the animations, in order.
func (s *Shown) Notifies() []string { return s.media.Notifies() }

// ActionNames are the names of the actions that content/input.toml declares, in its order; an empty list for none.
func (s *Shown) ActionNames() []string {
	names := make([]string, len(s.media.Actions))
	for i := range names {
		names[i] = s.media.Actions[i].Name
	}
	return names
}

// shownOf is those of a list of files; files of other folders are passed over.
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

// Items is what a page is told of the files, in order of their names. They must not be changed.
func (s *Shown) Items() []media.Item { return s.media.Items }

// is reports whether these are the sounds and animations among a list of files.
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

// Changes says file by file what is different since another.
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

// Shown is the sounds and animations of the match.
func (m *Match) Shown() *Shown { return m.shown }

// Show puts other sounds and animations in the place of the match's, between two ticks: what plays goes on in the new
// version of its file.
func (m *Match) Show(s *Shown) {
	m.shown = s
	m.World.SetSounds(s.media.Sounds)
	m.World.SetAnimations(s.media.Animations)
	m.World.SetActions(s.media.Actions)
}
