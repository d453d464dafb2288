package engine

import (
	"maps"
	"slices"
)

// states resolves the states of a class: its own, its parent's, and what they extend (R7.2).
//
// A state's functions are looked up from the most derived class's declaration of the state upwards, then in the
// states it extends, then in the class itself.
func (b *builder) states(c *Class) {
	c.Dispatch = b.newDispatch(c, nil)
	decls := map[string][]*ClassSpec{} // most derived first
	var names []string
	for k := c; k != nil; k = k.Parent {
		for i := range k.Spec.States {
			n := k.Spec.States[i].Name
			if decls[n] == nil {
				names = append(names, n)
			}
			decls[n] = append(decls[n], k.Spec)
		}
	}
	// A function's specifiers come from the class; check each own state function once.
	for i := range c.Spec.States {
		ss := &c.Spec.States[i]
		for _, ig := range ss.Ignores {
			if !isEventName(ig) && c.Functions[ig] == nil {
				b.errorf(ss.Pos, "unknown-name", "class %s: state %s ignores unknown function %s%s", c.Name, ss.Name, ig, Nearest(ig, c.FunctionNames()))
			}
		}
		if ss.Extends != "" && decls[ss.Extends] == nil {
			b.errorf(ss.Pos, "unknown-state", "class %s: state %s extends unknown state %q%s", c.Name, ss.Name, ss.Extends, Nearest(ss.Extends, names))
		}
	}
	for _, n := range names {
		c.States[n] = b.resolveState(c, n, decls)
	}
	auto := ""
	for k := c; k != nil && auto == ""; k = k.Parent {
		auto = k.Spec.AutoState
	}
	if auto != "" {
		if s := c.States[auto]; s != nil {
			c.AutoState = s
		} else if c.Spec.AutoState != "" {
			b.errorf(c.Spec.AutoStatePos, "unknown-state", "class %s: auto_state %q is not a state of it%s", c.Name, auto, Nearest(auto, names))
		}
	}
}

func (b *builder) resolveState(c *Class, name string, decls map[string][]*ClassSpec) *State {
	s := &State{Name: name, Class: c}
	d := b.newDispatch(c, s)
	s.Dispatch = d
	// Collect the declarations, nearest first, following extends; then merge them from the far end.
	type decl struct {
		class *Class
		spec  *StateSpec
	}
	var chain []decl
	seen := map[string]bool{}
	for n := name; n != ""; {
		if seen[n] {
			b.errorf(chain[0].spec.Pos, "cyclic-state", "class %s: state %s extends itself", c.Name, name)
			break
		}
		seen[n] = true
		if n != name {
			s.Parents = append(s.Parents, n)
		}
		next := ""
		for _, cs := range decls[n] {
			for i := range cs.States {
				if cs.States[i].Name != n {
					continue
				}
				chain = append(chain, decl{b.cs.byName[cs.Name], &cs.States[i]})
				if next == "" {
					next = cs.States[i].Extends
				}
			}
		}
		n = next
	}
	for i := len(chain) - 1; i >= 0; i-- {
		dc := chain[i]
		if dc.spec.Simulated {
			s.Simulated = true
		}
		if dc.spec.Code != nil {
			s.Code, s.CodeClass, s.CodeState = dc.spec.Code, dc.class, dc.spec.Name
		}
		for _, ig := range dc.spec.Ignores {
			d.ignore(ig)
		}
		for j := range dc.spec.Functions {
			fs := &dc.spec.Functions[j]
			// The override rules were checked at the declaration; this lookup is silent.
			base := c.Functions[fs.Name]
			f := (&builder{}).override(dc.class, dc.spec.Name, fs, base)
			if dc.class == c {
				b.override(c, dc.spec.Name, fs, base)
			}
			delete(d.Ignored, fs.Name)
			d.put(f)
		}
	}
	return s
}

func (b *builder) newDispatch(c *Class, s *State) *Dispatch {
	d := &Dispatch{Class: c, State: s, Functions: c.Functions, Index: b.cs.dispatches}
	b.cs.dispatches++
	if s != nil { // it starts as a copy of the class's table outside of states
		d.Functions = maps.Clone(c.Functions)
		d.Event = c.Dispatch.Event
		return d
	}
	for _, f := range c.Functions { // any order: each event has one name
		if e, ok := EventNamed(f.Name); ok {
			d.Event[e] = f
		}
	}
	return d
}

func (d *Dispatch) put(f *Function) {
	d.Functions[f.Name] = f
	if e, ok := EventNamed(f.Name); ok {
		d.Event[e] = f
	}
}

func (d *Dispatch) ignore(name string) {
	delete(d.Functions, name)
	if d.Ignored == nil {
		d.Ignored = map[string]bool{}
	}
	d.Ignored[name] = true
	if e, ok := EventNamed(name); ok {
		d.Event[e] = nil
	}
}

// EventNamed returns the event of that name.
func EventNamed(name string) (Event, bool) {
	for i, n := range eventNames {
		if n == name {
			return Event(i), true
		}
	}
	return 0, false
}

func isEventName(name string) bool {
	_, ok := EventNamed(name)
	return ok
}

// FunctionNames are the names of all events, and then those of all functions, sorted.
func (c *Class) FunctionNames() []string {
	return append(EventNames(), slices.Sorted(maps.Keys(c.Functions))...)
}

// StateNames are the names of all states, sorted.
func (c *Class) StateNames() []string {
	return slices.Sorted(maps.Keys(c.States))
}

// SortedStates are all states, sorted by name.
func (c *Class) SortedStates() []*State {
	states := make([]*State, 0, len(c.States))
	for _, n := range c.StateNames() {
		states = append(states, c.States[n])
	}
	return states
}

// StateSuper returns the function that super means inside a state of the class: that of the same state in a
// parent, or of a state it extends, or nil (Unreal's Super in state code; the parent's function outside states
// comes next).
func (c *Class) StateSuper(state, name string) *Function {
	seen := map[string]bool{}
	for n := state; n != "" && !seen[n]; {
		seen[n] = true
		next := ""
		for k := c; k != nil; k = k.Parent {
			ss := k.Spec.state(n)
			if ss == nil {
				continue
			}
			if next == "" {
				next = ss.Extends
			}
			if n == state && k == c {
				continue
			}
			for i := range ss.Functions {
				if fs := &ss.Functions[i]; fs.Name == name {
					return &Function{Spec: fs, Name: name, Class: k, State: n, Script: fs.Script, Simulated: fs.Simulated, Pos: fs.Pos}
				}
			}
		}
		n = next
	}
	return nil
}

func (s *ClassSpec) state(name string) *StateSpec {
	for i := range s.States {
		if s.States[i].Name == name {
			return &s.States[i]
		}
	}
	return nil
}
