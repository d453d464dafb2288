package scriptvm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// Guests are actors of core's and the game's classes that a mod's script created: a hundred rockets in every tick,
// or sixty bots. While no function of a mod runs, their cost is charged to that mod (G6), not to their class: other
// actors of the class are called as before. A mod that is over its share has its guests called less often, like its
// own classes.

// guestOf returns whose guest an actor is, nil for nobody's.
func (v *VM) guestOf(a *engine.Actor) *guest {
	if !v.accounts.mods || a == nil {
		return nil
	}
	mod := a.MadeBy()
	if mod == "" || a.Class.Mod() != "" {
		return nil
	}
	return v.guestsOf(mod)
}

func (v *VM) guestsOf(mod string) *guest {
	g := v.guests[mod]
	if g == nil {
		g = &guest{mod: mod, by: map[int32]int64{}}
		if v.guests == nil {
			v.guests = map[string]*guest{}
		}
		v.guests[mod] = g
	}
	return g
}

// within returns the account that an actor's work is charged to: of nested calls the outermost guest's.
func (v *VM) within(a *engine.Actor) *guest {
	if g := v.context.guest; g != nil {
		return g
	}
	return v.guestOf(a)
}

func (g *guest) spend(def int, units int64) {
	g.load.tick += units
	g.by[int32(def)] += units
}

// eachGuest visits them by name.
func (v *VM) eachGuest(visit func(*guest)) {
	if len(v.guests) == 0 {
		return
	}
	names := make([]string, 0, len(v.guests))
	for name := range v.guests { // any order: sorted below
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		visit(v.guests[name])
	}
}

// guestsSpent ends the present tick for guests.
func (v *VM) guestsSpent() {
	for _, g := range v.guests { // any order: each on its own
		g.load.open += g.load.tick
		g.load.tick = 0
	}
}

// takeMoved adds the engine's cost of moving the actors of mods.
func (v *VM) takeMoved() {
	v.world.EachMaker(func(mod string) { // any order: each on its own
		moved := v.world.TakeMoved(mod)
		if moved == 0 {
			return
		}
		g := v.guestsOf(mod)
		g.moving = int64(moved * collision.WorkUnit / unit)
		g.load.open += g.moving
	})
}

// shareOutGuests decides after each second how often guests are called.
func (v *VM) shareOutGuests(mods map[string]*modLoad) (changed bool) {
	tick := v.accounts.seconds * 1e3
	v.eachGuest(func(g *guest) {
		l := &g.load
		share := v.share(g.mod) * tick
		all := l.open
		if m := mods[g.mod]; m != nil {
			all = m.open
		}
		took := v.accounts.milliseconds(all)
		was := max(l.every, 1)
		l.every = was
		switch l.over = took / share; {
		case l.over > 1 && l.open > 0:
			l.every = max(was, min(ceil(float64(was)*took/(aim*share)), longestThrottle))
			if was == 1 {
				v.tellGuests(g, fmt.Sprintf("the actors that it made, with its classes, take %.1f ms a tick; its share is %.1f ms: their Tick is called and they move less often, with the time since, and looping timers run late (%s)",
					took, share, v.costliestOf(g, 3)))
			}
		case l.over < aim && was > 1: // by half at most: the measured cost is not what they would cost at full rate
			if l.every = max(was/2, min(was, ceil(float64(was)*took/(aim*share))), 1); l.every == 1 {
				v.tellGuests(g, "the actors that it made are within its share of the time again: they tick in every tick")
			}
		}
		if l.every != was {
			v.world.SetMoveEvery(g.mod, l.every)
		}
		l.open, g.moving = 0, 0
		clear(g.by)
		changed = changed || l.every != was
	})
	return changed
}

func (v *VM) tellGuests(g *guest, what string) {
	t := classfile.Trust{Layer: classfile.LayerMod, Mod: g.mod}
	v.opt.Report(Report{Kind: ReportWarning, Count: 1, Trust: t, Message: what, Text: fmt.Sprintf("mod %s: %s (%s)%s", g.mod, what, v.peerName(), bracket(t))})
}

// costliestOf names the most expensive functions of guests.
func (v *VM) costliestOf(g *guest, most int) string {
	defs := make([]int32, 0, len(g.by))
	for n := range g.by { // any order: sorted below
		defs = append(defs, n)
	}
	slices.SortFunc(defs, func(a, b int32) int {
		if g.by[a] != g.by[b] {
			return int(min(max(g.by[b]-g.by[a], -1), 1))
		}
		return int(a - b)
	})
	var names []string
	if g.moving > 0 {
		names = append(names, fmt.Sprintf("moving %.1f ms", v.accounts.milliseconds(g.moving)))
	}
	for _, n := range defs[:min(len(defs), most)] {
		d := v.program.Defs[n]
		names = append(names, fmt.Sprintf("%s:%s %.1f ms", d.Class, stateName(d.State, d.Name), v.accounts.milliseconds(g.by[n])))
	}
	return strings.Join(names, ", ")
}
