package engine

import "slices"

// depth returns how deep the replicated structs and arrays of the type nest, 0 for a plain value.
func (t *Type) depth() int {
	switch t.Kind {
	case KindArray, KindFastArray:
		return 1 + t.Elem.depth()
	case KindStruct:
		n := 0
		for i := range t.Fields {
			if !t.Fields[i].Local {
				n = max(n, t.Fields[i].Type.depth())
			}
		}
		return n + 1
	default:
	}
	return 0
}

// WireBytes returns the largest size of a value of the type on the wire, in bytes; for a fast array, of an
// item.
func (t *Type) WireBytes() int {
	const head = 5 // of an array or a map
	switch t.Kind {
	case KindArray:
		return head + t.Len/8 + t.Len*t.Elem.WireBytes()
	case KindFastArray:
		return head + 2*5 + t.Elem.WireBytes() // its key and its number
	case KindStruct:
		n := head
		for i := range t.Fields {
			if !t.Fields[i].Local {
				n += t.Fields[i].Type.WireBytes()
			}
		}
		return n
	default:
	}
	return kinds[t.Kind].wire(t)
}

// RepBytes returns the size of a type as R5.12 counts it.
func (t *Type) RepBytes() int {
	switch t.Kind {
	case KindArray:
		return t.Len * t.Elem.RepBytes()
	case KindStruct:
		n := 0
		for i := range t.Fields {
			if !t.Fields[i].Local {
				n += t.Fields[i].Type.RepBytes()
			}
		}
		return n
	default:
	}
	return kinds[t.Kind].rep(t)
}

// HasClass reports whether values of the type hold class references, which are stored as numbers of one set of classes.
func (t *Type) HasClass() bool { return t.has(KindClass) }

// has reports whether values of a type hold values of some kinds.
func (t *Type) has(some ...Kind) bool {
	switch t.Kind {
	case KindArray:
		if t.Elem.has(some...) {
			return true
		}
	case KindStruct:
		for i := range t.Fields {
			if t.Fields[i].Type.has(some...) {
				return true
			}
		}
	default:
	}
	return slices.Contains(some, t.Kind)
}
