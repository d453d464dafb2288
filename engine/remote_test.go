package engine

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
)

// What the tests of the engine's side of replication share: a network that writes down what it is told, a script
// that writes down events, reports and changes, and classes with simulated and other functions.

// wire is a Remote that writes down what it hears.
type wire struct {
	log  []string
	owns map[*Actor]bool // by top owner
	full error           // what Call returns
}

func (n *wire) Spawned(a *Actor) { n.log = append(n.log, "+"+a.Name) }

func (n *wire) Destroyed(a *Actor) {
	s := "-" + a.Name
	if a.Deleted() {
		s += "(late)"
	}
	n.log = append(n.log, s)
}

func (n *wire) Owns(a *Actor) bool { return n.owns[a.TopOwner()] }

func (n *wire) RoundTrip(*Actor) float64 { return 0 }

func (n *wire) PaceLead(*Actor) (lead, most float64) { return 0, 0 }

func (n *wire) Call(a *Actor, f *Function, args []Value, _ string) error {
	n.log = append(n.log, "call "+a.Name+"."+f.Name)
	for _, v := range args {
		n.log[len(n.log)-1] += " " + v.Str
	}
	return n.full
}

func (n *wire) Dropped(a *Actor, f *Function, why string) {
	n.log = append(n.log, "drop "+a.Name+"."+f.Name)
	if why == "" {
		n.log[len(n.log)-1] += " for no reason"
	}
}

func (n *wire) take() string {
	s := strings.Join(n.log, ", ")
	n.log = nil
	return s
}

// witness is a recorder that also hears reports and changes.
type witness struct {
	recorder
	reports []string
	changed []string
}

func (r *witness) Report(s Severity, a *Actor, text string) {
	r.reports = append(r.reports, s.String()+": "+text)
}

func (r *witness) Changed(a *Actor, p *Property) { r.changed = append(r.changed, a.Name+"."+p.Name) }

func (r *witness) takeChanged() string {
	s := strings.Join(r.changed, " ")
	r.changed = nil
	return s
}

var lifeEvents = []string{"PreBeginPlay", "BeginPlay", "PostBeginPlay", "PostNetBeginPlay", "Destroyed", "TornOff", "Touch", "BeginState", "EndState", "Tick"}

func simulated(names ...string) []FunctionSpec {
	out := functions(names...)
	for i := range out {
		out[i].Simulated = true
	}
	return out
}

// netClasses are classes to replicate: each pair has one whose functions are simulated and one whose are not.
func netClasses(t testing.TB) *Classes {
	t.Helper()
	ref := func(name, class string) PropertySpec {
		return PropertySpec{Name: name, Type: &Type{Kind: KindRef, Class: class}}
	}
	item := &Type{Kind: KindStruct, Fields: []Field{
		{Name: "N", Type: &Type{Kind: KindInt}}, {Name: "S", Type: &Type{Kind: KindString, MaxLen: 20}}, {Name: "Who", Type: &Type{Kind: KindRef, Class: "Actor"}},
	}}
	specs := []*ClassSpec{
		{
			Name: "Actor", Native: NativeActor,
			Rules: []RuleSpec{{Names: []string{"Location", "Rotation", "Velocity", "Physics", "Base", "bAttached", "RelativeLocation", "RelativeRotation", "Owner"}}},
		},
		{Name: "ActorComponent", Native: NativeComponent},
		{Name: "Bag", Parent: "ActorComponent", Functions: simulated(lifeEvents...), Properties: []PropertySpec{{Name: "Weight", Type: &Type{Kind: KindInt}}}, Rules: []RuleSpec{{Names: []string{"Weight"}}}},
		{Name: "Box", Parent: "ActorComponent"},
		{Name: "Info", Parent: "Actor"},
		{Name: "PlayerReplicationInfo", Parent: "Info", Properties: []PropertySpec{{Name: "bBot", Type: &Type{Kind: KindBool}}}},
		{Name: "Controller", Parent: "Actor", Properties: []PropertySpec{ref("Pawn", "Pawn"), ref("PlayerReplicationInfo", "PlayerReplicationInfo")}},
		{
			Name: "PlayerController", Parent: "Controller",
			Properties: []PropertySpec{{Name: "ViewRotation", Type: &Type{Kind: KindRotator}}}, Functions: functions("PlayerTick"),
		},
		{
			Name: "Pawn", Parent: "Actor", Properties: []PropertySpec{ref("Controller", "Controller"), ref("PlayerReplicationInfo", "PlayerReplicationInfo")},
			Defaults: defaults("bCollideActors", true, "bCollideWorld", true, "bSimulateGravity", true), Functions: functions("Landed", "Falling"),
		},
		{
			Name: "Plain", Parent: "Actor", Functions: functions(lifeEvents...), Defaults: defaults("bCollideActors", true),
			States: []StateSpec{{Name: "On", Functions: functions("BeginState", "EndState")}}, AutoState: "On",
			Components: []ComponentSpec{{Name: "Bag", Class: "Bag"}},
		},
		{
			Name: "Shown", Parent: "Actor", Functions: simulated(lifeEvents...), Defaults: defaults("bCollideActors", true),
			States: []StateSpec{{Name: "On", Simulated: true, Functions: simulated("BeginState", "EndState")}}, AutoState: "On",
			Components: []ComponentSpec{{Name: "Bag", Class: "Bag"}},
			Properties: []PropertySpec{
				{Name: "B", Type: &Type{Kind: KindBool}},
				{Name: "N", Type: &Type{Kind: KindInt}},
				{Name: "F", Type: &Type{Kind: KindFloat}, Default: Float(1.5)},
				{Name: "S", Type: &Type{Kind: KindString}, Default: String("x")},
				{Name: "E", Type: &Type{Kind: KindEnum, Enum: []string{"a", "b"}}},
				{Name: "V", Type: &Type{Kind: KindVector}},
				{Name: "R", Type: &Type{Kind: KindRotator}},
				{Name: "C", Type: &Type{Kind: KindClass, Class: "Actor"}},
				ref("Who", "Actor"),
				{Name: "St", Type: item},
				{Name: "A", Type: &Type{Kind: KindArray, Elem: item, Len: 2}},
				{Name: "L", Type: &Type{Kind: KindFastArray, Elem: item}},
				{Name: "Quiet", Type: &Type{Kind: KindInt}}, // in no rule
			},
			Rules: []RuleSpec{{Names: []string{"B", "N", "F", "S", "E", "V", "R", "C", "Who", "St", "A", "L"}}},
		},
	}
	return classes(t, specs, nil)
}

// onNet opens a world of netClasses with a network.
func onNet(t testing.TB, mode NetMode) (*World, *witness, *wire) {
	t.Helper()
	r := &witness{recorder: recorder{on: map[string]func(*Actor, []Value){}}}
	w := NewWorld(Config{Classes: netClasses(t), NetMode: mode, Script: r, Seed: 1})
	r.w = w
	n := &wire{owns: map[*Actor]bool{}}
	w.SetRemote(n)
	return w, r, n
}

// copyOf makes a copy of a class, not finished yet.
func copyOf(t testing.TB, w *World, class, name string, role Role) *Actor {
	t.Helper()
	a, err := w.SpawnCopy(w.Classes.Find(class), CopyParams{Name: name, Role: role, RemoteRole: RoleAuthority, Location: geom.V(0, 0, 100)})
	if err != nil || a == nil {
		t.Fatalf("copy of %s: %v, %v", class, a, err)
	}
	return a
}

// The network receives an actor after it began and before its references go, each once, components too.
func TestTheNetworkIsTold(t *testing.T) {
	w, r, n := onNet(t, NMDedicatedServer)
	r.on["BeginPlay"] = func(a *Actor, _ []Value) {
		if a.Outer == nil {
			n.log = append(n.log, "begin "+a.Name)
		}
	}
	r.on["BeginState"] = func(a *Actor, _ []Value) { // in the middle of beginning
		if _, err := a.AddComponent(w.Classes.Find("Box"), "Early"); err != nil {
			t.Error(err)
		}
	}
	a := spawn(t, w, "Plain", SpawnParams{Name: "a"})
	eq(t, n.take(), "begin a, +a, +a.Bag, +a.Early")
	late, err := a.AddComponent(w.Classes.Find("Box"), "Late")
	must(t, err)
	eq(t, n.take(), "+a.Late")
	b := spawn(t, w, "Shown", SpawnParams{Name: "b", Init: []Assignment{{"Who", Ref(a)}}})
	n.take()
	r.on["Destroyed"] = func(x *Actor, _ []Value) { n.log = append(n.log, "end "+x.Name) }
	late.Destroy()
	eq(t, n.take(), "-a.Late")
	a.Destroy()
	eq(t, n.take(), "-a, -a.Early, -a.Bag, end a.Bag, end a")
	if b.Get(b.Class.Property("Who")).Ref != 0 {
		t.Error("a reference to a destroyed actor")
	}
	a.Destroy()
	eq(t, n.take(), "")
	// One that never began is not reported.
	if _, err := w.Spawn(w.Classes.Find("Shown"), SpawnParams{Init: []Assignment{{"N", String("x")}}}); err == nil {
		t.Fatal("a string for an int")
	}
	eq(t, n.take(), "")
}
