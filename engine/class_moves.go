package engine

// MoveUseNames are the names in order of their numbers.
func MoveUseNames() []string { return append([]string(nil), moveUseNames[:]...) }

// TakesPartInMoves reports whether instances may take part in the moves of a player: pawns, their components,
// and weapons, of which only the one in the hand does.
func (c *Class) TakesPartInMoves() bool { return c.IsPawn() || c.IsComponent() || c.IsA("Weapon") }

// moves resolves the .moves block of a class.
func (b *builder) moves(c *Class, spec *ClassSpec) {
	if spec.Moves == nil {
		return
	}
	if !c.TakesPartInMoves() {
		b.errorf(spec.Moves.Pos, "bad-moves", "class %s: .moves is for pawns, components and weapons; declare it in a component, and give that to the pawn in its .components", c.Name)
		return
	}
	c.JoinsMoves = true
	for i := range spec.Moves.Vars {
		vs := &spec.Moves.Vars[i]
		p := c.byName[vs.Name]
		if p == nil {
			b.errorf(vs.Pos, "unknown-name", "class %s: .moves: %s of unknown variable %s%s", c.Name, vs.Use, vs.Name, Nearest(vs.Name, c.declaredNames()))
			continue
		}
		if m := c.moveVar(p); m != nil {
			b.errorf(vs.Pos, "repeated", "class %s: .moves: %s stands among the %s already, at %s", c.Name, vs.Name, m.Use, m.Pos)
			continue
		}
		if b.moveType(c, p, vs) {
			c.MoveVars = append(c.MoveVars, MoveVar{Prop: p, Use: vs.Use, Pos: vs.Pos, Class: c})
		}
	}
}

func (c *Class) moveVar(p *Property) *MoveVar {
	for i := range c.MoveVars {
		if c.MoveVars[i].Prop == p {
			return &c.MoveVars[i]
		}
	}
	return nil
}

// declaredNames returns the names of all variables that are not native.
func (c *Class) declaredNames() []string {
	var names []string
	for _, p := range c.Properties {
		if p.Native == nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// moveType reports whether a variable has a type that its list accepts.
func (b *builder) moveType(c *Class, p *Property, vs *MoveVarSpec) bool {
	bad := func(why string) bool {
		b.errorf(vs.Pos, "bad-moves", "class %s: .moves: %s: %s is %s; %s", c.Name, vs.Use, p.Name, p.Type, why)
		return false
	}
	switch {
	case p.Native != nil:
		b.errorf(vs.Pos, "bad-moves", "class %s: .moves: %s: %s is the engine's, which saves and corrects place, velocity, physics and base by itself; name variables of .properties", c.Name, vs.Use, p.Name)
		return false
	case vs.Use == MoveUsePress || vs.Use == MoveUseFlag:
		if p.Type.Kind != KindBool {
			return bad("expected a boolean; other types stand among the fields")
		}
		if c.defWords[p.word] != 0 {
			b.errorf(vs.Pos, "bad-moves", "class %s: .moves: %s: %s is true by default; expected false, which a move without it means", c.Name, vs.Use, p.Name)
			return false
		}
	case vs.Use == MoveUseField && p.Type.Kind == KindBool:
		return bad("a boolean stands among the flags")
	case !p.Type.movable():
		return bad("a move carries numbers, booleans, strings, enums, vectors, rotators, and structs and arrays of them")
	}
	return true
}

// movable reports whether values of the type can be packed into a move: references cannot, because an actor has
// a different id on each machine.
func (t *Type) movable() bool {
	switch t.Kind {
	case KindBool, KindInt, KindFloat, KindString, KindEnum, KindVector, KindRotator:
		return true
	case KindArray:
		return t.Elem.movable()
	case KindStruct:
		for i := range t.Fields {
			if !t.Fields[i].Type.movable() {
				return false
			}
		}
		return true
	default:
		return false
	}
}
