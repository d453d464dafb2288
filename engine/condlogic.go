package engine

func (c *condCompiler) not(x *condNode) *condNode {
	if x.isLit {
		return literalNode(boolValue(!x.lit.truth()))
	}
	if x.fails {
		try := x.trial()
		return tryNode(func(a *Actor, in CondInput) (bool, string) {
			b, bad := try(a, in)
			return !b, bad
		}, x.bitsOnly)
	}
	test := x.truth()
	return boolNode(func(a *Actor, in CondInput) bool { return !test(a, in) }, x.bitsOnly)
}

func (c *condCompiler) and(l, r *condNode) *condNode {
	if l.isLit || !l.fails && l.types&typeFalsy == 0 {
		if l.isLit && !l.lit.truth() {
			return l
		}
		return r
	}
	n := &condNode{
		types: l.types&typeFalsy | r.types, fails: l.fails || r.fails, bitsOnly: l.bitsOnly && r.bitsOnly,
		class: r.class,
	}
	la, ra := l.any, r.any
	n.any = func(a *Actor, in CondInput) condValue {
		v := la(a, in)
		if v.kind == typeError || !v.truth() {
			return v
		}
		return ra(a, in)
	}
	if !n.fails {
		if n.bitsOnly {
			lt, rt := l.truth(), r.truth()
			n.test = func(a *Actor, in CondInput) bool { return lt(a, in) && rt(a, in) }
			n.tabulate()
			return n
		}
		for _, x := range []*condNode{l, r} {
			if x.all != nil {
				n.all = append(n.all, x.all...)
			} else {
				n.all = append(n.all, x)
			}
		}
		n.test = conjoin(n.all)
		return n
	}
	rt := r.trial()
	if !l.fails {
		lt := l.truth()
		n.tryTest = func(a *Actor, in CondInput) (bool, string) {
			if !lt(a, in) {
				return false, ""
			}
			return rt(a, in)
		}
		return n
	}
	lt := l.trial()
	n.tryTest = func(a *Actor, in CondInput) (bool, string) {
		b, bad := lt(a, in)
		if bad != "" || !b {
			return false, bad
		}
		return rt(a, in)
	}
	return n
}

func (c *condCompiler) or(l, r *condNode) *condNode {
	if l.isLit || !l.fails && l.types&typeFalsy == 0 {
		if l.isLit && !l.lit.truth() {
			return r
		}
		return l
	}
	n := &condNode{
		types: l.types&^typeFalsy | r.types, fails: l.fails || r.fails, bitsOnly: l.bitsOnly && r.bitsOnly,
	}
	if l.class == r.class {
		n.class = l.class
	} else if n.types&typeRef != 0 {
		n.class = commonClass(l, r)
	}
	la, ra := l.any, r.any
	n.any = func(a *Actor, in CondInput) condValue {
		v := la(a, in)
		if v.kind == typeError || v.truth() {
			return v
		}
		return ra(a, in)
	}
	if !n.fails {
		n.test = disjoin(l, r)
		if n.bitsOnly {
			n.tabulate()
		}
		return n
	}
	rt := r.trial()
	if !l.fails {
		lt := l.truth()
		n.tryTest = func(a *Actor, in CondInput) (bool, string) {
			if lt(a, in) {
				return true, ""
			}
			return rt(a, in)
		}
		return n
	}
	lt := l.trial()
	n.tryTest = func(a *Actor, in CondInput) (bool, string) {
		b, bad := lt(a, in)
		if bad != "" || b {
			return b, bad
		}
		return rt(a, in)
	}
	return n
}

// commonClass is what an actor is that may come from either node, nil where nothing is certain.
func commonClass(l, r *condNode) *Class {
	switch {
	case l.types&typeRef == 0:
		return r.class
	case r.types&typeRef == 0:
		return l.class
	}
	for k := l.class; k != nil; k = k.Parent {
		if r.class != nil && r.class.Descends(k) {
			return k
		}
	}
	return nil
}

func (c *condCompiler) branch(cond, then, els *condNode) *condNode {
	n := &condNode{
		types: then.types | els.types, fails: cond.fails || then.fails || els.fails,
		bitsOnly: cond.bitsOnly && then.bitsOnly && els.bitsOnly, class: commonClass(then, els),
	}
	ca, ta, ea := cond.any, then.any, els.any
	n.any = func(a *Actor, in CondInput) condValue {
		v := ca(a, in)
		if v.kind == typeError {
			return v
		}
		if v.truth() {
			return ta(a, in)
		}
		return ea(a, in)
	}
	if !n.fails {
		ct, tt, et := cond.truth(), then.truth(), els.truth()
		n.test = func(a *Actor, in CondInput) bool {
			if ct(a, in) {
				return tt(a, in)
			}
			return et(a, in)
		}
		if n.bitsOnly {
			n.tabulate()
		}
	}
	return n
}
