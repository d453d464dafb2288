package rewind

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/tests/tier"
)

// memory keeps everything, and looks for times one after the other.
type memory struct {
	times []float64
	seen  map[engine.ActorID]map[int]memo // by number of the frame
	known map[*engine.Actor]bool
	ports map[*engine.Actor]int
}

type memo struct {
	pose  Pose
	ports int
}

func (m *memory) record(now float64) {
	if n := len(m.times); n == 0 || m.times[n-1] != now {
		m.times = append(m.times, now)
	}
	n := len(m.times) - 1
	for _, seen := range m.seen {
		delete(seen, n)
	}
	for a := range m.known {
		if a.Deleted() {
			continue
		}
		if m.seen[a.ID()] == nil {
			m.seen[a.ID()] = map[int]memo{}
		}
		p := Pose{
			Location: a.Location, Radius: a.CollisionRadius, HalfHeight: a.CollisionHeight, Yaw: a.Rotation.Yaw,
			ViewPitch: uint16(a.Get(a.Class.Property("ViewPitch")).Num) * 256, Stops: a.BCollideActors,
		}
		if a.Get(a.Class.Property("bCrouching")).Num != 0 {
			p.Stance = Crouching
		}
		m.seen[a.ID()][n] = memo{p, m.ports[a]}
	}
}

func (m *memory) forget(a *engine.Actor) {
	delete(m.known, a)
	delete(m.seen, a.ID())
}

func (m *memory) at(a *engine.Actor, t, keep float64) (Pose, bool) {
	if !m.known[a] || a.Deleted() || len(m.times) == 0 {
		return Pose{}, false
	}
	newest := len(m.times) - 1
	if t < m.times[newest]-keep {
		return Pose{}, false
	}
	n := -1
	for i, at := range m.times {
		if at <= t {
			n = i
		}
	}
	from, ok := m.seen[a.ID()][n]
	if !ok || n == newest || m.times[n] == t {
		return from.pose, ok
	}
	to := m.seen[a.ID()][n+1]
	p := from.pose
	if from.ports != to.ports {
		return p, true
	}
	k := (t - m.times[n]) / (m.times[n+1] - m.times[n])
	p.Location = p.Location.MulAdd(to.pose.Location.Sub(p.Location), k)
	angle := func(a, b uint16) uint16 {
		d := math.Mod(float64(b)-float64(a)+3*32768, 65536) - 32768
		return uint16(int64(math.Round(float64(a)+k*d)) & 0xffff)
	}
	p.Yaw, p.ViewPitch = angle(p.Yaw, to.pose.Yaw), angle(p.ViewPitch, to.pose.ViewPitch)
	return p, true
}

// gap is how far apart two angles are.
func gap(a, b uint16) int { return max(geom.Signed(a-b), -geom.Signed(a-b)) }

func samePose(a, b Pose) bool {
	// A different order of sums may round the other way.
	ok := a.Location.Distance(b.Location) < 1e-6 && gap(a.Yaw, b.Yaw) <= 1 && gap(a.ViewPitch, b.ViewPitch) <= 1
	a.Location, a.Yaw, a.ViewPitch = b.Location, b.Yaw, b.ViewPitch
	return ok && a == b
}

func TestHistoryIsAsOneThatKeepsEverything(t *testing.T) {
	tier.Check(t, func(rt *rapid.T) {
		keep := rapid.SampledFrom([]float64{0.05, 0.4, 1.5}).Draw(rt, "keep")
		s := open(t, Config{MaxRecordTime: keep, Boxes: table()})
		m := &memory{seen: map[engine.ActorID]map[int]memo{}, known: map[*engine.Actor]bool{}, ports: map[*engine.Actor]int{}}
		var pawns []*engine.Actor
		now := 0.0
		live := func() *engine.Actor {
			var list []*engine.Actor
			for _, a := range pawns {
				if !a.Deleted() {
					list = append(list, a)
				}
			}
			if len(list) == 0 {
				return nil
			}
			return rapid.SampledFrom(list).Draw(rt, "pawn")
		}
		place := func() geom.Vector {
			f := rapid.Float64Range(-300, 300)
			return geom.V(f.Draw(rt, "x"), f.Draw(rt, "y"), f.Draw(rt, "z"))
		}
		record := func(now float64) {
			s.record(now)
			m.record(now)
		}
		with := func(f func(a *engine.Actor)) func(*rapid.T) {
			return func(*rapid.T) {
				if a := live(); a != nil {
					f(a)
				}
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"spawn": func(*rapid.T) {
				a := s.spawn(rapid.SampledFrom([]string{"Soldier", "Blob"}).Draw(rt, "class"), place())
				pawns = append(pawns, a)
				if err := s.h.Register(a); err != nil {
					rt.Fatal(err)
				}
				m.known[a] = true
			},
			"destroy": with(func(a *engine.Actor) { a.Destroy() }),
			"unregister": with(func(a *engine.Actor) {
				if s.h.Unregister(a) != m.known[a] {
					rt.Fatal("Unregister is wrong about what it knew")
				}
				m.forget(a)
			}),
			"register": with(func(a *engine.Actor) {
				if err := s.h.Register(a); err != nil {
					rt.Fatal(err)
				}
				m.known[a] = true
			}),
			"move": with(func(a *engine.Actor) { a.Move(place().Mul(0.1)) }),
			"teleport": with(func(a *engine.Actor) {
				a.SetLocation(place())
				m.ports[a]++
			}),
			"turn": with(func(a *engine.Actor) {
				a.SetRotation(geom.Rot(0, rapid.IntRange(0, 65535).Draw(rt, "yaw"), 0))
				s.set(a, "ViewPitch", engine.Int(rapid.IntRange(0, 255).Draw(rt, "pitch")))
			}),
			"stance": with(func(a *engine.Actor) {
				s.set(a, "bCrouching", engine.Bool(rapid.Bool().Draw(rt, "crouching")))
				a.SetCollisionSize(34, rapid.SampledFrom([]float64{60, 88}).Draw(rt, "height"))
			}),
			"ghost": with(func(a *engine.Actor) { a.SetCollision(rapid.Bool().Draw(rt, "collides"), true, true) }),
			"record": func(*rapid.T) {
				now += rapid.SampledFrom([]float64{1.0 / 60, 0, 0.004, 0.1}).Draw(rt, "dt")
				record(now)
			},
			"many": func(*rapid.T) { // so that rings turn and grow
				for range rapid.IntRange(1, 60).Draw(rt, "frames") {
					now += 1.0 / 64
					record(now)
				}
			},
			"step": func(*rapid.T) { s.w.Step(1e-6) }, // frees what was destroyed: places of ids are used again
			"": func(*rapid.T) {
				times := []float64{now, now + 1, now - keep, now - rapid.Float64Range(0, 1.2*keep).Draw(rt, "ago")}
				if n := len(m.times); n > 0 {
					times = append(times, m.times[rapid.IntRange(0, n-1).Draw(rt, "frame")])
				}
				for _, at := range times {
					for _, a := range pawns {
						got, ok := s.h.At(a, at)
						want, known := m.at(a, at, keep)
						if ok != known || !samePose(got, want) {
							rt.Fatalf("%s at %v of %v:\ngot  %+v %v\nwant %+v %v", a.Name, at, now, got, ok, want, known)
						}
					}
				}
			},
		})
	})
}

func TestRecordTimesAreChecked(t *testing.T) {
	s := open(t, Config{})
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if err := s.h.Record(bad); err == nil {
			t.Errorf("%v was recorded", bad)
		}
	}
	a := s.pawn("Pawn", geom.V(1, 2, 3))
	if _, ok := s.h.At(a, 1); ok {
		t.Error("known before the first frame")
	}
	s.record(1)
	if err := s.h.Record(0.5); err == nil || !strings.Contains(err.Error(), "before the last") {
		t.Errorf("time ran back: %v", err)
	}
	if p, ok := s.h.At(a, 1); !ok || p.Location != a.Location {
		t.Errorf("got %+v, %v", p, ok)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(-1), 0.99} {
		if _, ok := s.h.At(a, bad); ok {
			t.Errorf("there is a frame at %v", bad)
		}
	}
	if _, ok := s.h.At(nil, 1); ok {
		t.Error("nobody was somewhere")
	}
}

func TestMistakesAreTold(t *testing.T) {
	w := open(t, Config{}).w
	good := Place{Half: geom.V(1, 1, 1)}
	many := make([]Box, MaxBoxes+1)
	for _, c := range []struct {
		c    Config
		want string
	}{
		{Config{MaxRecordTime: 4.1}, "at most 4 s"},
		{Config{MaxRecordTime: -1}, "above 0"},
		{Config{MaxRecordTime: math.NaN()}, "above 0"},
		{Config{Boxes: Table{"Soldeir": nil}}, "no such class"},
		{Config{Boxes: Table{"Pawn": many}}, "at most 32"},
		{Config{Boxes: Table{"Pawn": {{Standing: good}}}}, "no name"},
		{Config{Boxes: Table{"Pawn": {{Name: "a", Standing: good}, {Name: "a", Standing: good}}}}, "twice"},
		{Config{Boxes: Table{"Pawn": {{Name: "a", Standing: good, Pitch: 1.5}}}}, "Pitch is 1.5"},
		{Config{Boxes: Table{"Pawn": {{Name: "a"}}}}, "above 0"},
		{Config{Boxes: Table{"Pawn": {{Name: "a", Standing: good, Crouching: Place{Offset: geom.V(1, 0, 0)}}}}}, "above 0"},
		{Config{Boxes: Table{"Pawn": {{Name: "a", Standing: Place{Offset: geom.V(math.NaN(), 0, 0), Half: good.Half}}}}}, "within"},
	} {
		if _, err := New(w, c.c); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %q", c.c, err, c.want)
		}
	}
	if _, err := New(w, Config{MaxRecordTime: MaxRecordTime}); err != nil {
		t.Error(err)
	}

	s, other := open(t, Config{}), open(t, Config{})
	dead := s.spawn("Pawn", geom.Vector{})
	dead.Destroy()
	for _, a := range []*engine.Actor{nil, dead, s.spawn("Crate", geom.Vector{}), other.spawn("Pawn", geom.Vector{})} {
		if err := s.h.Register(a); err == nil {
			t.Errorf("%v was registered", a)
		}
		if s.h.Unregister(a) {
			t.Errorf("%v was known", a)
		}
	}
	if n := s.h.Registered(); n != 0 {
		t.Errorf("%d are registered", n)
	}
}

// A pawn that is destroyed and spawned again is another, also where the world uses its place again.
func TestRespawnedPawnIsAnother(t *testing.T) {
	s := open(t, Config{})
	old := s.pawn("Pawn", geom.V(0, 0, 0))
	s.record(1)
	old.Destroy()
	if _, ok := s.h.At(old, 1); ok {
		t.Error("the destroyed pawn is still there")
	}
	if _, ok := s.shoot(geom.V(0, 0, 0), 1, old); ok {
		t.Error("the destroyed pawn is hit")
	}
	s.w.Step(1.0 / 60) // frees the place
	again := s.pawn("Pawn", geom.V(500, 0, 0))
	if uint32(again.ID()) != uint32(old.ID()) {
		t.Fatalf("the place is not used again (%x, %x): this test proves nothing", old.ID(), again.ID())
	}
	if _, ok := s.h.At(again, 1); ok {
		t.Error("the new pawn has the old one's past")
	}
	s.record(1.1)
	if p, ok := s.h.At(again, 1.1); !ok || p.Location.X != 500 {
		t.Errorf("got %+v, %v", p, ok)
	}
	if _, ok := s.h.At(again, 1.05); ok {
		t.Error("there is something between the old pawn and the new one")
	}
	if n := s.h.Registered(); n != 1 {
		t.Errorf("%d are registered", n)
	}
}

// Neither the pawn's own teleport nor that of what carries it is a way that somebody could be shot on.
func TestTeleportsAreNotInterpolated(t *testing.T) {
	s := open(t, Config{})
	car, rider := s.pawn("Pawn", geom.V(0, 0, 0)), s.pawn("Pawn", geom.V(0, 0, 200))
	if err := rider.SetBase(car, true); err != nil {
		t.Fatal(err)
	}
	s.record(1)
	if !car.SetLocation(geom.V(1000, 0, 0)) {
		t.Fatal("no teleport")
	}
	s.record(1.1)
	for _, a := range []*engine.Actor{car, rider} {
		for _, c := range []struct{ t, x float64 }{{1, 0}, {1.0999, 0}, {1.1, 1000}} {
			p, ok := s.h.At(a, c.t)
			if !ok || p.Location.X != c.x {
				t.Errorf("%s at %v: %+v, %v", a.Name, c.t, p, ok)
			}
		}
	}
	car.Move(geom.V(100, 0, 0))
	s.record(1.2)
	p, _ := s.h.At(rider, 1.15)
	near(t, "rider in between", p.Location.X, 1050, 1e-6)
}

func TestFramesAreBounded(t *testing.T) {
	s := open(t, Config{MaxRecordTime: MaxRecordTime})
	a := s.pawn("Pawn", geom.V(0, 0, 0))
	for i := range 2 * MaxFrames {
		s.record(float64(i) / 1024)
	}
	if len(s.h.times) != MaxFrames {
		t.Errorf("room for %d frames", len(s.h.times))
	}
	newest := float64(2*MaxFrames-1) / 1024
	if _, ok := s.h.At(a, newest-1023.0/1024); !ok {
		t.Error("the oldest that has room is gone")
	}
	if _, ok := s.h.At(a, newest-1024.0/1024); ok {
		t.Error("there is more than has room")
	}
}
