package engine

import (
	"slices"

	"github.com/tidelock/tidelock/engine/archive"
	"github.com/tidelock/tidelock/engine/geom"
)

// rest reads timers, held keys, net groups, what is animated, and the order of references.
func (l *loader) rest(in *archive.Reader) {
	w := l.w
	for range in.Count(maxSavedTimers, 2) {
		id := LoadID(in)
		t := &timer{function: in.String(maxSavedName)}
		t.due, t.every, t.seq, t.heldSince = in.Float(), in.Float(), in.Uint(w.timerSeq), in.Float()
		a := w.Actor(id)
		if !l.ok() || a == nil {
			continue
		}
		if t.every < 0 || len(a.timers) > MaxTimers || t.function == "" && a.expires != 0 {
			in.Failf("%s: a timer of %q is not possible", a.Name, t.function)
			return
		}
		if t.function != "" && !a.Class.hasFunction(t.function) {
			l.note("%s.%s is gone: its timers are left out", a.Class.Name, t.function)
			continue
		}
		if t.function == "" {
			a.expires = t.due
		}
		t.actor = id
		i, _ := slices.BinarySearchFunc(a.timers, t, func(x, y *timer) int { return int(int64(x.seq - y.seq)) })
		a.timers = slices.Insert(a.timers, i, t)
		w.timers.push(t)
	}
	for l.ok() {
		a, more := l.next(in)
		if !more {
			break
		}
		held := l.input(in)
		if a != nil {
			w.inputs[a.id] = held
		}
	}
	for l.ok() {
		a, more := l.next(in)
		if !more {
			break
		}
		groups := make([]string, in.Count(maxSavedGroups, 1))
		for i := range groups {
			groups[i] = in.String(maxSavedName)
		}
		if a != nil {
			w.groups[a.id] = groups
		}
	}
	for range in.Count(2*MaxActors, 2) {
		a := w.Actor(LoadID(in))
		if a == nil {
			continue
		}
		if a.anim == nil || a.anim.listed {
			in.Failf("%s is animated twice, or not at all", a.Name)
			return
		}
		w.list(a)
	}
	l.edges(in)
}

// edges registers who refers to whom: first in the saved order, then what is not in it.
func (l *loader) edges(in *archive.Reader) {
	w := l.w
	saved := map[*Actor][]refEdge{}
	for l.ok() {
		to, more := l.next(in)
		if !more {
			break
		}
		from, name, word := w.Actor(LoadID(in)), in.String(maxSavedName), in.Uint(1<<20)
		if to == nil || from == nil || !l.ok() {
			continue
		}
		if p := from.Class.byName[name]; p != nil && (p.Type.refs && int(word) < max(p.Type.words, 1) || p.Native != nil && p.Type.Kind == KindRef) {
			if e := (refEdge{from.id, p, int32(word)}); w.refersTo(e, to.id) {
				saved[to] = append(saved[to], e)
			}
		}
	}
	for i := range l.heads {
		if a := l.heads[i].actor; a != nil {
			a.renoteRefs()
		}
	}
	seen := map[refEdge]bool{}
	for i := range l.heads {
		if a := l.heads[i].actor; a != nil {
			clear(seen)
			a.refs = slices.DeleteFunc(append(saved[a], a.refs...), func(r refEdge) bool { // the first of equal ones counts
				was := seen[r]
				seen[r] = true
				return was
			})
		}
	}
}

func (l *loader) input(in *archive.Reader) *heldInput {
	h := &heldInput{}
	h.Forward, h.Strafe, h.Up = in.Float(), in.Float(), in.Float()
	for _, b := range [...]*bool{&h.Jump, &h.Fire, &h.AltFire, &h.Crouch, &h.Run, &h.Aim, &h.Reload, &h.Use, &h.turned} {
		*b = in.Bool()
	}
	h.Weapon = int(in.Int())
	h.View = geom.UnpackRotator(in.Word())
	h.Actions = make([]ActionValue, in.Count(MaxActiveActions, 9))
	for i := range h.Actions {
		h.Actions[i] = ActionValue{in.String(maxSavedName), in.Float()}
	}
	return h
}

// hasFunction reports whether the class, in some state or in none, has a function.
func (c *Class) hasFunction(name string) bool {
	if c.Functions[name] != nil {
		return true
	}
	for _, s := range c.States { // any order: only whether there is one
		if s.Dispatch.Functions[name] != nil {
			return true
		}
	}
	return false
}
