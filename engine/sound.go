package engine

import "math"

// Bounds of the remembered sounds.
const (
	// MaxHeard is how many sounds a world remembers; the oldest are dropped first.
	MaxHeard = 64
	// HeardSeconds is how long RecentSounds returns a sound.
	HeardSeconds = 5
)

// Copies tells which actors clients have; the [Remote] of a server may implement it. Without it no client has
// any.
type Copies interface {
	// CopyOf reports whether a player's machine has a copy of an actor, or, if beginning is set, will have one
	// that begins on its own, and the copy's role there.
	CopyOf(pc, a *Actor, beginning bool) (role Role, has bool)
	// Watched reports whether any client has a copy of the actor.
	Watched(a *Actor) bool
}

// Copies returns the network code's implementation, nil without a network or on a client.
func (w *World) Copies() Copies {
	c, _ := w.remote.(Copies)
	return c
}

// Sound returns the properties of a sound by its name; an unknown one has the defaults.
func (w *World) Sound(name string) Sound {
	if s, ok := w.sounds[name]; ok {
		return s
	}
	return Sound{Name: name, Volume: 1, Pitch: 1}
}

// HearingRadius returns how far a sound of an actor is heard, in uu: the sound's own radius, or else the
// actor's SoundRadius.
func (w *World) HearingRadius(s *Sound, a *Actor) float64 {
	if s.Radius > 0 {
		return s.Radius
	}
	return a.SoundRadius
}

// Ear returns where a player hears: at the eyes of their view target, which is their ViewTarget, else their
// pawn, else the controller itself. Relevancy uses the same actor.
func (w *World) Ear(pc *Actor) vec {
	t := pc
	for _, k := range [...]known{knViewTarget, knPawn} {
		p := pc.Class.known[k]
		if p == nil || p.Type.Kind != KindRef {
			continue
		}
		if x := w.Actor(ActorID(pc.words[p.word])); x != nil && !x.deleted {
			t = x
			break
		}
	}
	at := t.Location
	at.Z += t.number(knEyeHeight, 0)
	return at
}

// Hears reports whether a player is within a radius of a location. Walls do not matter, as for AmbientSound
// (R3.9).
func (w *World) Hears(pc *Actor, at vec, radius float64) bool {
	return w.Ear(pc).Sub(at).SizeSquared() <= radius*radius
}

// Players appends the world's live PlayerControllers to buf in order of spawning.
func (w *World) Players(buf []*Actor) []*Actor {
	for _, list := range [...][]*Actor{w.controllers.list, w.controllers.added} {
		for _, a := range list {
			if a.tickable && !a.deleted && !a.destroying && a.Class.kind&kindPlayerController != 0 && (len(buf) == 0 || buf[len(buf)-1].seq < a.seq) {
				buf = append(buf, a)
			}
		}
	}
	return buf
}

// HearSound stores a sound that the player at this machine hears, for viewers and scripts.
func (w *World) HearSound(s HeardSound) {
	s.Time = w.Time
	if len(w.heard) >= MaxHeard {
		w.heard = w.heard[:copy(w.heard, w.heard[1:])]
	}
	w.heard = append(w.heard, s)
	w.AddEffect(Effect{Kind: EffectSound, Actor: s.Actor, At: s.At, Name: s.Sound})
}

// RecentSounds appends the sounds of the last [HeardSeconds] seconds to buf, oldest first.
func (w *World) RecentSounds(buf []HeardSound) []HeardSound {
	for _, s := range w.heard {
		if w.Time-s.Time <= HeardSeconds {
			buf = append(buf, s)
		}
	}
	return buf
}

// NoiseRadius is how far a noise of loudness 1 is heard, in uu; NoiseThroughWalls is the remaining share if
// there is no line of sight from the maker to the listener's eyes.
const (
	NoiseRadius       = 1500
	NoiseThroughWalls = 0.5
)

// MakeNoise calls HearNoise on the controllers whose pawn is within loudness × [NoiseRadius] of a, less through
// walls (R12.6). It is for decisions of scripts, not for players' ears: nothing of it is sent to clients.
func (w *World) MakeNoise(a *Actor, loudness float64) {
	r := loudness * NoiseRadius
	if !(r > 0) {
		return
	}
	n := len(w.order) // actors spawned by a listener do not hear it
	w.looked += uint64(n)
	for i := 0; i < n && i < len(w.order) && !a.deleted; i++ {
		c := w.order[i]
		if c == nil || c.deleted || c.Class.kind&kindController == 0 || !c.Defines(EvHearNoise) {
			continue
		}
		p := c.Class.known[knPawn]
		if p == nil {
			continue
		}
		pawn := w.Actor(ActorID(c.words[p.word]))
		if pawn == nil || pawn == a || pawn.deleted {
			continue
		}
		d := pawn.Location.Sub(a.Location).Size()
		if d > r {
			continue
		}
		eyes := pawn.Location
		eyes.Z += pawn.number(knEyeHeight, 0)
		if d > r*NoiseThroughWalls && !w.FastTrace(a.Location, eyes) {
			continue
		}
		c.Event(EvHearNoise, Float(math.Min(loudness, MaxLoudness)), Ref(a))
	}
}

// MaxLoudness bounds the loudness passed to listeners, so that a script's infinity does not enter computations.
const MaxLoudness = 1e6
