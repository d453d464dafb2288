package engine

import "slices"

// A reload may change the bounds of a type: a range of numbers, the length of a string. Each part of a value
// that no longer fits is reset to its default.

// sameBounds reports whether two types that are the same accept the same values.
func (t *Type) sameBounds(o *Type) bool {
	switch t.Kind {
	case KindArray, KindFastArray:
		return t.Elem.sameBounds(o.Elem)
	case KindStruct:
		for i := range t.Fields {
			if !t.Fields[i].Type.sameBounds(o.Fields[i].Type) {
				return false
			}
		}
		return true
	default:
	}
	return t.Ranged == o.Ranged && t.Min == o.Min && t.Max == o.Max && t.StringLimit() == o.StringLimit()
}

// bounded reports whether the type, or a part of it, accepts only some of the values of its kind.
func (t *Type) bounded() bool {
	switch t.Kind {
	case KindArray, KindFastArray:
		return t.Elem.bounded()
	case KindStruct:
		return slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Type.bounded() })
	default:
	}
	return t.Ranged || t.Kind == KindString
}

// refit resets the parts of a stored value that do not fit the type, and reports whether there were any.
func (t *Type) refit(w *World, words []uint64, strs []string, def []uint64, defStrs []string) (changed bool) {
	switch t.Kind {
	case KindStruct:
		for i := range t.Fields {
			f := &t.Fields[i]
			if f.Type.refit(w, words[f.word:], strs[f.str:], def[f.word:], defStrs[f.str:]) {
				changed = true
			}
		}
	case KindArray:
		nw, ns := t.Elem.words, t.Elem.strs
		for i := range t.Len {
			if t.Elem.refit(w, words[i*nw:], strs[i*ns:], def[i*nw:], defStrs[i*ns:]) {
				changed = true
			}
		}
	default:
		if !t.bounded() {
			return false
		}
		if _, err := t.Check(w, loadValue(w.Classes, t, words, strs)); err == nil {
			return false
		}
		copy(words[:t.words], def)
		copy(strs[:t.strs], defStrs)
		changed = true
	}
	return changed
}

// refit is [Type.refit] for every item; elem is the type of an item.
func (f *FastArray) refit(w *World, elem *Type) (changed bool) {
	words, strs := make([]uint64, elem.words), make([]string, elem.strs)
	storeValue(w.Classes, elem, words, strs, elem.Zero())
	for i := range f.Items() {
		it := &f.items[i]
		if elem.refit(w, it.Words, it.Strs, words, strs) {
			it.Rev++
			changed = true
		}
	}
	return changed
}
