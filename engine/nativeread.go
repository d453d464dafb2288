package engine

import "github.com/tidelock/tidelock/engine/geom"

// Reading and setting variables without a [Value] in between, for scripts that are compiled to Go
// (package scriptvm/fuse).

// Number reads a number, or a boolean as 0 or 1.
func (n *NativeProperty) Number() func(*Actor) float64 {
	switch n.Name {
	case "Role":
		return func(a *Actor) float64 { return float64(a.role()) }
	}
	fast := condNatives()[n.Name]
	if num := fast.num; num != nil {
		return func(a *Actor) float64 { return num(a, 0) }
	}
	if test := fast.test; test != nil {
		return func(a *Actor) float64 {
			if test(a, 0) {
				return 1
			}
			return 0
		}
	}
	get := n.get
	return func(a *Actor) float64 { return get(a).Num }
}

// Vector reads a vector.
func (n *NativeProperty) Vector() func(*Actor) geom.Vector {
	if vec := condNatives()[n.Name].vec; vec != nil {
		return func(a *Actor) geom.Vector { return vec(a, 0) }
	}
	get := n.get
	return func(a *Actor) geom.Vector { return get(a).Vec }
}

// Rotator reads a rotator.
func (n *NativeProperty) Rotator() func(*Actor) geom.Rotator {
	if rot := condNatives()[n.Name].rot; rot != nil {
		return func(a *Actor) geom.Rotator { return *rot(a) }
	}
	get := n.get
	return func(a *Actor) geom.Rotator { return get(a).Rot }
}

// Text reads a string.
func (n *NativeProperty) Text() func(*Actor) string {
	get := n.get
	return func(a *Actor) string { return get(a).Str }
}

// Plain reports whether assigning the variable does nothing but store and mark it, and reading it gives
// what was stored: then [Actor.SetPlain] may set it.
func (n *NativeProperty) Plain() bool {
	if n.readOnly || n.set != nil {
		return false
	}
	switch n.Name {
	case "LifeSpan", "RemoteRole": // what is read of them is computed
		return false
	}
	return n.Type.Kind != KindRef && n.Type.Kind != KindString
}

// SetPlain stores a plain variable of the engine's own. The caller has checked the value and knows that it
// is another one, or was another one in between.
func (a *Actor) SetPlain(p *Property, v Value) {
	n := p.Native
	a.world.journalNative(a, p, n.get(a))
	n.put(a, v)
	a.Touched(p)
}

// Storage reads the words of all declared variables, each from [Property.Word] on (see storage.go). The
// caller must not write to it, nor keep it.
func (a *Actor) Storage() []uint64 { return a.words }

// SetVector stores a declared vector that the caller has checked, and reports whether it was another one.
func (a *Actor) SetVector(p *Property, v geom.Vector) bool {
	var words [3]uint64
	StoreVector(words[:], v)
	old := a.words[p.word : p.word+3 : p.word+3]
	if equalWords(old, words[:]) {
		return false
	}
	a.world.journalPart(a, p, p.word, p.word+3, p.str, p.str)
	copy(old, words[:])
	a.Touched(p)
	return true
}
