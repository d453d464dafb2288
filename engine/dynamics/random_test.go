package dynamics

import (
	"math"
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// room is a closed room, 800 uu wide and 400 high, with a ramp and pillars inside.
func room() []collision.Hull {
	const w, h, t = 400, 400, 50
	hulls := []collision.Hull{
		hullOf(geom.V(-w-t, -w-t, -t), geom.V(w+t, w+t, 0)), hullOf(geom.V(-w-t, -w-t, h), geom.V(w+t, w+t, h+t)),
		hullOf(geom.V(-w-t, -w-t, 0), geom.V(-w, w+t, h)), hullOf(geom.V(w, -w-t, 0), geom.V(w+t, w+t, h)),
		hullOf(geom.V(-w, -w-t, 0), geom.V(w, -w, h)), hullOf(geom.V(-w, w, 0), geom.V(w, w+t, h)),
		hullOf(geom.V(100, 100, 0), geom.V(130, 130, h)), hullOf(geom.V(-200, -200, 0), geom.V(-150, -150, 60)),
	}
	ramp, err := collision.NewHull([]collision.Plane{
		{Normal: geom.V(-0.6, 0, 0.8), Dist: 0},
		{Normal: geom.V(0, 0, -1), Dist: 0},
		{Normal: geom.V(1, 0, 0), Dist: 150},
		{Normal: geom.V(0, 1, 0), Dist: -100},
		{Normal: geom.V(0, -1, 0), Dist: 250},
	})
	if err != nil {
		panic(err)
	}
	return append(hulls, ramp)
}

// crowd is one pawn that walks to and fro in the room.
type crowd struct{ at, v vec }

func (c *crowd) AppendObstacles(dst []Obstacle, _ int64, box geom.Bounds) []Obstacle {
	o := Obstacle{ID: 1, Centre: c.at, Velocity: c.v, Radius: 34, HalfHeight: 88}
	if geom.BoundsAround(o.Centre, geom.V(34, 34, 88)).Overlaps(box) {
		dst = append(dst, o)
	}
	return dst
}
func (c *crowd) MoverStops(int32, int64) bool           { return true }
func (c *crowd) PushObstacle(int32, int64, geom.Vector) {}

// jumble throws some 40 bodies of all shapes about for n steps and calls each after every one.
func jumble(seed uint64, n int, each func(s *Space, ids []int32)) *Space {
	hulls := room()
	s := NewSpace(hulls, collision.NewWorld(hulls))
	s.Gravity = geom.V(0, 0, -980)
	r := newRand(seed)
	var ids []int32
	add := func() {
		size := func() float64 { return 8 + 30*r()*r() }
		d := BoxDef(geom.V(size(), size(), size()), 1+200*r()*r())
		if r() < 0.3 {
			d = SphereDef(size(), 1+200*r())
		}
		d.Position = geom.V(700*(r()-0.5), 700*(r()-0.5), 60+280*r())
		d.Rotation = Quat{r() - 0.5, r() - 0.5, r() - 0.5, r() - 0.5}.Normal()
		d.Restitution, d.Friction = r(), r()
		ids = append(ids, s.Add(d))
	}
	for range 40 {
		add()
	}
	c := crowd{at: geom.V(0, -200, 88), v: geom.V(0, 300, 0)}
	for range n {
		dt := [...]float64{1.0 / 60, 1.0 / 20, 1.0 / 144, 0.25}[int(r()*20)%4*int(r()*1.2)]
		c.at = c.at.MulAdd(c.v, dt)
		if math.Abs(c.at.Y) > 300 {
			c.v = c.v.Neg()
			c.at.Y = math.Copysign(300, c.at.Y)
		}
		if len(ids) > 0 && r() < 0.1 {
			id := ids[int(r()*float64(len(ids)))]
			s.AddImpulse(id, geom.V(r()-0.5, r()-0.5, r()-0.5).Mul(s.Body(id).Mass*6000*r()), s.Body(id).Position.Add(geom.V(r(), r(), r()).Mul(10)))
		}
		if r() < 0.01 && len(ids) > 10 {
			k := int(r() * float64(len(ids)))
			s.Remove(ids[k])
			ids = append(ids[:k], ids[k+1:]...)
			add()
		}
		s.Step(dt, &c)
		if each != nil {
			each(s, ids)
		}
	}
	return s
}

func TestNothingLeavesAClosedRoom(t *testing.T) {
	steps := 10000
	if testing.Short() {
		steps = 1000
	}
	worst := 0.0
	jumble(11, steps, func(s *Space, ids []int32) {
		for _, id := range ids {
			b := s.Body(id)
			if !b.Position.IsFinite() || !b.LinVel.IsFinite() || !b.AngVel.IsFinite() || math.IsNaN(b.Rotation.W) {
				t.Fatalf("body %d: %+v", id, b)
			}
			if b.LinVel.Size() > MaxLinVel+1 || b.AngVel.Size() > MaxAngVel+1 {
				t.Fatalf("body %d moves %v, turns %v", id, b.LinVel, b.AngVel)
			}
			out := max(math.Abs(b.Position.X)-400, math.Abs(b.Position.Y)-400, b.Position.Z-400, -b.Position.Z)
			worst = max(worst, out)
			if out > 0 {
				t.Fatalf("body %d (%v) left the room: %v", id, b.Half, b.Position)
			}
		}
	})
	t.Logf("the middle of a body came within %.1f uu of a wall", -worst)
}

func TestSameSeedSameBits(t *testing.T) {
	sum := func() uint64 {
		h := uint64(14695981039346656037)
		mix := func(x float64) { h = (h ^ math.Float64bits(x)) * 1099511628211 }
		jumble(5, 600, func(s *Space, ids []int32) {
			for _, id := range ids {
				b := s.Body(id)
				mix(b.Position.X)
				mix(b.Position.Y)
				mix(b.Position.Z)
				mix(b.Rotation.W)
				mix(b.AngVel.X)
			}
		})
		return h
	}
	if a, b := sum(), sum(); a != b {
		t.Errorf("%x and %x", a, b)
	}
}

// energyOf is kinetic and potential energy of all bodies.
func energyOf(s *Space, ids []int32) (e float64) {
	for _, id := range ids {
		b := s.Body(id)
		e += b.Energy() + b.Mass*980*b.Position.Z
	}
	return e
}

func TestATumblingBodyGainsNothing(t *testing.T) {
	s := NewSpace(nil, collision.NewWorld(nil))
	d := BoxDef(geom.V(50, 20, 5), 10)
	d.AngVel, d.AngularDamping, d.LinearDamping = geom.V(0.01, 12, 0.02), 0, 0 // about the middle axis: it flips over
	id := s.Add(d)
	first, turned := s.Body(id).Energy(), false
	axis := s.Body(id).Axes()[1]
	for range 1200 {
		s.Step(tick, nil)
		if e := s.Body(id).Energy(); e > first*1.0001 {
			t.Fatalf("energy %v of %v", e, first)
		}
		turned = turned || s.Body(id).Axes()[1].Dot(axis) < -0.5
	}
	if !turned {
		t.Error("it did not flip")
	}
}

// FuzzBodies lets bytes decide what is made, where, and what is done with it: nothing may panic, and no number may
// cease to be one.
func FuzzBodies(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	f.Add([]byte{255, 0, 255, 0, 128, 7, 7, 7, 7, 200, 100, 50, 25, 12, 6, 3, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 400 {
			return
		}
		hulls := room()
		s := NewSpace(hulls, collision.NewWorld(hulls))
		s.Gravity = geom.V(0, 0, -980)
		next := func() float64 {
			if len(data) == 0 {
				return 0
			}
			x := float64(data[0])
			data = data[1:]
			switch x {
			case 255:
				return math.Inf(1)
			case 254:
				return math.NaN()
			case 253:
				return 1e30
			}
			return (x - 128) * 3
		}
		v := func() vec { return geom.V(next(), next(), next()) }
		var ids []int32
		for len(data) > 0 {
			op := data[0]
			data = data[1:]
			switch {
			case op < 60 && len(ids) < 20 || len(ids) == 0:
				d := Def{
					Shape: ShapeKind(op % 2), Half: v(), Radius: next(), Mass: next(), Friction: next(), Restitution: next(),
					GravityScale: 1, Position: v(), Rotation: Quat{next(), next(), next(), next()}, LinVel: v(), AngVel: v(), Lift: next(),
				}
				if op%3 == 0 {
					d.Rotation = Identity()
				}
				ids = append(ids, s.Add(d))
			case op < 90:
				s.AddImpulse(ids[int(op)%len(ids)], v(), v())
			case op < 110:
				s.AddForce(ids[int(op)%len(ids)], v(), v())
			case op < 130:
				s.SetPose(ids[int(op)%len(ids)], v(), Quat{next(), next(), next(), next()})
			case op < 140:
				s.SetVelocity(ids[int(op)%len(ids)], v(), v())
			case op < 150:
				k := int(op) % len(ids)
				s.Remove(ids[k])
				ids = append(ids[:k], ids[k+1:]...)
			default:
				s.Step(float64(op-149)/500, nil)
			}
			for _, id := range ids {
				b := s.Body(id)
				if !b.Position.IsFinite() || !b.LinVel.IsFinite() || !b.AngVel.IsFinite() || math.IsNaN(b.Rotation.X+b.Rotation.W) {
					t.Fatalf("after %d: %+v", op, b.Def)
				}
			}
		}
	})
}

func TestBodiesDoNotPassThroughEachOther(t *testing.T) {
	for _, speed := range []float64{300, 1500, 4000, 9000} {
		for _, what := range []string{"box", "sphere", "sleeping box", "pawn"} {
			s := floor()
			d := SphereDef(8, 1)
			d.GravityScale, d.LinearDamping = 0, 0
			d.Position, d.LinVel = geom.V(-400, 2, 100), geom.V(speed, 0, 0)
			shot := s.Add(d)
			var env Surroundings
			switch what {
			case "pawn":
				env = &crowd{at: geom.V(0, 0, 88)}
			default:
				e := BoxDef(geom.V(15, 15, 15), 100)
				if what == "sphere" {
					e = SphereDef(15, 100)
				}
				e.GravityScale, e.Asleep = 0, what == "sleeping box"
				e.Position = geom.V(0, 0, 100)
				s.Add(e)
			}
			for range 60 {
				s.Step(1.0/30, env)
				if x := s.Body(shot).Position.X; x > 60 && s.Body(shot).LinVel.X > 0.5*speed {
					t.Fatalf("%v uu/s went through a %s: at %v, %v", speed, what, s.Body(shot).Position, s.Body(shot).LinVel)
				}
			}
		}
	}
}

func TestAnObstacleWithAMassIsPushed(t *testing.T) {
	s := floor()
	d := BoxDef(geom.V(100, 50, 40), 1200)
	d.Position, d.LinVel, d.Friction = geom.V(-300, 0, 40), geom.V(800, 0, 0), 0
	id := s.Add(d)
	light := &yielding{crowd: crowd{at: geom.V(0, 0, 88)}}
	for range 40 {
		s.Step(tick, light)
		light.at = light.at.MulAdd(light.v, tick)
	}
	if light.v.X < 400 || s.Body(id).LinVel.X < 500 {
		t.Errorf("pushed to %v, the car goes on at %v", light.v, s.Body(id).LinVel)
	}
	if light.at.X-s.Body(id).Position.X < 90 {
		t.Errorf("run into: %v and %v", light.at, s.Body(id).Position)
	}
}

// yielding is a pawn of 100 kg that takes what pushes it.
type yielding struct{ crowd }

func (y *yielding) AppendObstacles(dst []Obstacle, user int64, box geom.Bounds) []Obstacle {
	dst = y.crowd.AppendObstacles(dst, user, box)
	for i := range dst {
		dst[i].Mass = 100
	}
	return dst
}
func (y *yielding) PushObstacle(_ int32, _ int64, change geom.Vector) { y.v = y.v.Add(change) }

// What bounces gives back no more than it came with: at a restitution of 1 and with no damping, in no step of any bounce.
// Restitution with friction (Kane's paradox), what is found inside of something, and fast turning would each make some.
func TestBouncingGainsNothing(t *testing.T) {
	const most = 1e-9 // share of the energy at first; 0.005 would do
	thing := func(r func() float64) Def {
		d := BoxDef(geom.V(10+45*r(), 10+25*r(), 5+25*r()), 5+40*r())
		if r() < 0.4 {
			d = SphereDef(8+30*r(), 5+40*r())
		}
		d.Rotation = Quat{r(), r(), r(), 1}.Normal()
		d.Restitution, d.Friction, d.LinearDamping, d.AngularDamping = 1, 2*r(), 0, 0
		d.AngVel = geom.V(r()-0.5, r()-0.5, r()-0.5).Mul(40)
		return d
	}
	check := func(name string, seed uint64, s *Space, energy func() float64) {
		t.Helper()
		last := energy()
		first := last
		for i := range 90 {
			s.Step(tick, nil)
			now := energy()
			if (now-last)/first > most {
				t.Fatalf("%s: seed %d step %d: %.6f of the energy at first, %.6f before", name, seed, i, now/first, last/first)
			}
			last = now
		}
	}
	for seed := range uint64(500) {
		s := floor()
		r := newRand(seed + 1000)
		d := thing(r)
		d.Position, d.LinVel = geom.V(0, 0, 80), geom.V(r()-0.5, r()-0.5, -r()).Mul(1000)
		ids := []int32{s.Add(d)}
		check("on the floor", seed, s, func() float64 { return energyOf(s, ids) })

		s = NewSpace(nil, collision.NewWorld(nil))
		for side := -1.0; side <= 1; side += 2 {
			d := thing(r)
			d.Position, d.LinVel = geom.V(side*150, 0, 0), geom.V(-side*1000*r(), 40*(r()-0.5), 40*(r()-0.5))
			s.Add(d)
		}
		check("two of them", seed, s, func() float64 { return s.Body(0).Energy() + s.Body(1).Energy() })
	}
}
