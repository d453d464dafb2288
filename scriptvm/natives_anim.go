package scriptvm

import (
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/animation"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// animNatives returns natives that play animations and timelines (R12.7), and query content.
func animNatives() []native {
	return []native{
		{
			Space: api.Actor, Name: "PlayMontage", Params: "name: AnimationName, section?: string, rate?: number", Returns: "number",
			Doc:     "Plays a montage of content/animations on the actor, from the given section at the given rate; a montage that is already playing ends. From the server, clients receive it if the class has ReplicatedMontage, as Pawn does (R12.7). Returns the seconds until its track ends, or 0 if content has no such animation.",
			Example: `self:PlayMontage("animations/reload.toml")`,
			Do: func(v *VM, L *lua.LState) int {
				a := v.self(L)
				m := v.montage(L, a, "PlayMontage", 2)
				section := optString(L, 3, "")
				rate := optNumber(L, 4, 1)
				if m == nil {
					return number(L, 0)
				}
				return number(L, a.PlayMontage(m, sectionOf(L, "PlayMontage", m, section), rateOf(L, "PlayMontage", rate)))
			},
		},
		{
			Space: api.Actor, Name: "StopMontage",
			Doc:     "Stops the montage that is playing; MontageEnded is called with interrupted true.",
			Example: "self:StopMontage()",
			Do:      func(v *VM, L *lua.LState) int { v.self(L).StopMontage(); return 0 },
		},
		{
			Space: api.Actor, Name: "MontageJumpToSection", Params: "section: string", Returns: "boolean",
			Doc:     "Jumps to a section of the montage that is playing; false if none is.",
			Example: `self:MontageJumpToSection("Loop")`,
			Do: func(v *VM, L *lua.LState) int {
				a := v.self(L)
				name := checkString(L, 2)
				m, _, _ := a.Montage()
				if m == nil {
					return boolean(L, false)
				}
				a.JumpToSection(sectionOf(L, "MontageJumpToSection", m, name))
				return boolean(L, true)
			},
		},
		{
			Space: api.Actor, Name: "IsPlayingMontage", Params: "name?: AnimationName", Returns: "boolean", Pure: true,
			Doc:     "Whether a montage is playing: any, or the one with the given name.",
			Example: "if self:IsPlayingMontage() then",
			Do: func(v *VM, L *lua.LState) int {
				m, _, _ := v.self(L).Montage()
				name := optString(L, 2, "")
				return boolean(L, m != nil && (name == "" || m.Name == name))
			},
		},
		{
			Space: api.Actor, Name: "GetMontage", Returns: "name: string?, section: string?, position: number?", Pure: true,
			Doc:     "The name and section of the montage that is playing and its position in seconds; nil if none is.",
			Example: "local name, section, at = self:GetMontage()",
			Do: func(v *VM, L *lua.LState) int {
				m, section, at := v.self(L).Montage()
				if m == nil {
					return 0
				}
				L.Push(lua.LString(m.Name))
				L.Push(lua.LString(m.Sections[section].Name))
				L.Push(lua.LNumber(at))
				return 3
			},
		},
		{
			Space: api.Actor, Name: "HasRootMotion", Returns: "boolean", Pure: true,
			Doc:     "Whether the montage that is playing has root motion; RootMotionVelocity is its present velocity, which may be zero.",
			Example: "if self:HasRootMotion() then",
			Do:      func(v *VM, L *lua.LState) int { return boolean(L, v.self(L).HasRootMotion()) },
		},
		{
			Space: api.Actor, Name: "SyncMontage",
			Doc:     "Plays the montage in ReplicatedMontage at its present position by the server's time. Call it in OnRep_ReplicatedMontage, as Pawn does.",
			Example: "self:SyncMontage()",
			Do:      func(v *VM, L *lua.LState) int { v.self(L).SyncMontage(); return 0 },
		},
		{
			Space: api.Actor, Name: "PlayAnim", Params: "name: AnimationName, rate?: number", Returns: "number",
			Doc:     "Plays an animation once under the montages, on this peer only; AnimEnd is called at its end. On a dedicated server it does not advance unless AnimTickOption says so. Returns its length in seconds.",
			Example: `self:PlayAnim("animations/land.toml")`,
			Do:      func(v *VM, L *lua.LState) int { return v.playAnim(L, "PlayAnim", false) },
		},
		{
			Space: api.Actor, Name: "LoopAnim", Params: "name: AnimationName, rate?: number", Returns: "number",
			Doc:     "Plays an animation in a loop. If it is already looping, it continues from its present position at the new rate.",
			Example: `self:LoopAnim("animations/run.toml", speed / 440)`,
			Do:      func(v *VM, L *lua.LState) int { return v.playAnim(L, "LoopAnim", true) },
		},
		{
			Space: api.Actor, Name: "StopAnim",
			Doc:     "Ends the animation of PlayAnim or LoopAnim.",
			Example: "self:StopAnim()",
			Do:      func(v *VM, L *lua.LState) int { v.self(L).PlayAnim(nil, 1, false); return 0 },
		},
		{
			Space: api.Actor, Name: "GetAnim", Returns: "name: string?, position: number?", Pure: true,
			Doc:     "The animation that PlayAnim or LoopAnim plays, and its position in seconds; nil for none.",
			Example: "local name, at = self:GetAnim()",
			Do: func(v *VM, L *lua.LState) int {
				p := v.self(L).Anim()
				if !p.Playing() {
					return 0
				}
				L.Push(lua.LString(p.Montage.Name))
				L.Push(lua.LNumber(p.Position))
				return 2
			},
		},
		{
			Space: api.Actor, Name: "SetAnimPosition", Params: "seconds: number",
			Doc:     "Moves the animation of PlayAnim or LoopAnim to a position; notifies in between are not called.",
			Example: `self:SetAnimPosition(world:CurveTime("animations/stop.toml", "Distance", -left))`,
			Do:      func(v *VM, L *lua.LState) int { v.self(L).SetAnimPosition(checkNumber(L, 2)); return 0 },
		},
		{
			Space: api.Actor, Name: "GetCurve", Params: "name: string", Returns: "number", Pure: true,
			Doc:     "The value of a curve of the montage that is playing, or else of the animation under it; 0 if neither has the curve.",
			Example: `local lean = self:GetCurve("Lean")`,
			Do:      func(v *VM, L *lua.LState) int { return number(L, v.self(L).CurveValue(checkString(L, 2))) },
		},
		{
			Space: api.Actor, Name: "PlayTimeline", Params: "name: string, track: AnimationName|Track, opts?: TimelineOptions", Returns: "boolean",
			Doc:     "Plays a timeline on this peer: an animation from content, or { Length = seconds, Curves = { Name = { { seconds, value }, … } }, Events = { Name = seconds } }. opts: Rate (negative plays backwards), Loop, From, Drives = { Curve = \"Variable\" }: float variables that the engine sets after each movement. The only events are TimelineEvent and TimelineFinished.",
			Example: `self:PlayTimeline("Open", "animations/door.toml", { Drives = { Height = "Lift" } })`,
			Do:      (*VM).playTimeline,
		},
		{
			Space: api.Actor, Name: "StopTimeline", Params: "name: string", Returns: "boolean",
			Doc:     "Stops a timeline at its present position, without TimelineFinished; false if it is not playing.",
			Example: `self:StopTimeline("Open")`,
			Do:      func(v *VM, L *lua.LState) int { return boolean(L, v.self(L).StopTimeline(checkString(L, 2))) },
		},
		{
			Space: api.Actor, Name: "ReverseTimeline", Params: "name: string", Returns: "boolean",
			Doc:     "Reverses a timeline from its present position; false if it is not playing.",
			Example: `self:ReverseTimeline("Open")`,
			Do: func(v *VM, L *lua.LState) int {
				return boolean(L, v.self(L).ReverseTimeline(checkString(L, 2)))
			},
		},
		{
			Space: api.Actor, Name: "GetTimelinePosition", Params: "name: string", Returns: "number?", Pure: true,
			Doc:     "The position of a timeline in seconds; nil if it is not playing.",
			Example: `self:GetTimelinePosition("Open")`,
			Do: func(v *VM, L *lua.LState) int {
				return optional(L)(v.self(L).TimelinePosition(checkString(L, 2)))
			},
		},
		{
			Space: api.Actor, Name: "GetTimelineValue", Params: "name: string, curve: string", Returns: "number?", Pure: true,
			Doc:     "The value of a timeline's curve at its present position; nil if it is not playing.",
			Example: `self:GetTimelineValue("Open", "Height")`,
			Do: func(v *VM, L *lua.LState) int {
				return optional(L)(v.self(L).TimelineValue(checkString(L, 2), checkString(L, 3)))
			},
		},
		{
			Space: api.World, Name: "AnimLength", Params: "name: AnimationName", Returns: "number?", Pure: true,
			Doc:     "The length of an animation's track in seconds; nil if content has none with that name.",
			Example: `world:AnimLength("animations/run.toml")`,
			Do: func(v *VM, L *lua.LState) int {
				m := v.findAnimation(L)
				if m == nil {
					return 0
				}
				return number(L, m.Track.Length)
			},
		},
		{
			Space: api.World, Name: "CurveValue", Params: "name: AnimationName, curve: string, seconds: number", Returns: "number?", Pure: true,
			Doc:     "The value of an animation's curve at a time of its track.",
			Example: `world:CurveValue("animations/stop.toml", "Distance", 0.2)`,
			Do: func(v *VM, L *lua.LState) int {
				m := v.findAnimation(L)
				name, at := checkString(L, 3), checkNumber(L, 4)
				if m == nil || m.Track.Curve(name) == nil {
					return 0
				}
				return number(L, m.Track.Curve(name).At(at))
			},
		},
		{
			Space: api.World, Name: "CurveTime", Params: "name: AnimationName, curve: string, value: number", Returns: "number?", Pure: true,
			Doc:     "The time at which an animation's curve has a value, where the curve only rises or only falls (distance curves); nil otherwise.",
			Example: `world:CurveTime("animations/stop.toml", "Distance", -40)`,
			Do: func(v *VM, L *lua.LState) int {
				m := v.findAnimation(L)
				name, value := checkString(L, 3), checkNumber(L, 4)
				if m == nil || m.Track.Curve(name) == nil {
					return 0
				}
				return optional(L)(m.Track.Curve(name).TimeOf(value))
			},
		},
		{
			Space: api.World, Name: "BlendWeights", Params: "space: AnimationName, x: number, y?: number", Returns: "table?", Pure: true,
			Doc:     "The weight of each animation of a blend space at a point: a table by name of at most four weights whose sum is 1; nil if content has no such blend space.",
			Example: `local weights = world:BlendWeights("animations/locomotion.toml", speed, turn)`,
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
				s := v.world.Animations().Space(checkString(L, 2))
				if s == nil {
					return 0
				}
				var buf [animation.MaxWeights]animation.Weight
				list := s.Weights(checkNumber(L, 3), optNumber(L, 4, 0), buf[:0])
				t := newTable(0, len(list))
				for _, w := range list {
					sum, _ := t.RawGetString(w.Animation).(lua.LNumber) // an animation may be at two points
					t.RawSetString(w.Animation, sum+lua.LNumber(w.Weight))
				}
				L.Push(t)
				return 1
			},
		},
		{
			Space: api.World, Name: "SyncPhase", Params: "phase: number, dt: number, weights: table", Returns: "phase: number, leader: string?", Pure: true,
			Doc:     "The phase of a sync group, from 0 to 1, after dt seconds: the animation with the largest weight leads and sets the group's cycle time. Each animation is at phase × its length.",
			Example: "self.phase = world:SyncPhase(self.phase, dt, weights)",
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
				g := animation.SyncGroup{Phase: checkNumber(L, 2)}
				dt := checkNumber(L, 3)
				t, ok := L.Get(4).(*lua.LTable)
				if !ok {
					argError(L, 4, "a table of weights by animation")
				}
				var list []animation.Weight
				each(t, func(k, x lua.LValue) {
					name, ok1 := k.(lua.LString)
					n, ok2 := x.(lua.LNumber)
					if ok1 && ok2 && len(list) < animation.MaxSamples {
						list = append(list, animation.Weight{Animation: string(name), Weight: float64(n)})
					}
				})
				lead := g.Advance(dt, v.world.Animations(), list)
				L.Push(lua.LNumber(g.Phase))
				if lead == nil {
					return 1
				}
				L.Push(lua.LString(lead.Name))
				return 2
			},
		},
		{
			Space: api.World, Name: "SetAnimationRates", Params: "rates: table",
			Doc:     "On a client: sets how often animations are updated, by distance. Rows of { distance in uu, Hz }, 0 Hz for every tick; the last row also applies beyond its distance.",
			Example: "world:SetAnimationRates { { 2000, 0 }, { 5000, 30 }, { 10000, 10 } }",
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
				t, ok := L.Get(2).(*lua.LTable)
				if !ok {
					argError(L, 2, "an array of { distance, Hz }")
				}
				var rates []engine.AnimationRate
				for i := 1; i <= t.Len() && i <= 16; i++ {
					row, ok := t.RawGetInt(i).(*lua.LTable)
					if !ok {
						argError(L, 2, "an array of { distance, Hz }")
					}
					d, ok1 := row.RawGetInt(1).(lua.LNumber)
					hz, ok2 := row.RawGetInt(2).(lua.LNumber)
					if !ok1 || !ok2 || !(d > 0) || !(hz >= 0) || len(rates) > 0 && float64(d) <= rates[len(rates)-1].Distance {
						L.RaiseError("SetAnimationRates: row %d: expected { distance, Hz }, distances ascending, Hz 0 for every tick", i)
					}
					rates = append(rates, engine.AnimationRate{Distance: float64(d), Hz: float64(hz)})
				}
				v.world.SetAnimationRates(rates)
				return 0
			},
		},
	}
}

// optional returns a function that passes a number, or nil, to the script.
func optional(L *lua.LState) func(x float64, ok bool) int {
	return func(x float64, ok bool) int {
		if !ok {
			return 0
		}
		return number(L, x)
	}
}

// montage returns the animation with a name; one that this peer does not have is a warning and nil, like missing
// content.
func (v *VM) montage(L *lua.LState, a *engine.Actor, native string, i int) *animation.Montage {
	name := checkString(L, i)
	m := v.world.Animations().Find(name)
	if m == nil && v.world.Animations() != nil {
		v.warn(a, a.Class.Name, native, fmt.Sprintf("no animation %q in content%s", name, engine.Nearest(name, v.world.Animations().Names())))
	}
	return m
}

// findAnimation returns the animation that a method of world names, or nil.
func (v *VM) findAnimation(L *lua.LState) *animation.Montage {
	v.checkWorld(L)
	return v.world.Animations().Find(checkString(L, 2))
}

func sectionOf(L *lua.LState, native string, m *animation.Montage, name string) int {
	n := m.Section(name)
	if n < 0 {
		L.RaiseError("%s: %s has no section %q%s", native, m.Name, name, engine.Nearest(name, m.SectionNames()))
	}
	return n
}

func rateOf(L *lua.LState, native string, rate float64) float64 {
	if !(rate >= animation.MinRate && rate <= animation.MaxRate) {
		L.RaiseError("%s: rate: expected %g to %d, got %g", native, animation.MinRate, animation.MaxRate, rate)
	}
	return rate
}

func (v *VM) playAnim(L *lua.LState, native string, loop bool) int {
	a := v.self(L)
	rate := rateOf(L, native, optNumber(L, 3, 1))
	m := v.montage(L, a, native, 2)
	if m == nil {
		return number(L, 0)
	}
	if p := a.Anim(); loop && p.Playing() && p.Montage == m {
		p.Rate = m.Rate * rate // it is looping already
	} else {
		a.PlayAnim(m, rate, loop)
	}
	return number(L, m.Track.Length/(m.Rate*rate))
}

// playTimeline is PlayTimeline(name, track [, options]).
func (v *VM) playTimeline(L *lua.LState) int {
	a := v.self(L)
	name := checkString(L, 2)
	p := engine.TimelineParams{From: -1}
	own := 1.0 // the track's own rate
	switch x := L.Get(3).(type) {
	case lua.LString:
		m := v.montage(L, a, "PlayTimeline", 3)
		if m == nil {
			return boolean(L, false)
		}
		p.Track, own = m.Track, m.Rate
	case *lua.LTable:
		t, err := trackOf(x)
		if err != nil {
			L.RaiseError("PlayTimeline %s: %v", name, err)
		}
		p.Track = t
		v.vm.Charge(L, trackCost)
	default:
		argError(L, 3, "a name of an animation or a table with Length, Curves and Events")
	}
	if L.Get(4) != lua.LNil {
		t, ok := L.Get(4).(*lua.LTable)
		if !ok || objectOf(t) != nil {
			argError(L, 4, "a table of options")
		}
		each(t, func(k, x lua.LValue) {
			key, _ := k.(lua.LString)
			n, isNumber := x.(lua.LNumber)
			switch string(key) {
			case "Rate":
				if !isNumber {
					L.RaiseError("PlayTimeline %s: Rate: expected a number, got a %s", name, typeName(x))
				}
				p.Rate = float64(n)
			case "Loop":
				p.Loop = lua.LVAsBool(x)
			case "From":
				if !isNumber {
					L.RaiseError("PlayTimeline %s: From: expected seconds, got a %s", name, typeName(x))
				}
				p.From = math.Max(0, float64(n))
			case "Drives":
				list, ok := x.(*lua.LTable)
				if !ok {
					L.RaiseError("PlayTimeline %s: Drives: expected a table of curve = \"Variable\", got a %s", name, typeName(x))
				}
				p.Drives = map[string]string{}
				each(list, func(c, variable lua.LValue) {
					cs, ok1 := c.(lua.LString)
					vs, ok2 := variable.(lua.LString)
					if !ok1 || !ok2 {
						L.RaiseError("PlayTimeline %s: Drives: expected curve = \"Variable\"", name)
					}
					p.Drives[string(cs)] = string(vs)
				})
			default:
				L.RaiseError("PlayTimeline %s: unknown option %s%s", name, keyText(k), engine.Nearest(keyText(k), []string{"Rate", "Loop", "From", "Drives"}))
			}
		})
	}
	if p.Rate == 0 {
		p.Rate = 1
	}
	p.Rate *= own
	if err := a.PlayTimeline(name, p); err != nil {
		L.RaiseError("PlayTimeline: %v", err)
	}
	return boolean(L, true)
}

// trackCost is the cost of creating a track from a table, in instructions.
const trackCost = 100

// trackOf reads { Length = 2, Curves = { Height = { { 0, 0 }, { 2, 100 } } }, Events = { Half = 1 } }.
func trackOf(t *lua.LTable) (*animation.Sequence, error) {
	var length float64
	var curves []animation.Curve
	var notifies []animation.Notify
	var err error
	each(t, func(k, x lua.LValue) {
		if err != nil {
			return
		}
		list, isTable := x.(*lua.LTable)
		switch keyText(k) {
		case "Length":
			n, ok := x.(lua.LNumber)
			if !ok {
				err = fmt.Errorf("a track's Length: expected seconds, got a %s", typeName(x))
			}
			length = float64(n)
		case "Curves":
			if !isTable {
				err = fmt.Errorf("a track's Curves: expected a table, got a %s", typeName(x))
				return
			}
			each(list, func(name, keys lua.LValue) {
				c := animation.Curve{Name: keyText(name)}
				if points, ok := keys.(*lua.LTable); ok {
					for i := 1; i <= points.Len() && i <= animation.MaxKeys+1; i++ {
						point, ok := points.RawGetInt(i).(*lua.LTable)
						if !ok {
							err = fmt.Errorf("curve %s: key %d: expected { seconds, value }", c.Name, i)
							return
						}
						at, ok1 := point.RawGetInt(1).(lua.LNumber)
						to, ok2 := point.RawGetInt(2).(lua.LNumber)
						if !ok1 || !ok2 {
							err = fmt.Errorf("curve %s: key %d: expected { seconds, value }", c.Name, i)
							return
						}
						c.Keys = append(c.Keys, animation.Key{Time: float64(at), Value: float64(to)})
					}
				}
				curves = append(curves, c)
			})
		case "Events":
			if !isTable {
				err = fmt.Errorf("a track's Events: expected a table of Name = seconds, got a %s", typeName(x))
				return
			}
			each(list, func(name, at lua.LValue) {
				n, ok := at.(lua.LNumber)
				if !ok {
					err = fmt.Errorf("event %s: expected seconds, got a %s", name, typeName(at))
					return
				}
				notifies = append(notifies, animation.Notify{Name: keyText(name), Time: float64(n)})
			})
		default:
			err = fmt.Errorf("unknown key %s%s", keyText(k), engine.Nearest(keyText(k), []string{"Length", "Curves", "Events"}))
		}
	})
	if err != nil {
		return nil, err
	}
	return animation.NewTrack(length, notifies, curves)
}
