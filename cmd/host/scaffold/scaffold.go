// Package scaffold writes starting files: a class that shows the conventions of classes, and a scenario that
// runs.
//
// It owns the form of these files and the rules for their names. It reads from a [reference.Model] what a class
// may override and which variables it inherits, so that the file fits its parent. It never overwrites: if the
// file exists there is an error.
//
//	file, err := scaffold.Class(model, "Beacon", "Pickup")
//	err = scaffold.Write("scripts/Beacon.lua", file)
//
// Guarantees: Never overwrites.
package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/reference"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

const (
	// maxName bounds a name, in bytes: longer ones would be cut in tables of the inspector.
	maxName = 60
	// maxDefaults and maxOthers are how many inherited variables and functions a new class lists: few enough to
	// read.
	maxDefaults, maxOthers = 5, 8
)

var (
	className    = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	scenarioName = regexp.MustCompile(`^[a-z0-9][a-z0-9_]*$`)
)

// Class returns the text of a new class file.
func Class(m *reference.Model, name, parent string) (string, error) {
	if !className.MatchString(name) || len(name) > maxName {
		return "", fmt.Errorf("class name %q: begin with a capital, then letters and digits, at most %d: RocketLauncher", name, maxName)
	}
	parent = engine.CanonicalClass(parent)
	var names []string
	byName := map[string]*reference.Class{}
	for i := range m.Classes {
		names = append(names, m.Classes[i].Name)
		byName[m.Classes[i].Name] = &m.Classes[i]
	}
	if c := byName[name]; c != nil {
		return "", fmt.Errorf("class %s already exists: %s:%d; choose another name, or extend it with --extends %s", name, c.File, c.Line, name)
	}
	p := byName[parent]
	if p == nil {
		return "", fmt.Errorf("--extends %s: no such class%s", parent, engine.Nearest(parent, names))
	}
	w := &writer{name: name, model: m}
	for c := p; c != nil; c = byName[c.Parent] {
		w.chain = append(w.chain, c)
	}
	return w.class(), nil
}

// writer writes one class.
type writer struct {
	strings.Builder
	name  string
	model *reference.Model
	chain []*reference.Class // the parent, its parent, …
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

func (w *writer) isA(class string) bool {
	for _, c := range w.chain {
		if c.Name == class {
			return true
		}
	}
	return false
}

// plain reports whether the parent is Actor itself: then the example has behaviour of its own.
func (w *writer) plain() bool { return w.chain[0].Name == "Actor" }

func (w *writer) class() string {
	parent := w.chain[0].Name
	w.line("-- %s: say in a sentence what it is for and where it is used.", w.name)
	if w.chain[0].Parent == "" && parent == "Actor" {
		w.line("local %s = class(%q)", w.name, w.name)
	} else {
		w.line("local %s = class(%q, %q)", w.name, w.name, parent)
	}
	w.line("")
	w.line("%s.properties {", w.name)
	own := w.property()
	w.line("\t%s = int(3, { min = 0, max = 100 }), -- how often it can be used", own)
	w.line("}")
	w.line("")
	w.defaults()
	if !w.isA("GameInfo") && !w.isA("AIController") { // these exist only on the server
		w.line("%s.replication {", w.name)
		w.line("\t{ %q }, -- to every client, whenever it changed", own)
		w.line("}")
		w.line("")
	}
	w.begin()
	if w.plain() {
		w.line("-- Another actor begins to overlap; on the server.")
		w.line("function %s:Touch(other)", w.name)
		w.line("\tif self.%s > 0 then", own)
		w.line("\t\tself.%s = self.%s - 1", own, own)
		w.line("\t\tself:Log(\"touched by\", other, \"charges left:\", self.%s)", own)
		w.line("\tend")
		w.line("end")
		w.line("")
	}
	w.overrides()
	w.line("return %s", w.name)
	return w.String()
}

// property returns a name for the example's variable that no parent uses.
func (w *writer) property() string {
	taken := map[string]bool{}
	for _, c := range w.chain {
		for _, p := range c.Properties {
			taken[p.Name] = true
		}
	}
	for _, name := range []string{"Charges", "Uses", "Stock"} {
		if !taken[name] {
			return name
		}
	}
	return w.name + "Charges"
}

func (w *writer) defaults() {
	var lines []string
	if w.plain() {
		lines = append(lines, "bCollideActors = true, -- it can be touched")
	}
	seen := map[string]bool{}
	for _, c := range w.chain {
		for _, p := range c.Properties {
			if len(lines) < maxDefaults && !seen[p.Name] && p.Default != "" && p.Default != "nil" && p.Doc != "" {
				lines = append(lines, fmt.Sprintf("-- %s = %s, -- %s", p.Name, w.defaultOf(p), oneLine(p.Doc)))
			}
			seen[p.Name] = true
		}
	}
	if len(lines) == 0 {
		return
	}
	w.line("%s.defaults {", w.name)
	if !w.plain() {
		w.line("\t-- Inherited variables with the values they have; take the dashes off where yours differs.")
	}
	for _, l := range lines {
		w.line("\t%s", l)
	}
	w.line("}")
	w.line("")
}

// defaultOf returns the nearest default of an inherited variable.
func (w *writer) defaultOf(p reference.Property) string {
	for _, c := range w.chain {
		for _, d := range c.Defaults {
			if d.Name == p.Name && d.Default != "" {
				return d.Default
			}
		}
	}
	return p.Default
}

// find returns the nearest definition of a function, or nil.
func (w *writer) find(name string) *reference.Method {
	for _, c := range w.chain {
		for i := range c.Functions {
			if c.Functions[i].Name == name {
				return &c.Functions[i]
			}
		}
	}
	return nil
}

func (w *writer) begin() {
	spec := ""
	where := "on the server"
	if f := w.find("BeginPlay"); f != nil && f.Simulated {
		spec, where = ".simulated", "on every peer"
	}
	what := "The actor begins"
	if w.isA("ActorComponent") {
		what = "The component's actor begins"
	}
	w.line("-- %s; %s.", what, where)
	w.line("function %s%s:BeginPlay()", w.name, spec)
	w.line("\t%s.super.BeginPlay(self)", w.name)
	w.line("end")
	w.line("")
}

// overrides writes the parent's first useful function as an override, and lists the names of others. Functions
// that take part in a player's moves are left out: they need the declarations that docs/movement.md describes.
func (w *writer) overrides() {
	var others []string
	written := w.plain()
	seen := map[string]bool{"BeginPlay": true, "ReplicatedEvent": true}
	for _, c := range w.chain {
		for _, f := range c.Functions {
			if seen[f.Name] || f.Kind != "" || !w.isA("Pawn") && slices.Contains(classfile.MoveFunctions(), f.Name) || strings.HasPrefix(f.Name, "OnRep_") {
				continue
			}
			seen[f.Name] = true
			args := make([]string, len(f.Params))
			named := true
			for i, p := range f.Params {
				args[i] = p.Name
				named = named && !strings.HasPrefix(p.Name, "_") && p.Name != "..."
			}
			if !written && named && f.Doc != "" {
				written = true
				w.override(&f, args)
				continue
			}
			for i := range args {
				if strings.HasPrefix(args[i], "_") {
					args[i] = "…" // the parent does not use the argument and gives it no name
				}
			}
			others = append(others, fmt.Sprintf("%s(%s)", f.Name, strings.Join(args, ", ")))
		}
	}
	if len(others) == 0 {
		return
	}
	more := ""
	if len(others) > maxOthers {
		others, more = others[:maxOthers], " and more"
	}
	w.line("%s", wrap("-- Also there to override: "+strings.Join(others, ", ")+more+".", "-- "))
	w.line("")
}

func (w *writer) override(f *reference.Method, args []string) {
	w.line("-- %s", strings.ReplaceAll(f.Doc, "\n", "\n-- "))
	spec := ""
	if f.Simulated {
		spec = ".simulated"
	}
	w.line("function %s%s:%s(%s)", w.name, spec, f.Name, strings.Join(args, ", "))
	w.line("\treturn %s.super.%s(%s)", w.name, f.Name, strings.Join(append([]string{"self"}, args...), ", "))
	w.line("end")
	w.line("")
}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }

// wrap breaks a comment at 100 columns.
func wrap(s, lead string) string {
	const width = 100
	var out []string
	for len(s) > width {
		i := strings.LastIndex(s[:width], " ")
		if i <= len(lead) {
			break
		}
		out = append(out, s[:i])
		s = lead + s[i+1:]
	}
	return strings.Join(append(out, s), "\n")
}

// Scenario returns the text of a new scenario file.
func Scenario(name string) (string, error) {
	if !scenarioName.MatchString(name) || len(name) > maxName {
		return "", fmt.Errorf("scenario name %q: small letters, digits and _, at most %d: rocket_hits_wall", name, maxName)
	}
	return fmt.Sprintf(`-- %s: say what these scenarios hold the game to. Each runs in a fresh world on a virtual clock.
scenario("%s: an actor stays where nothing moves it", function(t)
	local s = t:server { level = "flat", game = "GameInfo" }
	local a = s:spawn("Actor", { Location = vector(0, 0, 200) })
	t:run(1) -- seconds of the world's time
	t:ok(a.alive)
	t:near(a.Location, vector(0, 0, 200), 0.1)
end)
`, name, strings.ReplaceAll(name, "_", " ")), nil
}

// ExistsError says that a file already exists.
type ExistsError struct{ Path string }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s already exists and was not changed; choose another name or remove it first", filepath.ToSlash(e.Path))
}

// Write creates a file, and its folder; it never overwrites.
func Write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return &ExistsError{path}
	}
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		_ = f.Close() // the first error is the one to report
		return err
	}
	return f.Close()
}
