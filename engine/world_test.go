package engine

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/tests/tier"
)

// recorder is a Script that runs Go functions for the events of a class and writes down what it was asked.
type recorder struct {
	NoScript
	log  []string
	w    *World
	on   map[string]func(a *Actor, args []Value)
	tick func(a *Actor, dt float64)
}

func (r *recorder) Tick(a *Actor, _ *Function, dt float64) {
	r.log = append(r.log, a.Name+".Tick")
	if r.tick != nil {
		r.tick(a, dt)
	}
}

func (r *recorder) Event(a *Actor, f *Function, args []Value) {
	r.log = append(r.log, a.Name+"."+f.Name)
	if fn := r.on[f.Name]; fn != nil {
		fn(a, args)
	}
}

func (r *recorder) Timer(a *Actor, name string) {
	r.log = append(r.log, a.Name+":"+name)
	if fn := r.on[name]; fn != nil {
		fn(a, nil)
	}
}

func (r *recorder) take() string {
	s := strings.Join(r.log, " ")
	r.log = nil
	return s
}

func functions(names ...string) []FunctionSpec {
	var out []FunctionSpec
	for _, n := range names {
		out = append(out, FunctionSpec{Name: n, Script: n})
	}
	return out
}

func build(t testing.TB, prev *Classes, specs ...*ClassSpec) *Classes {
	t.Helper()
	all := append([]*ClassSpec{
		{Name: "Actor", Native: NativeActor},
		{Name: "ActorComponent", Native: NativeComponent},
		{Name: "Controller", Parent: "Actor", Properties: []PropertySpec{{Name: "Pawn", Type: &Type{Kind: KindRef, Class: "Pawn"}}}},
		{Name: "Pawn", Parent: "Actor", Properties: []PropertySpec{{Name: "Controller", Type: &Type{Kind: KindRef, Class: "Controller"}}}},
	}, specs...)
	return classes(t, all, prev)
}

func open(t testing.TB, specs ...*ClassSpec) (*World, *recorder) {
	r := &recorder{on: map[string]func(*Actor, []Value){}}
	w := NewWorld(Config{Classes: build(t, nil, specs...), Script: r, Seed: 1})
	r.w = w
	return w, r
}

func spawn(t rapid.TB, w *World, class string, sp SpawnParams) *Actor {
	t.Helper()
	a, err := w.Spawn(w.Classes.Find(class), sp)
	if err != nil || a == nil {
		t.Fatalf("spawn %s: %v, %v", class, a, err)
	}
	return a
}

func eq(t testing.TB, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got  %v\nwant %v", got, want)
	}
}

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// classes builds classes from specs, and fails on an error.
func classes(t rapid.TB, specs []*ClassSpec, prev *Classes) *Classes {
	t.Helper()
	cs, diags := BuildClasses(specs, prev)
	for _, d := range diags {
		if d.Severity == SevError {
			t.Fatal(d)
		}
	}
	return cs
}

func TestIDsAreNeverUsedTwice(t *testing.T) {
	w, _ := open(t)
	a := spawn(t, w, "Actor", SpawnParams{})
	id := a.ID()
	a.Destroy()
	b := spawn(t, w, "Actor", SpawnParams{})
	if w.Actor(id) != nil {
		t.Error("a destroyed actor's id still resolves")
	}
	if b.ID() == id {
		t.Error("an id was used twice")
	}
	if b.ID().index() != id.index() {
		t.Error("the place in the table was not used again")
	}
}

func TestTickOrder(t *testing.T) { // R1.3
	w, r := open(t,
		&ClassSpec{Name: "T", Parent: "Actor", Functions: functions("Tick")},
		&ClassSpec{Name: "C", Parent: "Controller", Functions: functions("Tick")})
	a := spawn(t, w, "T", SpawnParams{Name: "a"})
	b := spawn(t, w, "T", SpawnParams{Name: "b"})
	spawn(t, w, "C", SpawnParams{Name: "c"})
	must(t, a.SetTimer(0.05, false, "Now"))
	w.Step(0.1)
	eq(t, r.take(), "c.Tick a.Tick b.Tick a:Now")
	a.Base = b.id // an actor's Base ticks before it
	w.Step(0.1)
	eq(t, r.take(), "c.Tick b.Tick a.Tick")
}

func TestSpawnedAndDestroyedDuringATick(t *testing.T) { // R1.3
	w, r := open(t, &ClassSpec{Name: "T", Parent: "Actor", Functions: functions("Tick", "Destroyed", "BeginPlay")})
	spawn(t, w, "T", SpawnParams{Name: "a"})
	b := spawn(t, w, "T", SpawnParams{Name: "b"})
	r.take()
	r.tick = func(a *Actor, _ float64) {
		if a.Name == "a" && !b.Deleted() {
			b.Destroy()
			b.Event(EvTick)
			spawn(t, w, "T", SpawnParams{Name: "d"})
		}
	}
	w.Step(0.1)
	eq(t, r.take(), "a.Tick b.Destroyed d.BeginPlay")
	w.Step(0.1)
	eq(t, r.take(), "a.Tick d.Tick")
}

func TestDestroyedInItsOwnBeginPlay(t *testing.T) {
	w, r := open(t, &ClassSpec{Name: "T", Parent: "Actor", Functions: functions("BeginPlay", "PostBeginPlay", "Destroyed")})
	r.on["BeginPlay"] = func(a *Actor, _ []Value) { a.Destroy() }
	a, err := w.Spawn(w.Classes.Find("T"), SpawnParams{Name: "a"})
	if a != nil || err != nil {
		t.Fatal(a, err)
	}
	eq(t, r.take(), "a.BeginPlay a.Destroyed")
	eq(t, w.Live(), 0)
}

func TestReferencesTurnNilAtOnce(t *testing.T) {
	ref := &Type{Kind: KindRef, Class: "Actor"}
	w, _ := open(t, &ClassSpec{Name: "T", Parent: "Actor", Properties: []PropertySpec{
		{Name: "One", Type: ref},
		{Name: "Many", Type: &Type{Kind: KindArray, Elem: ref, Len: 3}},
		{Name: "S", Type: &Type{Kind: KindStruct, Fields: []Field{{Name: "N", Type: &Type{Kind: KindInt}}, {Name: "Who", Type: ref}}}},
	}})
	a, b := spawn(t, w, "T", SpawnParams{}), spawn(t, w, "T", SpawnParams{})
	set := func(name string, v Value) {
		must(t, a.Set(a.Class.Property(name), v))
	}
	set("One", Ref(b))
	set("Many", Value{Kind: KindArray, List: []Value{{Kind: KindRef}, Ref(b), Ref(a)}})
	set("S", Value{Kind: KindStruct, List: []Value{Int(7), Ref(b)}})
	set("Owner", Ref(b))
	b.Destroy()
	eq(t, a.Get(a.Class.Property("One")).Ref, ActorID(0))
	many := a.Get(a.Class.Property("Many")).List
	eq(t, many[1].Ref, ActorID(0))
	eq(t, many[2].Ref, a.ID())
	s := a.Get(a.Class.Property("S")).List
	eq(t, s[0].Num, 7)
	eq(t, s[1].Ref, ActorID(0))
	eq(t, a.Owner, ActorID(0))
}

func TestOwnersCannotLoop(t *testing.T) {
	w, _ := open(t)
	a, b := spawn(t, w, "Actor", SpawnParams{Name: "a"}), spawn(t, w, "Actor", SpawnParams{Name: "b"})
	must(t, a.SetOwner(b))
	err := b.SetOwner(a)
	if err == nil || !strings.Contains(err.Error(), "b already owns a") {
		t.Fatal(err)
	}
	eq(t, a.TopOwner(), b)
}

func TestTimers(t *testing.T) {
	w, r := open(t, &ClassSpec{Name: "T", Parent: "Actor"})
	a := spawn(t, w, "T", SpawnParams{Name: "a"})
	for _, err := range []error{a.SetTimer(0.25, true, "Loop"), a.SetTimer(0.5, false, "Once"), a.SetTimer(0.1, false, "Never")} {
		must(t, err)
	}
	if !a.ClearTimer("Never") || a.ClearTimer("Never") {
		t.Error("ClearTimer tells whether there was one")
	}
	for range 4 {
		w.Step(0.25)
	}
	eq(t, r.take(), "a:Loop a:Loop a:Once a:Loop a:Loop")
	if err := a.SetTimer(0, false, "X"); err == nil {
		t.Error("0 seconds were taken")
	}
	r.on["Loop"] = func(a *Actor, _ []Value) { a.Destroy() }
	w.Step(0.25)
	w.Step(0.25)
	eq(t, r.take(), "a:Loop")
	eq(t, len(w.timers), 0)
}

func TestLifeSpan(t *testing.T) {
	w, _ := open(t, &ClassSpec{Name: "T", Parent: "Actor", Defaults: []DefaultSpec{{Name: "LifeSpan", Value: Float(1)}}})
	a := spawn(t, w, "T", SpawnParams{})
	b := spawn(t, w, "T", SpawnParams{Init: []Assignment{{"LifeSpan", Float(0)}}})
	w.Step(0.25)
	eq(t, a.LifeSpan(), 0.75)
	for range 4 {
		w.Step(0.25)
	}
	eq(t, a.Deleted(), true)
	eq(t, b.Deleted(), false)
}

func TestIdleActorsAreNotVisited(t *testing.T) {
	w, r := open(t, &ClassSpec{Name: "T", Parent: "Actor", Functions: functions("Tick")}, &ClassSpec{Name: "I", Parent: "Actor"})
	spawn(t, w, "I", SpawnParams{})
	a := spawn(t, w, "T", SpawnParams{Name: "a"})
	w.Step(0.1)
	eq(t, len(w.tickers.list), 1)
	a.SetTickEnabled(false)
	r.take()
	w.Step(0.1)
	eq(t, len(w.tickers.list), 0)
	eq(t, r.take(), "")
	a.SetTickEnabled(true)
	w.Step(0.1)
	eq(t, r.take(), "a.Tick")
}

func stateSpecs() []*ClassSpec {
	return []*ClassSpec{
		{
			Name: "P", Parent: "Actor", Functions: functions("Tick", "Touch", "BeginState", "EndState"), AutoState: "A",
			States: []StateSpec{
				{Name: "A", Functions: functions("Tick")},
				{Name: "B", Extends: "A", Ignores: []string{"Touch"}},
			},
		},
		{Name: "Q", Parent: "P", States: []StateSpec{{Name: "B", Functions: functions("Touch")}}},
	}
}

func TestStates(t *testing.T) { // R7.2
	w, r := open(t, stateSpecs()...)
	p, q := w.Classes.Find("P"), w.Classes.Find("Q")
	eq(t, p.States["B"].Dispatch.Event[EvTick].State, "A") // extended
	if p.States["B"].Dispatch.Event[EvTouch] != nil {
		t.Error("an ignored event is dispatched")
	}
	if f := q.States["B"].Dispatch.Event[EvTouch]; f == nil || f.Class != q {
		t.Error("an override in a child's state does not end ignores")
	}
	a := spawn(t, w, "P", SpawnParams{Name: "a"})
	eq(t, a.State.Name, "A")
	r.take()
	r.on["EndState"] = func(_ *Actor, args []Value) { r.log = append(r.log, "→"+args[0].Str) }
	r.on["BeginState"] = func(_ *Actor, args []Value) { r.log = append(r.log, "←"+args[0].Str) }
	a.GotoState("B")
	eq(t, r.take(), "a.EndState →B a.BeginState ←A")
	eq(t, a.State.Is("A"), true)
	if a.GotoState("Nowhere") {
		t.Error("an unknown state was entered")
	}
}

func TestPushedStates(t *testing.T) {
	w, _ := open(t, stateSpecs()...)
	a := spawn(t, w, "P", SpawnParams{})
	must(t, a.PushState("B"))
	eq(t, a.State.Name, "B")
	must(t, a.PopState())
	eq(t, a.State.Name, "A")
	if err := a.PopState(); err == nil {
		t.Error("popped more than was pushed")
	}
	for range MaxStateStack {
		must(t, a.PushState("B"))
	}
	if err := a.PushState("B"); err == nil {
		t.Error("the stack has no end")
	}
}

func TestEventsNestOnlySoDeep(t *testing.T) {
	w, r := open(t, &ClassSpec{Name: "T", Parent: "Actor", Functions: functions("Bump")})
	a := spawn(t, w, "T", SpawnParams{Name: "a"})
	r.on["Bump"] = func(a *Actor, args []Value) { a.Event(EvBump, args[0]) }
	a.Event(EvBump, Ref(a))
	eq(t, len(r.log), MaxEventDepth)
}

func TestJournalUndoesEverything(t *testing.T) {
	types := map[string]*Type{
		"B": {Kind: KindBool}, "I": {Kind: KindInt}, "F": {Kind: KindFloat}, "S": {Kind: KindString},
		"V": {Kind: KindVector}, "R": {Kind: KindRef}, "A": {Kind: KindArray, Elem: &Type{Kind: KindString}, Len: 3},
		"L": {Kind: KindFastArray, Elem: &Type{Kind: KindStruct, Fields: []Field{{Name: "N", Type: &Type{Kind: KindInt}}}}},
	}
	spec := &ClassSpec{Name: "T", Parent: "Actor"}
	for _, n := range []string{"B", "I", "F", "S", "V", "R", "A", "L"} {
		spec.Properties = append(spec.Properties, PropertySpec{Name: n, Type: types[n]})
	}
	tier.Check(t, func(rt *rapid.T) {
		w, _ := open(t, spec)
		actors := []*Actor{spawn(t, w, "T", SpawnParams{}), spawn(t, w, "T", SpawnParams{})}
		scribble := func(n int) {
			for range n {
				a := rapid.SampledFrom(actors).Draw(rt, "actor")
				c := a.Class
				num := rapid.IntRange(-5, 5).Draw(rt, "number")
				switch rapid.SampledFrom([]string{"B", "I", "F", "S", "V", "R", "A", "L", "Vel", "Owner", "Hidden"}).Draw(rt, "variable") {
				case "B":
					_ = a.Set(c.Property("B"), Bool(num > 0))
				case "I":
					a.SetWord(c.Property("I"), uint64(int64(num)))
				case "F":
					_ = a.Set(c.Property("F"), Float(float64(num)/2))
				case "S":
					_ = a.Set(c.Property("S"), String(fmt.Sprint(num)))
				case "V":
					_ = a.Set(c.Property("V"), Vec(geom.V(float64(num), 1, 2)))
				case "R":
					a.SetRef(c.Property("R"), rapid.SampledFrom(actors).Draw(rt, "target"))
				case "A":
					_ = a.SetPart(c.Property("A").Whole().Elem(abs(num)%3), String(fmt.Sprint(num)))
				case "L":
					p := c.Property("L")
					item := Value{Kind: KindStruct, List: []Value{Int(num)}}
					if f := a.Fast(p); num == 5 {
						var items []KeyedItem
						for key := uint32(1); key < 8; key++ {
							if n := rapid.IntRange(-2, 2).Draw(rt, "item"); n >= 0 {
								items = append(items, KeyedItem{key, Value{Kind: KindStruct, List: []Value{Int(n)}}})
							}
						}
						_, _ = a.FastRestore(p, uint32(rapid.IntRange(0, 9).Draw(rt, "last")), items)
					} else if f.Len() > 0 && num < 0 {
						_ = a.FastRemove(p, f.Items()[0].Key)
					} else if f.Len() > 0 && num == 0 {
						_ = a.FastSet(p, f.Items()[0].Key, item)
					} else {
						_, _ = a.FastAdd(p, item)
					}
				case "Vel":
					_ = a.Set(c.Property("Velocity"), Vec(geom.V(float64(num), 0, 0)))
				case "Owner":
					_ = a.Set(c.Property("Owner"), Ref(rapid.SampledFrom(actors).Draw(rt, "owner")))
				case "Hidden":
					_ = a.Set(c.Property("bHidden"), Bool(num > 0))
				}
			}
		}
		scribble(rapid.IntRange(0, 10).Draw(rt, "before"))
		before := w.HashState()
		mark := w.Mark()
		scribble(rapid.IntRange(0, 20).Draw(rt, "outer"))
		middle := w.HashState()
		inner := w.Mark()
		scribble(rapid.IntRange(0, 20).Draw(rt, "inner"))
		w.Rollback(inner)
		if w.HashState() != middle {
			rt.Fatal("an inner rollback did not restore what was there at its mark")
		}
		w.Rollback(mark)
		if w.HashState() != before {
			rt.Fatal("rollback did not restore the state at the mark")
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

func TestHashSeesEverything(t *testing.T) {
	spec := &ClassSpec{
		Name: "T", Parent: "Actor", States: []StateSpec{{Name: "A"}},
		Properties: []PropertySpec{
			{Name: "N", Type: &Type{Kind: KindInt}},
			{Name: "S", Type: &Type{Kind: KindString}},
			{Name: "V", Type: &Type{Kind: KindVector}},
			{Name: "L", Type: &Type{Kind: KindFastArray, Elem: &Type{Kind: KindStruct, Fields: []Field{{Name: "N", Type: &Type{Kind: KindInt}}}}}},
		},
	}
	w, _ := open(t, spec)
	a := spawn(t, w, "T", SpawnParams{})
	last := w.HashState()
	changed := func(what string) {
		t.Helper()
		if h := w.HashState(); h == last {
			t.Errorf("the hash does not see %s", what)
		} else {
			last = h
		}
	}
	for _, n := range NativeProperties() {
		p := a.Class.Property(n.Name)
		if p == nil {
			continue
		}
		v := n.get(a)
		switch n.Type.Kind {
		case KindBool:
			v.Num = 1 - v.Num
		case KindInt, KindFloat:
			v.Num++
			if n.Type.Ranged && v.Num > n.Type.Max {
				v.Num = n.Type.Min
			}
		case KindString:
			v.Str += "x"
		case KindVector:
			v.Vec.X++
		case KindRotator:
			v.Rot.Yaw++
		case KindRef:
			v.Ref = a.id + 1<<40
		}
		if n.Name == "Name" {
			a.Name += "x"
		} else if n.Name == "bDeleteMe" {
			continue // a destroyed actor is not in the world
		} else {
			n.put(a, v)
		}
		changed(n.Name)
	}
	_ = a.Set(a.Class.Property("N"), Int(1))
	changed("an int")
	_ = a.Set(a.Class.Property("S"), String("s"))
	changed("a string")
	_ = a.Set(a.Class.Property("V"), Vec(geom.V(0, 0, 1)))
	changed("a vector")
	key, _ := a.FastAdd(a.Class.Property("L"), Value{Kind: KindStruct, List: []Value{Int(1)}})
	changed("a fast array's item")
	_ = a.FastRemove(a.Class.Property("L"), key)
	last = w.HashState()
	a.GotoState("A")
	changed("a state")
	_ = a.SetTimer(1, false, "X")
	changed("a timer")
	w.Rand.Uint64()
	changed("the random generator")
	a.SetTickEnabled(false)
	changed("a tick that is off")
}

func lineage(c *Class) string {
	s := ""
	for ; c != nil; c = c.Parent {
		s += c.Name + " "
	}
	return s
}

// TestReclassKeepsValues reloads random changes of a family of classes, parents included, and checks that every variable that is
// still there with its type keeps its value, and every slot its number.
func TestReclassKeepsValues(t *testing.T) {
	kinds := []*Type{{Kind: KindInt}, {Kind: KindFloat}, {Kind: KindString}, {Kind: KindVector}, {Kind: KindBool}, {Kind: KindRef}}
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	tier.Check(t, func(rt *rapid.T) {
		specs := func() []*ClassSpec {
			used := map[string]bool{}
			mk := func(name, parent string) *ClassSpec {
				s := &ClassSpec{Name: name, Parent: parent}
				for range rapid.IntRange(0, 4).Draw(rt, "count") {
					n := rapid.SampledFrom(names).Draw(rt, "name")
					if used[n] {
						continue
					}
					used[n] = true
					s.Properties = append(s.Properties, PropertySpec{Name: n, Type: &Type{Kind: rapid.SampledFrom(kinds).Draw(rt, "type").Kind}})
				}
				return s
			}
			y, z := rapid.SampledFrom([]string{"X", "Actor"}).Draw(rt, "Y's"), rapid.SampledFrom([]string{"Y", "X", "Actor"}).Draw(rt, "Z's")
			return rapid.Permutation([]*ClassSpec{mk("X", "Actor"), mk("Y", y), mk("Z", z)}).Draw(rt, "order")
		}
		w, _ := open(t, specs()...)
		var actors []*Actor
		for _, c := range []string{"X", "Y", "Z", "Y", "Z"} {
			actors = append(actors, spawn(t, w, c, SpawnParams{}))
		}
		for round := range 4 {
			type kept struct {
				kind Kind
				v    Value
				slot int
			}
			before, family := map[*Actor]map[string]kept{}, map[*Actor]string{}
			for i, a := range actors {
				family[a] = lineage(a.Class)
				before[a] = map[string]kept{}
				for k, p := range a.Class.Properties {
					if p.Native != nil {
						continue
					}
					var v Value
					switch p.Type.Kind {
					case KindInt, KindFloat:
						v = Float(float64(round*1000 + i*100 + k))
					case KindString:
						v = String(fmt.Sprint(round, i, k))
					case KindVector:
						v = Vec(geom.V(float64(round), float64(i), float64(k)))
					case KindBool:
						v = Bool((i+k)%2 == 0)
					case KindRef:
						v = Ref(actors[(i+k)%len(actors)])
					}
					must(rt, a.Set(p, v))
					before[a][p.Name] = kept{p.Type.Kind, a.Get(p), p.Slot}
				}
			}
			w.Reclass(build(t, w.Classes, specs()...))
			for _, a := range actors {
				slots := map[int]string{}
				for _, p := range a.Class.Properties {
					if p.Native != nil {
						continue
					}
					if o := slots[p.Slot]; o != "" {
						rt.Fatalf("%s and %s share slot %d of %s", o, p.Name, p.Slot, a.Class)
					}
					slots[p.Slot] = p.Name
					if p.Slot < 1 || p.Slot > a.Class.Slots() {
						rt.Fatalf("slot %d of %s is not one of %d", p.Slot, p.Name, a.Class.Slots())
					}
					if k, ok := before[a][p.Name]; ok && k.kind == p.Type.Kind {
						if !sameValue(a.Get(p), k.v) {
							rt.Fatalf("%s.%s was %v, is %v", a, p.Name, k.v, a.Get(p))
						}
					} else if v, z := a.Get(p), p.Type.Zero(); !sameValue(v, z) {
						rt.Fatalf("%s.%s is new and %v, not %v", a, p.Name, v, z)
					}
				}
				// With the same ancestors, a slot never changes its meaning for code compiled before.
				for n, k := range before[a] {
					if now := slots[k.slot]; now != "" && now != n && family[a] == lineage(a.Class) {
						rt.Fatalf("slot %d of %s meant %s, now %s", k.slot, a.Class, n, now)
					}
				}
			}
		}
		// References still turn nil after all that.
		victim := actors[0]
		victim.Destroy()
		for _, a := range actors[1:] {
			for _, p := range a.Class.Properties {
				if p.Type.Kind == KindRef && a.Get(p).Ref == victim.id {
					rt.Fatalf("%s.%s still refers to a destroyed actor after reloads", a, p.Name)
				}
			}
		}
	})
}

func TestSpawnSaysWhatIsWrong(t *testing.T) {
	w, _ := open(t, &ClassSpec{Name: "T", Parent: "Actor", Properties: []PropertySpec{{Name: "Fuse", Type: &Type{Kind: KindInt, Ranged: true, Max: 5}}}})
	c := w.Classes.Find("T")
	for _, tc := range []struct {
		init Assignment
		want string
	}{
		{Assignment{"Fuze", Int(1)}, `did you mean "Fuse"`},
		{Assignment{"Fuse", Int(9)}, "expected int(0…5), got 9"},
		{Assignment{"Fuse", Float(1.5)}, "expected a 32-bit int"},
		{Assignment{"Fuse", String("x")}, `got string "x"`},
	} {
		_, err := w.Spawn(c, SpawnParams{Init: []Assignment{tc.init}})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: %v, want %q", tc.init, err, tc.want)
		}
	}
	eq(t, w.Live(), 0)
}
