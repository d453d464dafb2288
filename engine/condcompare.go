package engine

// equal compares as Lua's == does: values of different types differ, and nothing is an error.
func (c *condCompiler) equal(e *Expr, l, r *condNode) *condNode {
	ne := e.Op == ExprNe
	if (l.types|r.types)&typePlace != 0 && l.types&r.types&typePlace != 0 {
		return c.slow(e, "it compares whole structs or arrays")
	}
	bitsOnly := l.bitsOnly && r.bitsOnly
	if l.fails || r.fails {
		if l.types == typeNumber && r.types == typeNumber {
			lt, rt := l.tryNumber(), r.tryNumber()
			return tryNode(func(a *Actor, in CondInput) (bool, string) {
				x, bad := lt(a, in)
				if bad != "" {
					return false, bad
				}
				y, bad := rt(a, in)
				return (x == y) != ne, bad
			}, bitsOnly)
		}
		la, ra := l.any, r.any
		return anyNode(typeBool, true, bitsOnly, func(a *Actor, in CondInput) condValue {
			x := la(a, in)
			if x.kind == typeError {
				return x
			}
			y := ra(a, in)
			if y.kind == typeError {
				return y
			}
			return boolValue(sameCond(&x, &y) != ne)
		})
	}
	if l.isLit && r.isLit {
		return literalNode(boolValue(sameCond(&l.lit, &r.lit) != ne))
	}
	if l.types&r.types == 0 {
		return literalNode(boolValue(ne))
	}
	if l.isLit {
		l, r = r, l
	}
	la, ra := l.any, r.any
	var test func(*Actor, CondInput) bool
	switch {
	case l.types == typeNumber && r.types == typeNumber:
		ln, rn := l.number(), r.number()
		if r.isLit {
			k := r.lit.num
			test = func(a *Actor, in CondInput) bool { return ln(a, in) == k }
		} else {
			test = func(a *Actor, in CondInput) bool { return ln(a, in) == rn(a, in) }
		}
	case l.enum != nil && r.isLit && r.types == typeString:
		i := l.enum.EnumIndex(r.lit.str)
		if i < 0 {
			return literalNode(boolValue(ne))
		}
		k, index := uint64(i), l.index
		test = func(a *Actor, in CondInput) bool { return index(a, in) == k }
	case r.isLit && r.types == typeNil:
		if l.types&typeFalse == 0 { // nil is the only falsy value it has
			lt := l.truth()
			test = func(a *Actor, in CondInput) bool { return !lt(a, in) }
		} else {
			test = func(a *Actor, in CondInput) bool { return la(a, in).kind == typeNil }
		}
	case l.ref != nil && r.ref != nil:
		lr, rr := l.ref, r.ref
		test = func(a *Actor, in CondInput) bool { return lr(a, in) == rr(a, in) }
	case l.types == typeVector && r.types == typeVector:
		lv, rv := l.vector(), r.vector()
		test = func(a *Actor, in CondInput) bool { return lv(a, in) == rv(a, in) }
	case l.types&^typeBool == 0 && r.types&^typeBool == 0:
		lt, rt := l.truth(), r.truth()
		test = func(a *Actor, in CondInput) bool { return lt(a, in) == rt(a, in) }
	default:
		test = func(a *Actor, in CondInput) bool {
			x, y := la(a, in), ra(a, in)
			return sameCond(&x, &y)
		}
	}
	if ne {
		eq := test
		test = func(a *Actor, in CondInput) bool { return !eq(a, in) }
		if l.types == typeNumber && r.types == typeNumber && r.isLit {
			ln, k := l.number(), r.lit.num
			test = func(a *Actor, in CondInput) bool { return ln(a, in) != k }
		}
	}
	return boolNode(test, bitsOnly)
}

func sameCond(x, y *condValue) bool {
	if x.kind != y.kind {
		return false
	}
	switch x.kind {
	case typeNumber:
		return x.num == y.num
	case typeString:
		return x.str == y.str
	case typeVector:
		return x.vec == y.vec
	case typeRotator, typeClass:
		return x.bits == y.bits
	case typeRef:
		return x.ref == y.ref
	default:
	}
	return true
}

// less is <, <=, and with swap > and >=, of numbers or strings; anything else is an error.
func (c *condCompiler) less(e *Expr, l, r *condNode, orEqual, swap bool) *condNode {
	const good = typeNumber | typeString
	both := l.types & r.types & good
	if both == 0 {
		return c.wrong(e, "attempt to compare %s with %s", l.types.word(), r.types.word())
	}
	bitsOnly := l.bitsOnly && r.bitsOnly
	// The operands are evaluated in the order they are written; only the comparison is turned round.
	if !l.fails && !r.fails && l.types == typeNumber && r.types == typeNumber {
		if l.isLit && r.isLit {
			return literalNode(boolValue(compareNumbers(l.lit.num, r.lit.num, orEqual, swap)))
		}
		return boolNode(numberTest(l, r, orEqual, swap), bitsOnly)
	}
	if l.types == typeNumber && r.types == typeNumber {
		lt, rt := l.tryNumber(), r.tryNumber()
		return tryNode(func(a *Actor, in CondInput) (bool, string) {
			x, bad := lt(a, in)
			if bad != "" {
				return false, bad
			}
			y, bad := rt(a, in)
			return compareNumbers(x, y, orEqual, swap), bad
		}, bitsOnly)
	}
	fails := l.fails || r.fails || l.types != both || r.types != both || !both.one()
	la, ra := l.any, r.any
	any := func(a *Actor, in CondInput) condValue {
		x := la(a, in)
		if x.kind == typeError {
			return x
		}
		y := ra(a, in)
		switch {
		case y.kind == typeError:
			return y
		case x.kind == typeNumber && y.kind == typeNumber:
			return boolValue(compareNumbers(x.num, y.num, orEqual, swap))
		case x.kind == typeString && y.kind == typeString:
			p, q := x.str, y.str
			if swap {
				p, q = q, p
			}
			return boolValue(p < q || orEqual && p == q)
		}
		return errorValue("attempt to compare values of different or other types than numbers or strings")
	}
	return anyNode(typeBool, fails, bitsOnly, any)
}

func compareNumbers(x, y float64, orEqual, swap bool) bool {
	if swap {
		x, y = y, x
	}
	if orEqual {
		return x <= y
	}
	return x < y
}

// numberTest compares two numbers; the common case of a constant on the right has closures of its own.
func numberTest(l, r *condNode, orEqual, swap bool) func(*Actor, CondInput) bool {
	ln, rn := l.number(), r.number()
	if r.isLit {
		k := r.lit.num
		if w := l.word - 1; w >= 0 {
			switch {
			case swap && orEqual:
				return func(a *Actor, _ CondInput) bool { return float64(int64(a.words[w])) >= k }
			case swap:
				return func(a *Actor, _ CondInput) bool { return float64(int64(a.words[w])) > k }
			case orEqual:
				return func(a *Actor, _ CondInput) bool { return float64(int64(a.words[w])) <= k }
			}
			return func(a *Actor, _ CondInput) bool { return float64(int64(a.words[w])) < k }
		}
		switch {
		case swap && orEqual:
			return func(a *Actor, in CondInput) bool { return ln(a, in) >= k }
		case swap:
			return func(a *Actor, in CondInput) bool { return ln(a, in) > k }
		case orEqual:
			return func(a *Actor, in CondInput) bool { return ln(a, in) <= k }
		}
		return func(a *Actor, in CondInput) bool { return ln(a, in) < k }
	}
	switch {
	case swap && orEqual:
		return func(a *Actor, in CondInput) bool { return ln(a, in) >= rn(a, in) }
	case swap:
		return func(a *Actor, in CondInput) bool { return ln(a, in) > rn(a, in) }
	case orEqual:
		return func(a *Actor, in CondInput) bool { return ln(a, in) <= rn(a, in) }
	}
	return func(a *Actor, in CondInput) bool { return ln(a, in) < rn(a, in) }
}
