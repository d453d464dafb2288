package reference_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/reference"
	"github.com/tidelock/tidelock/engine/level"
)

// What stands in docs/trenchbroom is what `host fgd` would write now.
func TestEditorFilesAreFresh(t *testing.T) {
	for name, want := range load(t).Editor() {
		file := filepath.Join(root, "docs", "trenchbroom", filepath.FromSlash(name))
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/trenchbroom/%s is stale; run: go test ./cmd/host/reference -update\n%s", name, firstDifference(got, want))
		}
	}
}

// entity is what an editor knows of a class.
type entity struct {
	kind, base string
	keys       map[string]string // types by name
}

// fgdReader reads entity definitions as TrenchBroom's FgdParser does, and is stricter: what that warns of fails here.
type fgdReader struct {
	t      *testing.T
	tokens []string
	defs   map[string]*entity
	list   []string
}

var fgdToken = regexp.MustCompile(`(?m)//.*$|"[^"\n]*"|[()\[\]=,:]|[^\s()\[\]=,:"]+`)

func readFGD(t *testing.T, text []byte) *fgdReader {
	t.Helper()
	r := &fgdReader{t: t, defs: map[string]*entity{}}
	for _, tok := range fgdToken.FindAllString(string(text), -1) {
		if !strings.HasPrefix(tok, "//") {
			r.tokens = append(r.tokens, tok)
		}
	}
	for len(r.tokens) > 0 {
		r.class()
	}
	return r
}

func (r *fgdReader) peek() string {
	if len(r.tokens) == 0 {
		return ""
	}
	return r.tokens[0]
}

func (r *fgdReader) next() string {
	s := r.peek()
	if s == "" {
		r.t.Fatal("the file ends early")
	}
	r.tokens = r.tokens[1:]
	return s
}

func (r *fgdReader) want(s string) {
	r.t.Helper()
	if got := r.next(); got != s {
		r.t.Fatalf("found %s, expected %s, before %v", got, s, r.tokens[:min(8, len(r.tokens))])
	}
}

func (r *fgdReader) text() string {
	r.t.Helper()
	s := r.next()
	if !strings.HasPrefix(s, `"`) {
		r.t.Fatalf("found %s, expected a string, before %v", s, r.tokens[:min(8, len(r.tokens))])
	}
	return strings.Trim(s, `"`)
}

func (r *fgdReader) class() {
	e := &entity{kind: r.next(), keys: map[string]string{}}
	switch e.kind {
	case "@BaseClass", "@PointClass", "@SolidClass":
	default:
		r.t.Fatalf("unknown kind of class %s", e.kind)
	}
	for r.peek() != "=" {
		what := r.next()
		r.want("(")
		var in []string
		for r.peek() != ")" {
			in = append(in, r.next())
		}
		r.want(")")
		switch {
		case what == "base" && len(in) == 1 && r.defs[in[0]] != nil:
			e.base = in[0]
		case what == "size" && len(in) == 7 && in[3] == "," && e.kind == "@PointClass":
			for i := range 3 {
				lo, _ := strconv.Atoi(in[i])
				if hi, _ := strconv.Atoi(in[i+4]); lo >= hi {
					r.t.Errorf("size%v", in)
				}
			}
		case what == "color" && len(in) == 3:
		default:
			r.t.Fatalf("%s %v", what, in)
		}
	}
	r.want("=")
	name := r.next()
	if r.defs[name] != nil {
		r.t.Fatalf("%s stands there twice", name)
	}
	if r.peek() == ":" {
		r.next()
		r.text()
	}
	r.want("[")
	for r.peek() != "]" {
		r.key(name, e)
	}
	r.want("]")
	r.defs[name] = e
	r.list = append(r.list, name)
}

func (r *fgdReader) key(class string, e *entity) {
	name := r.next()
	r.want("(")
	kind := r.next()
	r.want(")")
	if e.keys[name] != "" {
		r.t.Errorf("%s has the key %s twice", class, name)
	}
	e.keys[name] = kind
	r.want(":")
	r.text()
	r.want(":")
	def := ""
	if r.peek() != ":" {
		def = r.next()
	}
	if def != "" {
		_, err := strconv.ParseFloat(strings.Trim(def, `"`), 64)
		_, whole := strconv.Atoi(def)
		said := strings.HasPrefix(def, `"`)
		if kind == "integer" && whole != nil || kind == "float" && (err != nil || !said) || kind == "string" && !said || strings.HasPrefix(kind, "target") {
			r.t.Errorf("%s.%s: a %s with the default %s", class, name, kind, def)
		}
	}
	r.want(":")
	r.text()
	switch kind {
	case "string", "integer", "float", "target_source", "target_destination":
	case "choices":
		r.want("=")
		r.want("[")
		known := def == ""
		for r.peek() != "]" {
			known = r.next() == def || known
			r.want(":")
			r.text()
		}
		r.want("]")
		if !known {
			r.t.Errorf("%s.%s: the default %s is none of the choices", class, name, def)
		}
	default:
		r.t.Errorf("%s.%s: no type %s", class, name, kind)
	}
}

// has reports whether an entity has a key, by itself or by what it descends from.
func (r *fgdReader) has(e *entity, key string) bool {
	for ; e != nil; e = r.defs[e.base] {
		if e.keys[key] != "" {
			return true
		}
	}
	return false
}

// The editor can read the file, and knows every entity and key of the levels that come with the host, with brushes where
// they have some.
func TestEditorKnowsTheLevels(t *testing.T) {
	files := load(t).Editor()
	r := readFGD(t, files[reference.EditorFolder+"/Tidelock.fgd"])
	if len(r.list) < 20 {
		t.Fatalf("only %v", r.list)
	}
	for _, name := range []string{"GameInfo", "Rocket", "PlayerController", "Rifle", "Spark", "Explosion", "GameReplicationInfo", "Actor"} {
		if r.defs[name] != nil {
			t.Errorf("%s cannot be placed in a level", name)
		}
	}
	maps, err := filepath.Glob(filepath.Join(root, "content", "levels", "*.map"))
	if err != nil || len(maps) == 0 {
		t.Fatal(err, "no levels")
	}
	for _, file := range maps {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lv, err := level.Parse(filepath.Base(file), src, level.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range lv.World {
			if k.Name != "classname" && !strings.HasPrefix(k.Name, "_") && !r.has(r.defs["worldspawn"], k.Name) {
				t.Errorf("%s: worldspawn has no key %s", file, k.Name)
			}
		}
		for i := range lv.Entities {
			e := &lv.Entities[i]
			d := r.defs[e.ClassName]
			if want := map[bool]string{true: "@SolidClass", false: "@PointClass"}[len(e.Brushes) > 0]; d == nil || d.kind != want {
				t.Errorf("%s:%d: %s is no %s", file, e.Line, e.ClassName, want)
				continue
			}
			for _, k := range e.Keys {
				if k.Name != "classname" && k.Name != "origin" && !strings.HasPrefix(k.Name, "_") && !r.has(d, k.Name) {
					t.Errorf("%s:%d: %s has no key %s", file, k.Line, e.ClassName, k.Name)
				}
			}
		}
	}
}
