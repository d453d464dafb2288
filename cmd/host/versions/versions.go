// Package versions keeps the sets of scripts that a host has run, and the defaults that were tuned on top of the files.
// The commands `set`, `unset`, `undo` and `redo` go through them.
//
// A version is the texts of files and a list of tuned defaults. What runs is the files' texts with the tuned defaults
// edited into them (classfile.EditDefault), so that clients, who fetch the texts, have the same. A version is made
// before it runs, by a Versions method that returns the texts to run, and counts once Commit says that they run.
//
// It deliberately does not: read or write files, reload anything, or have a goroutine. It is not for several
// goroutines.
//
// Guarantees: What runs is the files' texts with these edits, so that clients fetch the same; it reads and writes no
// files.
package versions

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// Kept is how many versions before the present one can be brought back.
const Kept = 20

// Tuned is a default that was set on top of the files.
type Tuned struct {
	Class, Variable string
	// Value is Lua, as it was typed.
	Value string
	// Path is that of the file that declares the class.
	Path string
}

// String returns the tuned default as it is typed: "Rocket.Speed = 900".
func (t Tuned) String() string { return t.Class + "." + t.Variable + " = " + t.Value }

// version is one set of scripts.
type version struct {
	files  []assets.Script // as read
	tuned  []Tuned         // in the order in which they were set first
	why    string
	number int // Change.Number
}

// Pending is a version that does not run yet.
type Pending struct {
	// Scripts are the texts to run, sorted as the files are.
	Scripts []assets.Script
	// Why says what it is: "set Rocket.Speed = 900", "undo of …".
	Why string
	// Dropped are tuned defaults that no longer fit the files, each with why.
	Dropped []error

	next  version
	at    int // the new place, where it is one that was kept
	moves bool
}

// Back reports whether the version ran before.
func (p *Pending) Back() bool { return p.moves }

// Versions are the versions of one host. The zero value is not usable, see [New].
type Versions struct {
	list     []version       // the oldest first, at most Kept+1 before at and as many after
	at       int             // the one that runs
	read     []assets.Script // as last read from the folders
	last     int             // number of the newest
	attempts []Attempt       // the latest
}

// New begins with the scripts that run.
func New(files []assets.Script) *Versions {
	return &Versions{list: []version{{files: files, why: "start", number: 1}}, last: 1, read: files}
}

// Tuned lists the tuned defaults that run.
func (v *Versions) Tuned() []Tuned { return slices.Clone(v.list[v.at].tuned) }

// Undone returns how many versions `redo` can bring back.
func (v *Versions) Undone() int { return len(v.list) - 1 - v.at }

// History lists what made the versions, the oldest first, and the place of the one that runs.
func (v *Versions) History() (why []string, at int) {
	for _, x := range v.list {
		why = append(why, x.why)
	}
	return why, v.at
}

// Read is a set that was read from the folders: it runs with the tuned defaults on top. One that the files have themselves
// by now is no longer tuned, and neither is one that no longer fits them.
func (v *Versions) Read(files []assets.Script, why string) Pending {
	p := Pending{Why: why, next: version{files: files, why: why}}
	texts := slices.Clone(files)
	for _, t := range v.list[v.at].tuned {
		i := fileOf(texts, t.Path)
		if i < 0 {
			p.Dropped = append(p.Dropped, fmt.Errorf("%s: its file %s is gone", t, t.Path))
			continue
		}
		text, err := classfile.EditDefault(source(texts[i]), t.Class, t.Variable, t.Value)
		switch {
		case err != nil:
			p.Dropped = append(p.Dropped, fmt.Errorf("%s: %w", t, err))
		case text != texts[i].Text:
			texts[i].Text = text
			p.next.tuned = append(p.next.tuned, t)
		}
	}
	p.Scripts = texts
	return p
}

// Set tunes a default, or changes one that is tuned.
func (v *Versions) Set(t Tuned) (Pending, error) {
	now := v.list[v.at]
	next := version{files: now.files, tuned: slices.Clone(now.tuned), why: "set " + t.String()}
	if i := next.index(t); i >= 0 {
		next.tuned[i] = t
	} else {
		next.tuned = append(next.tuned, t)
	}
	return pending(next)
}

// Unset takes a tuned default back, or all of them where class is "".
func (v *Versions) Unset(class, variable string) (Pending, error) {
	now := v.list[v.at]
	next := version{files: now.files, why: "unset"}
	if class != "" {
		i := now.index(Tuned{Class: class, Variable: variable})
		if i < 0 {
			return Pending{}, fmt.Errorf("%s.%s is not set; it is what its file says", class, variable)
		}
		next.tuned = slices.Delete(slices.Clone(now.tuned), i, i+1)
		next.why += " " + class + "." + variable
	} else if len(now.tuned) == 0 {
		return Pending{}, errors.New("nothing is set; all defaults are what the files say")
	}
	return pending(next)
}

// Step goes n versions back, or forward where n is negative.
func (v *Versions) Step(n int) (Pending, error) {
	to := v.at - n
	switch {
	case to < 0:
		return Pending{}, fmt.Errorf("there is no version so far back; %d can be undone", v.at)
	case to >= len(v.list):
		return Pending{}, fmt.Errorf("there is no version to go forward to; %d were undone", v.Undone())
	}
	p, err := pending(v.list[to])
	p.at, p.moves = to, true
	p.Why = "undo of " + v.list[v.at].why
	if n < 0 {
		p.Why = "redo of " + v.list[to].why
	}
	return p, err
}

// Commit says that a version runs. One that is what ran before is no version of its own: there is nothing to undo, and what was undone
// can still be redone.
func (v *Versions) Commit(p Pending) {
	if p.moves {
		v.at = p.at
		return
	}
	if now := &v.list[v.at]; slices.Equal(now.files, p.next.files) && slices.Equal(now.tuned, p.next.tuned) {
		return
	}
	v.last++
	p.next.number = v.last
	v.list = append(v.list[:v.at+1:v.at+1], p.next)
	if surplus := len(v.list) - 1 - Kept; surplus > 0 {
		v.list = slices.Delete(v.list, 0, surplus)
	}
	v.at = len(v.list) - 1
}

// Files notes what the folders hold, whether it runs or not.
func (v *Versions) Files(files []assets.Script) { v.read = files }

// Differences returns the paths of files whose text is not what runs: because a default is tuned, because something was
// undone, or because the newest files have an error.
func (v *Versions) Differences() (paths []string) {
	runs := v.Running()
	for _, s := range runs {
		if i := fileOf(v.read, s.Path); i < 0 || v.read[i].Text != s.Text {
			paths = append(paths, s.Path)
		}
	}
	for _, s := range v.read {
		if fileOf(runs, s.Path) < 0 {
			paths = append(paths, s.Path)
		}
	}
	slices.Sort(paths)
	return paths
}

// Running returns the texts that run.
func (v *Versions) Running() []assets.Script {
	p, err := pending(v.list[v.at])
	if err != nil {
		panic("versions: what runs can no longer be made: " + err.Error()) // it was made of the same texts before
	}
	return p.Scripts
}

// pending edits the tuned defaults into the texts of a version.
func pending(x version) (Pending, error) {
	texts := slices.Clone(x.files)
	for _, t := range x.tuned {
		i := fileOf(texts, t.Path)
		if i < 0 {
			return Pending{}, fmt.Errorf("%s: there is no file %s", t, t.Path)
		}
		text, err := classfile.EditDefault(source(texts[i]), t.Class, t.Variable, t.Value)
		if err != nil {
			return Pending{}, err
		}
		texts[i].Text = text
	}
	return Pending{Scripts: texts, Why: x.why, next: x}, nil
}

func (x *version) index(t Tuned) int {
	return slices.IndexFunc(x.tuned, func(o Tuned) bool { return o.Class == t.Class && o.Variable == t.Variable })
}

func fileOf(list []assets.Script, path string) int {
	return slices.IndexFunc(list, func(s assets.Script) bool { return s.Path == path })
}

func source(s assets.Script) classfile.Source { return classfile.Source{Path: s.Path, Text: s.Text} }
