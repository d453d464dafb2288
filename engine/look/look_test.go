package look

import (
	"slices"
	"strings"
	"testing"
)

func tree(t *testing.T, in Place, pairs ...any) Tree {
	t.Helper()
	out := Tree{}
	for i := 0; i < len(pairs); i += 2 {
		name := pairs[i].(string)
		k := Find(in, name)
		if k == nil {
			t.Fatalf("no key %s", name)
		}
		v, ok := pairs[i+1].(Value)
		if !ok {
			v = Value{Text: pairs[i+1].(string)}
		}
		out = append(out, Entry{Name: name, Key: k, Value: v})
	}
	out.Sort()
	return out
}

func effects(t *testing.T, pairs ...string) Value {
	t.Helper()
	k := Find(Root, "on")
	out := Tree{}
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, Entry{Name: pairs[i], Key: k, Value: Value{Text: pairs[i+1], Off: pairs[i+1] == ""}})
	}
	out.Sort()
	return Value{Table: out}
}

// A child has its parent's looks but for the keys that it says itself; tables are merged, lists replaced whole.
func TestInheritance(t *testing.T) {
	light := func(pairs ...any) Value { return Value{Table: tree(t, Light, pairs...)} }
	part := func(color string) Tree { return tree(t, Part, "color", color) }
	parent := New(nil, tree(t, Root, "shape", "box", "color", "#111111", "trail", "effects/a.toml",
		"light", light("color", "#222222", "radius", Value{Num: 10}), "parts", Value{List: []Tree{part("#aaaaaa"), part("#bbbbbb")}},
		"on", effects(t, "A", "effects/a.toml", "B", "effects/b.toml")), nil)
	child := New(parent, tree(t, Root, "color", "#333333", "trail", Value{Off: true},
		"light", light("color", "#444444"), "parts", Value{List: []Tree{part("#cccccc")}}, "on", effects(t, "B", "", "C", "effects/c.toml")), nil)
	v := child.Variant(0)
	if v.Find("shape").Text != "box" || v.Find("color").Text != "#333333" {
		t.Errorf("%+v", v)
	}
	if v.Find("trail") != nil {
		t.Error("what the child takes away is still there")
	}
	if l := v.Find("light").Table; l.Find("color").Text != "#444444" || l.Find("radius").Num != 10 {
		t.Errorf("tables are not merged: %+v", l)
	}
	if p := v.Find("parts").List; len(p) != 1 || p[0].Find("color").Text != "#cccccc" {
		t.Errorf("a list is not replaced whole: %+v", p)
	}
	for name, want := range map[string]string{"A": "effects/a.toml", "B": "", "C": "effects/c.toml", "D": ""} {
		if got := child.Effect(0, name); got != want {
			t.Errorf("effect of %s is %q, want %q", name, got, want)
		}
	}
	if !child.Wants("A") || !child.Wants("C") || child.Wants("D") {
		t.Errorf("it wants %v", child.On())
	}
	if p := parent.Variant(0); p.Find("color").Text != "#111111" || len(p.Find("parts").List) != 2 {
		t.Error("the parent's looks have changed")
	}
}

// Of the entries that hold the last one has the last word, and a child's come after its parent's.
func TestWhens(t *testing.T) {
	parent := New(nil, tree(t, Root, "color", "#000000"), []When{{Tree: tree(t, Root, "color", "#000001", "shape", "box", "on", effects(t, "A", "effects/a.toml"))}})
	child := New(parent, nil, []When{{Tree: tree(t, Root, "color", "#000002")}, {Tree: tree(t, Root, "color", "#000003")}})
	for bits, want := range []string{"#000000", "#000001", "#000002", "#000002", "#000003", "#000003", "#000003", "#000003"} {
		v := child.Variant(uint32(bits))
		if got := v.Find("color").Text; got != want {
			t.Errorf("%03b: %s, want %s", bits, got, want)
		}
		if (v.Find("shape") != nil) != (bits&1 != 0) {
			t.Errorf("%03b: %+v", bits, v)
		}
	}
	if child.Effect(0, "A") != "" || child.Effect(1, "A") != "effects/a.toml" || !child.Wants("A") {
		t.Error("the effect of an entry of when")
	}
	var files []string
	child.Files(func(_, file string) { files = append(files, file) })
	if !slices.Equal(files, []string{"effects/a.toml"}) {
		t.Errorf("files %v", files)
	}
}

func TestKeys(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Keys() {
		if seen[k.Name] || k.Doc == "" || k.In == 0 || k.Max < k.Min {
			t.Errorf("%+v", k)
		}
		seen[k.Name] = true
		if (k.Kind == KindWord) != (len(k.Words) > 0) || (k.Kind == KindNumber || k.Kind == KindVector) != (k.Max > 0) {
			t.Errorf("%s: bounds of another kind", k.Name)
		}
	}
	for _, name := range []string{"on", "first", "parts", "body", "hold"} {
		if Find(Part, name) != nil {
			t.Errorf("a part has %s", name)
		}
	}
	for k := range numKinds {
		if k.String() == "" || strings.Contains(k.String(), "?") {
			t.Errorf("kind %d has no name", k)
		}
	}
	for s, want := range map[string]bool{"#a0B1c2": true, "#a0b1c": false, "a0b1c2d": false, "#a0b1cg": false, "": false} {
		if IsColor(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}
