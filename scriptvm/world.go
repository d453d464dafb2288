package scriptvm

import (
	"sort"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
)

// What a world tells its VM: actors that come, go and change, and the end of a tick.

// closeTick adds up what the tick cost; once a second of world time it closes the accounts.
func (v *VM) closeTick() {
	v.tellDropped(false)
	s := &v.accounts
	s.ticks++
	s.tickFrom = v.vm.Spent()
	for _, n := range s.inTick {
		a := &s.of[n]
		if a.open == 0 {
			s.inOpen = append(s.inOpen, n)
		}
		a.open += a.tick
		a.total, a.tick = a.total+a.tick, 0
	}
	v.tickSpent()
	s.inTick = s.inTick[:0]
	// A flood is stopped before the second ends, which may take forever.
	flooded := float64(v.vm.Spent()-s.spent)*s.scale > accountSeconds*1e9
	if now := v.world.Time; now-s.since >= accountSeconds || now < s.since || flooded && now > s.since {
		v.closeAccounts(now)
	}
}

// StandStill ends an iteration of the loop in which the world was paused. What scripts cost in it, for calls of players,
// commands and the HUD, counts for no budget: it would add up to a single tick that lasts as long as the pause. The
// totals of the accounts have it all the same.
func (v *VM) StandStill() {
	s := &v.accounts
	s.spent += v.vm.Spent() - s.tickFrom
	s.tickFrom = v.vm.Spent()
	for _, n := range s.inTick {
		a := &s.of[n]
		a.total, a.tick = a.total+a.tick, 0
	}
	s.inTick = s.inTick[:0]
	for _, c := range v.spenders {
		c.load.tick = 0
	}
	clear(v.spenders)
	v.spenders = v.spenders[:0]
	for _, g := range v.guests { // any order: each on its own
		g.load.tick = 0
	}
}

// closeAccounts ends a second of world time.
func (v *VM) closeAccounts(now float64) {
	s := &v.accounts
	s.length = now - s.since
	v.closeMemory(s.length)
	s.since = now
	s.seconds = v.world.Delta
	spent := v.vm.Spent()
	for _, n := range s.inClosed {
		s.of[n].closed = 0
	}
	s.inClosed, s.inOpen = s.inOpen, s.inClosed[:0]
	for _, n := range s.inClosed {
		a := &s.of[n]
		a.closed, a.open = a.open, 0
	}
	if s.length > 0 && s.length < 10*accountSeconds { // the first one of a world that was created late has no meaningful length
		s.total = s.milliseconds(spent - s.spent)
		v.shareOut()
	}
	s.spent = spent
}

// Attach creates the table of a new actor.
func (v *VM) Attach(a *engine.Actor) {
	c := v.classes[a.Class.Name]
	o := &object{actor: a, class: c, vm: v}
	// With the first name, gopher-lua makes room for 32, which takes 3 KB; with the number given in advance, the
	// table takes only what it needs.
	o.table = newTable(len(c.bySlot)+slotOffset-1, c.own)
	o.table.RawSetInt(slotObject, o)
	o.table.RawSetInt(slotDispatch, v.dispatch(a.Class, a.Dispatch))
	for i := 1; i < len(c.bySlot); i++ {
		if p := c.bySlot[i]; p != nil {
			o.table.RawSetInt(i+slotOffset, v.defaultOf(o, p))
		} else {
			o.table.RawSetInt(i+slotOffset, lua.LNil)
		}
	}
	o.table.Metatable = v.actorMeta
	a.Script = o
	v.notePast(a)
}

// Detach empties a destroyed actor's table: reading a variable then finds nothing and reaches the metatable, which
// reports that the actor is destroyed.
func (v *VM) Detach(a *engine.Actor) {
	delete(v.past.refused, a.ID())
	delete(v.moveBooks, a.ID())
	o, _ := a.Script.(*object)
	if o == nil {
		return
	}
	v.stopLatent(o)
	o.stack = nil
	o.gone = true
	for i := slotDispatch; i <= len(o.class.bySlot)+slotOffset-1; i++ {
		o.table.RawSetInt(i, lua.LNil)
	}
}

// Changed refreshes the script's read copy of a variable that the engine set.
func (v *VM) Changed(a *engine.Actor, p *engine.Property) {
	if o, _ := a.Script.(*object); o != nil && !o.gone {
		v.refresh(o, p)
	}
}

// StateChanged switches the functions that an actor's scripts see, and its latent code.
func (v *VM) StateChanged(a *engine.Actor, old *engine.State, how engine.StateChange) {
	o := a.Script.(*object)
	o.table.RawSetInt(slotDispatch, v.dispatch(a.Class, a.Dispatch))
	switch how {
	case engine.StateEntered:
		v.stopLatent(o)
		v.startLatent(o)
	case engine.StatePushed:
		v.parkLatent(o)
		v.startLatent(o)
	case engine.StatePopped:
		v.stopLatent(o)
		v.unparkLatent(o)
	}
}

// RunLatent resumes all latent code that is due, in the order in which actors were spawned.
func (v *VM) RunLatent() {
	v.closeTick()
	if len(v.refused) > 0 {
		v.refuse()
	}
	if len(v.resting) > 0 {
		v.wakeRested()
	}
	q := &v.latents
	now := v.world.Time + latentSlack
	for len(q.asleep) > 0 && q.asleep[0].wake <= now {
		l := q.asleep[0]
		q.wakeUp(l)
		q.polling = append(q.polling, l)
	}
	if len(q.polling) == 0 {
		return
	}
	run := append(q.scratch[:0], q.polling...)
	clear(q.polling)
	q.polling = q.polling[:0]
	sort.SliceStable(run, func(i, j int) bool { return run[i].object.actor.Order() < run[j].object.actor.Order() })
	for _, l := range run {
		if l.done || l.parked {
			continue
		}
		// A simulated proxy in a state that is not simulated is suspended (R7.3), until its role changes.
		if v.world.RunsLatent(l.object.actor) && v.due(l) {
			v.resume(l)
		}
		if !l.done && !l.parked {
			q.put(l)
		}
	}
	clear(run)
	q.scratch = run[:0]
}
