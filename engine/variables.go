package engine

import "fmt"

// Get reads any variable as a Value; scripts use faster functions.
func (a *Actor) Get(p *Property) Value {
	if p.Native != nil {
		return p.Native.get(a)
	}
	return loadValue(a.world.Classes, p.Type, a.words[p.word:], a.strs[p.str:])
}

// GetPart reads a part of a declared variable.
func (a *Actor) GetPart(pt Part) Value {
	return loadValue(a.world.Classes, pt.Type, a.words[pt.Prop.word+pt.Word:], a.strs[pt.Prop.str+pt.Str:])
}

// Set checks and stores a variable as a script's assignment would: on an error the old value stays. It
// journals, marks and, for native variables, has their effects.
func (a *Actor) Set(p *Property, v Value) error {
	if p.Native != nil {
		v, err := p.Type.Check(a.world, v)
		if err != nil {
			return err
		}
		return a.setNative(p, v)
	}
	return a.SetPart(p.Whole(), v)
}

// SetPart is [Actor.Set] for an element or a member.
func (a *Actor) SetPart(pt Part, v Value) error {
	if pt.Type.Kind == KindFastArray {
		return fmt.Errorf("a fastarray is changed by Add, Set and Remove")
	}
	v, err := pt.Type.Check(a.world, v)
	if err != nil {
		return err
	}
	p := pt.Prop
	w0, w1 := p.word+pt.Word, p.word+pt.Word+pt.Type.words
	s0, s1 := p.str+pt.Str, p.str+pt.Str+pt.Type.strs
	scratch := a.world.scratch(pt.Type.words, pt.Type.strs)
	storeValue(a.world.Classes, pt.Type, scratch.words, scratch.strs, v)
	if equalWords(a.words[w0:w1], scratch.words) && equalStrs(a.strs[s0:s1], scratch.strs) {
		return nil
	}
	a.world.journalPart(a, p, w0, w1, s0, s1)
	copy(a.words[w0:w1], scratch.words)
	copy(a.strs[s0:s1], scratch.strs)
	a.noteRefs(pt)
	a.Touched(p)
	return nil
}

// StoreProperty sets a declared variable, of a type without references, to what is stored in words and strs,
// which the caller has checked. It reports whether the value changed; the caller updates the script's copy.
func (a *Actor) StoreProperty(p *Property, words []uint64, strs []string) bool {
	w0, w1 := p.word, p.word+p.Type.words
	s0, s1 := p.str, p.str+p.Type.strs
	if equalWords(a.words[w0:w1], words[:w1-w0]) && equalStrs(a.strs[s0:s1], strs[:s1-s0]) {
		return false
	}
	a.world.journalPart(a, p, w0, w1, s0, s1)
	copy(a.words[w0:w1], words)
	copy(a.strs[s0:s1], strs)
	a.Touched(p)
	return true
}

// SetWord stores a variable of one word that the caller has checked. It is the hot path of scripts.
func (a *Actor) SetWord(p *Property, w uint64) {
	if a.words[p.word] == w {
		return
	}
	a.world.journalWord(a, p)
	a.words[p.word] = w
	if p.watch != 0 {
		a.Touched(p)
	}
}

// SetRef stores a reference that the caller has checked.
func (a *Actor) SetRef(p *Property, to *Actor) {
	var id ActorID
	if to != nil {
		id = to.id
	}
	if a.words[p.word] == uint64(id) {
		return
	}
	a.SetWord(p, uint64(id))
	if to != nil {
		to.addRef(refEdge{a.id, p, 0})
	}
}

// noteRefs registers every reference inside a part that was just stored.
func (a *Actor) noteRefs(pt Part) {
	switch pt.Type.Kind {
	case KindRef:
		if t := a.world.Actor(ActorID(a.words[pt.Prop.word+pt.Word])); t != nil {
			t.addRef(refEdge{a.id, pt.Prop, int32(pt.Word)})
		}
	case KindStruct:
		for i := range pt.Type.Fields {
			a.noteRefs(pt.Member(&pt.Type.Fields[i]))
		}
	case KindFastArray:
		for _, it := range a.fasts[pt.Prop.fast].Items() {
			a.noteFastRefs(pt.Prop, it.Words)
		}
	case KindArray:
		if k := pt.Type.Elem.Kind; k == KindRef || k == KindStruct {
			for i := 0; i < pt.Type.Len; i++ {
				a.noteRefs(pt.Elem(i))
			}
		}
	default:
	}
}

// addRef records a reference to the actor. The list is pruned whenever it would grow, so it has at most twice
// the actual references.
func (a *Actor) addRef(e refEdge) {
	if len(a.refs) == cap(a.refs) && len(a.refs) >= 8 {
		kept := a.refs[:0]
		for _, r := range a.refs {
			if a.world.refersTo(r, a.id) && r != e {
				kept = append(kept, r)
			}
		}
		a.refs = kept
	}
	a.refs = append(a.refs, e)
}

// refersTo reports whether an edge is still valid.
func (w *World) refersTo(r refEdge, id ActorID) bool {
	f := w.Actor(r.from)
	if f == nil || f.Class.byName[r.prop.Name] != r.prop {
		return false
	}
	if r.prop.Native != nil {
		return r.prop.Native.get(f).Ref == id
	}
	if r.prop.Type.Kind == KindFastArray {
		return f.fasts[r.prop.fast].refersTo(r.prop.Type.Elem, id)
	}
	return f.words[r.prop.word+int(r.word)] == uint64(id)
}

// setNative assigns a native variable with its effects; v has been checked.
func (a *Actor) setNative(p *Property, v Value) error {
	n := p.Native
	if n.readOnly {
		return fmt.Errorf("%s is set by the engine and cannot be assigned", n.Name)
	}
	old := n.get(a)
	if sameValue(old, v) {
		return nil
	}
	a.world.journalNative(a, p, old)
	if n.set != nil {
		return n.set(a, v)
	}
	n.put(a, v)
	a.touchNative(n.Name)
	return nil
}

// touchNative marks a native variable as changed, if the class replicates it.
func (a *Actor) touchNative(name string) {
	if p := a.Class.byName[name]; p != nil {
		a.Touched(p)
	}
}

// SetOwner changes the actor's owner; nil is none. A loop is an error that names the actors.
func (a *Actor) SetOwner(o *Actor) error {
	if o != nil && o.deleted {
		o = nil
	}
	for k := o; k != nil; k = a.world.Actor(k.Owner) {
		if k == a {
			return fmt.Errorf("SetOwner: %s already owns %s, directly or further up; a loop of owners is not possible", a, o)
		}
	}
	var id ActorID
	if o != nil {
		id = o.id
	}
	if a.Owner == id {
		return nil
	}
	a.Owner = id
	p := a.Class.byName["Owner"]
	if o != nil {
		o.addRef(refEdge{a.id, p, 0})
	}
	a.Touched(p)
	a.markOwned(markCond|markNet, 0)
	return nil
}

// SetInstigator changes which pawn is responsible; nil is none.
func (a *Actor) SetInstigator(o *Actor) {
	var id ActorID
	if o != nil && !o.deleted {
		id = o.id
	}
	if a.Instigator == id {
		return
	}
	a.Instigator = id
	p := a.Class.byName["Instigator"]
	if id != 0 {
		o.addRef(refEdge{a.id, p, 0})
	}
	a.Touched(p)
}

// sameValue compares two values of one scalar type.
func sameValue(a, b Value) bool {
	return a.Kind == b.Kind && a.Num == b.Num && a.Str == b.Str && a.Vec == b.Vec && a.Rot == b.Rot && a.Ref == b.Ref
}
