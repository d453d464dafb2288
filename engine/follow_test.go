package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
)

// chests are a class, a child that says a default of its own, and one that says none.
func chests(width, wood int, radius float64) []*ClassSpec {
	gear := &Type{Kind: KindStruct, Fields: []Field{
		{Name: "Max", Type: &Type{Kind: KindInt}, Default: Int(width)}, {Name: "Used", Type: &Type{Kind: KindInt}, Default: Int(3)}, {Name: "Spare", Type: &Type{Kind: KindInt}, Default: Int(width)},
	}}
	return []*ClassSpec{
		{
			Name: "Chest", Parent: "Actor",
			Properties: []PropertySpec{
				{Name: "Width", Type: &Type{Kind: KindInt}, Default: Int(width)},
				{Name: "Wood", Type: &Type{Kind: KindInt}, Default: Int(1)},
				{Name: "Gear", Type: gear, Default: gear.Zero()},
				{Name: "Slots", Type: &Type{Kind: KindArray, Elem: &Type{Kind: KindInt}, Len: 3}, Default: Value{Kind: KindArray, List: []Value{Int(width), Int(0), Int(width)}}},
				{Name: "Label", Type: &Type{Kind: KindString}, Default: String(fmt.Sprint("w", width))},
				{Name: "Makes", Type: &Type{Kind: KindClass}, Default: ClassName(map[bool]string{true: "Pawn", false: "Controller"}[width < 200])},
			},
			Defaults: []DefaultSpec{{Name: "CollisionRadius", Value: Float(radius)}, {Name: "bCollideActors", Value: Bool(true)}, {Name: "NetPriority", Value: Float(float64(width))}},
		},
		{Name: "Coffer", Parent: "Chest"},
		{Name: "Crate", Parent: "Chest", Defaults: []DefaultSpec{{Name: "Width", Value: Int(80)}, {Name: "Wood", Value: Int(wood)}}},
	}
}

// told is a change as a test compares it.
func told(list []DefaultChange) string {
	var out []string
	for _, d := range list {
		s := fmt.Sprintf("%s.%s %v→%v follow %d", d.Class, d.Name, shown(d.Old), shown(d.New), d.Follow)
		for _, k := range d.Keep {
			s += fmt.Sprintf(" keep %d×%v", k.Count, shown(k.Value))
		}
		if d.Others > 0 {
			s += fmt.Sprintf(" others %d", d.Others)
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

func shown(v Value) any {
	if v.Str != "" {
		return v.Str
	}
	return v.Num
}

func TestDefaultsFollow(t *testing.T) {
	w, r := open(t, chests(100, 2, 30)...)
	old := w.Classes
	plain, other, same, coffer, crate := spawn(t, w, "Chest", SpawnParams{}), spawn(t, w, "Chest", SpawnParams{}), spawn(t, w, "Chest", SpawnParams{}), spawn(t, w, "Coffer", SpawnParams{}), spawn(t, w, "Crate", SpawnParams{})
	for n, v := range map[string]Value{
		"Width": Int(7), "CollisionRadius": Float(5), "Label": String("mine"), "Makes": ClassName("Actor"), "NetPriority": Float(2),
		"Gear":  {Kind: KindStruct, List: []Value{Int(50), Int(3), Int(100)}},
		"Slots": {Kind: KindArray, List: []Value{Int(9), Int(0), Int(100)}},
	} {
		set(t, other, n, v)
	}
	set(t, same, "Width", Int(300)) // what the default becomes
	r.take()
	// A new variable and a new class before the others: what is stored moves.
	specs := chests(300, 4, 60)
	specs[0].Properties = append([]PropertySpec{{Name: "Added", Type: &Type{Kind: KindVector}}}, specs[0].Properties...)
	specs = append(specs, &ClassSpec{Name: "Aardvark", Parent: "Actor"})
	done := w.Reclass(build(t, w.Classes, specs...))
	w.FollowDefaults(done)
	get := func(a *Actor, n string) Value { return a.Get(a.Class.Property(n)) }
	for _, a := range []*Actor{plain, coffer} {
		eq(t, get(a, "Width").Num, 300)
		eq(t, get(a, "Gear").List, []Value{Int(300), Int(3), Int(300)})
		eq(t, get(a, "Slots").List, []Value{Int(300), Int(0), Int(300)})
		eq(t, get(a, "Label").Str, "w300")
		eq(t, get(a, "Makes").Str, "Controller")
		eq(t, a.NetPriority, 300)
		eq(t, a.CollisionRadius, 60)
	}
	eq(t, get(other, "Width").Num, 7)
	eq(t, get(other, "Gear").List, []Value{Int(50), Int(3), Int(300)})
	eq(t, get(other, "Slots").List, []Value{Int(9), Int(0), Int(300)})
	eq(t, get(other, "Label").Str+get(other, "Makes").Str, "mineActor")
	eq(t, []float64{other.NetPriority, other.CollisionRadius}, "[2 5]")
	eq(t, get(same, "Width").Num, 300)
	eq(t, []float64{get(crate, "Width").Num, get(crate, "Wood").Num}, "[80 4]")
	eq(t, told(done.Defaults), strings.TrimSpace(`
Chest.NetPriority 100→300 follow 4 keep 1×2
Chest.CollisionRadius 30→60 follow 4 keep 1×5
Chest.Width 100→300 follow 2 keep 1×7
Chest.Gear.Max 100→300 follow 4 keep 1×50
Chest.Gear.Spare 100→300 follow 5
Chest.Slots[1] 100→300 follow 4 keep 1×9
Chest.Slots[3] 100→300 follow 5
Chest.Label w100→w300 follow 4 keep 1×mine
Chest.Makes Pawn→Controller follow 4 keep 1×Actor
Crate.Wood 2→4 follow 1`))
	// Nobody's actors: the same changes without counts, and each once.
	all := w.Classes.DefaultsSince(old, func(c *Class) bool { return c.IsA("Chest") })
	if len(all) != len(done.Defaults) || slices.ContainsFunc(all, func(d DefaultChange) bool { return d.Follow > 0 }) {
		t.Errorf("without counts it is\n%s", told(all))
	}
}

// A collision radius that follows takes effect: the grid finds the actor there, and it touches what it now reaches.
func TestFollowedCollision(t *testing.T) {
	specs := chests(1, 1, 30)
	specs[0].Functions = functions("Touch")
	w, r := open(t, specs...)
	a := spawn(t, w, "Chest", SpawnParams{Name: "a"})
	b := spawn(t, w, "Chest", SpawnParams{Name: "b", Location: geom.V(100, 0, 0)})
	r.take()
	specs = chests(1, 1, 60)
	specs[0].Functions = functions("Touch")
	done := w.Reclass(build(t, w.Classes, specs...))
	eq(t, r.take(), "") // no script is called in the middle of it
	w.FollowDefaults(done)
	eq(t, r.take(), "b.Touch a.Touch")
	eq(t, a.IsTouching(b), true)
	if !a.NetDirty() || !b.NetDirty() {
		t.Error("relevancy was not told of the larger bodies")
	}
}

// Where an actor stands was said when it was spawned, and whether it is of the level when that was loaded.
func TestPlacesDoNotFollow(t *testing.T) {
	spec := func(at geom.Vector, static bool) *ClassSpec {
		return &ClassSpec{Name: "T", Parent: "Actor", Defaults: []DefaultSpec{
			{Name: "Location", Value: Vec(at)},
			{Name: "Rotation", Value: Rotation(geom.Rotator{Yaw: uint16(at.X)})},
			{Name: "bStatic", Value: Bool(static)},
			{Name: "Velocity", Value: Vec(at)},
		}}
	}
	w, _ := open(t, spec(geom.Vector{}, false))
	a := spawn(t, w, "T", SpawnParams{})
	done := w.Reclass(build(t, w.Classes, spec(geom.V(9, 9, 9), true)))
	w.FollowDefaults(done)
	eq(t, []any{a.Location, a.Rotation, a.BStatic, a.Velocity}, []any{geom.Vector{}, geom.Rotator{}, false, geom.V(9, 9, 9)})
	eq(t, done.Defaults[len(done.Defaults)-1].Follow, 0)
}

// What no longer fits is reset part by part; what is the old default follows and is no reset.
func TestRefit(t *testing.T) {
	spec := func(most float64, def int) *ClassSpec {
		n := &Type{Kind: KindInt, Ranged: true, Max: most}
		item := &Type{Kind: KindStruct, Fields: []Field{{Name: "N", Type: n, Default: Int(def)}}}
		return &ClassSpec{Name: "T", Parent: "Actor", Properties: []PropertySpec{
			{Name: "N", Type: n, Default: Int(def)},
			{Name: "List", Type: &Type{Kind: KindArray, Elem: n, Len: 3}, Default: Value{Kind: KindArray, List: []Value{Int(def), Int(def), Int(def)}}},
			{Name: "S", Type: item, Default: item.Zero()},
			{Name: "Bag", Type: &Type{Kind: KindFastArray, Elem: item}},
		}}
	}
	w, _ := open(t, spec(1000, 900))
	a := spawn(t, w, "T", SpawnParams{})
	set(t, a, "List", Value{Kind: KindArray, List: []Value{Int(5), Int(700), Int(900)}})
	set(t, a, "S", Value{Kind: KindStruct, List: []Value{Int(701)}})
	bag := a.Class.Property("Bag")
	for _, n := range []int{6, 800} {
		if _, err := a.FastAdd(bag, Value{Kind: KindStruct, List: []Value{Int(n)}}); err != nil {
			t.Fatal(err)
		}
	}
	done := w.Reclass(build(t, w.Classes, spec(10, 8)))
	get := func(n string) Value { return a.Get(a.Class.Property(n)) }
	eq(t, get("N").Num, 8)
	eq(t, get("List").List, []Value{Int(5), Int(8), Int(8)})
	eq(t, get("S").List, []Value{Int(8)})
	var items []any
	for _, it := range a.Fast(a.Class.Property("Bag")).Items() {
		items = append(items, it.Words[0], it.Rev)
	}
	eq(t, items, "[6 1 8 2]")
	var reset []string
	for _, as := range done.Migrations[0].Reset {
		reset = append(reset, as.Name)
	}
	eq(t, reset, "[List S Bag]")
}
