package scriptvm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// TestConditionsOfTheScriptsAreCompiled: nothing in scripts/ needs the VM for a condition (R5.6).
func TestConditionsOfTheScriptsAreCompiled(t *testing.T) {
	var sources []classfile.Source
	err := filepath.WalkDir("../scripts", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".lua") {
			return err
		}
		text, err := os.ReadFile(path)
		src := classfile.Source{Path: path, Text: string(text)}
		if filepath.Base(filepath.Dir(path)) == "lib" {
			src.Lib = "lib." + strings.TrimSuffix(filepath.Base(path), ".lua")
		}
		sources = append(sources, src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	v := New(Options{Report: func(r Report) { t.Error(r) }})
	defer v.Close()
	if d := v.Load(sources); v.Classes() == nil {
		t.Fatal(d)
	}
	w := engine.NewWorld(engine.Config{Classes: v.Classes(), Script: v})
	v.Bind(w)
	rules := 0
	for _, c := range v.Classes().All() {
		if c.IsComponent() {
			continue
		}
		a, err := w.Spawn(c, engine.SpawnParams{})
		if err != nil || a == nil {
			continue // one that ends itself has nothing to send
		}
		for _, p := range c.Replicated {
			rules++
			v.Condition(p.Rule, a, engine.ConnBits{Initial: true})
		}
	}
	if rules == 0 {
		t.Fatal("no rules were tried")
	}
	if n := v.Stats().Conditions; n != 0 {
		t.Errorf("the VM was entered %d times for conditions of scripts/", n)
	}
}

// TestConditionsInTheVM: what cannot be compiled is asked of the VM, which knows the connection, and leaves no
// trace.
func TestConditionsInTheVM(t *testing.T) {
	b := newBench(t, `
local A = class("A", "Actor")
A.properties { N = int(1), M = int(2) }
A.replication {
	{ "N", when = function(self) return self.bNetOwner and ("x" .. self.N) == "x1" and self.RemoteRole == ROLE_AutonomousProxy end },
}
`)
	a := b.spawn("A")
	r := a.Class.Property("N").Rule
	if r.Cond.Native() {
		t.Skip("this condition is compiled by now; take one that is not")
	}
	owner := engine.ConnBits{Owner: true, RemoteRole: engine.RoleAutonomousProxy}
	if !b.v.Condition(r, a, owner) {
		t.Error("the owner is refused")
	}
	if b.v.Condition(r, a, engine.ConnBits{RemoteRole: engine.RoleSimulatedProxy}) {
		t.Error("another is let through")
	}
	if err := a.Set(a.Class.Property("N"), engine.Int(2)); err != nil {
		t.Fatal(err)
	}
	b.v.Changed(a, a.Class.Property("N"))
	if b.v.Condition(r, a, owner) {
		t.Error("the variable is not read")
	}
	if n := b.v.Stats().Conditions; n != 3 {
		t.Errorf("counted %d entries of 3", n)
	}
	b.clean()
}
