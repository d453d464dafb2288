package scene

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets/assetstest"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/tests/tier"

	"pgregory.net/rapid"
)

// begin begins a match of the shipped scripts and more.
func begin(t *testing.T, url string, mode engine.NetMode, more ...classfile.Source) *match.Match {
	t.Helper()
	a, sources := assetstest.Shipped(t)
	m, err := match.Open(match.Options{
		Sources: append(sources, more...), Content: a.Content(), URL: url, NetMode: mode, Seed: 1,
		VM: scriptvm.Options{Peer: "test", Log: func(*engine.Actor, string) {}, Report: func(r scriptvm.Report) { t.Error(r) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// open makes a match with a player at this machine.
func open(t *testing.T, url string) (*match.Match, *engine.Actor) {
	t.Helper()
	m := begin(t, url, engine.NMListenServer)
	pc, err := m.Login("", "?name=Ann", true)
	if err != nil {
		t.Fatal(err)
	}
	return m, pc
}

func step(m *match.Match, ticks int) {
	for range ticks {
		m.World.Step(1.0 / 60)
		m.World.ClearDirty()
	}
}

type event struct {
	E, Class, Name, Player string
	Effect                 string          // of on
	Data                   json.RawMessage // of content
	Slot, Model, Look, N   int
	Base, Team             int
	At, Size               [3]float64
	Params                 []any
	Tree                   map[string]any
}

// trees keeps the looks that were told, by number.
type trees map[int]map[string]any

func (l trees) take(list []event) {
	for _, e := range list {
		if e.E == "look" {
			l[e.N] = e.Tree
		}
	}
}

func read(t interface {
	Fatalf(string, ...any)
	Helper()
}, b []byte,
) []event {
	t.Helper()
	if len(b) == 0 {
		return nil
	}
	var out []event
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatalf("events %s: %v", b, err)
	}
	if len(out) == 0 {
		t.Fatalf("an empty array is no event: expected nothing")
	}
	return out
}

// row is the floats of a slot, nil where it is not in the frame.
func row(floats []float32, slot int) []float32 {
	for i := ViewFloats; i < len(floats); i += ActorFloats {
		if int(floats[i]) == slot {
			return floats[i : i+ActorFloats]
		}
	}
	return nil
}

func TestAPlayerIsSeen(t *testing.T) {
	m, pc := open(t, "arena")
	s := NewStage(nil)
	step(m, 120)
	floats, b := s.Frame(m.World, pc)
	own := int(floats[7])
	if own == 0 {
		t.Fatal("the own pawn has no slot")
	}
	r := row(floats, own)
	if r == nil || int(r[8])&FlagOwn == 0 || int(r[8])&(FlagHidden|FlagDead) != 0 {
		t.Errorf("row of the own pawn: %v", r)
	}
	seen, hulls, known := map[string]bool{}, 0, trees{}
	list := read(t, b)
	known.take(list)
	for _, e := range list {
		if e.E == "look" {
			continue
		}
		seen[e.Class] = true
		if e.E == "spawned" && e.Slot == own && (e.Player != "Ann" || known[e.Look]["body"] != "humanoid") {
			t.Errorf("the own pawn: %+v, %v", e, known[e.Look])
		}
		if known[e.Look]["shape"] == "hull" {
			hulls++
			if e.Class != "Mover" || e.Size[0] <= 0 {
				t.Errorf("brushes of %+v", e)
			}
		}
	}
	if hulls != 4 {
		t.Errorf("%d movers with brushes; the arena has 4", hulls)
	}
	for _, never := range []string{"DeathMatch", "PlayerReplicationInfo", "GameReplicationInfo", "ShooterPlayer", "PlayerStart", "Rifle"} {
		if seen[never] {
			t.Errorf("a %s is seen", never)
		}
	}
	pawn := m.World.Actor(pc.Get(pc.Class.Property("Pawn")).Ref)
	eye, _ := Eye(pc)
	if at := pawn.VisualLocation(); eye.X != at.X || eye.Z != at.Z+64 {
		t.Errorf("eye %v of a pawn at %v", eye, at)
	}
	if _, b = s.Frame(m.World, pc); len(b) != 0 {
		t.Errorf("nothing happened, and events are %s", b)
	}
	if _, b = s.Frame(nil, nil); len(read(t, b)) != len(s.free) {
		t.Errorf("not all have gone: %s", b)
	}
}

func TestFramesDoNotAllocate(t *testing.T) {
	m, pc := open(t, "arena")
	s := NewStage(nil)
	for range 120 {
		step(m, 1)
		s.Frame(m.World, pc)
	}
	if n := testing.AllocsPerRun(200, func() { s.Frame(m.World, pc) }); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// Whatever is spawned, hidden and destroyed: each actor is told to spawn once, when first visible, and to go once; no slot is
// anybody's twice, nor again before it has rested.
func TestSlots(t *testing.T) {
	m, pc := open(t, "flat")
	step(m, 60)
	c := m.World.Classes.Find("Rocket")
	if c == nil {
		t.Fatal("no class Rocket")
	}
	hide := c.Property("bHidden")
	tier.Check(t, func(rt *rapid.T) {
		s := NewStage(nil)
		var alive []*engine.Actor
		left := map[int]int{} // slot → frame
		now, here := map[int]string{}, map[string]int{}
		defer func() {
			for _, a := range alive {
				a.Destroy()
			}
		}()
		for frame := range rapid.IntRange(1, 300).Draw(rt, "frames") {
			for range rapid.IntRange(0, 3).Draw(rt, "spawn") {
				a, err := m.World.Spawn(c, engine.SpawnParams{Location: geom.V(0, 0, 5000), Effect: true})
				if err != nil {
					rt.Fatal(err)
				}
				if rapid.Bool().Draw(rt, "hidden") {
					_ = a.Set(hide, engine.Bool(true))
				}
				alive = append(alive, a)
			}
			for len(alive) > 0 && rapid.IntRange(0, 2).Draw(rt, "change") > 0 {
				i := rapid.IntRange(0, len(alive)-1).Draw(rt, "which")
				if rapid.Bool().Draw(rt, "die") {
					alive[i].Destroy()
					alive = append(alive[:i], alive[i+1:]...)
				} else {
					_ = alive[i].Set(hide, engine.Bool(!alive[i].BHidden))
				}
			}
			floats, b := s.Frame(m.World, pc)
			for _, e := range read(rt, b) {
				switch e.E {
				case "spawned":
					if now[e.Slot] != "" || here[e.Name] != 0 {
						rt.Fatalf("frame %d: %+v is here already", frame, e)
					}
					if at, ok := left[e.Slot]; ok && frame-at <= reuseAfter {
						rt.Fatalf("slot %d was given anew after %d frames", e.Slot, frame-at)
					}
					now[e.Slot], here[e.Name] = e.Name, e.Slot
				case "gone":
					if now[e.Slot] == "" {
						rt.Fatalf("frame %d: slot %d goes twice", frame, e.Slot)
					}
					delete(here, now[e.Slot])
					delete(now, e.Slot)
					left[e.Slot] = frame
				}
			}
			if rows := (len(floats) - ViewFloats) / ActorFloats; rows != len(now) {
				rt.Fatalf("frame %d: %d rows, %d actors were told of", frame, rows, len(now))
			}
			for _, a := range alive {
				slot := here[a.Name]
				if slot == 0 {
					if !a.BHidden {
						rt.Fatalf("frame %d: %s is visible and not seen", frame, a.Name)
					}
					continue
				}
				if r := row(floats, slot); r == nil || int(r[8])&FlagHidden != 0 != a.BHidden {
					rt.Fatalf("frame %d: %s, hidden %v: %v", frame, a.Name, a.BHidden, r)
				}
			}
		}
	})
}

// The triangles of every brush of every level are a closed skin around it.
func TestLevels(t *testing.T) {
	files, err := filepath.Glob("../../../content/levels/*.map")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d levels: %v", len(files), err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			lv, err := level.Parse(f, src, level.Options{})
			if err != nil {
				t.Fatal(err)
			}
			count, area := 0, 0.0
			check := func(b *level.Brush) {
				n, a := skin(t, b)
				count, area = count+n, area+a
			}
			for i := range lv.Brushes {
				check(&lv.Brushes[i])
			}
			for i := range lv.Entities {
				for k := range lv.Entities[i].Brushes {
					if b := &lv.Entities[i].Brushes[k]; b.Contents != level.Origin {
						check(b)
					}
				}
			}
			l := meshOf(lv)
			if len(l.Positions) != 9*count || len(l.Normals) != 9*count || len(l.UVs) != 6*count {
				t.Errorf("%d triangles; the arrays have %d, %d and %d", count, len(l.Positions), len(l.Normals), len(l.UVs))
			}
			sum, flat := 0.0, 0.0
			for i := 0; i < len(l.Positions); i += 9 {
				p := func(k int) geom.Vector {
					return geom.V(float64(l.Positions[i+k]), float64(l.Positions[i+k+1]), float64(l.Positions[i+k+2]))
				}
				x := p(3).Sub(p(0)).Cross(p(6).Sub(p(0)))
				if x.Dot(geom.V(float64(l.Normals[i]), float64(l.Normals[i+1]), float64(l.Normals[i+2]))) <= 0 {
					t.Fatalf("triangle %d faces against its normal", i/9)
				}
				sum += x.Size() / 2
				u := l.UVs[i/9*6:]
				flat += math.Abs(float64((u[2]-u[0])*(u[5]-u[1])-(u[4]-u[0])*(u[3]-u[1]))) / 2
			}
			if math.Abs(sum-area) > 1e-4*area || math.Abs(flat-area) > 1e-3*area {
				t.Errorf("area %g, in the arrays %g, by texture coordinates %g", area, sum, flat)
			}
			at := 0
			for _, g := range l.Groups {
				if g.First != at || g.Count <= 0 || g.Count%3 != 0 || g.Texture >= len(l.Textures) || g.Model >= len(l.Models) {
					t.Errorf("group %+v begins at %d", g, at)
				}
				at += g.Count
			}
			if at != 3*count {
				t.Errorf("groups have %d corners of %d", at, 3*count)
			}
		})
	}
}

// skin checks one brush and returns its triangles and their area.
func skin(t *testing.T, b *level.Brush) (count int, area float64) {
	t.Helper()
	var sum geom.Vector    // of area vectors: nothing for a closed skin
	var centre geom.Vector // inside: a wedge's bounds have theirs on its slope
	for _, v := range b.Vertices {
		centre = centre.MulAdd(v, 1/float64(len(b.Vertices)))
	}
	for i := range b.Faces {
		for _, tr := range trianglesOf(b, i) {
			count++
			if tr.normal.Dot(tr.at[0].Sub(centre)) <= 0 {
				t.Fatalf("line %d: a triangle faces inward", b.Line)
			}
			if math.Abs(tr.normal.Size()-1) > 1e-9 {
				t.Fatalf("line %d: normal %v", b.Line, tr.normal)
			}
			area += tr.at[1].Sub(tr.at[0]).Cross(tr.at[2].Sub(tr.at[0])).Size() / 2
			sum = sum.Add(tr.at[1].Sub(tr.at[0]).Cross(tr.at[2].Sub(tr.at[0])))
		}
	}
	if sum.Size() > 1e-6*area {
		t.Fatalf("line %d: the triangles leave a hole: %v", b.Line, sum)
	}
	return count, area
}

func TestEvents(t *testing.T) {
	var e Events
	e.Begin("say").Text("line", "a\"b\\\x01\xff€").Float("f", math.NaN()).End()
	var got []map[string]any
	if err := json.Unmarshal(e.take(), &got); err != nil || got[0]["line"] != "a\"b\\\x01\ufffd€" || got[0]["f"] != 0.0 {
		t.Errorf("%s: %v", e.buf, err)
	}
	e.reset()
	long := strings.Repeat("x", 1000)
	for range 1000 {
		e.Begin("say").Text("line", long).EndSaid()
	}
	e.Begin("gone").Int("slot", 1).End()
	got = nil
	if err := json.Unmarshal(e.take(), &got); err != nil || len(e.buf) > maxSaid+1000 {
		t.Fatalf("%d bytes, %v", len(e.buf), err)
	}
	if last := got[len(got)-1]; last["e"] != "dropped" || got[len(got)-2]["e"] != "gone" || int(last["count"].(float64)) != 1000-(len(got)-2) {
		t.Errorf("%d events, the last %v", len(got), last)
	}
}

func TestColors(t *testing.T) {
	if a, b := rgb(0, 1, 0.5), rgb(120, 1, 0.5); a != "#ff0000" || b != "#00ff00" {
		t.Errorf("%s %s", a, b)
	}
	m, _ := open(t, "arena?game=DeathMatch")
	for _, c := range m.World.Classes.All() {
		if got := Color(c); !regexp.MustCompile(`^#[0-9a-f]{6}$`).MatchString(got) {
			t.Errorf("%s is %s", c.Name, got)
		}
	}
}
