package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/versions"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// tuning returns the commands that change what scripts run: single defaults, and whole versions.
func (s *server) tuning(ctx context.Context) []command.Command {
	variable := command.Param{Name: "CLASS.VARIABLE", Values: s.variables}
	number := command.Param{Name: "N", Kind: command.Int, Min: 1, Max: versions.Kept, Optional: true}
	optional := variable
	optional.Optional = true
	optional.Values = func([]string) []string { return s.tuned() }
	return []command.Command{
		{Name: "set", Params: []command.Param{variable, {Name: "VALUE", Kind: command.Text}}, Needs: access.Admin, Help: "Change the default of a class's variable for all players at once, until unset; actors that have the old default follow.", Run: func(c *command.Call) ([]string, error) {
			return s.set(ctx, c.Text(0), c.Text(1))
		}},
		{Name: "unset", Params: []command.Param{optional}, Needs: access.Admin, Help: "Take back what set changed, or all of it.", Run: func(c *command.Call) ([]string, error) {
			class, name, _ := strings.Cut(c.Text(0), ".")
			return s.change(ctx, func(v *versions.Versions) (versions.Pending, error) { return v.Unset(class, name) })
		}},
		{Name: "undo", Params: []command.Param{number}, Needs: access.Admin, Help: "Run the scripts as they were before the last change, or N changes ago; files stay as they are.", Run: func(c *command.Call) ([]string, error) {
			return s.change(ctx, func(v *versions.Versions) (versions.Pending, error) { return v.Step(c.Int(0, 1)) })
		}},
		{Name: "redo", Params: []command.Param{number}, Needs: access.Admin, Help: "Run again what undo took back.", Run: func(c *command.Call) ([]string, error) {
			return s.change(ctx, func(v *versions.Versions) (versions.Pending, error) { return v.Step(-c.Int(0, 1)) })
		}},
		{Name: "history", Help: "List the changes of the scripts that undo and redo go through; the one that runs is marked.", Run: func(*command.Call) ([]string, error) {
			return s.history(), nil
		}},
		{Name: "write", Needs: access.Owner, Help: "Write what set changed into the Lua files, where the defaults stand; comments and layout stay.", Run: func(*command.Call) ([]string, error) {
			return s.write(ctx)
		}},
		{Name: "revert --write", Needs: access.Owner, Help: "Write the scripts that run into their files, after undo; each replaced text is kept beside its file.", Run: func(*command.Call) ([]string, error) {
			return s.revert(ctx)
		}},
	}
}

// completeWithin is how long a completion waits for its turn.
const completeWithin = 500 * time.Millisecond

// set tunes a default: name is Class.Variable in whatever case.
func (s *server) set(ctx context.Context, name, value string) ([]string, error) {
	var t versions.Tuned
	err := s.do(ctx, func() (err error) {
		t, err = s.Game.Variable(name)
		return err
	})
	if err != nil {
		return nil, err
	}
	t.Value = value
	return s.change(ctx, func(v *versions.Versions) (versions.Pending, error) { return v.Set(t) })
}

// change makes another version run.
func (s *server) change(ctx context.Context, make func(*versions.Versions) (versions.Pending, error)) ([]string, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	p, err := make(s.versions)
	if err != nil {
		return nil, err
	}
	r, err := s.runVersion(ctx, []string{"(" + p.Why + ")"}, &p, nil)
	if err != nil {
		return nil, err
	}
	if r.Failed {
		for _, d := range r.Diagnostics {
			if d.Severity == engine.SevError {
				return nil, errors.New(d.String())
			}
		}
		return nil, errors.New("the scripts have an error; the old ones stay")
	}
	return append([]string{r.Changes}, s.notesLocked()...), nil
}

// runVersion checks a version here and lets the loop apply it between two ticks. changing is held.
func (s *server) runVersion(ctx context.Context, what []string, p *versions.Pending, media Media) (Reloaded, error) {
	s.Game.Check(p.Scripts, media)
	var r Reloaded // the turn may still come when do returns early, so it must not be read then
	err := s.do(ctx, func() error {
		r = s.Game.Reload(p.Scripts, media, p.Back())
		s.tell(what, r)
		return nil
	})
	if err != nil {
		return Reloaded{Failed: true}, err
	}
	if !r.Failed {
		s.versions.Commit(*p)
	}
	s.note(what, r)
	return r, nil
}

// note remembers an attempt to reload; changing is held.
func (s *server) note(what []string, r Reloaded) {
	a := versions.Attempt{
		Time: float64(time.Now().UnixMilli()) / 1e3, What: strings.Join(what, " "), Failed: r.Failed, Changes: r.Changes, Actors: r.Actors,
		Seconds: float64(r.Took.Microseconds()) / 1e6, Lines: []string{},
	}
	for i, d := range r.Diagnostics {
		if i == maxShown {
			a.Lines = append(a.Lines, fmt.Sprintf("%d more", len(r.Diagnostics)-i))
			break
		}
		a.Lines = append(a.Lines, d.String())
	}
	a.Lines = append(a.Lines, r.Notes...)
	s.versions.Note(a)
}

// report describes the history of what ran.
func (s *server) report() versions.Report {
	s.changing.Lock()
	defer s.changing.Unlock()
	return s.versions.Report()
}

// notes returns lines about what runs and is not in the files; nil if there is nothing.
func (s *server) notes() []string {
	s.changing.Lock()
	defer s.changing.Unlock()
	return s.notesLocked()
}

// notesLocked is notes while changing is held.
func (s *server) notesLocked() (out []string) {
	var tuned []string
	for _, t := range s.versions.Tuned() {
		tuned = append(tuned, t.String())
	}
	if len(tuned) > 0 {
		out = append(out, "set, and not in the files: "+strings.Join(tuned, ", ")+" (write, unset)")
	}
	if n := s.versions.Undone(); n > 0 {
		what := "changes"
		if n == 1 {
			what = "change"
		}
		out = append(out, fmt.Sprintf("%d %s undone (redo)", n, what))
	}
	if list := s.versions.Differences(); len(list) > 0 {
		out = append(out, "the scripts that run are not those of the files: "+shownPaths(list))
	}
	return out
}

// maxPaths bounds the files that a line names.
const maxPaths = 5

func shownPaths(list []string) string {
	if n := len(list) - maxPaths; n > 0 {
		return strings.Join(list[:maxPaths], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(list, ", ")
}

func (s *server) history() (out []string) {
	s.changing.Lock()
	defer s.changing.Unlock()
	why, at := s.versions.History()
	for i, w := range why {
		mark := "  "
		if i == at {
			mark = "> "
		}
		out = append(out, mark+w)
	}
	return append(out, s.notesLocked()...)
}

// tuned lists what is set, for completion.
func (s *server) tuned() (out []string) {
	s.changing.Lock()
	defer s.changing.Unlock()
	for _, t := range s.versions.Tuned() {
		out = append(out, t.Class+"."+t.Variable)
	}
	return out
}

// variables lists all variables of classes, for completion.
func (s *server) variables([]string) (out []string) {
	ctx, cancel := context.WithTimeout(context.Background(), completeWithin)
	defer cancel()
	got := make(chan []string, 1)
	if s.do(ctx, func() error { got <- s.Game.Variables(); return nil }) != nil {
		return nil
	}
	return <-got
}

// write writes the tuned defaults into the files as they are on disk, and runs them: also where nobody watches the files, what is set is
// no more than what they say.
func (s *server) write(ctx context.Context) (out []string, err error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	defer func() {
		if len(out) > 0 {
			s.reloadLocked(ctx, change{what: []string{"(write)"}, scripts: true})
		}
	}()
	tuned := s.versions.Tuned()
	if len(tuned) == 0 {
		return nil, errors.New("nothing is set; all defaults are what the files say")
	}
	texts, files := map[string]string{}, map[string]assets.Script{}
	var paths []string
	for _, t := range tuned { // all are checked before the first is written
		f, err := s.fileOf(t.Path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t, err)
		}
		text, ok := texts[t.Path]
		if !ok {
			b, err := os.ReadFile(f.File)
			if err != nil {
				return nil, err
			}
			text = string(b)
			paths, files[t.Path] = append(paths, t.Path), f
		}
		if texts[t.Path], err = classfile.EditDefault(classfile.Source{Path: t.Path, Text: text}, t.Class, t.Variable, t.Value); err != nil {
			return nil, err
		}
	}
	for _, path := range paths {
		if err := replaceFile(files[path].File, texts[path]); err != nil {
			return out, err
		}
		out = append(out, "wrote "+path)
	}
	return out, nil
}

// fileOf returns the file of a path as it runs.
func (s *server) fileOf(path string) (assets.Script, error) {
	for _, f := range s.versions.Running() {
		if f.Path == path {
			if f.File == "" {
				return f, fmt.Errorf("%s is compiled into this program; start the host in a checkout, or copy the file to scripts/%s first", path, f.Place)
			}
			return f, nil
		}
	}
	return assets.Script{}, fmt.Errorf("there is no file %s", path)
}

// revert writes the running texts into the files that differ, which are what runs then.
func (s *server) revert(ctx context.Context) (out []string, err error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	written := false
	defer func() {
		if written {
			s.reloadLocked(ctx, change{what: []string{"(revert --write)"}, scripts: true})
		}
	}()
	list := s.versions.Differences()
	if len(list) == 0 {
		return nil, errors.New("the files are what runs; there is nothing to revert")
	}
	running := map[string]assets.Script{}
	for _, f := range s.versions.Running() {
		running[f.Path] = f
	}
	for _, path := range list {
		f, ok := running[path]
		if !ok {
			out = append(out, path+" does not run; remove it by hand if it is to stay away")
			continue
		}
		if f.File == "" {
			return out, fmt.Errorf("%s is compiled into this program and cannot be written", path)
		}
		kept, err := keep(f.File)
		if err != nil {
			return out, err
		}
		if err := replaceFile(f.File, f.Text); err != nil {
			return out, err
		}
		written = true
		out = append(out, "wrote "+path+kept)
	}
	return out, nil
}

// keep copies a file beside itself, and says where; a file that is gone needs no copy.
func keep(file string) (said string, err error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		to := file + ".before-revert"
		if n > 1 {
			to += "-" + strconv.Itoa(n)
		}
		f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(b)
		return "; the replaced text is in " + filepath.Base(to), errors.Join(err, f.Close())
	}
}

// replaceFile writes a file all at once, with the mode that it had: a program that reads it meanwhile gets one text or the other,
// and a full disk leaves the old one.
func replaceFile(file, text string) error {
	mode := os.FileMode(0o644)
	if st, err := os.Stat(file); err == nil {
		mode = st.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".tidelock-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
