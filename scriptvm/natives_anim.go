package scriptvm

import (
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/animation"
)

// animNatives are what every actor can play (R12.7).
func (v *VM) animNatives() natives {
	return natives{
		"PlayMontage": func(L *lua.LState) int {
			a := v.self(L)
			m := v.montage(L, a, "PlayMontage", 2)
			section := optString(L, 3, "")
			rate := optNumber(L, 4, 1)
			if m == nil {
				return number(L, 0)
			}
			return number(L, a.PlayMontage(m, sectionOf(L, "PlayMontage", m, section), rateOf(L, "PlayMontage", rate)))
		},
		"StopMontage": func(L *lua.LState) int { v.self(L).StopMontage(); return 0 },
		"MontageJumpToSection": func(L *lua.LState) int {
			a := v.self(L)
			name := checkString(L, 2)
			m, _, _ := a.Montage()
			if m == nil {
				return boolean(L, false)
			}
			a.JumpToSection(sectionOf(L, "MontageJumpToSection", m, name))
			return boolean(L, true)
		},
		"IsPlayingMontage": func(L *lua.LState) int {
			m, _, _ := v.self(L).Montage()
			name := optString(L, 2, "")
			return boolean(L, m != nil && (name == "" || m.Name == name))
		},
		"GetMontage": func(L *lua.LState) int {
			m, section, at := v.self(L).Montage()
			if m == nil {
				return 0
			}
			L.Push(lua.LString(m.Name))
			L.Push(lua.LString(m.Sections[section].Name))
			L.Push(lua.LNumber(at))
			return 3
		},
		"HasRootMotion": func(L *lua.LState) int { return boolean(L, v.self(L).HasRootMotion()) },
		"SyncMontage":   func(L *lua.LState) int { v.self(L).SyncMontage(); return 0 },
		"PlayAnim":      func(L *lua.LState) int { return v.playAnim(L, "PlayAnim", false) },
		"LoopAnim":      func(L *lua.LState) int { return v.playAnim(L, "LoopAnim", true) },
		"StopAnim":      func(L *lua.LState) int { v.self(L).PlayAnim(nil, 1, false); return 0 },
		"GetAnim": func(L *lua.LState) int {
			p := v.self(L).Anim()
			if !p.Playing() {
				return 0
			}
			L.Push(lua.LString(p.Montage.Name))
			L.Push(lua.LNumber(p.Position))
			return 2
		},
		"SetAnimPosition": func(L *lua.LState) int { v.self(L).SetAnimPosition(checkNumber(L, 2)); return 0 },
		"GetCurve":        func(L *lua.LState) int { return number(L, v.self(L).CurveValue(checkString(L, 2))) },

		"PlayTimeline": v.playTimeline,
		"StopTimeline": func(L *lua.LState) int { return boolean(L, v.self(L).StopTimeline(checkString(L, 2))) },
		"ReverseTimeline": func(L *lua.LState) int {
			return boolean(L, v.self(L).ReverseTimeline(checkString(L, 2)))
		},
		"GetTimelinePosition": func(L *lua.LState) int {
			return optional(L)(v.self(L).TimelinePosition(checkString(L, 2)))
		},
		"GetTimelineValue": func(L *lua.LState) int {
			return optional(L)(v.self(L).TimelineValue(checkString(L, 2), checkString(L, 3)))
		},
	}
}

// optional gives a number to the script, or nil.
func optional(L *lua.LState) func(x float64, ok bool) int {
	return func(x float64, ok bool) int {
		if !ok {
			return 0
		}
		return number(L, x)
	}
}

// montage is the animation of a name; one that this peer does not have is a warning and nil, as missing content is.
func (v *VM) montage(L *lua.LState, a *engine.Actor, native string, i int) *animation.Montage {
	name := checkString(L, i)
	m := v.world.Animations().Find(name)
	if m == nil && v.world.Animations() != nil {
		v.warn(a, a.Class.Name, native, fmt.Sprintf("no animation %q in content%s", name, engine.Nearest(name, v.world.Animations().Names())))
	}
	return m
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
		p.Rate = m.Rate * rate // it goes round already
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

// trackCost is what making a track of a table takes of a call's instructions.
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

// animWorldNatives are pure helpers on world: what content says, and how animations blend.
func (v *VM) animWorldNatives() natives {
	find := func(L *lua.LState) *animation.Montage {
		v.checkWorld(L)
		return v.world.Animations().Find(checkString(L, 2))
	}
	return natives{
		"DefaultOf": func(L *lua.LState) int {
			v.checkWorld(L)
			c := v.checkClass(L, 2)
			p := c.Property(checkString(L, 3))
			if p == nil {
				return 0
			}
			switch p.Type.Kind {
			case engine.KindStruct, engine.KindArray, engine.KindFastArray:
				return 0 // they are read through an actor
			default:
			}
			L.Push(v.toLua(c.Default(p)))
			return 1
		},
		"AnimLength": func(L *lua.LState) int {
			m := find(L)
			if m == nil {
				return 0
			}
			return number(L, m.Track.Length)
		},
		"CurveValue": func(L *lua.LState) int {
			m := find(L)
			name, at := checkString(L, 3), checkNumber(L, 4)
			if m == nil || m.Track.Curve(name) == nil {
				return 0
			}
			return number(L, m.Track.Curve(name).At(at))
		},
		"CurveTime": func(L *lua.LState) int {
			m := find(L)
			name, value := checkString(L, 3), checkNumber(L, 4)
			if m == nil || m.Track.Curve(name) == nil {
				return 0
			}
			return optional(L)(m.Track.Curve(name).TimeOf(value))
		},
		"BlendWeights": func(L *lua.LState) int {
			v.checkWorld(L)
			s := v.world.Animations().Space(checkString(L, 2))
			if s == nil {
				return 0
			}
			var buf [animation.MaxWeights]animation.Weight
			list := s.Weights(checkNumber(L, 3), optNumber(L, 4, 0), buf[:0])
			t := newTable(0, len(list))
			for _, w := range list {
				sum, _ := t.RawGetString(w.Animation).(lua.LNumber) // an animation may stand at two points
				t.RawSetString(w.Animation, sum+lua.LNumber(w.Weight))
			}
			L.Push(t)
			return 1
		},
		"SyncPhase": func(L *lua.LState) int {
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
		"SetAnimationRates": func(L *lua.LState) int {
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
	}
}
