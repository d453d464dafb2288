package engine

import (
	"fmt"
	"math"

	"github.com/tidelock/tidelock/engine/dynamics"
)

// RigidBodyState is the replicated state of a body (R10.1): a struct variable of that name with the members
//
//	Position    location, uu
//	Quaternion  X, Y and Z of its orientation over 1 + W, times RBStateQuatScale; W follows (see dynamics.Quat.Three)
//	LinVel      linear velocity in uu/s times RBStateLinVelScale
//	AngVel      angular velocity in rad/s times RBStateAngVelScale
//
// so that whole numbers on the wire (R5.10) have the needed precision. On the peer with authority the engine
// writes it after every step in which the body is awake, and once more, with zero velocities, when it falls
// asleep.

// The factors of RigidBodyState.
const (
	RBStateQuatScale   = 32767 // none of the three is above 1: the full precision of 16 bits
	RBStateLinVelScale = 8     // up to 4 095 uu/s, above the terminal speed; an eighth of a uu/s
	RBStateAngVelScale = 500   // up to 65 rad/s, above dynamics.MaxAngVel
)

func (l *rigidStateLayout) find(c *Class) {
	p := c.known[knRigidBodyState]
	if p == nil || p.Native != nil || p.Type.Kind != KindStruct {
		return
	}
	at := map[string]int{}
	for i := range p.Type.Fields {
		if f := &p.Type.Fields[i]; f.Type.words == 3 {
			at[f.Name] = p.word + f.word
		}
	}
	var ok [4]bool
	l.position, ok[0] = at["Position"]
	l.quat, ok[1] = at["Quaternion"]
	l.lin, ok[2] = at["LinVel"]
	l.spin, ok[3] = at["AngVel"]
	if ok[0] && ok[1] && ok[2] && ok[3] {
		l.prop = p
	}
}

// packRigid writes an actor's RigidBodyState, rounded as the other end will read it.
func (w *World) packRigid(a *Actor) {
	p := a.body.rigid
	l := &p.state
	if l.prop == nil {
		return
	}
	b := w.space.rigid.space.Body(p.id)
	changed := false
	put := func(at int, v vec) {
		var words [3]uint64
		StoreVector(words[:], v)
		if to := a.words[at : at+3 : at+3]; !equalWords(to, words[:]) {
			copy(to, words[:])
			changed = true
		}
	}
	round := func(v vec, k float64) vec {
		f := func(x float64) float64 { return math.Max(-32767, math.Min(32767, math.Round(x*k))) }
		return vec{X: f(v.X), Y: f(v.Y), Z: f(v.Z)}
	}
	at := p.at
	put(l.position, vec{X: hundredth(at.X), Y: hundredth(at.Y), Z: hundredth(at.Z)})
	put(l.quat, round(b.Rotation.Three(), RBStateQuatScale))
	put(l.lin, round(b.LinVel, RBStateLinVelScale))
	put(l.spin, round(b.AngVel, RBStateAngVelScale))
	if changed {
		a.Touched(l.prop)
		w.Script.Changed(a, l.prop)
	}
}

func hundredth(x float64) float64 { return math.Round(x*100) / 100 }

// errNoBody is the error of every body function for an actor without one.
func (a *Actor) errNoBody(name string) error {
	return fmt.Errorf("%s: %s has no rigid body; set its Physics to PHYS_RigidBody, after it began to play", name, a)
}

func (a *Actor) rigidBody() (*dynamics.Space, *rigidPart) {
	p := a.body.rigid
	if p == nil {
		return nil, nil
	}
	r := a.world.space.rigid
	a.world.takeOver(r, a, p)
	return r.space, p
}

// bodyChanged copies a change of the body to Velocity.
func (a *Actor) bodyChanged(s *dynamics.Space, p *rigidPart) {
	p.velocity = s.Body(p.id).LinVel
	a.setVelocity(p.velocity)
}

// AddImpulse applies an impulse to the actor's body, in kg·uu/s, at a world location or, with nil, at its
// centre of mass.
func (a *Actor) AddImpulse(impulse vec, at *vec) error {
	s, p := a.rigidBody()
	if s == nil {
		return a.errNoBody("AddImpulse")
	}
	s.AddImpulse(p.id, impulse, bodyPlace(s, p, at))
	a.bodyChanged(s, p)
	return nil
}

// AddForce applies a force to the actor's body during the next tick, in kg·uu/s².
func (a *Actor) AddForce(force vec, at *vec) error {
	s, p := a.rigidBody()
	if s == nil {
		return a.errNoBody("AddForce")
	}
	s.AddForce(p.id, force, bodyPlace(s, p, at))
	return nil
}

func bodyPlace(s *dynamics.Space, p *rigidPart, at *vec) vec {
	if at == nil {
		return s.Body(p.id).Position
	}
	return *at
}

// AngularVelocity returns the angular velocity of the actor's body, in rad/s around each axis; zero without a
// body.
func (a *Actor) AngularVelocity() vec {
	if s, p := a.rigidBody(); s != nil {
		return s.Body(p.id).AngVel
	}
	return vec{}
}

// SetAngularVelocity sets the angular velocity of the actor's body, in rad/s around each axis.
func (a *Actor) SetAngularVelocity(v vec) error {
	s, p := a.rigidBody()
	if s == nil {
		return a.errNoBody("SetAngularVelocity")
	}
	s.SetVelocity(p.id, s.Body(p.id).LinVel, v)
	return nil
}

// UpdateBody updates the actor's body from the present variables of its class: mass, friction, damping and so
// on. Its shape stays what it was when it was created.
func (a *Actor) UpdateBody() error {
	if s, _ := a.rigidBody(); s == nil {
		return a.errNoBody("UpdateBody")
	}
	a.world.tuneRigid(a)
	return nil
}

// WakeBody wakes the actor's body and what sleeps against it.
func (a *Actor) WakeBody() error {
	s, p := a.rigidBody()
	if s == nil {
		return a.errNoBody("Wake")
	}
	s.Wake(p.id)
	return nil
}

// SleepBody puts the actor's body to sleep in place.
func (a *Actor) SleepBody() error {
	s, p := a.rigidBody()
	if s == nil {
		return a.errNoBody("PutToSleep")
	}
	s.Sleep(p.id)
	a.bodyChanged(s, p)
	if a.role() == RoleAuthority {
		a.world.packRigid(a)
	}
	return nil
}

// HasBody reports whether the actor has a rigid body.
func (a *Actor) HasBody() bool { return a.body.rigid != nil }

// BodyAwake reports whether the actor has a body that moves.
func (a *Actor) BodyAwake() bool {
	p := a.body.rigid
	return p != nil && !a.world.space.rigid.space.Body(p.id).Asleep()
}

// RigidState is RigidBodyState in plain units.
type RigidState struct {
	Position       vec
	Rotation       dynamics.Quat
	LinVel, AngVel vec
}

// AtRest reports whether the body was asleep in this state.
func (r *RigidState) AtRest() bool { return r.LinVel.IsZero() && r.AngVel.IsZero() }

// ReceivedState reads the actor's RigidBodyState; ok is false if its class declares none.
func (a *Actor) ReceivedState() (st RigidState, ok bool) {
	var l rigidStateLayout
	if p := a.body.rigid; p != nil {
		l = p.state
	} else {
		l.find(a.Class)
	}
	if l.prop == nil {
		return st, false
	}
	st.Position = LoadVector(a.words[l.position:])
	st.Rotation = dynamics.FromThree(LoadVector(a.words[l.quat:]).Mul(1.0 / RBStateQuatScale))
	st.LinVel = LoadVector(a.words[l.lin:]).Mul(1.0 / RBStateLinVelScale)
	st.AngVel = LoadVector(a.words[l.spin:]).Mul(1.0 / RBStateAngVelScale)
	return st, true
}

// BodyError returns how far the body is from its RigidBodyState: in uu, and radians of rotation.
func (a *Actor) BodyError() (distance, angle float64) {
	st, ok := a.ReceivedState()
	s, p := a.rigidBody()
	if !ok || s == nil {
		return 0, 0
	}
	b := s.Body(p.id)
	return st.Position.Distance(a.Location), st.Rotation.Mul(b.Rotation.Conj()).RotationVector().Size()
}

// CorrectBody corrects a body towards its RigidBodyState (R10.2): share of the error at once, the rest through
// velocity within so many seconds. With a share of 1, and if the body rests in that state, it is set exactly; a
// resting body falls asleep. The visible state stays continuous.
func (a *Actor) CorrectBody(share, seconds float64) error {
	st, ok := a.ReceivedState()
	if !ok {
		return fmt.Errorf("CorrectBody: class %s declares no RigidBodyState with Position, Quaternion, LinVel and AngVel", a.Class.Name)
	}
	s, p := a.rigidBody()
	if s == nil {
		return a.errNoBody("CorrectBody")
	}
	b := s.Body(p.id)
	from, turn := a.Location, a.Rotation
	off, spin := st.Position.Sub(from), st.Rotation.Mul(b.Rotation.Conj()).RotationVector()
	to, q := st.Position, st.Rotation
	lin, ang := st.LinVel, st.AngVel
	if share = math.Max(0, math.Min(1, share)); share < 1 && !st.AtRest() {
		to = from.MulAdd(off, share)
		q = spunBy(b.Rotation, spin.Mul(share))
		if seconds > 0 {
			lin, ang = lin.MulAdd(off, (1-share)/seconds), ang.MulAdd(spin, (1-share)/seconds)
		}
	}
	w := a.world
	same := to.Distance(from) < 0.005 && spin.Size() < 1e-3
	if !same || !b.Asleep() || !st.AtRest() {
		switch {
		case same:
		case st.AtRest() && off.Size() < restSlack:
			s.Lay(p.id, to.MulAdd(q.Axes()[2], b.Lift), q)
		default:
			s.SetPose(p.id, to.MulAdd(q.Axes()[2], b.Lift), q)
		}
		s.SetVelocity(p.id, lin, ang)
		if st.AtRest() {
			s.Sleep(p.id)
		} else {
			s.Wake(p.id)
		}
	}
	p.shape.Axes = b.Axes()
	p.at, p.turn, p.velocity = to, b.Rotation.Rotator(), b.LinVel
	a.setVelocity(b.LinVel)
	if to != a.Location {
		var m motion
		m.begin(w, a, to.Sub(a.Location))
		m.advance(to)
		m.commit()
	}
	if a.body.rigid == p && a.Rotation != p.turn {
		a.SetRotation(p.turn)
	}
	a.smooth(from, turn)
	return nil
}

// restSlack is how far, in uu, a body may be corrected without waking what rests on it: otherwise a pile of
// corrected bodies would wake and sleep forever.
const restSlack = 3

// spunBy returns an orientation after a rotation by a rotation vector.
func spunBy(q dynamics.Quat, r vec) dynamics.Quat {
	n := r.Size()
	if n < 1e-9 {
		return q
	}
	s, c := math.Sincos(n / 2)
	u := r.Mul(s / n)
	return dynamics.Quat{X: u.X, Y: u.Y, Z: u.Z, W: c}.Mul(q).Normal()
}

// SetWheels makes the actor's body a vehicle on sprung wheels; see package dynamics.
func (a *Actor) SetWheels(wheels []dynamics.WheelDef) error {
	s, p := a.rigidBody()
	if s == nil {
		return a.errNoBody("SetWheels")
	}
	s.SetWheels(p.id, wheels)
	return nil
}

// Drive sets the controls of the wheels of the actor's body: engine force in kg·uu/s² (backwards below 0),
// brake force, and steering in radians to the right. They hold until changed. Anything but standing still wakes
// the body.
func (a *Actor) Drive(force, brake, steer float64) error {
	s, p := a.rigidBody()
	if s == nil {
		return a.errNoBody("Drive")
	}
	k := s.Body(p.id).Wheels()
	if k == nil {
		return fmt.Errorf("Drive: %s has no wheels; give it some with SetWheels", a)
	}
	if k.Drive == force && k.Brake == brake && k.Steer == steer {
		return nil
	}
	k.Drive, k.Brake, k.Steer = force, math.Max(0, brake), steer
	if force != 0 {
		s.Wake(p.id)
	}
	return nil
}

// Wheels returns the wheels of the actor's body, nil if it has none. They belong to the body and are read-only.
func (a *Actor) Wheels() []dynamics.Wheel {
	if s, p := a.rigidBody(); s != nil {
		if k := s.Body(p.id).Wheels(); k != nil {
			return k.List
		}
	}
	return nil
}

// BodyUp returns the direction of the body's own Z axis; straight up without a body.
func (a *Actor) BodyUp() vec {
	if s, p := a.rigidBody(); s != nil {
		return s.Body(p.id).Axes()[2]
	}
	_, _, up := a.Rotation.Axes()
	return up
}
