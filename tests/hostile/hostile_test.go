//go:build unix

package hostile

import (
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/assets/assetstest"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// What the suite must have at least.
const leastAttacks, leastKinds = 120, 12

// TestAttackFiles: every file is in order, there are enough, of every kind one is run by .ci/run, and what a script tries passes
// the checks of loading: else nothing of it would be tried.
func TestAttackFiles(t *testing.T) {
	attacks, err := readAttacks()
	if err != nil {
		t.Error(err)
	}
	ofKind, inCI := map[string]int{}, map[string]int{}
	names := map[string]string{}
	for _, a := range attacks {
		ofKind[a.kind]++
		if a.ci {
			inCI[a.kind]++
		}
		if before := names[a.name]; before != "" {
			t.Errorf("%v: %s has the same name; mods are told apart by it", a, before)
		}
		names[a.name] = a.String()
	}
	for k := range kinds {
		if ofKind[k] == 0 || inCI[k] != 1 {
			t.Errorf("%d attacks of the kind %q, of which .ci/run runs %d; expected one that it runs (ci)", ofKind[k], k, inCI[k])
		}
	}
	if len(attacks) < leastAttacks || len(ofKind) < leastKinds {
		t.Errorf("%d attacks of %d kinds; expected at least %d of %d", len(attacks), len(ofKind), leastAttacks, leastKinds)
	}
	t.Logf("%d attacks: %v", len(attacks), ofKind)

	_, base := assetstest.Open(t, assets.Options{Scripts: []string{"stage"}})
	cache := classfile.NewCache(scriptvm.Natives())
	for _, a := range attacks {
		if !a.script() || a.refused || a.late || a.kind == "mods" {
			continue
		}
		v := scriptvm.New(scriptvm.Options{Cache: cache})
		diags := v.Load(withMod(base, a))
		v.Close()
		for _, d := range diags {
			if d.Severity == engine.SevError {
				t.Errorf("%v: does not load: %v", a, d)
			}
		}
	}
}

// withMod adds an attack's files to those of the game, of which they may replace some.
func withMod(base []classfile.Source, a *attack) []classfile.Source {
	var out []classfile.Source
	for _, s := range base {
		if _, replaced := a.files[trimRoot(s.Path)]; !replaced {
			out = append(out, s)
		}
	}
	for name, text := range a.files {
		s := classfile.Source{Path: "extra/scripts/mods/" + a.name + "/" + name, Text: text}
		s.Lib = libName(name)
		out = append(out, s)
	}
	return out
}

// TestAttacks runs them against the program (see the package's comment).
func TestAttacks(t *testing.T) {
	if !wanted() {
		t.Skip("takes minutes; TIDELOCK_CI=1 or -attacks asks for it")
	}
	attacks, err := readAttacks()
	if err != nil {
		t.Fatal(err)
	}
	var list []*attack
	for _, a := range attacks {
		if chosen(t, a) {
			list = append(list, a)
		}
	}
	for _, g := range groups(list, *attacksFlag == "") {
		name := g[0].String()
		if len(g) > 1 {
			name += "+"
		}
		t.Run(name, func(t *testing.T) { play(t, g) })
	}
}
