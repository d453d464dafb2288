package engine

// The journal allows undoing a failed script call: while it is open, every write of a variable is recorded with
// the old value, and [World.Rollback] restores them, latest first.
//
// Invariant: entries of a destroyed actor are skipped, because ids are never reused.

// maxJournal bounds the memory that an idle journal keeps, in entries.
const maxJournal = 1 << 16

// Mark opens the journal and returns its position. Marks nest.
func (w *World) Mark() int {
	w.journal.open++
	return len(w.journal.entries)
}

// Release closes what Mark opened and keeps the writes.
func (w *World) Release() {
	j := &w.journal
	j.open--
	if j.open == 0 && !j.undoing {
		j.clear()
	}
}

// Rollback closes what Mark opened and undoes every write since.
func (w *World) Rollback(mark int) {
	j := &w.journal
	open, undoing := j.open, j.undoing
	j.open, j.undoing = 0, true // undoing is not journalled; scripts called by it do not change the remaining entries
	for i := len(j.entries) - 1; i >= mark; i-- {
		e := &j.entries[i]
		a := w.Actor(e.actor)
		if a != nil {
			w.undo(a, e)
		}
		j.words = j.words[:int(e.word)]
		j.strs = j.strs[:int(e.str)]
	}
	j.entries = j.entries[:mark]
	j.open, j.undoing = open-1, undoing
	if j.open == 0 && !j.undoing {
		j.clear()
	}
}

func (j *journal) clear() {
	if cap(j.entries) > maxJournal {
		j.entries, j.natives, j.fasts, j.words, j.strs = nil, nil, nil, nil, nil
		return
	}
	clear(j.entries)
	clear(j.natives)
	clear(j.fasts)
	clear(j.strs)
	j.entries, j.natives, j.fasts, j.words, j.strs = j.entries[:0], j.natives[:0], j.fasts[:0], j.words[:0], j.strs[:0]
}

func (w *World) undo(a *Actor, e *journalEntry) {
	if e.prop.Native != nil {
		n, old := e.prop.Native, w.journal.natives[e.native]
		if old.Kind == KindRef && !w.alive(old.Ref) {
			old.Ref = 0 // destroying is not undone, and nothing refers to a destroyed actor
		}
		if n.set != nil {
			_ = n.set(a, old) // the old value was valid
		} else {
			n.put(a, old)
		}
		return
	}
	if a.Class.byName[e.prop.Name] != e.prop {
		return // the class was reloaded in between; its values were migrated
	}
	if e.prop.fast >= 0 && e.prop.Type.Kind == KindFastArray {
		a.undoFast(e.prop, &w.journal.fasts[e.fast])
		w.Script.Changed(a, e.prop)
		return
	}
	copy(a.words[e.atWord:e.atWord+e.words], w.journal.words[e.word:])
	copy(a.strs[e.atStr:e.atStr+e.strs], w.journal.strs[e.str:])
	a.dropDead(e.prop.Whole())
	a.noteRefs(e.prop.Whole())
	w.Script.Changed(a, e.prop)
}

// alive reports whether an id belongs to an actor that is not destroyed.
func (w *World) alive(id ActorID) bool {
	a := w.Actor(id)
	return a != nil && !a.deleted
}

// dropDead sets references inside a part to nil if their actor was destroyed since they were stored.
func (a *Actor) dropDead(pt Part) {
	switch pt.Type.Kind {
	case KindRef:
		if w := &a.words[pt.Prop.word+pt.Word]; *w != 0 && !a.world.alive(ActorID(*w)) {
			*w = 0
		}
	case KindStruct:
		for i := range pt.Type.Fields {
			a.dropDead(pt.Member(&pt.Type.Fields[i]))
		}
	case KindArray:
		if k := pt.Type.Elem.Kind; k == KindRef || k == KindStruct {
			for i := range pt.Type.Len {
				a.dropDead(pt.Elem(i))
			}
		}
	default:
	}
}

func (w *World) journalWord(a *Actor, p *Property) {
	j := &w.journal
	if j.open == 0 {
		return
	}
	j.entries = append(j.entries, journalEntry{
		actor: a.id, prop: p, word: int32(len(j.words)), words: 1, str: int32(len(j.strs)), atWord: int32(p.word), atStr: int32(p.str),
	})
	j.words = append(j.words, a.words[p.word])
}

func (w *World) journalPart(a *Actor, p *Property, w0, w1, s0, s1 int) {
	j := &w.journal
	if j.open == 0 {
		return
	}
	j.entries = append(j.entries, journalEntry{
		actor: a.id, prop: p,
		word: int32(len(j.words)), words: int32(w1 - w0), atWord: int32(w0),
		str: int32(len(j.strs)), strs: int32(s1 - s0), atStr: int32(s0),
	})
	j.words = append(j.words, a.words[w0:w1]...)
	j.strs = append(j.strs, a.strs[s0:s1]...)
}

func (w *World) journalNative(a *Actor, p *Property, old Value) {
	j := &w.journal
	if j.open == 0 {
		return
	}
	j.entries = append(j.entries, journalEntry{actor: a.id, prop: p, native: int32(len(j.natives)), word: int32(len(j.words)), str: int32(len(j.strs))})
	j.natives = append(j.natives, old)
}

func (w *World) journalFast(a *Actor, p *Property, undo fastUndo) {
	j := &w.journal
	if j.open == 0 {
		return
	}
	undo.next = a.fasts[p.fast].LastKey()
	j.entries = append(j.entries, journalEntry{actor: a.id, prop: p, fast: int32(len(j.fasts)), word: int32(len(j.words)), str: int32(len(j.strs))})
	j.fasts = append(j.fasts, undo)
}

// scratch returns room for one value, valid until the next call.
func (w *World) scratch(words, strs int) scratchSpace {
	s := &w.journal.scratch
	if cap(s.words) < words {
		s.words = make([]uint64, words)
	}
	if cap(s.strs) < strs {
		s.strs = make([]string, strs)
	}
	s.words, s.strs = s.words[:words], s.strs[:strs]
	return scratchSpace{s.words, s.strs}
}
