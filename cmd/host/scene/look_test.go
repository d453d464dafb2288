package scene

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets/assetstest"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/media"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/look"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// lamp is a class whose looks depend on everything that looks can depend on.
const lamp = `local Lamp = class("Lamp", "Actor")
Lamp.properties { Heat = float(0), Title = str("cold", { max = 20 }), Side = vector(10, 20, 30), Kind = enum("Small", "Large") }
Lamp.replication { { "Heat", "Title", "Side", "Kind" } }
Lamp.looks {
	shape = "sphere", size = "=Side", color = "#COLOR", label = "=Title", glow = "=Heat",
	parts = { { shape = "cone", label = "=Title" } },
	on = { Flare = "effects/muzzle.toml", Landed = "effects/land.toml", BeginPlay = "effects/respawn.toml" },
	when = {
		{ "Heat > 0.5", color = "#ff0000" },
		{ "Kind == 'Large'", shape = "box", on = { Flare = "effects/explosion.toml" } },
	},
}
function Lamp:Flare(n) return n end
function Lamp:Calls() return self:Flare(3) end
function Lamp:Quiet() return 1 end
return Lamp
`

func lampMatch(t *testing.T, mode engine.NetMode) *match.Match {
	t.Helper()
	return begin(t, "flat", mode, classfile.Source{Path: "scripts/Lamp.lua", Text: strings.Replace(lamp, "COLOR", "00ff00", 1)})
}

func spawn(t *testing.T, m *match.Match, class string) *engine.Actor {
	t.Helper()
	a, err := m.World.Spawn(m.World.Classes.Find(class), engine.SpawnParams{Location: geom.V(0, 0, 500)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// of are the events of a frame of one kind, about one class where that is not "".
func of(list []event, kind, class string) (out []event) {
	for _, e := range list {
		if e.E == kind && (class == "" || e.Class == class) {
			out = append(out, e)
		}
	}
	return out
}

func set(t *testing.T, a *engine.Actor, name string, v engine.Value) {
	t.Helper()
	if err := a.Set(a.Class.Property(name), v); err != nil {
		t.Fatal(err)
	}
}

// A variable's change is seen in that frame: as a parameter, or as another variant by `when`.
func TestLooksFollowVariables(t *testing.T) {
	m := lampMatch(t, engine.NMListenServer)
	s := NewStage(nil)
	known := trees{}
	frame := func() []event {
		t.Helper()
		_, b := s.Frame(m.World, nil)
		list := read(t, b)
		known.take(list)
		return list
	}
	frame()
	a := spawn(t, m, "Lamp")
	list := frame()
	looks, come := of(list, "look", "Lamp"), of(list, "spawned", "Lamp")
	if len(looks) != 1 || len(come) != 1 || come[0].Look != looks[0].N {
		t.Fatalf("%+v %+v", looks, come)
	}
	for i, e := range list {
		if e.E == "spawned" && e.Class == "Lamp" {
			for _, later := range list[i:] {
				if later.E == "look" && later.N == e.Look {
					t.Error("looks are told after the actor that has them")
				}
			}
		}
	}
	tree := known[come[0].Look]
	if tree["shape"] != "sphere" || tree["color"] != "#00ff00" {
		t.Errorf("%v", tree)
	}
	param := func(v any) any { // what a value of the tree is for the actor
		if p, ok := v.(map[string]any); ok {
			return come[0].Params[int(p["p"].(float64))]
		}
		return v
	}
	part := tree["parts"].([]any)[0].(map[string]any)
	if got, _ := json.Marshal([]any{param(tree["size"]), param(tree["label"]), param(tree["glow"]), param(part["label"])}); string(got) != `[[10,20,30],"cold",0,"cold"]` {
		t.Errorf("%s by %v", got, tree)
	}
	if len(come[0].Params) != 3 {
		t.Errorf("a variable that two keys show crosses twice: %v", come[0].Params)
	}
	if list = frame(); len(list) != 0 {
		t.Errorf("nothing changed: %+v", list)
	}

	set(t, a, "Title", engine.String("warm"))
	if list = frame(); len(list) != 1 || list[0].E != "params" || list[0].Slot != come[0].Slot || list[0].Params[len(list[0].Params)-1] != "warm" && list[0].Params[0] != "warm" && list[0].Params[1] != "warm" {
		t.Errorf("a text: %+v", list)
	}
	green := come[0].Look
	set(t, a, "Heat", engine.Float(0.75))
	list = frame()
	changed := of(list, "changed", "Lamp")
	if len(changed) != 1 || changed[0].Look == green || known[changed[0].Look]["color"] != "#ff0000" || known[changed[0].Look]["shape"] != "sphere" {
		t.Fatalf("hot: %+v %v", list, known)
	}
	set(t, a, "Kind", engine.Enum("Large"))
	list = frame()
	if changed = of(list, "changed", "Lamp"); len(changed) != 1 || known[changed[0].Look]["color"] != "#ff0000" || known[changed[0].Look]["shape"] != "box" {
		t.Fatalf("hot and large: %+v", list)
	}
	set(t, a, "Heat", engine.Float(0))
	set(t, a, "Kind", engine.Enum("Small"))
	if list = frame(); len(of(list, "look", "")) != 0 || len(of(list, "changed", "Lamp")) != 1 || list[0].Look != green {
		t.Errorf("what the page has already is told again: %+v", list)
	}
}

// A reload that changes only looks changes what is seen, and nothing else of an actor.
func TestLooksReload(t *testing.T) {
	m := lampMatch(t, engine.NMListenServer)
	s := NewStage(nil)
	a := spawn(t, m, "Lamp")
	set(t, a, "Title", engine.String("mine"))
	s.Frame(m.World, nil)
	slot := s.Slot(a)
	reload := func(color string) []event {
		t.Helper()
		_, sources := assetstest.Shipped(t)
		sources = append(sources, classfile.Source{Path: "scripts/Lamp.lua", Text: strings.Replace(lamp, "COLOR", color, 1)})
		if r := m.VM.Prepare(sources).Apply(time.Now); r.Failed {
			t.Fatal(r.Diagnostics)
		}
		_, b := s.Frame(m.World, nil)
		return read(t, b)
	}
	list := reload("0000ff")
	looks, changed := of(list, "look", "Lamp"), of(list, "changed", "Lamp")
	if len(looks) != 1 || looks[0].Tree["color"] != "#0000ff" || len(changed) != 1 || changed[0].Slot != slot || changed[0].Look != looks[0].N {
		t.Errorf("%+v", list)
	}
	if len(of(list, "spawned", "")) != 0 || len(of(list, "gone", "")) != 0 || len(of(list, "look", "")) != 1 {
		t.Errorf("others are told anew: %+v", list)
	}
	if a.Get(a.Class.Property("Title")).Str != "mine" {
		t.Error("the reload changed a variable")
	}
	if list = reload("00ff00"); len(of(list, "look", "")) != 0 || len(of(list, "changed", "Lamp")) != 1 {
		t.Errorf("back to what the page has: %+v", list)
	}
}

// Functions, events and notifies that looks name in `on` are told once for each call, and nothing else is.
func TestCues(t *testing.T) {
	m := lampMatch(t, engine.NMListenServer)
	s := NewStage(nil)
	s.Frame(m.World, nil)
	a := spawn(t, m, "Lamp")
	cues := func() []event {
		t.Helper()
		_, b := s.Frame(m.World, nil)
		return of(read(t, b), "on", "")
	}
	call := func(name string) {
		t.Helper()
		out, err := m.VM.Call(a, name, engine.Float(3))
		if err != nil {
			t.Fatal(err)
		}
		if name == "Calls" && (len(out) != 1 || out[0].Num != 3) {
			t.Errorf("what the function returns is lost: %v", out)
		}
	}
	if got := cues(); len(got) != 1 || got[0].Name != "BeginPlay" || got[0].Effect != "effects/respawn.toml" || got[0].Slot != s.Slot(a) {
		t.Fatalf("an event that no class defines: %+v", got)
	}
	for _, c := range []struct{ call, name, effect string }{{"Flare", "Flare", "effects/muzzle.toml"}, {"Calls", "Flare", "effects/muzzle.toml"}, {"Quiet", "", ""}} {
		call(c.call)
		got := cues()
		if c.name == "" && len(got) != 0 || c.name != "" && (len(got) != 1 || got[0].Name != c.name || got[0].Effect != c.effect) {
			t.Errorf("%s: %+v", c.call, got)
		}
	}
	set(t, a, "Kind", engine.Enum("Large"))
	s.Frame(m.World, nil)
	call("Calls")
	if got := cues(); len(got) != 1 || got[0].Effect != "effects/explosion.toml" {
		t.Errorf("by when: %+v", got)
	}
	call("Flare")
	a.Destroy()
	if got := cues(); len(got) != 1 || got[0].Slot != 0 || got[0].Effect == "" {
		t.Errorf("of one that is gone: %+v", got)
	}
}

// A dedicated server keeps nothing for viewers.
func TestNoCuesOnADedicatedServer(t *testing.T) {
	m := lampMatch(t, engine.NMDedicatedServer)
	a := spawn(t, m, "Lamp")
	if _, err := m.VM.Call(a, "Calls"); err != nil {
		t.Fatal(err)
	}
	for _, f := range m.World.TakeEffects(nil) {
		if f.Kind == engine.EffectCue {
			t.Errorf("%+v", f)
		}
	}
}

// Looks that change all the time, parameters and all, cost nothing where nothing changes.
func TestLooksDoNotAllocate(t *testing.T) {
	m := lampMatch(t, engine.NMListenServer)
	s := NewStage(nil)
	for range 50 {
		spawn(t, m, "Lamp")
	}
	step(m, 10)
	for range 3 {
		s.Frame(m.World, nil)
	}
	if n := testing.AllocsPerRun(100, func() { s.Frame(m.World, nil) }); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// However many looks there are in the end, the page is told to forget those that nobody has, and no number comes twice.
func TestLooksAreForgotten(t *testing.T) {
	m := lampMatch(t, engine.NMListenServer)
	s := NewStage(nil)
	s.Frame(m.World, nil)
	s.Events()
	s.most = 8
	for _, c := range m.World.Classes.All() { // looks of classes that are not seen
		if len(s.variants) < 8 && c.Looks == nil && !c.IsComponent() {
			l := &classLook{class: c.Name, color: Color(c), variants: map[variantKey]*variant{}}
			s.looks[c] = l
			l.variants[variantKey{}] = s.variant(l, variantKey{})
		}
	}
	a := spawn(t, m, "Lamp")
	_, b := s.Frame(m.World, nil)
	had, seen := map[int]bool{}, map[int]bool{}
	for _, e := range read(t, b) {
		if e.E != "look" {
			continue
		}
		if e.Tree == nil {
			if !had[e.N] {
				t.Errorf("look %d is forgotten and was not there", e.N)
			}
			delete(had, e.N)
			continue
		}
		if seen[e.N] {
			t.Errorf("look %d comes again", e.N)
		}
		had[e.N], seen[e.N] = true, true
	}
	if len(seen) <= 8 || len(had) > 8 {
		t.Errorf("%d of %d looks are left, and the stage has %d", len(had), len(seen), len(s.variants))
	}
	if !had[s.list[s.Slot(a)].variant.number] {
		t.Error("the look of an actor was forgotten")
	}
}

// What hangs on an actor says so, and a pawn's view pitch is in the frame.
func TestBaseAndAim(t *testing.T) {
	m, pc := open(t, "arena?game=DeathMatch")
	s := NewStage(nil)
	step(m, 120)
	_, b := s.Frame(m.World, pc)
	pawn := m.World.Actor(pc.Get(pc.Class.Property("Pawn")).Ref)
	held := of(read(t, b), "spawned", "RifleAttachment")
	if len(held) != 1 || held[0].Base != s.Slot(pawn) {
		t.Errorf("what it holds: %+v, the pawn is %d", held, s.Slot(pawn))
	}
	set(t, pawn, "ViewPitch", engine.Int(32)) // an eighth of a turn
	floats, _ := s.Frame(m.World, pc)
	if r := row(floats, s.Slot(pawn)); r[10] < 0.785 || r[10] > 0.786 {
		t.Errorf("aim %v", r[10])
	}
	set(t, pawn, "ViewPitch", engine.Int(224))
	floats, _ = s.Frame(m.World, pc)
	if r := row(floats, s.Slot(pawn)); r[10] > -0.785 || r[10] < -0.786 {
		t.Errorf("aim %v", r[10])
	}
}

// The two teams differ in lightness, so that nobody needs to tell hues apart.
func TestTeamColors(t *testing.T) {
	m, _ := open(t, "flat")
	l := look.From(m.World.Classes.Find("ShooterPawn"))
	light := func(bits uint32) float64 {
		c, err := strconv.ParseUint(l.Variant(bits).Find("color").Text[1:], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		return (0.2126*float64(c>>16) + 0.7152*float64(c>>8&255) + 0.0722*float64(c&255)) / 255
	}
	if a, b := light(1), light(2); a < b+0.3 {
		t.Errorf("lightness %.2f and %.2f", a, b)
	}
}

// Everything that is seen of the shipped games says how it looks.
func TestAllThatIsSeenHasLooks(t *testing.T) {
	for _, url := range []string{"arena?game=DeathMatch?bots=2", "estuary?game=TeamDeathMatch?bots=2"} {
		m, pc := open(t, url)
		s := NewStage(nil)
		seen := map[string]bool{}
		for range 300 {
			step(m, 1)
			_, b := s.Frame(m.World, pc)
			for _, e := range read(t, b) {
				if e.E == "spawned" {
					seen[e.Class] = true
				}
			}
		}
		for name := range seen {
			if m.World.Classes.Find(name).Looks == nil {
				t.Errorf("%s: a %s has no looks", url, name)
			}
		}
	}
}

// Content is told once when a world begins, then file by file as it changes.
func TestContent(t *testing.T) {
	m := lampMatch(t, engine.NMListenServer)
	s := NewStage(nil)
	frame := func(w *engine.World) []event {
		t.Helper()
		_, b := s.Frame(w, nil)
		return of(read(t, b), "content", "")
	}
	item := func(name, data string) media.Item { return media.Item{Kind: "effect", Name: name, Data: []byte(data)} }
	first := []media.Item{item("effects/a.toml", `{"life":1}`), item("effects/b.toml", `{"life":1}`), item("effects/d.toml", `{"life":1}`)}
	s.Content(first)
	if got := frame(nil); len(got) != 0 {
		t.Errorf("before there is a world: %+v", got)
	}
	if got := frame(m.World); len(got) != 3 || got[0].Name != "effects/a.toml" || string(got[0].Data) != `{"life":1}` {
		t.Errorf("at first: %+v", got)
	}
	s.Content(first)
	if got := frame(m.World); len(got) != 0 {
		t.Errorf("again: %+v", got)
	}
	s.Content([]media.Item{item("effects/a.toml", `{"life":1}`), item("effects/b.toml", `{"life":2}`), item("effects/c.toml", `{"life":3}`)})
	got := frame(m.World)
	if len(got) != 3 || got[0].Name != "effects/b.toml" || string(got[0].Data) != `{"life":2}` || got[1].Name != "effects/c.toml" ||
		got[2].Name != "effects/d.toml" || string(got[2].Data) != "null" {
		t.Errorf("after a reload: %+v", got)
	}
	other := lampMatch(t, engine.NMListenServer)
	if got = frame(other.World); len(got) != 3 {
		t.Errorf("another world: %+v", got)
	}
	if len(m.Shown().Items()) < 60 {
		t.Errorf("the shipped content has %d files", len(m.Shown().Items()))
	}
}
