package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"sort"
)

// BuildClasses resolves specs into a set of classes. It returns everything wrong as diagnostics; the set is nil
// if any of them is an error. Slots of prev, which may be nil, are kept, so that code compiled against it stays
// valid.
func BuildClasses(specs []*ClassSpec, prev *Classes) (*Classes, []Diagnostic) {
	b := &builder{
		cs:    &Classes{byName: make(map[string]*Class, len(specs))},
		prev:  prev,
		specs: make(map[string]*ClassSpec, len(specs)),
		state: make(map[string]int, len(specs)),
	}
	ordered := append([]*ClassSpec(nil), specs...)
	sort.SliceStable(ordered, func(i, j int) bool { return ordered[i].Name < ordered[j].Name })
	for _, s := range ordered {
		if o := b.specs[s.Name]; o != nil {
			b.errorf(s.Pos, "duplicate-class", "class %s is already defined at %s; give one of them another name", s.Name, o.Pos)
			continue
		}
		b.specs[s.Name] = s
		b.names = append(b.names, s.Name)
	}
	for _, n := range b.names {
		b.visit(n, nil)
	}
	b.slots()
	for _, c := range b.cs.sorted {
		b.resolveLate(c)
	}
	for _, d := range b.diags {
		if d.Severity == SevError {
			return nil, b.diags
		}
	}
	b.cs.Watch()
	b.cs.slotKey = slotKey(b.cs)
	return b.cs, b.diags
}

// slotKey hashes what builder.slots reads of a set.
func slotKey(cs *Classes) (key [32]byte) {
	var text []byte
	number := func(n int) { text = binary.AppendUvarint(text, uint64(n)) }
	name := func(s string) {
		number(len(s))
		text = append(text, s...)
	}
	for _, c := range cs.sorted {
		name(c.Name)
		parent := ""
		if c.Parent != nil {
			parent = c.Parent.Name
		}
		name(parent)
		number(c.slots)
		for _, p := range c.Properties {
			if p.Class == c && p.Native == nil {
				name(p.Name)
				number(p.Slot)
			}
		}
		number(0)
	}
	return sha256.Sum256(text)
}

// visit builds the class after its parent.
func (b *builder) visit(name string, chain []string) *Class {
	spec := b.specs[name]
	switch b.state[name] {
	case 1:
		b.errorf(spec.Pos, "cyclic-parent", "class %s is its own ancestor: %s", name, cyclePath(chain, name, b.specs))
		return nil
	case 2:
		return b.cs.byName[name]
	}
	b.state[name] = 1
	defer func() { b.state[name] = 2 }()

	var parent *Class
	if spec.Parent != "" {
		pn := CanonicalClass(spec.Parent)
		if b.specs[pn] == nil {
			b.errorf(spec.Pos, "unknown-parent", "class %s: unknown parent %q%s", name, spec.Parent, Nearest(spec.Parent, b.names))
			return nil
		}
		parent = b.visit(pn, append(chain, name))
		if parent == nil {
			return nil // said already
		}
	}
	c := b.build(spec, parent)
	c.Index = len(b.cs.sorted)
	b.cs.sorted = append(b.cs.sorted, c)
	b.cs.byName[name] = c
	return c
}

func cyclePath(chain []string, name string, specs map[string]*ClassSpec) string {
	s := ""
	on := false
	for _, n := range chain {
		if n == name {
			on = true
		}
		if on {
			s += fmt.Sprintf("%s (%s) → ", n, specs[n].Pos)
		}
	}
	return s + name
}

func (b *builder) build(spec *ClassSpec, parent *Class) *Class {
	c := &Class{
		Name: spec.Name, Parent: parent, Spec: spec, set: b.cs,
		Functions: map[string]*Function{},
		States:    map[string]*State{},
		byName:    map[string]*Property{},
		native:    spec.Native,
		kind:      kindOfClass[spec.Name],
	}
	if parent != nil {
		c.depth = parent.depth + 1
		c.native = parent.native
		c.kind |= parent.kind
		c.Properties = append(c.Properties, parent.Properties...)
		c.Replicated = append(c.Replicated, parent.Replicated...)
		c.Components = append(c.Components, parent.Components...)
		c.MoveVars, c.JoinsMoves = parent.MoveVars[:len(parent.MoveVars):len(parent.MoveVars)], parent.JoinsMoves
		c.byName, c.Functions = maps.Clone(parent.byName), maps.Clone(parent.Functions)
		c.words, c.strs, c.fasts = parent.words, parent.strs, parent.fasts
		c.defWords = append(c.defWords, parent.defWords...)
		c.defStrs = append(c.defStrs, parent.defStrs...)
		c.defVars = parent.defVars
		c.known = parent.known
	} else {
		c.defVars = defaultVars()
		for _, n := range nativeProperties {
			if n.roots&(1<<spec.Native) == 0 {
				continue
			}
			p := &Property{Name: n.Name, Type: n.Type, Class: c, Native: n, Rep: -1, Pos: spec.Pos}
			c.Properties = append(c.Properties, p)
			c.byName[n.Name] = p
		}
	}
	b.properties(c, spec)
	b.defaults(c, spec)
	b.functions(c, spec)
	b.replication(c, spec)
	b.moves(c, spec)
	for _, cs := range spec.Components {
		if p := c.byName[cs.Name]; p != nil {
			b.errorf(cs.Pos, "duplicate-name", "class %s: component %s has the name of a variable declared at %s", c.Name, cs.Name, p.Pos)
		}
		replaced := false
		for i := range c.Components {
			if c.Components[i].Name == cs.Name {
				c.Components[i], replaced = cs, true
			}
		}
		if !replaced {
			c.Components = append(c.Components, cs)
		}
	}
	for k := range c.known {
		if p := c.byName[knownNames[k]]; p != nil {
			c.known[k] = p
		}
	}
	c.location, c.rotation, c.velocity = c.byName["Location"], c.byName["Rotation"], c.byName["Velocity"]
	c.physics, c.base = c.byName["Physics"], c.byName["Base"]
	return c
}

func (b *builder) properties(c *Class, spec *ClassSpec) {
	for i := range spec.Properties {
		ps := &spec.Properties[i]
		if o := c.byName[ps.Name]; o != nil {
			where := "declared at " + o.Pos.String()
			if o.Native != nil {
				where = "a variable every actor has"
			}
			hint := ""
			if o.Class != c {
				hint = "; to change its default use " + c.Name + ".defaults"
			}
			b.errorf(ps.Pos, "duplicate-property", "class %s: property %s is already %s%s", c.Name, ps.Name, where, hint)
			continue
		}
		ps.Type.Layout()
		p := &Property{Name: ps.Name, Type: ps.Type, Class: c, Pos: ps.Pos, Rep: -1, word: c.words, str: c.strs, fast: -1, Persistent: ps.Persistent}
		if ps.Persistent {
			b.persistent(c, p)
		}
		if ps.Validator != nil {
			p.Judge = &Function{Name: ps.Name, Class: c, Kind: CallServer, Params: []Param{{Name: ps.Name, Type: ps.Type}}, Pos: ps.Pos, Validator: ps.Validator, ValidatorClass: c}
		}
		if ps.Type.Kind == KindFastArray {
			p.fast = c.fasts
			c.fasts++
		}
		c.words += ps.Type.words
		c.strs += ps.Type.strs
		c.defWords = append(c.defWords, make([]uint64, ps.Type.words)...)
		c.defStrs = append(c.defStrs, make([]string, ps.Type.strs)...)
		c.Properties = append(c.Properties, p)
		c.byName[ps.Name] = p
		def := ps.Default
		if def.Kind == KindNone && ps.Type.Kind != KindRef && ps.Type.Kind != KindClass {
			def = ps.Type.Zero()
		}
		if ps.Type.Kind == KindFastArray {
			continue
		}
		if v, err := ps.Type.Check(nil, def); err != nil {
			b.errorf(ps.Pos, "bad-default", "class %s: default of %s: %v", c.Name, ps.Name, err)
		} else {
			// Class references are resolved in resolveLate, when every class is known.
			storeValue(b.cs, ps.Type, c.defWords[p.word:], c.defStrs[p.str:], v)
		}
	}
}

// persistent checks a variable of a profile.
func (b *builder) persistent(c *Class, p *Property) {
	t := p.Type
	if t.Kind == KindFastArray {
		t = t.Elem
	}
	if !c.IsA("PlayerReplicationInfo") {
		b.errorf(p.Pos, "bad-persistent", "class %s: %s: .persistent is for PlayerReplicationInfo (PlayerState) and its children, which belong to a player; what belongs to no player goes into store", c.Name, p.Name)
	} else if t.has(KindRef, KindClass, KindFastArray) {
		b.errorf(p.Pos, "bad-persistent", "class %s: %s is %v; a profile keeps numbers, booleans, strings, enums, vectors, rotators, and structs, arrays and fast arrays of them", c.Name, p.Name, p.Type)
	}
}

func (b *builder) defaults(c *Class, spec *ClassSpec) {
	for i := range spec.Defaults {
		d := &spec.Defaults[i]
		p := c.byName[d.Name]
		if p == nil {
			b.errorf(d.Pos, "unknown-name", "class %s: default of unknown variable %s%s", c.Name, d.Name, Nearest(d.Name, c.PropertyNames()))
			continue
		}
		if p.Native != nil && p.Native.readOnly {
			b.errorf(d.Pos, "bad-default", "class %s: %s is set by the engine and has no default", c.Name, d.Name)
			continue
		}
		v, err := p.Type.Check(nil, d.Value)
		if err != nil {
			b.errorf(d.Pos, "bad-default", "class %s: default of %s: %v", c.Name, d.Name, err)
			continue
		}
		if p.Native != nil {
			a := Actor{Vars: c.defVars}
			p.Native.put(&a, v)
			c.defVars = a.Vars
			continue
		}
		storeValue(b.cs, p.Type, c.defWords[p.word:], c.defStrs[p.str:], v)
	}
}

func (b *builder) replication(c *Class, spec *ClassSpec) {
	for i := range spec.Rules {
		rs := &spec.Rules[i]
		r := &Rule{RuleSpec: rs, Class: c, Index: b.cs.rules}
		b.cs.rules++
		for j, n := range rs.Names {
			pos := rs.Pos
			if j < len(rs.NamePos) {
				pos = rs.NamePos[j]
			}
			p := c.byName[n]
			switch {
			case p == nil:
				b.errorf(pos, "unknown-name", "class %s: replication of unknown variable %s%s", c.Name, n, Nearest(n, c.PropertyNames()))
				continue
			case p.Class != c:
				b.errorf(pos, "inherited-replication", "class %s: %s is declared by %s, and only that class can replicate it (R5.3)", c.Name, n, p.Class.Name)
				continue
			case p.Rule != nil:
				b.errorf(pos, "duplicate-rule", "class %s: %s already has a replication rule at %s", c.Name, n, p.Rule.Pos)
				continue
			case p.Type.Kind == KindArray && p.Type.RepBytes() >= MaxArrayBytes:
				b.errorf(pos, "array-too-large", "class %s: %s takes %d bytes; a replicated array stays under %d (R5.12); use a fastarray", c.Name, n, p.Type.RepBytes(), MaxArrayBytes)
				continue
			}
			p.Rule = r
			p.Rep = len(c.Replicated)
			c.Replicated = append(c.Replicated, p)
			r.Props = append(r.Props, p)
		}
		if rs.Cond != nil {
			r.Upstream = rs.Cond.Upstream()
		}
	}
	b.stateFits(c, spec)
	if n := len(c.Replicated); n > MaxReplicatedProperties {
		b.errorf(spec.Pos, "too-many-replicated", "class %s: %d replicated variables, at most %d", c.Name, n, MaxReplicatedProperties)
	}
}

// stateFits rejects a class whose replicated variables could exceed the message that opens an actor; the error
// names the first variable that has no room.
func (b *builder) stateFits(c *Class, spec *ClassSpec) {
	bytes, fast := 0, 0
	for _, p := range c.Replicated {
		pos := spec.Pos
		if p.Rule != nil && p.Class == c {
			pos = p.Rule.Pos
		}
		if d := p.Type.depth(); d > MaxTypeDepth && p.Class == c {
			b.errorf(pos, "state-too-large", "class %s: %s nests structs and arrays %d deep; at most %d cross", c.Name, p.Name, d, MaxTypeDepth)
			return
		}
		if p.Type.Kind == KindFastArray {
			if fast++; fast > MaxFastArrays && p.Class == c {
				b.errorf(pos, "state-too-large", "class %s: %s is replicated fastarray %d; at most %d", c.Name, p.Name, fast, MaxFastArrays)
				return
			}
			continue
		}
		n := p.Type.WireBytes()
		if bytes += n; bytes > MaxStateBytes && p.Class == c {
			b.errorf(pos, "state-too-large", "class %s: with %s, of %d bytes, the replicated variables take up to %d bytes on the wire; at most %d: a client gets them in one message; give strings a smaller max, or replicate less",
				c.Name, p.Name, n, bytes, MaxStateBytes)
			return
		}
	}
}

// slots numbers the declared variables for scripts. A class's own variables come after its parent's. Over a
// reload every name keeps its number in its class, and a new one comes after the highest that any descendant
// uses, so that code compiled earlier (latent code, closures) never reads another variable.
func (b *builder) slots() {
	high := map[*Class]int{} // highest slot used by the class or, from prev, any descendant
	if b.prev != nil {
		for _, pc := range b.prev.sorted {
			c := b.cs.byName[pc.Name]
			for ; c != nil; c = c.Parent {
				if pc.slots > high[c] {
					high[c] = pc.slots
				}
			}
		}
	}
	for _, c := range b.cs.sorted {
		if c.Parent != nil && c.Parent.slots > high[c] {
			high[c] = c.Parent.slots
		}
		var pc *Class
		if b.prev != nil {
			pc = b.prev.byName[c.Name]
		}
		// A class with a new parent may have to give up a slot that the parent's variables use.
		taken := map[int]bool{}
		for _, p := range c.Properties {
			if p.Class != c && p.Native == nil {
				taken[p.Slot] = true
			}
		}
		for _, p := range c.Properties {
			if p.Class != c || p.Native != nil {
				continue
			}
			if pc != nil {
				if pp := pc.byName[p.Name]; pp != nil && pp.Native == nil && pp.Class.Name == c.Name && !taken[pp.Slot] {
					p.Slot = pp.Slot
				}
			}
			if p.Slot == 0 {
				high[c]++
				p.Slot = high[c]
			}
		}
		// Descendants' slots do not count here: otherwise a class's actors would have room for all variables of
		// all of them.
		for _, k := range []*Class{c.Parent, pc} {
			if k != nil {
				c.slots = max(c.slots, k.slots)
			}
		}
		for _, p := range c.Properties {
			if p.Native == nil {
				c.slots = max(c.slots, p.Slot)
			}
		}
		c.bySlot = make([]*Property, c.slots+1)
		for _, p := range c.Properties {
			if p.Native == nil {
				c.bySlot[p.Slot] = p
			}
		}
		// A child may not reuse what an ancestor has just taken.
		for _, d := range b.cs.sorted {
			if d != c && d.depth > c.depth && d.IsA(c.Name) && high[d] < high[c] {
				high[d] = high[c]
			}
		}
	}
}

// resolveLate resolves what needs every class: class names inside types and defaults, states, components.
func (b *builder) resolveLate(c *Class) {
	spec := c.Spec
	for i := range spec.Properties {
		ps := &spec.Properties[i]
		b.checkClasses(c, ps.Type, ps.Pos)
		b.reDefault(c, ps.Name, ps.Default, ps.Pos)
	}
	// An inherited class default is stored as an index that is known only now.
	if c.Parent != nil {
		for _, p := range c.Properties {
			if p.Class != c && p.Native == nil && p.Type.HasClass() {
				copy(c.defWords[p.word:p.word+p.Type.words], c.Parent.defWords[p.word:])
			}
		}
	}
	for i := range spec.Defaults {
		b.reDefault(c, spec.Defaults[i].Name, spec.Defaults[i].Value, spec.Defaults[i].Pos)
	}
	for i := range spec.Functions {
		for _, prm := range spec.Functions[i].Params {
			b.checkClasses(c, prm.Type, spec.Functions[i].Pos)
		}
	}
	for _, cs := range spec.Components {
		k := b.cs.Find(cs.Class)
		switch {
		case k == nil:
			b.errorf(cs.Pos, "unknown-class", "class %s: component %s: unknown class %q%s", c.Name, cs.Name, cs.Class, Nearest(cs.Class, b.names))
		case !k.IsComponent():
			b.errorf(cs.Pos, "bad-component", "class %s: component %s: %s does not descend from ActorComponent", c.Name, cs.Name, cs.Class)
		}
	}
	b.states(c)
}

// reDefault checks class names in a default, when all classes exist, and stores it again.
func (b *builder) reDefault(c *Class, name string, def Value, pos Pos) {
	p := c.byName[name]
	if p == nil || p.Native != nil || !p.Type.HasClass() {
		return
	}
	if def.Kind == KindNone {
		def = p.Type.Zero()
	}
	w := &World{Classes: b.cs}
	v, err := p.Type.Check(w, def)
	if err != nil {
		b.errorf(pos, "bad-default", "class %s: default of %s: %v%s", c.Name, name, err, Nearest(def.Str, b.names))
		return
	}
	storeValue(b.cs, p.Type, c.defWords[p.word:], c.defStrs[p.str:], v)
}

func (b *builder) checkClasses(c *Class, t *Type, pos Pos) {
	switch t.Kind {
	case KindRef, KindClass:
		if t.Class != "" && b.cs.Find(t.Class) == nil {
			b.errorf(pos, "unknown-class", "class %s: %s names unknown class %q%s", c.Name, t.Kind, t.Class, Nearest(t.Class, b.names))
		}
	case KindArray, KindFastArray:
		b.checkClasses(c, t.Elem, pos)
	case KindStruct:
		for i := range t.Fields {
			b.checkClasses(c, t.Fields[i].Type, pos)
		}
	default:
	}
}
