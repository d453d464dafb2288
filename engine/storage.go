package engine

// Values are packed into 64-bit words. Comparing, copying and hashing a variable is therefore comparing,
// copying and hashing words, and the garbage collector sees no pointers except strings:
//
//	bool      0 or 1
//	int       two's complement, sign-extended
//	float     IEEE 754 bits of a float64 that is exactly a float32
//	enum      index of the name
//	vector    three words of IEEE 754 bits
//	rotator   pitch | yaw<<16 | roll<<32
//	classref  Index+1 of the class, 0 for none
//	ref       the actor's id, 0 for nil
//	struct    its members one after another; array: its elements
//	string    no word; an entry among the strings

// storeValue packs a checked value.
func storeValue(cs *Classes, t *Type, words []uint64, strs []string, v Value) {
	switch t.Kind {
	case KindVector:
		StoreVector(words, v.Vec)
	case KindStruct:
		for i := range t.Fields {
			f := &t.Fields[i]
			storeValue(cs, f.Type, words[f.word:], strs[f.str:], v.List[i])
		}
	case KindArray:
		for i := range v.List {
			storeValue(cs, t.Elem, words[i*t.Elem.words:], strs[i*t.Elem.strs:], v.List[i])
		}
	default:
		if f := kinds[t.Kind].store; f != nil {
			f(cs, t, words, strs, v)
		}
	}
}

// loadValue unpacks a packed value. cs may be nil; a class reference then reads as none.
func loadValue(cs *Classes, t *Type, words []uint64, strs []string) Value {
	v := Value{Kind: t.Kind}
	switch t.Kind {
	case KindVector:
		v.Vec = LoadVector(words)
	case KindStruct:
		v.List = make([]Value, len(t.Fields))
		for i := range t.Fields {
			f := &t.Fields[i]
			v.List[i] = loadValue(cs, f.Type, words[f.word:], strs[f.str:])
		}
	case KindArray:
		v.List = make([]Value, t.Len)
		for i := range v.List {
			v.List[i] = loadValue(cs, t.Elem, words[i*t.Elem.words:], strs[i*t.Elem.strs:])
		}
	default:
		if f := kinds[t.Kind].load; f != nil {
			return f(cs, t, words, strs)
		}
	}
	return v
}

// Default returns the class's default of a property.
func (c *Class) Default(p *Property) Value {
	if p.Native != nil {
		a := Actor{Vars: c.defVars, Class: c}
		return p.Native.get(&a)
	}
	return loadValue(c.set, p.Type, c.defWords[p.word:], c.defStrs[p.str:])
}
