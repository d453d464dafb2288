package fuse

// expr compiles an expression and gives the register of its value: its own, or one of a variable, a local or
// a constant, which must not be written to.
func (c *compiler) expr(e *node) uint8 {
	switch e.op {
	case nodeNumber, nodeBool:
		return c.constant(e.num)
	case nodeLocal:
		return c.locals[e.n].reg
	case nodeSelf:
		return c.vars[e.str].reg
	case nodeWorld:
		return c.vars["world."+e.str].reg
	case nodePart:
		return c.expr(e.args[0]) + axes[e.str].at
	default:
	}
	t := c.typeOf(e)
	r := c.temp(t.kind)
	top := c.top
	c.into(e, t, r)
	c.top = top
	return r
}

// into compiles an expression with its value in a given register. Operands are all read before that is
// written, so it may be one of them.
func (c *compiler) into(e *node, t typ, to uint8) {
	c.line = e.line
	switch e.op {
	case nodeNumber, nodeBool, nodeLocal, nodeSelf, nodeWorld, nodePart:
		c.move(t.kind, to, c.expr(e))
	case nodeAdd, nodeSub, nodeMul, nodeDiv, nodeMod, nodePow:
		c.arithmeticInto(e, t.kind, to)
	case nodeNeg:
		op := opNeg
		switch t.kind {
		case kindVector:
			op = opNeg3
		case kindRotator:
			op = opNegR
		default:
		}
		c.emit(op, to, c.expr(e.args[0]), 0, 0)
	case nodeMath:
		c.mathInto(e, to)
	case nodeVector, nodeRotator:
		var r [3]uint8
		for i := range r {
			if i < len(e.args) {
				r[i] = c.expr(e.args[i])
			} else {
				r[i] = c.constant(0)
			}
		}
		op := opVector
		if e.op == nodeRotator {
			op = opRotator
		}
		c.emit(op, to, r[0], r[1], int(r[2]))
	case nodeMethod:
		x := c.expr(e.args[0])
		y := x
		if len(e.args) > 1 {
			y = c.expr(e.args[1])
		}
		c.emit(methods[e.str].op, to, x, y, 0)
	case nodeWith:
		x := c.expr(e.args[0])
		r := [3]uint8{x, x + 1, x + 2}
		op := opVector
		if t.kind == kindRotator {
			op = opRotator
		}
		for i, name := range e.names {
			r[axes[name].at] = c.expr(e.args[i+1])
		}
		c.emit(op, to, r[0], r[1], int(r[2]))
	default:
		c.logicalInto(e, t, to)
	}
}

func (c *compiler) arithmeticInto(e *node, k kind, to uint8) {
	x, y := e.args[0], e.args[1]
	kx, ky := c.typeOf(x).kind, c.typeOf(y).kind
	rx, ry := c.expr(x), c.expr(y)
	if e.op == nodeMul && kx == kindNumber && ky.wide() {
		rx, ry, kx, ky = ry, rx, ky, kx
	}
	var op opcode
	switch k {
	case kindVector:
		switch e.op {
		case nodeAdd:
			op = opAdd3
		case nodeSub:
			op = opSub3
		case nodeDiv:
			op = opDiv3
		default:
			op = opScale3
			if ky == kindVector {
				op = opMul3
			}
		}
	case kindRotator:
		op = map[nodeOp]opcode{nodeAdd: opAddR, nodeSub: opSubR, nodeMul: opScaleR, nodeDiv: opDivR}[e.op]
	default:
		op = map[nodeOp]opcode{nodeAdd: opAdd, nodeSub: opSub, nodeMul: opMul, nodeDiv: opDiv, nodeMod: opMod, nodePow: opPow}[e.op]
	}
	c.emit(op, to, rx, ry, 0)
}

func (c *compiler) mathInto(e *node, to uint8) {
	m := mathFunctions[e.str]
	switch m.args {
	case 1:
		c.emit(opMath1, to, c.expr(e.args[0]), 0, m.place)
	case 2:
		x := c.expr(e.args[0])
		c.emit(opMath2, to, x, c.expr(e.args[1]), m.place)
	default:
		op := opMin
		if e.str == "max" {
			op = opMax
		}
		// The first steps go to a register of their own: to may be an operand still to come.
		r := c.expr(e.args[0])
		if len(e.args) == 1 {
			c.move(kindNumber, to, r)
			return
		}
		sum := c.temp(kindNumber)
		for i, x := range e.args[1:] {
			y := c.expr(x)
			if i == len(e.args)-2 {
				c.emit(op, to, r, y, 0)
				return
			}
			c.emit(op, sum, r, y, 0)
			r = sum
		}
	}
}

// logicalInto is the value of comparisons, and, or, not.
func (c *compiler) logicalInto(e *node, t typ, to uint8) {
	if e.op == nodeOr && e.args[0].op == nodeAnd && t.kind != kindBool {
		test, a, b := e.args[0].args[0], e.args[0].args[1], e.args[1]
		no := c.cond(test, false)
		c.into(a, t, to)
		end := c.emit(opJump, 0, 0, 0, 0)
		c.land(no)
		c.into(b, t, to)
		c.land([]int{end})
		return
	}
	if t.kind != kindBool || (e.op == nodeAnd || e.op == nodeOr) && c.typeOf(e.args[0]).kind != kindBool {
		// The first operand is always true.
		if e.op == nodeAnd {
			c.into(e.args[1], t, to)
		} else {
			c.into(e.args[0], t, to)
		}
		return
	}
	no := c.cond(e, false)
	c.emit(opMove, to, c.constant(1), 0, 0)
	end := c.emit(opJump, 0, 0, 0, 0)
	c.land(no)
	c.emit(opMove, to, c.constant(0), 0, 0)
	c.land([]int{end})
}
