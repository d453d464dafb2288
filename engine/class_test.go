package engine

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSlotsOverReloads draws sequences of class sets, parents, variables and all, and holds them to what
// code that was compiled earlier relies on.
func TestSlotsOverReloads(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var prev *Classes
		for range rapid.IntRange(2, 6).Draw(rt, "reloads") {
			specs := []*ClassSpec{{Name: "Actor", Native: NativeActor}}
			n := rapid.IntRange(1, 6).Draw(rt, "classes")
			order := rapid.Permutation([]string{"A", "B", "C", "D", "E", "F"}).Draw(rt, "order")[:n]
			for i, name := range order {
				parent := "Actor"
				if i > 0 && rapid.Bool().Draw(rt, "child") {
					parent = order[rapid.IntRange(0, i-1).Draw(rt, "parent")]
				}
				s := &ClassSpec{Name: name, Parent: parent}
				for _, v := range []string{"X", "Y", "Z"} {
					if rapid.Bool().Draw(rt, "has") {
						s.Properties = append(s.Properties, PropertySpec{Name: name + v, Type: &Type{Kind: KindInt}})
					}
				}
				specs = append(specs, s)
			}
			cs, diags := BuildClasses(specs, prev)
			if cs == nil {
				rt.Fatal(diags)
			}
			for _, c := range cs.All() {
				used := map[int]*Property{}
				for _, p := range c.Properties {
					if p.Native != nil {
						continue
					}
					if o := used[p.Slot]; o != nil || p.Slot < 1 || p.Slot > c.Slots() {
						rt.Fatalf("class %s: %s.%s has slot %d of %d, as has %v", c, p.Class, p.Name, p.Slot, c.Slots(), o)
					}
					used[p.Slot] = p
				}
				if prev == nil || prev.Find(c.Name) == nil || lineage(c) != lineage(prev.Find(c.Name)) {
					continue
				}
				// With the same ancestors, whatever was there keeps its slot, and no old slot is another variable now.
				old := map[int]string{}
				for _, p := range prev.Find(c.Name).Properties {
					if p.Native == nil {
						old[p.Slot] = p.Class.Name + "." + p.Name
					}
				}
				for slot, p := range used {
					if was, ok := old[slot]; ok && was != p.Class.Name+"."+p.Name {
						rt.Fatalf("class %s: slot %d was %s and is %s.%s", c, slot, was, p.Class, p.Name)
					}
				}
			}
			prev = cs
		}
	})
}

func lineage(c *Class) string {
	s := ""
	for ; c != nil; c = c.Parent {
		s += c.Name + " "
	}
	return s
}

// TestReparentedClassesDoNotShareSlots: both had slot 1 while they were not related.
func TestReparentedClassesDoNotShareSlots(t *testing.T) {
	spec := func(name, parent, v string) *ClassSpec {
		return &ClassSpec{Name: name, Parent: parent, Properties: []PropertySpec{{Name: v, Type: &Type{Kind: KindInt}}}}
	}
	root := &ClassSpec{Name: "Actor", Native: NativeActor}
	prev, _ := BuildClasses([]*ClassSpec{root, spec("A", "Actor", "X"), spec("B", "Actor", "Y")}, nil)
	cs, _ := BuildClasses([]*ClassSpec{root, spec("A", "B", "X"), spec("B", "Actor", "Y")}, prev)
	a := cs.Find("A")
	if x, y := a.Property("X").Slot, a.Property("Y").Slot; x == y {
		t.Errorf("both have slot %d", x)
	}
	if a.Property("Y").Slot != prev.Find("B").Property("Y").Slot {
		t.Error("B's variable moved although B did not change")
	}
}

// TestBuildErrors are the errors that hand-made specs can have; class files are tested in classfile.
func TestBuildErrors(t *testing.T) {
	at := func(line int) Pos { return Pos{File: "T.lua", Line: line, Column: 1} }
	root := &ClassSpec{Name: "Actor", Native: NativeActor, Pos: at(1)}
	for _, c := range []struct {
		name  string
		specs []*ClassSpec
		want  string
	}{
		{
			"cycle of three",
			[]*ClassSpec{root, {Name: "A", Parent: "B", Pos: at(2)}, {Name: "B", Parent: "C", Pos: at(3)}, {Name: "C", Parent: "A", Pos: at(4)}},
			"T.lua:2:1: error: class A is its own ancestor: A (T.lua:2:1) → B (T.lua:3:1) → C (T.lua:4:1) → A [cyclic-parent]",
		},
		{"alias as parent", []*ClassSpec{root, {Name: "GameInfo", Parent: "Actor", Pos: at(2)}, {Name: "DM", Parent: "GameMode", Pos: at(3)}}, ""},
		{
			"two of one name",
			[]*ClassSpec{root, {Name: "A", Parent: "Actor", Pos: at(2)}, {Name: "A", Parent: "Actor", Pos: at(5)}},
			"T.lua:5:1: error: class A is already defined at T.lua:2:1; give one of them another name [duplicate-class]",
		},
	} {
		cs, diags := BuildClasses(c.specs, nil)
		var got []string
		for _, d := range diags {
			got = append(got, d.String())
		}
		if s := strings.Join(got, "\n"); s != c.want || (cs == nil) != (c.want != "") {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, s, c.want)
		}
	}
}

// TestDeepFamilies builds a long line of classes in time that does not grow with its square.
func TestDeepFamilies(t *testing.T) {
	specs := []*ClassSpec{{Name: "Actor", Native: NativeActor}}
	parent := "Actor"
	for i := range 300 {
		name := fmt.Sprintf("C%d", i)
		specs = append(specs, &ClassSpec{Name: name, Parent: parent, Properties: []PropertySpec{{Name: "V" + name, Type: &Type{Kind: KindInt}}}})
		parent = name
	}
	cs, diags := BuildClasses(specs, nil)
	if cs == nil {
		t.Fatal(diags)
	}
	if n := cs.Find("C299").Slots(); n != 300 {
		t.Errorf("%d slots", n)
	}
}
