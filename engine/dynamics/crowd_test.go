package dynamics

import (
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
)

// heap adds n boxes in one place, hardly apart, of a share.
func heap(s *Space, n int, share int32, asleep bool) {
	for i := range n {
		d := BoxDef(geom.V(40, 40, 40), 80)
		d.Position = geom.V(float64(i%5)*3, 0, 100+float64(i%5)*40)
		d.Share, d.Asleep = share, asleep
		s.Add(d)
	}
}

// TestCrowd (G6, G9): of thousands of bodies in one place a share has so many awake, and a step looks at no more pairs than a heap of
// those beside each other has. Bodies of others are not kept from moving.
func TestCrowd(t *testing.T) {
	s := floor()
	heap(s, 4096, 1, true)
	d := SphereDef(20, 50)
	d.Position, d.LinVel = geom.V(-200, 0, 150), geom.V(400, 0, 0)
	ball := s.Add(d)
	far := BoxDef(geom.V(20, 20, 20), 50)
	far.Position = geom.V(700, 700, 300)
	honest := s.Add(far)
	refused := false
	for n := range 300 {
		s.Step(tick, nil)
		refused = s.Refused(1) || refused
		if s.shares[1].awake > MaxShareAwake {
			t.Fatalf("tick %d: %d of the share are awake", n, s.shares[1].awake)
		}
		if pairs := bodyPairs(s); pairs > sharePairs*MaxShareAwake+2*maxContacts {
			t.Fatalf("tick %d: %d pairs of bodies", n, pairs)
		}
		count := 0
		for _, id := range s.order {
			if !s.bodies[id].asleep {
				count++
			}
		}
		if count != s.awake {
			t.Fatalf("tick %d: %d are awake, %d are counted", n, count, s.awake)
		}
	}
	if !refused {
		t.Error("nobody was kept at rest")
	}
	if s.Body(ball).Position == d.Position {
		t.Error("the ball stands still")
	}
	if z := s.Body(honest).Position.Z; z > 100 {
		t.Errorf("the box of nobody's share hangs at %v", z)
	}
	if s.Refused(0) {
		t.Error("bodies of no share were kept at rest")
	}
}

// TestAwakeBound: no more bodies than MaxAwake are awake, no matter who wakes them; a push to one that cannot be woken leaves it as it was.
func TestAwakeBound(t *testing.T) {
	s := floor()
	heap(s, MaxAwake+10, 0, false)
	if s.Awake() != MaxAwake || !s.Refused(0) {
		t.Fatalf("%d are awake", s.Awake())
	}
	id := int32(MaxAwake + 5)
	s.AddImpulse(id, geom.V(1e5, 0, 0), s.Body(id).Position)
	s.AddForce(id, geom.V(1e5, 0, 0), s.Body(id).Position)
	s.SetVelocity(id, geom.V(10, 0, 0), geom.V(0, 0, 1))
	if b := s.Body(id); s.Wake(id) || !b.asleep || !b.LinVel.IsZero() || !b.AngVel.IsZero() || !b.force.IsZero() {
		t.Errorf("%+v", b)
	}
	s.Sleep(0)
	if !s.Wake(id) {
		t.Error("not woken though there is room")
	}
}

// TestPlatform: what stands on one large body in a crowd stays on it: only pairs of two that both have too many are passed over.
func TestPlatform(t *testing.T) {
	s := floor()
	d := BoxDef(geom.V(400, 400, 20), 5000)
	d.Position = geom.V(0, 0, 21)
	s.Add(d)
	var on []int32
	for i := range 64 {
		b := BoxDef(geom.V(20, 20, 20), 20)
		b.Position = geom.V(float64(i%8)*90-315, float64(i/8)*90-315, 64)
		on = append(on, s.Add(b))
	}
	for range 240 {
		s.Step(tick, nil)
	}
	for _, id := range on {
		if z := s.Body(id).Position.Z; z < 58 || z > 66 {
			t.Errorf("body %d is at %v", id, z)
		}
	}
}

func bodyPairs(s *Space) (n int) {
	for _, p := range s.pairs {
		if p.kind == HitBody {
			n++
		}
	}
	return n
}
