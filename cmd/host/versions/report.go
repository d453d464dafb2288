package versions

import (
	"slices"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/assets"
)

// keptAttempts bounds the attempts that are remembered; the oldest is forgotten first.
const keptAttempts = 100

// Change is a version, and how it differs from the one before it.
type Change struct {
	// Number counts the versions of this host, from 1. It stays, however often the version is left and comes back.
	Number int `json:"number"`
	// Why is what made it; Runs says that it is the one that runs.
	Why  string `json:"why"`
	Runs bool   `json:"runs"`
	// Files are those whose texts differ, sorted by path; none for the first.
	Files []Difference `json:"files"`
}

// Attempt is one try to make scripts or media run.
type Attempt struct {
	// Time is in seconds since 1970.
	Time float64 `json:"time"`
	// What is the files, or a command in parentheses; Version the number of the version that ran after it.
	What    string `json:"what"`
	Version int    `json:"version"`
	// Failed says that what ran before stayed. Changes is what changed, for Actors living actors; Seconds is how long the world stood for it.
	Failed  bool    `json:"failed"`
	Changes string  `json:"changes"`
	Actors  int     `json:"actors"`
	Seconds float64 `json:"seconds"`
	// Lines are errors, warnings and notes.
	Lines []string `json:"lines"`
}

// Report is the history of what ran.
type Report struct {
	// Versions are those that undo and redo go through, the oldest first.
	Versions []Change `json:"versions"`
	// Attempts are the latest, the oldest first.
	Attempts []Attempt `json:"attempts"`
	// Differences are the paths of files that are not what runs.
	Differences []string `json:"differences"`
}

// Note remembers an attempt, which made the present version run or left it.
func (v *Versions) Note(a Attempt) {
	a.Version = v.list[v.at].number
	if len(v.attempts) == keptAttempts {
		v.attempts = slices.Delete(v.attempts, 0, 1)
	}
	v.attempts = append(v.attempts, a)
}

// Report describes the history.
func (v *Versions) Report() Report {
	r := Report{Versions: []Change{}, Attempts: slices.Clone(v.attempts), Differences: v.Differences()}
	var before []assets.Script
	for i, x := range v.list {
		c := Change{Number: x.number, Why: x.why, Runs: i == v.at, Files: []Difference{}}
		now := x.files
		if p, err := pending(x); err == nil { // it was made of the same texts before
			now = p.Scripts
		}
		if i > 0 {
			c.Files = differences(before, now)
		}
		before = now
		r.Versions = append(r.Versions, c)
	}
	return r
}

// differences compares two sets of texts.
func differences(before, now []assets.Script) []Difference {
	out := []Difference{}
	old := make(map[string]string, len(before))
	for _, s := range before {
		old[s.Path] = s.Text
	}
	for _, s := range now {
		if text, ok := old[s.Path]; !ok || text != s.Text {
			out = append(out, Diff(s.Path, text, s.Text))
		}
		delete(old, s.Path)
	}
	for path, text := range old { // any order: sorted below
		out = append(out, Diff(path, text, ""))
	}
	slices.SortFunc(out, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return out
}
