package fuse

// land makes jumps go to the next instruction.
func (c *compiler) land(jumps []int) {
	for _, j := range jumps {
		c.p.code[j].t = int32(len(c.p.code) - 1) // the loop adds one
	}
}

// cond compiles a test: it gives the jumps taken where the truth of e is want, and goes on where it is not.
func (c *compiler) cond(e *node, want bool) []int {
	c.line = e.line
	top := c.top
	defer func() { c.top = top }()
	switch e.op {
	case nodeNot:
		return c.cond(e.args[0], !want)
	case nodeAnd, nodeOr:
		if (e.op == nodeAnd) == want {
			// Both decide: where the first does not hold (for or: holds), the rest is skipped.
			skip := c.cond(e.args[0], !want)
			jumps := c.cond(e.args[1], want)
			c.land(skip)
			return jumps
		}
		return append(c.cond(e.args[0], want), c.cond(e.args[1], want)...)
	case nodeEq:
		return c.equal(e, want)
	case nodeNe:
		return c.equal(e, !want)
	case nodeLt, nodeLe:
		c.want(e.args[0], kindNumber)
		c.want(e.args[1], kindNumber)
		op := map[bool]opcode{true: opJumpLess, false: opJumpNotLess}[want]
		if e.op == nodeLe {
			op = map[bool]opcode{true: opJumpLessEq, false: opJumpNotLessEq}[want]
		}
		x := c.expr(e.args[0])
		return []int{c.emit(op, x, c.expr(e.args[1]), 0, 0)}
	case nodeBool:
		return c.certain(e.num != 0, want)
	default:
	}
	t := c.typeOf(e)
	switch {
	case t.kind == kindNil:
		return c.certain(false, want)
	case t.kind.always():
		if c.storable(t) {
			c.expr(e) // it may give up
		}
		return c.certain(true, want)
	}
	return c.jumpIf(c.expr(e), want)
}

func (c *compiler) jumpIf(r uint8, want bool) []int {
	op := opJumpFalse
	if want {
		op = opJumpTrue
	}
	return []int{c.emit(op, r, 0, 0, 0)}
}

func (c *compiler) certain(truth, want bool) []int {
	if truth == want {
		return []int{c.emit(opJump, 0, 0, 0, 0)}
	}
	return nil
}

// equal compiles x == y.
func (c *compiler) equal(e *node, want bool) []int {
	x, y := e.args[0], e.args[1]
	tx, ty := c.typeOf(x), c.typeOf(y)
	c.line = e.line
	if tx.kind == kindText || tx.kind == kindNil {
		x, y, tx, ty = y, x, ty, tx
	}
	switch {
	case tx.kind == kindText && ty.kind == kindText:
		return c.text(x, y, want)
	case tx.kind == kindEnum && ty.kind == kindText && y.op == nodeString:
		i := tx.enum.EnumIndex(y.str)
		if i < 0 {
			return c.certain(false, want)
		}
		return c.jumpEqual(kindEnum, c.expr(x), c.constant(float64(i)), want)
	case ty.kind == kindNil && tx.kind == kindRef:
		return c.jumpIf(c.expr(x), !want)
	case tx.kind == kindEnum && ty.kind == kindText, tx.kind == kindRef || ty.kind == kindRef:
		c.refuse("it compares %s with %s", tx.kind, ty.kind)
	case tx.kind != ty.kind:
		// Values of two types are never equal, but computing them may give up.
		for _, v := range []struct {
			*node
			typ
		}{{x, tx}, {y, ty}} {
			if c.storable(v.typ) {
				c.expr(v.node)
			}
		}
		return c.certain(false, want)
	case tx.kind == kindNil:
		return c.certain(true, want)
	case !tx.is(ty):
		c.refuse("it compares two different enums")
	}
	rx := c.expr(x)
	return c.jumpEqual(tx.kind, rx, c.expr(y), want)
}

func (c *compiler) jumpEqual(k kind, x, y uint8, want bool) []int {
	var op opcode
	switch {
	case k.wide() && want:
		op = opJumpEq3
	case k.wide():
		op = opJumpNotEq3
	case want:
		op = opJumpEq
	default:
		op = opJumpNotEq
	}
	return []int{c.emit(op, x, y, 0, 0)}
}

// text compares a string variable with a constant.
func (c *compiler) text(x, y *node, want bool) []int {
	if x.op == nodeString {
		x, y = y, x
	}
	if y.op != nodeString {
		c.refuse("it compares two string variables")
	}
	if x.op == nodeString {
		return c.certain(x.str == y.str, want)
	}
	if x.op != nodeSelf {
		c.refuse("it compares a string that is no variable of self")
	}
	t := textRead{prop: c.vars[x.str].prop, text: y.str}
	if n := t.prop.Native; n != nil {
		t.native = n.Text()
	}
	r := c.temp(kindBool)
	c.emit(opTextIs, r, 0, 0, len(c.p.texts))
	c.p.texts = append(c.p.texts, t)
	return c.jumpIf(r, want)
}
