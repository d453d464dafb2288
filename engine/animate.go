package engine

import (
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine/animation"
	"github.com/tidelock/tidelock/engine/geom"
)

// Animations of actors (R12.7). An actor that plays nothing has no state for them and is in no list: it costs
// nothing. All animations advance once a tick, after movement and before latent code and timers, and call
// scripts only for notifies.
//
// A montage replicates through the actor's variable ReplicatedMontage, if its class has one (Pawn does): struct
// { Montage, Section, Rate, Start, Play }: the numbers of montage and section, the rate, the server time at
// which the section began, and a count that distinguishes a new play from a jump.

// DefaultAnimationRates returns the rates of a world without a setting. Beyond the last distance the last rate
// holds.
func DefaultAnimationRates() []AnimationRate {
	return []AnimationRate{{2000, 0}, {5000, 30}, {10000, 15}, {math.Inf(1), 5}}
}

// aheadSeconds is how long a montage that the local player started counts as the one that the server then
// reports.
const aheadSeconds = 2

// lateSeconds is the age up to which a client that receives an actor now still runs all notifies of its
// montage: it may have begun together with the actor.
const lateSeconds = 0.5

// Animations returns the world's library, never nil if Config had one.
func (w *World) Animations() *animation.Library { return w.animations }

// SetAnimationRates sets the update rates of distant actors; none selects the default. Distances ascend.
func (w *World) SetAnimationRates(rates []AnimationRate) {
	if w.animRates = rates; len(rates) == 0 {
		w.animRates = DefaultAnimationRates()
	}
}

// animFor returns the actor's animation state, and creates it if needed.
func (a *Actor) animFor() *animState {
	if a.anim == nil {
		a.anim = &animState{}
	}
	return a.anim
}

// list adds an actor that plays something to those that advance.
func (w *World) list(a *Actor) {
	if s := a.anim; !s.listed {
		s.listed = true
		w.animated = append(w.animated, a)
	}
}

// which returns the notifies that run on this peer: on a dedicated server only those for gameplay.
func (w *World) which() animation.Which {
	return animation.Which(w.NetMode == NMDedicatedServer)
}

// PlayMontage plays a montage on the actor from a section on, at a factor of its own rate. It ends the montage
// that was playing. If this peer controls the actor and its class has ReplicatedMontage, clients receive it. It
// returns the montage's length in seconds at that rate, up to the end of its track.
func (a *Actor) PlayMontage(m *animation.Montage, section int, rate float64) float64 {
	w := a.world
	rate = max(animation.MinRate, min(rate, animation.MaxRate))
	a.startMontage(m, section, rate, 0, false)
	if a.deleted {
		return 0
	}
	if a.HasAuthority() {
		a.publishMontage(m.Number, section, rate, true)
	} else if s := a.anim; s != nil {
		s.ahead, s.aheadAt = m.Number, w.Time
	}
	w.AddEffect(Effect{Kind: EffectMontage, Actor: a.id, At: a.Location, Name: m.Name})
	return (m.Track.Length - m.Sections[max(0, min(section, len(m.Sections)-1))].Start) / (m.Rate * rate)
}

// startMontage begins a montage here, elapsed seconds after its section began; late is for a client that
// received the actor only now.
func (a *Actor) startMontage(m *animation.Montage, section int, rate, elapsed float64, late bool) {
	w := a.world
	a.endMontage()
	if a.deleted {
		return
	}
	s := a.animFor()
	s.montage.Stop(nil) // a notify of the last one's end started another: this one is newer
	s.montage = animation.Start(m, section, rate)
	s.plays++
	s.debt = 0
	w.list(a)
	switch {
	case late:
		base := len(w.cues)
		w.cues, _ = s.montage.Seek(elapsed, w.cues, w.which()) // a montage that is already over was never seen here: its end is not reported
		w.fire(a, base, s.plays, true)
	case elapsed > 0:
		w.advanceMontage(a, elapsed)
	}
	if !a.deleted {
		w.setRootMotion(a, w.Delta)
	}
}

// StopMontage ends the actor's montage, if one plays; clients receive that.
func (a *Actor) StopMontage() {
	if a.anim == nil || !a.anim.montage.Playing() {
		a.endMontage() // requested by its last notify
		return
	}
	a.endMontage()
	if !a.deleted && a.HasAuthority() {
		a.publishMontage(0, 0, 1, false)
	}
}

// JumpToSection moves the montage that plays to one of its sections.
func (a *Actor) JumpToSection(section int) {
	if a.anim == nil || !a.anim.montage.Playing() {
		return
	}
	a.jumpHere(section)
	if s := a.anim; !a.deleted && a.HasAuthority() && s.montage.Playing() {
		a.publishMontage(s.montage.Montage.Number, section, s.montage.Rate/s.montage.Montage.Rate, false)
	}
}

func (a *Actor) jumpHere(section int) {
	w, s := a.world, a.anim
	base := len(w.cues)
	w.cues = s.montage.Jump(section, w.cues, w.which())
	s.debt = 0
	w.fire(a, base, s.plays, true)
}

// endMontage ends the montage: its notify windows end, and MontageEnded is called.
func (a *Actor) endMontage() {
	s := a.anim
	if s == nil {
		return
	}
	if name := s.ending; name != "" {
		s.ending = ""
		s.plays++
		a.Event(EvMontageEnded, String(name), Bool(true))
		if a.deleted {
			return
		}
	}
	if !s.montage.Playing() {
		return
	}
	w := a.world
	name := s.montage.Montage.Name
	base := len(w.cues)
	w.cues = s.montage.Stop(w.cues)
	s.plays++
	w.fire(a, base, s.plays, true)
	if a.deleted {
		return
	}
	w.setRootMotion(a, 0)
	a.Event(EvMontageEnded, String(name), Bool(true))
}

// Montage returns the montage that the actor plays, nil for none, with its section and position.
func (a *Actor) Montage() (m *animation.Montage, section int, position float64) {
	if a.anim == nil {
		return nil, 0, 0
	}
	p := &a.anim.montage
	return p.Montage, p.Section, p.Position
}

// publishMontage replicates what plays.
func (a *Actor) publishMontage(number, section int, rate float64, play bool) {
	p := a.Class.known[knReplicatedMontage]
	if p == nil || p.Type.Kind != KindStruct {
		return
	}
	v := a.Get(p)
	for i := range p.Type.Fields {
		f := &p.Type.Fields[i]
		switch f.Name {
		case "Montage":
			v.List[i] = Float(float64(number))
		case "Section":
			v.List[i] = Float(float64(section))
		case "Rate":
			v.List[i] = Float(rate)
		case "Start":
			v.List[i] = Float(a.world.ServerTime())
		case "Play":
			if play {
				v.List[i] = Float(float64((int(v.List[i].Num) + 1) & 255))
			}
		}
	}
	if err := a.Set(p, v); err != nil {
		a.world.Script.Report(SevError, a, a.Class.Name+".ReplicatedMontage: "+err.Error())
		return
	}
	a.world.Script.Changed(a, p)
}

// SyncMontage plays the montage in ReplicatedMontage; scripts call it in OnRep_ReplicatedMontage. A client that
// had the actor when the montage began runs every notify of it, however late the update arrived. A client that
// receives the actor later starts at the position given by the server time, and runs the remaining notifies. A
// montage that the player's own machine began is not started again.
func (a *Actor) SyncMontage() {
	p := a.Class.known[knReplicatedMontage]
	if p == nil || p.Type.Kind != KindStruct || a.deleted {
		return
	}
	w := a.world
	var number, section, play int
	var rate, start float64
	v := a.Get(p)
	for i := range p.Type.Fields {
		n := v.List[i].Num
		switch p.Type.Fields[i].Name {
		case "Montage":
			number = int(n)
		case "Section":
			section = int(n)
		case "Rate":
			rate = n
		case "Start":
			start = n
		case "Play":
			play = int(n)
		}
	}
	m := w.animations.Numbered(number)
	s := a.animFor()
	if m == nil {
		a.endMontage()
		return
	}
	elapsed := max(0, w.ServerTime()-start)
	late := a.postNet && elapsed > lateSeconds
	jump := !a.postNet && s.played == play && s.montage.Montage == m
	s.played = play
	if a.role() == RoleAutonomousProxy && s.ahead == number && w.Time-s.aheadAt < aheadSeconds {
		s.ahead = 0
		return
	}
	if jump {
		a.jumpHere(section)
		if !a.deleted && s.montage.Playing() {
			w.advanceMontage(a, elapsed)
		}
		return
	}
	a.startMontage(m, section, rate, elapsed, late)
}

// PlayAnim plays an animation under the montage, once or in a loop; nil stops it. It is not replicated: each
// peer derives it from what the actor does.
func (a *Actor) PlayAnim(m *animation.Montage, rate float64, loop bool) {
	if m == nil {
		if a.anim == nil || !a.anim.base.Playing() {
			return
		}
	}
	w, s := a.world, a.animFor()
	s.bases++
	base := len(w.cues)
	w.cues = s.base.Stop(w.cues)
	if m != nil {
		s.base = animation.Start(m, 0, rate)
		s.base.Loop = loop
		w.list(a)
	}
	w.fire(a, base, s.bases, false)
}

// Anim returns the animation under the montage.
func (a *Actor) Anim() *animation.Player {
	if a.anim == nil {
		return &animation.Player{}
	}
	return &a.anim.base
}

// SetAnimPosition moves the animation under the montage to a position, in seconds of its track, without running
// the notifies in between: for code that derives positions from distance curves.
func (a *Actor) SetAnimPosition(at float64) {
	if p := a.Anim(); p.Playing() && at-at == 0 {
		p.Position = max(0, min(at, p.Montage.Track.Length))
	}
}

// CurveValue returns the value of a curve of the montage, or else of the animation under it; 0 if neither has
// the curve.
func (a *Actor) CurveValue(name string) float64 {
	if a.anim == nil {
		return 0
	}
	if v, ok := a.anim.montage.Curve(name); ok {
		return v
	}
	v, _ := a.anim.base.Curve(name)
	return v
}

// animate advances all animations by a tick.
func (w *World) animate(dt float64) {
	if len(w.animated) == 0 {
		return
	}
	n := len(w.animated) // animations started by a notify begin with the next tick
	for i := 0; i < n; i++ {
		a := w.animated[i]
		if a.deleted {
			continue
		}
		s := a.anim
		for k := 0; k < len(s.timelines) && !a.deleted; k++ {
			w.advanceTimeline(a, s.timelines[k], dt)
		}
		if a.deleted || !s.montage.Playing() && !s.base.Playing() {
			continue
		}
		s.debt += dt
		if hz := w.rateOf(a); hz > 0 && s.debt*hz < 1-1e-9 {
			continue
		}
		passed := s.debt
		s.debt = 0
		if s.montage.Playing() {
			w.advanceMontage(a, passed)
		}
		if !a.deleted && s.base.Playing() && w.playsBase(a) {
			w.advanceBase(a, passed)
		}
		if !a.deleted {
			w.setRootMotion(a, dt)
		}
	}
	kept := w.animated[:0]
	for _, a := range w.animated {
		s := a.anim
		if len(s.timelines) > 0 {
			s.dropGone()
		}
		if s.listed = !a.deleted && (s.montage.Playing() || s.base.Playing() || len(s.timelines) > 0); s.listed {
			kept = append(kept, a)
		}
	}
	clear(w.animated[len(kept):])
	w.animated = kept
}

// rateOf returns how often an actor's animation is updated, in Hz; 0 is every tick. Only a client reduces the
// rate with distance.
func (w *World) rateOf(a *Actor) float64 {
	if w.NetMode != NMClient {
		return 0
	}
	pc := w.LocalPlayer()
	if pc == nil || a.anim.moving || a.TopOwner() == pc {
		return 0 // root motion is movement, and the player's own pawn is near
	}
	rates := w.animRates
	far := a.Location.Sub(w.Ear(pc)).SizeSquared()
	for i := range rates {
		if r := &rates[i]; far <= r.Distance*r.Distance || i == len(rates)-1 {
			return r.Hz
		}
	}
	return 0
}

// AnimTickOption is the variable of that name of an actor's class: when its animations run on a dedicated
// server.
type AnimTickOption uint8

// ORDER: Pawn.lua's enum.
const (
	AnimMontageOnly  AnimTickOption = iota // only while a montage plays, and the montage alone; the default
	AnimWhenRelevant                       // while some client has the actor
	AnimAlways
)

// playsBase reports whether the animation under the montage runs on this peer.
func (w *World) playsBase(a *Actor) bool {
	if w.NetMode != NMDedicatedServer {
		return true
	}
	option := AnimMontageOnly
	if p := a.Class.known[knAnimTickOption]; p != nil && p.Type.Kind == KindEnum {
		option = AnimTickOption(a.words[p.word])
	}
	switch option {
	case AnimAlways:
		return true
	case AnimWhenRelevant:
		c := w.Copies()
		return c != nil && c.Watched(a)
	case AnimMontageOnly:
	}
	return false
}

func (w *World) advanceMontage(a *Actor, dt float64) {
	s := a.anim
	base := len(w.cues)
	name := s.montage.Montage.Name
	cues, ended := s.montage.Advance(dt, w.cues, w.which())
	w.cues = cues
	if ended {
		s.ending = name
	}
	w.fire(a, base, s.plays, true)
	if ended && !a.deleted && s.ending != "" {
		s.ending = ""
		w.setRootMotion(a, 0)
		a.Event(EvMontageEnded, String(name), Bool(false))
	}
}

func (w *World) advanceBase(a *Actor, dt float64) {
	s := a.anim
	base := len(w.cues)
	m, bases := s.base.Montage, s.bases
	cues, ended := s.base.Advance(dt, w.cues, w.which())
	w.cues = cues
	w.fire(a, base, bases, false)
	if ended && !a.deleted && s.bases == bases {
		a.Event(EvAnimEnd, String(m.Name))
	}
}

// cueEvents maps cues to their events.
var cueEvents = [...]Event{animation.CueEnd: EvAnimNotifyEnd, animation.CueFire: EvAnimNotify, animation.CueBegin: EvAnimNotifyBegin}

// fire reports the cues from base on to an actor and pops them off the stack. When one of them makes the actor
// play something else, the rest belongs to the old animation and is dropped, except the ends of windows.
func (w *World) fire(a *Actor, base, plays int, montage bool) {
	for i := base; i < len(w.cues) && !a.deleted; i++ {
		c := w.cues[i]
		now := a.anim.bases
		if montage {
			now = a.anim.plays
		}
		if now != plays && c.Kind != animation.CueEnd {
			continue
		}
		if c.Kind != animation.CueEnd {
			a.Cue(c.Notify.Name)
		}
		if ev := cueEvents[c.Kind]; a.Defines(ev) {
			a.Event(ev, String(c.Notify.Name))
		}
	}
	clear(w.cues[base:])
	w.cues = w.cues[:base]
}

// setRootMotion writes the track's own movement to RootMotionVelocity, in uu/s, for the next dt seconds;
// physics and moves apply it (R9.10).
func (w *World) setRootMotion(a *Actor, dt float64) {
	s := a.anim
	p := a.Class.known[knRootMotionVelocity]
	if p == nil || p.Type.Kind != KindVector {
		return
	}
	var v vec
	was := s.moving
	m := s.montage.Montage
	if s.moving = m != nil && m.Track.HasRoot(); s.moving && dt > 0 {
		r := s.montage.Root(dt)
		forward, right, _ := geom.Rotator{Yaw: a.Rotation.Yaw}.Axes()
		v = forward.Mul(r[0]).Add(right.Mul(r[1])).Add(vec{Z: r[2]})
	}
	if !s.moving && !was {
		return
	}
	if a.Set(p, Vec(v)) == nil {
		w.Script.Changed(a, p)
	}
}

// HasRootMotion reports whether the montage that plays moves the actor, or holds it in place.
func (a *Actor) HasRootMotion() bool { return a.anim != nil && a.anim.moving }

// moveByRoot moves an actor for a tick by the root motion of its montage, in place of its own acceleration.
// Pawns that a player moves do the same in their moves (Pawn:FillMove), and proxies follow the server.
func (w *World) moveByRoot(a *Actor, dt float64) {
	if a.role() != RoleAuthority || a.followsServer() {
		w.move(a, dt)
		return
	}
	v := a.Get(a.Class.known[knRootMotionVelocity]).Vec
	if a.Physics == PhysWalking || a.Physics == PhysFalling && v.Z == 0 {
		v.Z = a.Velocity.Z
	}
	wish := a.Acceleration
	a.setVelocity(v)
	a.Acceleration = vec{X: v.X, Y: v.Y}.Normal().Mul(a.number(knAccelRate, 0)) // so that nothing brakes it
	limit, limited := a.body.limit, a.body.limited
	a.body.limit, a.body.limited = math.Hypot(v.X, v.Y), true
	w.move(a, dt)
	a.body.limit, a.body.limited = limit, limited
	a.Acceleration = wish
}

func (w *World) advanceTimeline(a *Actor, t *timeline, dt float64) {
	if t.gone {
		return
	}
	base := len(w.cues)
	cues, ended := t.Advance(dt, w.cues)
	w.cues = cues
	t.set(a)
	t.gone = ended
	for i := base; i < len(w.cues) && !a.deleted; i++ {
		if w.cues[i].Kind != animation.CueEnd && (!t.gone || ended) {
			a.Event(EvTimelineEvent, String(t.name), String(w.cues[i].Notify.Name))
		}
	}
	clear(w.cues[base:])
	w.cues = w.cues[:base]
	if ended && !a.deleted {
		a.Event(EvTimelineFinished, String(t.name))
	}
}

// dropGone removes timelines that have ended.
func (s *animState) dropGone() {
	s.timelines = slices.DeleteFunc(s.timelines, func(t *timeline) bool { return t.gone })
}
