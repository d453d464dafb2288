package scriptvm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// Accounts of time (G6): what scripts cost, by function, class and mod, in units of cost (instructions and the
// declared work of natives). Every sandbox.SampleUnits the running function is charged, by the same rule as for
// faults: the innermost function of the least trusted layer. All of it depends only on what scripts do, so a
// repeated match has the same accounts.

const (
	// DefaultCostScale is the assumed duration of a unit of cost in nanoseconds until it is measured.
	DefaultCostScale = 20
	// MinCostScale and MaxCostScale bound it: no machine is faster, and a slower one would have no time left to
	// share.
	MinCostScale, MaxCostScale = 4, 400
	// accountSeconds is the world time after which an account is closed.
	accountSeconds = 1
)

func (c Cost) String() string {
	return fmt.Sprintf("%s:%s %.1f ms", c.Class, c.Function, c.Milliseconds)
}

// spender returns the function that runs now: of several layers the innermost of the least trusted one, of several
// mods that of the outermost; nil outside of classes.
func (v *VM) spender() *classfile.Def {
	var spender *classfile.Def
	var least classfile.Trust
	v.vm.EachRunning(func(proto *lua.FunctionProto) bool {
		file, def := v.program.CodeOf(proto)
		if file == nil || def == nil {
			return true
		}
		t := file.Trust
		if spender == nil || t.Less(least) || t.Layer == classfile.LayerMod && t != least {
			spender, least = def, t
		}
		return v.accounts.mods || t.Layer == classfile.LayerCore // none is trusted less than the game
	})
	return spender
}

// keepAccounts copies the accounts of a program to the next one.
func (v *VM) keepAccounts(before *classfile.Program) {
	s := &v.accounts
	old := s.of
	byName := map[string]account{}
	if before != nil {
		for _, d := range before.Defs {
			if d.Number < len(old) && old[d.Number].total > 0 {
				byName[functionName(d)] = account{total: old[d.Number].total}
			}
		}
	}
	s.of = make([]account, len(v.program.Defs))
	s.inTick, s.inOpen, s.inClosed, s.mods = s.inTick[:0], s.inOpen[:0], s.inClosed[:0], false
	for _, d := range v.program.Defs {
		s.of[d.Number] = byName[functionName(d)]
		if d.File != nil && d.File.Trust.Layer == classfile.LayerMod {
			s.mods = true
		}
	}
}

// asMilliseconds converts units to their assumed duration.
func (s *accounts) asMilliseconds(units int64) float64 { return float64(units) * s.scale / 1e6 }

// milliseconds converts units of the last second to milliseconds per tick.
func (s *accounts) milliseconds(units int64) float64 {
	if s.length <= 0 {
		return 0
	}
	return float64(units) * s.scale / 1e6 * s.seconds / s.length
}

// cost returns the account of a function for display.
func (v *VM) cost(n int32) Cost {
	d, a := v.program.Defs[n], &v.accounts.of[n]
	c := Cost{Class: d.Class, Function: stateName(d.State, d.Name), Units: a.total + a.tick, Milliseconds: v.accounts.milliseconds(a.closed)}
	if d.File != nil {
		c.Trust = d.File.Trust
	}
	return c
}

// Costs returns the accounts of all functions with a cost, the most expensive of the last second first.
func (v *VM) Costs() []Cost {
	var out []Cost
	for n := range v.accounts.of {
		if a := &v.accounts.of[n]; a.total+a.tick > 0 {
			out = append(out, v.cost(int32(n)))
		}
	}
	slices.SortStableFunc(out, func(a, b Cost) int {
		return cmp.Or(cmp.Compare(b.Milliseconds, a.Milliseconds), cmp.Compare(b.Units, a.Units))
	})
	return out
}

// Costliest names the most expensive functions of the last second, at most the given number, for a log line: "" if
// there are none. class limits it to one class, "" means all.
func (v *VM) Costliest(class string, most int) string {
	var found []Cost
	for _, n := range v.accounts.inClosed {
		if c := v.cost(n); class == "" || c.Class == class {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b Cost) int {
		return cmp.Or(cmp.Compare(b.Milliseconds, a.Milliseconds), strings.Compare(a.Class, b.Class), strings.Compare(a.Function, b.Function))
	})
	var names []string
	for i, c := range found {
		if i == most || c.Milliseconds < 0.05 && i > 0 {
			break
		}
		names = append(names, c.String())
	}
	return strings.Join(names, ", ")
}

// Milliseconds returns how long all scripts took per tick, on average over the last whole second of world time.
func (v *VM) Milliseconds() float64 { return v.accounts.total }

// overCeiling reports whether scripts have ever cost more between two ticks than the ceiling.
func (v *VM) overCeiling() bool {
	if v.opt.Ceiling > 0 && !v.accounts.ceiling && v.vm.Spent()-v.accounts.tickFrom > v.opt.Ceiling {
		v.accounts.ceiling = true
	}
	return v.accounts.ceiling
}

// OverCeiling reports whether Options.Ceiling was reached: the world no longer runs scripts, and the caller should
// leave it.
func (v *VM) OverCeiling() bool { return v.accounts.ceiling }

// CostScale returns the assumed duration of a unit of cost in nanoseconds.
func (v *VM) CostScale() float64 { return v.accounts.scale }

// SetCostScale sets how many nanoseconds a unit of cost takes on this machine, within MinCostScale and
// MaxCostScale. It decides which classes are over their share, so a repeated match needs the same scales at the
// same ticks.
func (v *VM) SetCostScale(nanoseconds float64) {
	v.accounts.scale = min(max(nanoseconds, MinCostScale), MaxCostScale)
}

// MeasureCost returns how many nanoseconds a unit took since the last call, by Options.Elapsed; ok is false if too
// little ran to measure it.
func (v *VM) MeasureCost() (nanoseconds float64, ok bool) {
	elapsed, units, ok := v.vm.TakeTimed(8 * sandbox.SampleUnits)
	if !ok {
		return 0, false
	}
	return float64(elapsed) / float64(units), true
}
