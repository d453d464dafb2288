package assets

import (
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/cmd/host/mods"
)

// ModsError says that there are mods that cannot be used.
type ModsError struct{ Problems []*mods.Error }

func (e *ModsError) Error() string {
	text := e.Problems[0].Error()
	if n := len(e.Problems) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more: `host mods` lists them)", n)
	}
	return text
}

// Unwrap returns the first of them.
func (e *ModsError) Unwrap() error { return e.Problems[0] }

// Mods returns the mods of the last scan: the used ones, in their order, then those that are off or broken.
func (a *Assets) Mods() []Mod { return slices.Clone(a.now.Load().mods) }

// Used returns the used mods, in their order: a later one's files replace an earlier one's.
func (a *Assets) Used() []Mod {
	v := a.now.Load()
	return slices.Clone(v.mods[:v.used])
}

// Problems returns why mods, or files of them, were left out at the last scan.
func (a *Assets) Problems() []*mods.Error { return slices.Clone(a.now.Load().problems) }

// Notes returns hints for the operator about mods that are not errors.
func (a *Assets) Notes() []*mods.Error { return slices.Clone(a.now.Load().notes) }

// OwnFiles counts the script files of core and of the game in the last scan, before mods replace any.
func (a *Assets) OwnFiles() (core, game int) {
	v := a.now.Load()
	return v.game[0], v.game[1]
}

// TurnOff sets the mods that are not used from the next scan on.
func (a *Assets) TurnOff(names []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.off = slices.Clone(names)
}

// News is a difference between a scan and the one before.
type News struct {
	Text string
	// Bad is set for an error.
	Bad bool
}

// News returns the differences since the last call, in order.
func (a *Assets) News() []News {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := a.news
	a.news = nil
	return out
}

// newsOf compares two scans; before is nil at the first.
func newsOf(before, now *view) []News {
	if before == nil {
		return nil
	}
	var out []News
	was, is := map[string]*Mod{}, map[string]bool{}
	for i := range before.mods[:before.used] {
		was[before.mods[i].Name] = &before.mods[i]
	}
	for i := range now.mods[:now.used] {
		m := &now.mods[i]
		is[m.Name] = true
		switch old := was[m.Name]; {
		case old == nil:
			out = append(out, News{Text: fmt.Sprintf("mod %s is new, in %s", m.Title(), m.Show)})
		case old.Version != m.Version:
			out = append(out, News{Text: fmt.Sprintf("mod %s: version %s → %s", m.Name, orNone(old.Version), orNone(m.Version))})
		}
	}
	for i := range before.mods[:before.used] {
		if m := &before.mods[i]; !is[m.Name] {
			out = append(out, News{Text: fmt.Sprintf("mod %s is no longer used", m.Title())})
		}
	}
	told := map[string]bool{}
	for _, p := range slices.Concat(before.problems, before.notes) {
		told[p.Error()] = true
	}
	for _, p := range slices.Concat(now.problems, now.notes) {
		if !told[p.Error()] {
			out = append(out, News{Text: p.Error(), Bad: true})
		}
	}
	return out
}

func orNone(version string) string {
	if version == "" {
		return "none"
	}
	return version
}
