package scene

import (
	"math"

	"github.com/tidelock/tidelock/cmd/host/media"
	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/look"
)

// The layout of a frame: ViewFloats floats of the view, then ActorFloats for each actor.
const (
	// ViewFloats: tick modulo 2^24; world time in seconds modulo 4096; the eye's X, Y, Z; pitch and yaw of the
	// view; the slot of the player's own pawn, 0 if none is visible.
	ViewFloats = 8
	// ActorFloats: slot; number of the look; X, Y, Z; pitch, yaw, roll; flags; height of the body now, in uu; the pitch of
	// a pawn's view.
	ActorFloats = 11
)

// Flags of an actor in a frame.
const (
	// FlagHidden marks an actor that is not drawn now (bHidden).
	FlagHidden = 1 << iota
	// FlagOwn marks the player's own pawn, and actors attached to it.
	FlagOwn
	// FlagCrouched marks a crouching pawn.
	FlagCrouched
	// FlagDead marks a dead body.
	FlagDead
)

const (
	// MaxActors bounds the actors of a frame; further ones are not shown until others are gone.
	MaxActors = 4096
	// maxSlots bounds the slots ever assigned, so that each is exact as a float.
	maxSlots = 1 << 16
	// reuseAfter is how many frames a slot rests after its actor is gone, so that a reader that is late does
	// not confuse two actors.
	reuseAfter = 120
	// maxLooks bounds the classes and the variants of looks that are remembered; beyond it, unused ones are
	// forgotten.
	maxLooks = 1024
	// chainMost bounds the walk along attachments.
	chainMost = 8
	// wrapTick and wrapTime keep values exact as floats.
	wrapTick, wrapTime = 1 << 24, 4096
	// maxName bounds names of actors and classes in events, in bytes.
	maxName = 64
)

// Stage creates frames of a world, one per tick. It gives every actor that was ever visible a slot, a small
// number from 1. Actors that were never visible (bHidden from their beginning: rules, controllers, player
// starts, carried items) have none, nor have components.
//
// A Stage belongs to the goroutine that steps the world.
type Stage struct {
	world  *engine.World
	frame  uint64
	floats []float32
	events Events
	sent   bool // events have been handed out and are to be forgotten

	slots map[engine.ActorID]int32
	list  []entry   // by slot; list[0] is unused
	live  []int32   // slots in use, oldest first
	free  []resting // slots that rest, oldest first
	// looks describe classes; variants are the looks that the page has, by class and content; told counts them,
	// and most is how many there may be before some are forgotten.
	looks    map[*engine.Class]*classLook
	variants map[string]*variant
	told     int
	most     int
	json     []byte // scratch

	content []media.Item // of the world
	shown   []media.Item // of the page
	stale   bool         // the two may differ

	meshes   *Meshes
	models   []Model
	player   *engine.Actor
	own      *engine.Actor
	visit    func(*engine.Actor)
	effects  []engine.Effect
	messages []engine.Message
	heard    uint64 // number of the latest message
}

// entry is an actor with a slot.
type entry struct {
	id    engine.ActorID
	class *engine.Class
	look  *classLook
	seen  uint64 // frame
	team  int
	name  string // name of its player
	model int    // of Level.Models, -1 for none
	base  int32  // slot of the actor it is attached to, 0 for none

	variant *variant // of class wears, for the key worn
	wears   *classLook
	worn    variantKey
	params  []value
}

// resting is a slot whose actor is gone.
type resting struct {
	slot  int32
	since uint64
}

// NewStage returns an empty stage. It uses the meshes of levels in meshes; nil computes them for it alone.
func NewStage(meshes *Meshes) *Stage {
	if meshes == nil {
		meshes = &Meshes{}
	}
	s := &Stage{meshes: meshes, slots: map[engine.ActorID]int32{}, list: make([]entry, 1), looks: map[*engine.Class]*classLook{}, variants: map[string]*variant{}, most: maxLooks}
	s.visit = s.actor
	return s
}

// Events returns the events of the next frame, to which others may add.
func (s *Stage) Events() *Events {
	if s.sent {
		s.events.reset()
		s.sent = false
	}
	return &s.events
}

// Slot returns an actor's slot, 0 if it has none.
func (s *Stage) Slot(a *engine.Actor) int {
	if a == nil {
		return 0
	}
	return int(s.slots[a.ID()])
}

// Frame returns what is visible now: the floats, and the events since the last Frame, a JSON array, empty for
// none. w may be nil, or another world than before: then all actors are gone. player is the PlayerController,
// nil if there is none. Both slices are valid until the next call. Without new actors it allocates nothing.
//
//	{"e":"look","n":7,"class":"Rocket","tree":{…}}
//	    before the first actor with these looks: package look's keys, a value being a constant or {"p":0}, element 0 of
//	    the actor's params. What a class does not declare follows from its body: shape is box, cylinder, capsule (a ball if
//	    all three sizes are equal), hull or none. tree null: they are no longer used, and the number is never reused
//	{"e":"spawned","slot":1,"look":7,"class":"Rocket","name":"Rocket3","params":[…]}
//	    with "base", the slot of the actor it is attached to, "team" and "player", the player's name, if it has them; for a hull
//	    "model", an index of Level.Models, and "size", the whole extent forward, right and up, in uu
//	{"e":"changed", …} the same members, when look, base, team or player change
//	{"e":"params","slot":1,"params":[…]} when only the parameters change
//	{"e":"gone","slot":1}
//	{"e":"sound","name":"sounds/shot.toml","slot":1,"at":[0,0,0]}, {"e":"montage", …} slot 0: no visible actor
//	{"e":"on","slot":1,"name":"Muzzle","at":[0,0,0],"effect":"effects/flash.toml"} an event named in `on` of the looks
//	{"e":"content","kind":"effect","name":"effects/smoke.toml","data":{…}} when a world begins and when a file changes;
//	    kind: effect, material, sound or animation; data null: the file was removed
//	{"e":"message","text":"…","kind":"chat","from":"Ann"} from "" is the game itself
//	{"e":"dropped","count":3} so many sounds, montages, messages and lines were dropped
func (s *Stage) Frame(w *engine.World, player *engine.Actor) (floats []float32, events []byte) {
	e := s.Events()
	s.frame++
	if w != s.world {
		s.enter(w)
	}
	if w != nil {
		s.tellContent()
	}
	s.player, s.own = player, nil
	if player != nil {
		s.own = view.Pawn(player)
	}
	s.floats = append(s.floats[:0], 0, 0, 0, 0, 0, 0, 0, 0)
	if w != nil {
		w.EachActor(s.visit)
		s.leave()
		s.look()
		s.hear()
		s.report()
	}
	s.player, s.own = nil, nil
	s.sent = true
	return s.floats, e.take()
}

// enter begins another world.
func (s *Stage) enter(w *engine.World) {
	for _, slot := range s.live {
		s.gone(slot)
	}
	s.live = s.live[:0]
	s.world, s.heard = w, 0
	clear(s.looks)
	clear(s.variants) // a page has none when a level begins
	s.most = maxLooks
	s.shown, s.stale = nil, true // nor any content
	s.models = nil
	if w == nil {
		return
	}
	if l := s.meshes.Of(w.Level); l != nil {
		s.models = l.Models
	}
}

// actor adds an actor to the frame.
func (s *Stage) actor(a *engine.Actor) {
	if a.Outer != nil {
		return
	}
	slot, known := s.slots[a.ID()]
	if !known {
		if a.BHidden || !a.Location.IsFinite() {
			return
		}
		if slot = s.take(); slot == 0 {
			return
		}
		s.slots[a.ID()] = slot
		s.list[slot] = entry{id: a.ID(), team: -1, model: s.modelOf(a)}
		s.live = append(s.live, slot)
	}
	t := &s.list[slot]
	t.seen = s.frame
	if t.class != a.Class {
		t.class, t.look = a.Class, s.classOf(a)
	}
	t.look.used = s.frame
	own := s.isOwn(a)
	changed := s.dress(a, t, own)
	changed = s.belongs(a, t) || changed
	if base := s.baseOf(a); base != t.base {
		t.base, changed = base, true
	}
	switch other := s.measured(a, t); {
	case changed || !known:
		s.tell(a, slot, !known)
	case other:
		s.json = appendParams(s.json[:0], t.params)
		s.events.Begin("params").Int("slot", int(slot)).JSON("params", s.json).End()
	}
	flags, v, r := 0, a.VisualLocation(), a.VisualRotation()
	if t.variant.hull {
		r = geom.Rotator{} // brushes are moved but never rotated
	}
	if a.BHidden {
		flags |= FlagHidden
	}
	if own {
		flags |= FlagOwn
	}
	if t.look.crouches(a) {
		flags |= FlagCrouched
	}
	if t.look.dead(a) {
		flags |= FlagDead
	}
	s.floats = append(s.floats,
		float32(slot), float32(t.variant.number), float32(v.X), float32(v.Y), float32(v.Z),
		radians(r.Pitch), radians(r.Yaw), radians(r.Roll), float32(flags), float32(2*a.CollisionHeight), t.look.aim(a))
}

// baseOf returns the slot of an actor's base, 0 for none.
func (s *Stage) baseOf(a *engine.Actor) int32 {
	if !a.BAttached || a.Base == 0 {
		return 0
	}
	return s.slots[a.Base]
}

// radians returns an angle from −π to π.
func radians(u uint16) float32 { return float32(float64(geom.Signed(u)) * (2 * math.Pi / 65536)) }

// isOwn reports whether an actor is the player's own pawn, or attached to it.
func (s *Stage) isOwn(a *engine.Actor) bool {
	if s.own == nil {
		return false
	}
	for range chainMost {
		if a == s.own {
			return true
		}
		if a == nil || !a.BAttached || a.Base == 0 {
			return false
		}
		a = s.world.Actor(a.Base)
	}
	return false
}

// take returns a free slot, 0 if there is none.
func (s *Stage) take() int32 {
	if len(s.live) >= MaxActors {
		return 0
	}
	if len(s.free) > 0 && (s.frame-s.free[0].since > reuseAfter || len(s.list) >= maxSlots) && s.free[0].since < s.frame {
		slot := s.free[0].slot
		s.free = s.free[:copy(s.free, s.free[1:])]
		return slot
	}
	if len(s.list) >= maxSlots {
		return 0
	}
	s.list = append(s.list, entry{})
	return int32(len(s.list) - 1)
}

// leave reports the actors that are gone.
func (s *Stage) leave() {
	kept := s.live[:0]
	for _, slot := range s.live {
		if s.list[slot].seen == s.frame {
			kept = append(kept, slot)
			continue
		}
		s.gone(slot)
	}
	s.live = kept
	if len(s.looks) > maxLooks {
		for c, l := range s.looks {
			if l.used != s.frame {
				delete(s.looks, c)
			}
		}
	}
}

func (s *Stage) gone(slot int32) {
	s.events.Begin("gone").Int("slot", int(slot)).End()
	delete(s.slots, s.list[slot].id)
	s.list[slot] = entry{}
	s.free = append(s.free, resting{slot, s.frame})
}

// look writes the view.
func (s *Stage) look() {
	f, w := s.floats, s.world
	f[0], f[1] = float32(w.Frame()%wrapTick), float32(math.Mod(w.Time, wrapTime))
	if s.player == nil {
		return
	}
	at, turn := Eye(s.player)
	f[2], f[3], f[4] = float32(at.X), float32(at.Y), float32(at.Z)
	f[5], f[6] = radians(turn.Pitch), radians(turn.Yaw)
	if s.own != nil {
		f[7] = float32(s.slots[s.own.ID()])
	}
}

// Eye returns the location and rotation of a player's view, smoothed as it is drawn (R10). It is the view of
// the player being watched, if there is one, otherwise that of the player's own pawn, otherwise that of the
// controller.
func Eye(player *engine.Actor) (at geom.Vector, turn geom.Rotator) {
	if to := view.Reference(player, "ViewTarget"); to != nil {
		turn = to.VisualRotation()
		if p, ok := view.Number(to, "ViewPitch"); ok && to.Class.IsPawn() {
			turn = geom.Rot(int(p)*256, int(turn.Yaw), 0)
		}
		return eyes(to), turn
	}
	turn = view.Rotation(player)
	if pawn := view.Pawn(player); pawn != nil {
		return eyes(pawn), turn
	}
	return player.VisualLocation(), turn
}

func eyes(a *engine.Actor) geom.Vector {
	at := a.VisualLocation()
	if h, ok := view.Number(a, "EyeHeight"); ok {
		at.Z += h
	}
	return at
}

// effect returns the effect of a cue: by the actor's present looks, or, if it is gone or a component, by its
// class's.
func (s *Stage) effect(f *engine.Effect, slot int32) string {
	t := &s.list[slot]
	if slot != 0 && t.class.Name == f.Class && t.look.looks != nil {
		return t.look.looks.Effect(t.worn.holds, f.Name)
	}
	if c := s.world.Classes.Find(f.Class); c != nil {
		if l := look.From(c); l != nil {
			return l.Effect(0, f.Name)
		}
	}
	return ""
}

// reportEvery is how many frames pass between two checks for conditions that ended in an error.
const reportEvery = 60

// report passes errors of conditions in looks to the world's script, which reports them to the host or the
// player.
func (s *Stage) report() {
	if s.frame%reportEvery != 0 {
		return
	}
	for c, l := range s.looks { // any order: the reports are independent
		if l.looks == nil {
			continue
		}
		l.looks.Faulty(func(cond engine.Condition) {
			if f, bad := s.world.TakeCondFault(cond); bad {
				s.world.Script.Report(engine.SevWarning, s.world.Actor(f.Actor), "class "+c.Name+": .looks: when: "+f.Text)
			}
		})
	}
}

// hear adds the events of effects and messages.
func (s *Stage) hear() {
	s.effects = s.world.TakeEffects(s.effects[:0])
	for i := range s.effects {
		f := &s.effects[i]
		kind := "sound"
		switch f.Kind {
		case engine.EffectMontage:
			kind = "montage"
		case engine.EffectCue:
			kind = "on"
		case engine.EffectSound:
		}
		slot := s.slots[f.Actor]
		e := s.events.Begin(kind).Text("name", cut(f.Name)).Int("slot", int(slot)).Vector("at", f.At.X, f.At.Y, f.At.Z)
		if f.Kind == engine.EffectCue {
			e.Text("effect", s.effect(f, slot))
		}
		e.EndSaid()
	}
	s.messages = s.world.Messages(s.heard, s.messages[:0])
	for i := range s.messages {
		m := &s.messages[i]
		s.heard = m.Number
		s.events.Begin("message").Text("text", m.Text).Text("kind", m.Kind).Text("from", m.From).EndSaid()
	}
}
