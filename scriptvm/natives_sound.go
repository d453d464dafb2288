package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// soundNatives returns natives that play sounds (R12.6).
func soundNatives() []native {
	return []native{
		{
			Space: api.Actor, Name: "MakeNoise", Params: "loudness: number",
			Doc:     "Calls HearNoise on controllers whose pawn is within earshot: loudness 1 is heard at 1500 uu, and at half of that through walls. It is for bots; PlaySound is for players.",
			Example: "self:MakeNoise(1)",
			Do: func(v *VM, L *lua.LState) int {
				v.world.MakeNoise(v.self(L), checkNumber(L, 2))
				return 0
			},
		},
		{
			Space: api.Actor, Name: "PlaySound", Params: "name: SoundName, opts?: SoundOptions",
			Doc:     "Plays a sound where the actor is, for the players within its radius. On the server it is sent to them by ClientHearSound, except to those whose copy plays it itself in a simulated function (R12.6). opts: Location, bNotReplicated (only for a player at this machine), bNoRepToOwner (not for the owning player, who predicted it), bNoRepToRelevant (not for those who have a copy of the actor).",
			Example: `self:PlaySound("sounds/boom.toml")`,
			Do: func(v *VM, L *lua.LState) int {
				a := v.self(L)
				name := checkString(L, 2)
				s := soundOptions(L, 3, a)
				if !s.here {
					s.from, s.copies = v.copiesPlay(L, a)
				}
				v.playSound(a, name, &s)
				return 0
			},
		},
		{
			Space: api.PlayerController, Name: "HearSound", Params: "sound: SoundName, source?: Actor, location?: vector Place",
			Doc:     "Plays a sound for the player at this machine; without a location it plays everywhere. ClientCreateAudioComponent of source may change it. ClientHearSound and ClientPlaySound call it.",
			Example: `self:HearSound("sounds/bell.toml")`,
			Do: func(v *VM, L *lua.LState) int {
				pc := v.self(L)
				name := checkString(L, 2)
				source := v.optActor(L, 3, "")
				if L.Get(4) == lua.LNil {
					v.hear(pc, source, engine.HeardSound{Sound: name})
				} else {
					v.hear(pc, source, engine.HeardSound{Sound: name, At: checkVector(L, 4), HasPlace: true})
				}
				return 0
			},
		},
		{
			Space: api.World, Name: "RecentSounds", Returns: "HeardSound[]", Pure: true,
			Doc:     "What the player at this machine heard in the last five seconds, at most 64, oldest first: an array of Sound, Actor, Location, Volume, Pitch, Time and Caption; Actor is nil if this machine has no such actor, Location if the sound has none.",
			Example: `for _, heard in ipairs(world:RecentSounds()) do log(heard.Sound) end`,
			Do:      (*VM).recentSounds,
		},
	}
}

// soundCall is one PlaySound.
type soundCall struct {
	at geom.Vector
	// here: for this machine's own player only; noOwner and noRelevant: not for the player who owns the actor, and
	// not for players who have a copy of it.
	here, noOwner, noRelevant bool
	// copies: clients' copies run the code that plays it; from is how the engine entered that code.
	copies bool
	from   callContext
}

// soundOptions reads the table of a PlaySound.
func soundOptions(L *lua.LState, i int, a *engine.Actor) soundCall {
	s := soundCall{at: a.Location}
	if L.Get(i) == lua.LNil {
		return s
	}
	t, ok := L.Get(i).(*lua.LTable)
	if !ok || objectOf(t) != nil {
		argError(L, i, "a table of options")
	}
	each(t, func(k, x lua.LValue) {
		name, _ := k.(lua.LString)
		switch string(name) {
		case "Location":
			s.at = geom.Vector(x.(vec)) // the guard checked it
		case "bNotReplicated":
			s.here = lua.LVAsBool(x)
		case "bNoRepToOwner":
			s.noOwner = lua.LVAsBool(x)
		case "bNoRepToRelevant":
			s.noRelevant = lua.LVAsBool(x)
		default:
			L.RaiseError("PlaySound: unknown option %s%s", k.String(),
				engine.Nearest(k.String(), []string{"Location", "bNotReplicated", "bNoRepToOwner", "bNoRepToRelevant"}))
		}
	})
	return s
}

// playSound plays a sound for the players who hear it (R12.6). A client plays it for its own player. Elsewhere the
// players within hearing are notified by ClientHearSound, except those whose copy of the actor plays it on its own.
func (v *VM) playSound(a *engine.Actor, name string, s *soundCall) {
	w := v.world
	sound := w.Sound(name)
	radius := w.HearingRadius(&sound, a)
	if w.NetMode == engine.NMClient {
		if pc := w.LocalPlayer(); pc != nil && w.Hears(pc, s.at, radius) {
			v.hear(pc, a, engine.HeardSound{Sound: name, At: s.at, HasPlace: true})
		}
		return
	}
	players := w.Players(v.listeners[:0])
	v.listeners = nil // a listener's script may play sounds, too
	copies := w.Copies()
	args := [3]engine.Value{engine.String(name), engine.Ref(a), engine.Vec(s.at)}
	for _, pc := range players {
		if pc.Deleted() || !w.Hears(pc, s.at, radius) {
			continue
		}
		if _, local := w.Input(pc); local {
			if s.noRelevant {
				continue // they have the actor itself
			}
		} else {
			if s.here || s.noOwner && a.TopOwner() == pc || copies != nil && v.heardThere(copies, pc, a, s) {
				continue
			}
		}
		if f := pc.Dispatch.Functions["ClientHearSound"]; f != nil {
			w.Enter()
			v.Event(pc, f, args[:])
			w.Leave()
		}
	}
	clear(players)
	v.listeners = players[:0]
}

// heardThere reports whether a player's own machine plays the sound without a notification.
func (v *VM) heardThere(copies engine.Copies, pc, a *engine.Actor, s *soundCall) bool {
	if !s.copies && !s.noRelevant {
		return false
	}
	role, has := copies.CopyOf(pc, a, s.copies && s.from.beginning())
	return has && (s.noRelevant || s.from.runsOn(a, role))
}

// hear plays a sound for the local player. The class of the actor that makes it may change it, or silence it, by
// ClientCreateAudioComponent.
func (v *VM) hear(pc, source *engine.Actor, h engine.HeardSound) {
	w := v.world
	if _, local := w.Input(pc); !local {
		return // nobody listens here
	}
	sound := w.Sound(h.Sound)
	h.Volume, h.Pitch = sound.Volume, sound.Pitch
	if source != nil && !source.Deleted() {
		h.Actor = source.ID()
		audio := newTable(0, 4)
		audio.RawSetString("Sound", lua.LString(h.Sound))
		if h.HasPlace {
			audio.RawSetString("Location", vec(h.At))
		}
		audio.RawSetString("Volume", lua.LNumber(h.Volume))
		audio.RawSetString("Pitch", lua.LNumber(h.Pitch))
		out, err := v.callLua(source, "ClientCreateAudioComponent", []lua.LValue{audio})
		if err != nil || len(out) == 0 {
			return // a fault was reported; no result means silence
		}
		t, ok := out[0].(*lua.LTable)
		if !ok || objectOf(t) != nil {
			return
		}
		name, _ := t.RawGetString("Sound").(lua.LString)
		if name == "" {
			return
		}
		h.Sound = string(name)
		if at, ok := t.RawGetString("Location").(vec); ok && geom.Vector(at).IsFinite() {
			h.At, h.HasPlace = geom.Vector(at), true
		}
		h.Volume, h.Pitch = share(t.RawGetString("Volume")), share(t.RawGetString("Pitch"))
		if h.Volume == 0 {
			return
		}
	}
	w.HearSound(h)
}

// share returns a volume or a pitch from a script: between 0 and 16, 1 if it is not a number.
func share(x lua.LValue) float64 {
	n, ok := x.(lua.LNumber)
	if !ok || n != n {
		return 1
	}
	return max(0, min(16, float64(n)))
}

// recentSounds is world:RecentSounds().
func (v *VM) recentSounds(L *lua.LState) int {
	v.checkWorld(L)
	list := v.world.RecentSounds(nil)
	out := newTable(len(list), 0)
	for i := range list {
		h := &list[i]
		t := newTable(0, 7)
		t.RawSetString("Sound", lua.LString(h.Sound))
		if a := living(v.world.Actor(h.Actor)); a != nil {
			t.RawSetString("Actor", luaActor(a))
		}
		if h.HasPlace {
			t.RawSetString("Location", vec(h.At))
		}
		t.RawSetString("Volume", lua.LNumber(h.Volume))
		t.RawSetString("Pitch", lua.LNumber(h.Pitch))
		t.RawSetString("Time", lua.LNumber(h.Time))
		if c := v.world.Sound(h.Sound).Caption; c != "" {
			t.RawSetString("Caption", lua.LString(c))
		}
		out.RawSetInt(i+1, t)
	}
	v.vm.Charge(L, int64(8*len(list)))
	L.Push(out)
	return 1
}
