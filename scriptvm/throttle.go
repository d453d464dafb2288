package scriptvm

import (
	"fmt"
	"math"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// A class that takes more than its share of the time is called less often (G6): Tick with the time since its last
// call, looping timers late. A mod and each of its classes always have to keep to their share, core and the game
// only while all scripts together take more than half a tick. If that does not help, the most expensive function is
// quarantined.

const (
	// DefaultShare is the part of a tick that a class, and all classes of a mod together, may take: a quarter of
	// half a tick.
	DefaultShare = 0.125
	// busy is the part of a tick that all scripts together may take before core and the game have to keep to their
	// shares.
	busy = 0.5
	// aim is the part of its share that throttling aims at for a class, and the part of the scripts' total time for
	// the game.
	aim = 0.85
	// longTick is how many times its share a class of a mod may occasionally take in one tick.
	longTick = 2
	// drown is how many seconds' worth of cost a class may take in one tick. Beyond, action is taken at once.
	drown = 1.0
	// longestThrottle is the maximum number of ticks between two calls.
	longestThrottle = 600
	// ThrottleSeconds is how long a throttled class may stay over its share.
	ThrottleSeconds = 5
)

// Throttle is a class that is called less often.
type Throttle struct {
	Class string
	// Every is how many ticks there are from one call of Tick to the next.
	Every int
	// Milliseconds per tick that the class took in the last second, and what it may take.
	Milliseconds, Share float64
}

// spentInTick charges the class of a function.
func (v *VM) spentInTick(def int, units int64) {
	c := v.classes[v.program.Defs[def].Class]
	if c == nil {
		return
	}
	if c.load.tick == 0 {
		v.spenders = append(v.spenders, c)
	}
	c.load.tick += units
	if v.drowned == nil && v.accounts.asMilliseconds(c.load.tick) > drown*1e3 {
		v.drowned = c
	}
}

// tickSpent ends the present tick for all classes.
func (v *VM) tickSpent() {
	tick := v.world.Delta * 1e3
	for _, c := range v.spenders {
		c.load.open += c.load.tick
		if v.accounts.asMilliseconds(c.load.tick) > v.longest(c.data, tick) {
			c.load.longs++
		}
		c.load.tick = 0
	}
	clear(v.spenders)
	v.spenders = v.spenders[:0]
	v.guestsSpent()
}

// longest returns how many milliseconds a class may take in one tick of the given length without consequences.
func (v *VM) longest(ec *engine.Class, tick float64) float64 {
	if ec.Mod() != "" {
		return longTick * v.shareOfClass(ec) * tick
	}
	return busy * tick
}

// share returns the part of a tick that a class or a mod may take.
func (v *VM) share(name string) float64 {
	if s := v.opt.Shares[name]; s > 0 {
		return s
	}
	return DefaultShare
}

// shareOfClass returns the part of a tick that a class may take: its own, or else its mod's.
func (v *VM) shareOfClass(ec *engine.Class) float64 {
	if s := v.opt.Shares[ec.Name]; s > 0 || ec.Mod() == "" {
		return v.share(ec.Name)
	}
	return v.share(ec.Mod())
}

// shareOut decides after each second how often each class is called.
func (v *VM) shareOut() {
	s := &v.accounts
	tick := s.seconds * 1e3
	var mods map[string]*modLoad
	if s.mods {
		mods = v.loadsOfMods()
	}
	total := s.total - v.excess(mods, tick)
	room := aim*busy*tick - total // what the game may take in addition, in ms per tick; if negative, by how much it must take less
	overloaded := total > busy*tick
	changed := v.shareOutGuests(mods)
	for _, ec := range v.program.Classes.All() {
		c := v.classes[ec.Name]
		if c == nil || c.load.open == 0 && c.load.every <= 1 && c.load.peaks == 0 {
			continue
		}
		l := &c.load
		share := v.shareOfClass(ec) * tick
		took := s.milliseconds(l.open)
		l.over = took / share
		if l.longs > 1 || l.longs > 0 && s.length < accountSeconds/2.0 {
			l.peaks++
		} else if l.open > 0 {
			l.peaks = 0
		}
		d := demand{share: share, held: overloaded, alone: l.over > 1, target: max(aim*share, took+room)}
		// If a mod is over its share, all its classes are called less often; if that does not help, the most
		// expensive one is disabled.
		if m := mods[ec.Mod()]; m != nil {
			l.over = max(l.over, s.milliseconds(m.open)/(v.share(ec.Mod())*tick))
			d.held, d.alone, d.target = true, d.alone || m.costliest == c, took*aim/l.over
		}
		was := l.every
		v.adjust(ec, l, d, took)
		if l.every < was { // it uses the remaining time
			room -= took * (float64(was)/float64(l.every) - 1)
		}
		l.open, l.longs = 0, 0
		changed = changed || was != l.every
	}
	if changed {
		v.spread()
	}
}

func ceil(x float64) int { return int(math.Ceil(min(x, 1e9) - 1e-9)) }

// demand is the limit for a class.
type demand struct {
	share  float64 // what it may take, in ms per tick
	target float64 // what it is brought to, up or down, assuming that Tick is all that it does
	held   bool    // whether it has to keep to its share now
	alone  bool    // whether a function of this class is disabled if throttling does not help
}

// modLoad is the time of all classes of a mod in the present second, and which of them took most.
type modLoad struct {
	open      int64
	costliest *class
}

// excess is by how many milliseconds per tick mods are over their shares: they have to keep to these in any case, so core and the
// game must not give way to it.
func (v *VM) excess(mods map[string]*modLoad, tick float64) float64 {
	var ns int64                // whole: every peer and every run adds up the same
	for name, m := range mods { // any order: a sum of integers
		ns += int64(1e6 * max(0, v.accounts.milliseconds(m.open)-v.share(name)*tick))
	}
	return float64(ns) / 1e6
}

func (v *VM) loadsOfMods() map[string]*modLoad {
	mods := map[string]*modLoad{}
	for _, ec := range v.program.Classes.All() {
		c := v.classes[ec.Name]
		if c == nil || ec.Mod() == "" {
			continue
		}
		m := mods[ec.Mod()]
		if m == nil {
			m = &modLoad{}
			mods[ec.Mod()] = m
		}
		if m.open += c.load.open; m.costliest == nil || c.load.open > m.costliest.load.open {
			m.costliest = c
		}
	}
	v.takeMoved()
	for _, g := range v.guests { // any order: each on its own
		m := mods[g.mod]
		if m == nil {
			m = &modLoad{}
			mods[g.mod] = m
		}
		m.open += g.load.open
	}
	return mods
}

// adjust makes a class run less or more often.
func (v *VM) adjust(ec *engine.Class, l *load, d demand, took float64) {
	hitches := l.peaks > 1 // throttling does not shorten calls that each take too long; a single one may be the start of a match
	every := max(l.every, 1)
	fits := min(ceil(float64(every)*took/d.target), longestThrottle) // as often as would bring it to its target
	switch {
	case (l.over > 1 || hitches) && d.held:
		if l.every <= 1 && l.over > 1 {
			l.overFor = 0
			v.tellThrottle(ec, l, d.share)
		}
		if l.over > 1 {
			l.every = max(fits, every)
		}
		if l.overFor++; l.overFor > ThrottleSeconds && (d.alone || hitches) {
			l.overFor = 1
			v.quarantineCostliest(ec, l, d.share)
		}
	default:
		l.overFor = 0
		if every > 1 && fits < every { // by half at most: the measured cost is not what it would cost at full rate
			if l.every = max(fits, every/2, 1); l.every == 1 {
				v.tellOfClass(ec, ReportWarning, "within its share of the time again: called every tick")
			}
		}
	}
}

// tellThrottle reports that a class is called less often from now on.
func (v *VM) tellThrottle(ec *engine.Class, l *load, share float64) {
	v.tellOfClass(ec, ReportWarning, fmt.Sprintf("takes%s %.1f ms a tick; its share is %.1f ms: Tick is called less often, with the time since, and looping timers run late (%s)",
		v.whoseShare(ec, l, share), l.over*share, share, v.Costliest(ec.Name, 3)))
}

// whoseShare says, in a line about a class, if it is only over its share together with the rest of its mod.
func (v *VM) whoseShare(ec *engine.Class, l *load, share float64) string {
	if ec.Mod() != "" && v.accounts.milliseconds(l.open) <= share {
		return " with its mod and what that made"
	}
	return ""
}

// quarantineCostliest quarantines the most expensive function of a class.
func (v *VM) quarantineCostliest(ec *engine.Class, l *load, share float64) {
	var worst *classfile.Def
	for _, n := range v.accounts.inClosed {
		d := v.program.Defs[n]
		if d.Class != ec.Name {
			continue
		}
		if b := v.fns[n]; b == nil || b.duty != onDuty || v.sharedWithServer(ec) {
			continue
		}
		if worst == nil || v.accounts.of[n].closed > v.accounts.of[worst.Number].closed {
			worst = d
		}
	}
	if worst == nil {
		return
	}
	if took := v.cost(int32(worst.Number)).Milliseconds; l.over > 1 {
		v.dismissFor(worst, fmt.Sprintf("its class%s took %.1f ms a tick for %d s, its share is %.1f ms, and calling its Tick less often did not help; the function took %.1f ms",
			v.whoseShare(ec, l, share), l.over*share, ThrottleSeconds, share, took))
	} else {
		v.dismissFor(worst, fmt.Sprintf("its class took more than %.1f ms in single ticks for %d s, and calling its Tick less often did not help; the function took %.1f ms a tick",
			v.longest(ec, share/v.shareOfClass(ec)), ThrottleSeconds, took))
	}
}

// sharedWithServer reports whether this peer is a client and a class may take part in its player's moves: the
// server runs the same functions for them, so only the server disables one, at both ends.
func (v *VM) sharedWithServer(ec *engine.Class) bool {
	return v.world.NetMode == engine.NMClient && (ec.IsPlayerController() || ec.IsComponent() || ec.IsPawn() || ec.IsA("Inventory"))
}

// dismissDrowned quarantines the function that took most of the present tick, of a class that took far more than is
// available.
func (v *VM) dismissDrowned() {
	c := v.drowned
	v.drowned = nil
	var worst *classfile.Def
	for _, n := range v.accounts.inTick {
		if d := v.program.Defs[n]; d.Class == c.data.Name && (worst == nil || v.accounts.of[n].tick > v.accounts.of[worst.Number].tick) {
			worst = d
		}
	}
	if worst == nil || v.fns[worst.Number] == nil || v.fns[worst.Number].duty != onDuty {
		return
	}
	v.dismissFor(worst, fmt.Sprintf("its class took %.1f s in one tick", v.accounts.asMilliseconds(c.load.tick)/1e3))
}

// dismissFor quarantines a function because of its cost.
func (v *VM) dismissFor(worst *classfile.Def, why string) {
	b := v.fns[worst.Number]
	b.def = worst
	t := worst.File.Trust
	if t.Layer == classfile.LayerCore {
		v.rest(b, ", since "+why)
		return
	}
	v.dismiss(b, quarantined)
	v.notice(worst, t, fmt.Sprintf("function quarantined, since %s: %s; the next reload lifts it", why, v.instead(worst)))
	v.follow(b, t, " for the time that it takes")
}

// tellOfClass reports something about a class.
func (v *VM) tellOfClass(ec *engine.Class, kind ReportKind, what string) {
	pos := ec.Spec.Pos
	t := v.trustOfClass(ec)
	v.opt.Report(Report{
		Kind: kind, Class: ec.Name, Count: 1, File: pos.File, Line: pos.Line, Trust: t, Message: what,
		Text: fmt.Sprintf("%s: %s: %s (%s)%s", ec.Name, pos.File, what, v.peerName(), bracket(t)),
	})
}

// TrustOf returns the layer of a class's file, and its mod.
func (v *VM) TrustOf(ec *engine.Class) classfile.Trust { return v.trustOfClass(ec) }

// spread copies the call rates of classes to their functions.
func (v *VM) spread() {
	v.throttled = false
	for _, ec := range v.program.Classes.All() {
		c := v.classes[ec.Name]
		if c == nil {
			continue
		}
		c.every = 1
		for p := ec; p != nil; p = p.Parent {
			if pc := v.classes[p.Name]; pc != nil {
				c.every = max(c.every, pc.load.every)
			}
		}
		v.throttled = v.throttled || c.every > 1
	}
	for _, g := range v.guests { // any order: whether there is any
		v.throttled = v.throttled || g.load.every > 1
	}
	v.owing = v.owing || v.throttled
}

// unthrottle makes all classes run every tick again, after a reload: their code may have changed.
func (v *VM) unthrottle() {
	for _, c := range v.classes { // any order: each on its own
		c.load, c.every = load{}, 1
	}
	if v.world != nil {
		for _, g := range v.guests { // any order: each on its own
			v.world.SetMoveEvery(g.mod, 1)
		}
	}
	v.guests = nil
	v.throttled = false
}

// holds reports whether a function of a throttled class is skipped in this tick. Actors of a class take turns.
// Classes that take part in a player's moves are always called: skipping would have to be the same at both ends.
func (v *VM) holds(a *engine.Actor, b *bodyOf) bool {
	every := uint64(b.class.every)
	if g := v.guestOf(a); g != nil {
		every = max(every, uint64(g.load.every))
	}
	return every > 1 && !a.Class.IsPlayerController() && !a.MovedByPlayer() && (engine.Turn(a.Order(), every)+v.accounts.ticks)%every != 0
}

// Held reports whether a due looping timer of an actor must wait for its class's turn. It implements engine.Script.
func (v *VM) Held(a *engine.Actor, name string) bool {
	if !v.throttled {
		return false
	}
	f := a.Dispatch.Functions[name]
	if f == nil || f.Kind != engine.CallLocal {
		return false
	}
	b := v.body(f.Script)
	return b != nil && v.holds(a, b)
}

// Throttled returns the classes that are called less often, by name.
func (v *VM) Throttled() []Throttle {
	if !v.throttled {
		return nil
	}
	var out []Throttle
	tick := v.accounts.seconds * 1e3
	for _, ec := range v.program.Classes.All() {
		if c := v.classes[ec.Name]; c != nil && c.load.every > 1 {
			share := v.shareOfClass(ec) * tick
			out = append(out, Throttle{Class: ec.Name, Every: c.load.every, Milliseconds: c.load.over * share, Share: share})
		}
	}
	return out
}

// sampled charges units to the function that runs now.
func (v *VM) sampled(units int64) {
	if v.program == nil || v.staging != nil {
		v.accounts.other += units
		return
	}
	if d := v.spender(); d != nil {
		g := v.context.guest
		if d.File != nil && d.File.Trust.Layer == classfile.LayerMod {
			g = nil // it is charged to that mod in any case
		}
		v.spend(d.Number, units, g)
		return
	}
	v.accounts.other += units
}

// spend charges a function, and its class or the mod whose guest runs.
func (v *VM) spend(def int, units int64, g *guest) {
	s := &v.accounts
	a := &s.of[def]
	if a.tick == 0 {
		s.inTick = append(s.inTick, int32(def))
	}
	a.tick += units
	if g != nil {
		g.spend(def, units)
		return
	}
	v.spentInTick(def, units)
}
