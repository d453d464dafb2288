package engine

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/tests/tier"
)

// stored is a variable as it crosses.
func stored(a *Actor, p *Property) (words []uint64, strs []string) {
	words, strs = make([]uint64, p.Type.Words()), make([]string, p.Type.Strs())
	a.ReadProperty(p, words, strs)
	return words, strs
}

func give(t testing.TB, a *Actor, name string, v Value) {
	t.Helper()
	p := a.Class.Property(name)
	words, strs := make([]uint64, p.Type.Words()), make([]string, p.Type.Strs())
	storeValue(a.world.Classes, p.Type, words, strs, v)
	a.ReceiveProperty(p, words, strs)
}

// sample is some value of a type.
func sample(t *rapid.T, typ *Type, actors []*Actor) Value {
	switch typ.Kind {
	case KindBool:
		return Bool(rapid.Bool().Draw(t, "bool"))
	case KindInt:
		if typ.Ranged {
			return Int(rapid.IntRange(int(typ.Min), int(typ.Max)).Draw(t, "int"))
		}
		return Int(int(rapid.Int32().Draw(t, "int")))
	case KindFloat:
		if typ.Ranged {
			return Float(float64(float32(rapid.Float64Range(typ.Min, typ.Max).Draw(t, "float"))))
		}
		return Float(float64(rapid.Float32Range(-1e9, 1e9).Draw(t, "float")))
	case KindString:
		return String(rapid.StringN(0, 5, 5).Draw(t, "string"))
	case KindEnum:
		return Enum(rapid.SampledFrom(typ.Enum).Draw(t, "enum"))
	case KindVector:
		c := rapid.Float64Range(-1000, 1000)
		return Vec(geom.V(c.Draw(t, "x"), c.Draw(t, "y"), c.Draw(t, "z")))
	case KindRotator:
		c := rapid.IntRange(0, 65535)
		return Rotation(geom.Rot(c.Draw(t, "pitch"), c.Draw(t, "yaw"), c.Draw(t, "roll")))
	case KindClass:
		return ClassName(rapid.SampledFrom([]string{"", "Actor", "Shown"}).Draw(t, "class"))
	case KindRef:
		return Ref(rapid.SampledFrom(actors).Draw(t, "actor"))
	case KindStruct:
		v := Value{Kind: KindStruct}
		for i := range typ.Fields {
			v.List = append(v.List, sample(t, typ.Fields[i].Type, actors))
		}
		return v
	case KindArray:
		v := Value{Kind: KindArray}
		for range typ.Len {
			v.List = append(v.List, sample(t, typ.Elem, actors))
		}
		return v
	}
	return Value{}
}

// Whatever is read of one actor, another has after it was received; nothing of it is journalled or marked dirty,
// and the script is told of what changed among its own variables.
func TestPropertiesCross(t *testing.T) {
	tier.Check(t, func(rt *rapid.T) {
		w, r, _ := onNet(t, NMClient)
		from, to := spawn(t, w, "Shown", SpawnParams{Name: "from", Location: geom.V(5000, 0, 0)}), copyOf(t, w, "Shown", "to", RoleSimulatedProxy)
		other := spawn(t, w, "Pawn", SpawnParams{Location: geom.V(0, 5000, 0)})
		props := from.Class.Properties
		for range 10 {
			p := rapid.SampledFrom(props).Draw(rt, "property")
			if p.Type.Kind == KindFastArray || p.Native != nil && p.Native.readOnly || p.Name == "RemoteRole" || p.Name == "LifeSpan" {
				continue
			}
			must(rt, from.Set(p, sample(rt, p.Type, []*Actor{other, nil})))
			words, strs := stored(from, p)
			want := make([]uint64, p.Type.words)
			texts := make([]string, p.Type.strs)
			storeValue(w.Classes, p.Type, want, texts, from.Get(p))
			if !equalWords(words, want) || !equalStrs(strs, texts) || !from.SameProperty(p, words, strs) {
				rt.Fatalf("%s reads %v %q, is %v %q", p.Name, words, strs, want, texts)
			}
			w.ClearDirty()
			r.takeChanged()
			same := to.SameProperty(p, words, strs)
			mark := w.Mark()
			to.ReceiveProperty(p, words, strs)
			if n := len(w.journal.entries); n != 0 {
				rt.Fatalf("%s: %d entries in the journal", p.Name, n)
			}
			w.Rollback(mark)
			if !to.SameProperty(p, words, strs) {
				rt.Fatalf("%s was not received: %v", p.Name, to.Get(p))
			}
			if to.IsDirty(p) {
				rt.Fatalf("%s is dirty", p.Name)
			}
			wantTold := ""
			if !same && p.Native == nil {
				wantTold = "to." + p.Name
			}
			if told := r.takeChanged(); told != wantTold {
				rt.Fatalf("told %q, want %q", told, wantTold)
			}
		}
		w.DestroyCopy(to)
		other.Destroy()
		for _, p := range props { // references of any depth are nil now
			if p.Type.Kind == KindFastArray {
				continue
			}
			words, _ := stored(from, p)
			if p.Type.refs && p.Native == nil {
				eachRef(p.Type, words, func(w *uint64) {
					if *w != 0 {
						rt.Fatalf("%s refers to a destroyed actor", p.Name)
					}
				})
			}
		}
	})
}

func TestReadingAndReceivingAllocateNothing(t *testing.T) {
	w, _, _ := onNet(t, NMClient)
	w.Script = NoScript{}
	a := finished(t, w, "Shown", "a", RoleSimulatedProxy)
	for _, name := range []string{
		"Location", "Rotation", "Velocity", "Physics", "bHidden", "DrawScale", "AmbientSound", "Owner", "Base", "Role", "RemoteRole", "RelativeLocation",
		"B", "N", "F", "S", "V", "R", "Who", "St", "A",
	} {
		p := a.Class.Property(name)
		words, strs := make([]uint64, p.Type.Words()), make([]string, p.Type.Strs())
		if n := testing.AllocsPerRun(20, func() { a.ReadProperty(p, words, strs) }); n != 0 {
			t.Errorf("%s: %v allocations to read", name, n)
		}
		if n := testing.AllocsPerRun(20, func() { a.SameProperty(p, words, strs) }); n != 0 {
			t.Errorf("%s: %v allocations to compare", name, n)
		}
	}
	for _, name := range []string{"Location", "Velocity", "Physics", "bHidden", "DrawScale", "N", "V", "St"} {
		p := a.Class.Property(name)
		words, strs := stored(a, p)
		flip := uint64(0)
		if n := testing.AllocsPerRun(20, func() {
			flip ^= 1
			words[0] = flip
			a.ReceiveProperty(p, words, strs)
		}); n != 0 {
			t.Errorf("%s: %v allocations to receive", name, n)
		}
	}
}

// What variables of the engine's own mean when they are received.
func TestReceivedNatives(t *testing.T) {
	w, r, _ := onNet(t, NMClient)
	a, b := finished(t, w, "Shown", "a", RoleSimulatedProxy), finished(t, w, "Shown", "b", RoleSimulatedProxy)
	give(t, b, "Location", Vec(geom.V(1000, 0, 100)))
	r.take()
	eq(t, len(w.ActorsInRadius(b.Class, geom.V(1000, 0, 100), 1)), 1) // found where it is
	give(t, b, "Location", Vec(geom.V(0, 0, 100)))
	eq(t, r.take(), "b.Touch a.Touch")
	give(t, b, "bCollideActors", Bool(false))
	if a.IsTouching(b) {
		t.Error("without collision it touches")
	}
	give(t, b, "bCollideActors", Bool(true))
	eq(t, r.take(), "b.Touch a.Touch")
	give(t, b, "CollisionRadius", Float(500))
	eq(t, b.solidBody().Radius, 500.0)
	give(t, b, "Location", Vec(geom.V(400, 0, 100)))
	if !a.IsTouching(b) {
		t.Error("the new size does not count")
	}

	// Ticks follow Physics. No base is left: that is told by itself.
	c := copyOf(t, w, "Pawn", "c", RoleSimulatedProxy)
	c.FinishCopy()
	if c.tickable {
		t.Error("it ticks without a reason")
	}
	give(t, c, "Base", Ref(a))
	a.Velocity = geom.V(7, 0, 0)
	give(t, c, "Physics", Int(int(PhysWalking)))
	give(t, c, "Physics", Int(int(PhysFalling)))
	if !c.tickable || c.Base != a.id || c.Velocity != (vec{}) || c.Physics != PhysFalling {
		t.Errorf("ticks %v, on %v, at %v", c.tickable, w.Actor(c.Base), c.Velocity)
	}
	p := c.Class.Property("Physics")
	c.ReceiveProperty(p, []uint64{77}, nil)
	if c.Physics != PhysFalling {
		t.Error("a mode that does not exist")
	}

	// Roles have messages of their own.
	give(t, c, "RemoteRole", Int(int(RoleSimulatedProxy)))
	give(t, c, "Role", Int(int(RoleAuthority)))
	if c.Role != RoleSimulatedProxy || c.RemoteRole != RoleAuthority {
		t.Errorf("%s, %s", c.Role, c.RemoteRole)
	}

	// References turn nil when their actor goes, and are nil at once where it has gone.
	give(t, b, "Who", Ref(a))
	give(t, b, "Owner", Ref(a))
	pawn := finished(t, w, "Pawn", "pawn", RoleSimulatedProxy)
	give(t, b, "Instigator", Ref(pawn))
	r.takeChanged()
	w.DestroyCopy(a)
	w.DestroyCopy(pawn)
	eq(t, r.takeChanged(), "b.Who")
	for _, name := range []string{"Who", "Owner", "Instigator"} {
		if b.Get(b.Class.Property(name)).Ref != 0 {
			t.Errorf("%s is not nil", name)
		}
		give(t, b, name, Value{Kind: KindRef, Ref: a.id})
		if b.Get(b.Class.Property(name)).Ref != 0 {
			t.Errorf("%s refers to what has gone", name)
		}
	}
	if c.Base != 0 {
		t.Error("Base is not nil")
	}
	w.DestroyCopy(b)
	give(t, b, "N", Int(3)) // late updates of what has gone
	give(t, b, "Location", Vec(geom.V(0, 0, 1)))
}

// R10.5: a simulated pawn is told of no change of its base; everything else is.
func TestReceivedBasesAreTold(t *testing.T) {
	for class, want := range map[string]string{"Character": "", "Crate": "base.Attach x x.BaseChange base.Detach x x.BaseChange"} {
		w, d := inLevel(t, boxes(floorBox), "Attach", "Detach", "BaseChange")
		w.NetMode = NMClient
		base := put(t, w, "Crate", "base", 0, 0, 300)
		x := put(t, w, class, "x", 0, 0, 600)
		for _, a := range []*Actor{base, x} {
			for _, f := range a.Dispatch.Functions {
				f.Simulated = true
			}
		}
		x.Role = RoleSimulatedProxy
		give(t, x, "Base", Ref(base))
		if x.Base != base.id || len(base.Riders()) != 1 {
			t.Error("it does not stand there")
		}
		give(t, x, "Base", Ref(nil))
		if len(base.Riders()) != 0 {
			t.Error("it stands there still")
		}
		eq(t, d.take(), want)
	}
}

// LifeSpan is a timer, also when it was received; the dirty mark of a variable that was set here stays.
func TestReceivedLifeSpanAndMarks(t *testing.T) {
	w, _, _ := onNet(t, NMClient)
	a := finished(t, w, "Shown", "a", RoleSimulatedProxy)
	give(t, a, "LifeSpan", Float(1))
	a.Release()
	run(w, 1.1, 20)
	if !a.Deleted() {
		t.Error("it lives on")
	}
	b := finished(t, w, "Shown", "b", RoleSimulatedProxy)
	w.ClearDirty()
	set(t, b, "Velocity", Vec(geom.V(1, 0, 0)))
	set(t, b, "N", Int(2))
	give(t, b, "Velocity", Vec(geom.V(2, 0, 0)))
	give(t, b, "N", Int(3))
	if !b.IsDirty(b.Class.Property("Velocity")) || !b.IsDirty(b.Class.Property("N")) {
		t.Error("a mark is gone")
	}
}

// Updates of several actors come one by one: what looks like a loop of owners or bases for a moment is none.
func TestLinksThatSeemToLoop(t *testing.T) {
	for _, name := range []string{"Owner", "Base"} {
		w, _, _ := onNet(t, NMClient)
		a, b, c := finished(t, w, "Shown", "a", RoleSimulatedProxy), finished(t, w, "Shown", "b", RoleSimulatedProxy), finished(t, w, "Shown", "c", RoleSimulatedProxy)
		is := func(of, to *Actor) {
			t.Helper()
			if got := w.Actor(of.Get(of.Class.Property(name)).Ref); got != to {
				t.Errorf("%s of %s is %s, want %s", name, of, got, to)
			}
		}
		// On the server a→b→c turned into c→b→a.
		give(t, a, name, Ref(b))
		give(t, b, name, Ref(c))
		give(t, c, name, Ref(b))
		is(c, nil)
		is(b, c)
		give(t, b, name, Ref(a))
		is(b, nil) // it is c's no more, whatever comes
		is(c, b)
		give(t, a, name, Ref(nil))
		is(a, nil)
		is(b, a)
		is(c, b)
		// A newer word replaces one that waits, also where it is what is held already.
		p := a.Class.Property(name)
		if !a.SameProperty(p, []uint64{0}, nil) {
			t.Error("nil is another value than nil")
		}
		give(t, a, name, Ref(c))
		is(a, nil)
		if a.SameProperty(p, []uint64{0}, nil) {
			t.Error("nothing waits")
		}
		give(t, a, name, Ref(nil))
		give(t, c, name, Ref(nil))
		is(a, nil)
		// What waits for an actor that goes is nil.
		give(t, a, name, Ref(b)) // b→a: waits
		w.DestroyCopy(b)
		give(t, c, name, Ref(a))
		is(a, nil)
		is(c, a)
		eq(t, len(w.late), 0)
	}
}

// An attached copy hangs where the server's does, whenever its place and its base's were told (R3.6).
func TestAttachmentsCross(t *testing.T) {
	at := geom.V(10, 20, 30)
	server, _, _ := onNet(t, NMDedicatedServer)
	base, hat := spawn(t, server, "Shown", SpawnParams{Name: "base", Location: geom.V(100, 0, 0)}), spawn(t, server, "Shown", SpawnParams{Name: "hat", Location: geom.V(100, 0, 0).Add(at)})
	server.ClearDirty()
	must(t, hat.SetBase(base, true))
	var dirty []string
	for _, p := range hat.Class.Replicated {
		if hat.IsDirty(p) {
			dirty = append(dirty, p.Name)
		}
	}
	eq(t, dirty, []string{"Base", "bAttached", "RelativeLocation"})
	w, r, _ := onNet(t, NMClient)
	b, h := finished(t, w, "Shown", "base", RoleSimulatedProxy), finished(t, w, "Shown", "hat", RoleSimulatedProxy)
	cross := func(from, to *Actor, names ...string) {
		for _, n := range names {
			p := from.Class.Property(n)
			words, strs := stored(from, p)
			if p.Type.Kind == KindRef && words[0] != 0 {
				words[0] = uint64(b.id)
			}
			to.ReceiveProperty(p, words, strs)
		}
	}
	cross(base, b, "Location")
	cross(hat, h, "Base", "bAttached", "RelativeLocation", "RelativeRotation")
	if !h.BAttached || h.Base != b.id {
		t.Fatal("it does not hang there")
	}
	w.Step(0.1)
	nearVec(t, "from where it was", h.Location, geom.V(100, 0, 0).Add(at), 1e-9)
	// The base moves and turns on both; of the hat nothing is told.
	server.ClearDirty()
	base.SetLocation(geom.V(-500, 0, 0))
	base.SetRotation(geom.Rot(0, 16384, 0))
	if hat.IsDirty(hat.Class.Property("RelativeLocation")) || hat.IsDirty(hat.Class.Property("RelativeRotation")) {
		t.Error("where it hangs is dirty, though it hangs there still")
	}
	cross(base, b, "Location", "Rotation")
	nearVec(t, "after the base", h.Location, hat.Location, 1e-9)
	eq(t, h.Rotation, hat.Rotation)
	// An older place of its own does not take it away, nor does its yaw.
	give(t, h, "Location", Vec(geom.V(9000, 0, 0)))
	give(t, h, "Rotation", Rotation(geom.Rot(256, 0, 512)))
	w.Step(0.1)
	nearVec(t, "after old news", h.Location, hat.Location, 1e-9)
	eq(t, h.Rotation, geom.Rotator{Pitch: 256, Yaw: hat.Rotation.Yaw, Roll: 512})
	// It is hung elsewhere.
	hat.SetLocation(base.Location.Add(geom.V(0, 0, 200)))
	if !hat.IsDirty(hat.Class.Property("RelativeLocation")) {
		t.Error("where it hangs now is not dirty")
	}
	cross(hat, h, "RelativeLocation")
	w.Step(0.1)
	nearVec(t, "elsewhere", h.Location, hat.Location, 1e-9)
	// The base comes late: what was told of hanging counts from then on.
	r.take()
	late := finished(t, w, "Shown", "late", RoleSimulatedProxy)
	cross(hat, late, "bAttached", "RelativeLocation")
	if late.BAttached {
		t.Error("hangs on nothing")
	}
	if late.SameProperty(late.Class.Property("bAttached"), []uint64{0}, nil) || late.SameProperty(late.Class.Property("RelativeLocation"), []uint64{0, 0, 0}, nil) {
		t.Error("what it was told of hanging is forgotten")
	}
	cross(hat, late, "Base")
	w.Step(0.1)
	nearVec(t, "late", late.Location, hat.Location, 1e-9)
	// It is let go, and then stands on it only.
	give(t, h, "bAttached", Bool(false))
	if h.BAttached || h.Base != b.id {
		t.Error("it hangs there still")
	}
	give(t, h, "Location", Vec(geom.V(9000, 0, 0)))
	eq(t, h.Location, geom.V(9000, 0, 0))
	w.DestroyCopy(b)
	if late.Base != 0 || late.BAttached {
		t.Error("hangs on what has gone")
	}
}

// R5.12: items come under the server's keys; references in them go with their actors.
func TestReceiveFast(t *testing.T) {
	w, r, _ := onNet(t, NMClient)
	a, b := finished(t, w, "Shown", "a", RoleSimulatedProxy), finished(t, w, "Shown", "b", RoleSimulatedProxy)
	p := a.Class.Property("L")
	words, strs := []uint64{5, uint64(b.id)}, []string{"five"}
	w.ClearDirty()
	if !a.ReceiveFast(p, 7, words, strs) || a.ReceiveFast(p, 7, words, strs) || !a.ReceiveFast(p, 3, []uint64{1, 99 << 32}, []string{""}) {
		t.Error("which are new")
	}
	words[0], strs[0] = 0, "" // the caller's
	v, ok := a.FastGet(p, 7)
	if !ok || v.List[0].Num != 5 || v.List[1].Str != "five" || v.List[2].Ref != b.id {
		t.Errorf("item: %v", v)
	}
	if v, _ := a.FastGet(p, 3); v.List[2].Ref != 0 {
		t.Error("a reference to nobody")
	}
	eq(t, r.takeChanged(), "a.L a.L a.L")
	if a.IsDirty(p) {
		t.Error("dirty")
	}
	var keys []uint32
	for _, it := range a.Fast(p).Items() {
		keys = append(keys, it.Key)
	}
	eq(t, keys, []uint32{3, 7})
	w.DestroyCopy(b)
	if v, _ := a.FastGet(p, 7); v.List[2].Ref != 0 {
		t.Error("a reference to what has gone")
	}
	if !a.DropFast(p, 7) || a.DropFast(p, 7) || a.Fast(p).Len() != 1 {
		t.Error("drop")
	}
	if k, err := a.FastAdd(p, Value{Kind: KindStruct, List: []Value{Int(1), String(""), Ref(nil)}}); err != nil || k <= 7 {
		t.Errorf("the next key is %d, %v", k, err)
	}
}
