package condition

import "github.com/tidelock/tidelock/engine"

func (c *compiler) not(_ engine.Pos, x *node) *node {
	n := unary(x, typeBool, false, func(x value) value { return boolean(x.truth() == no) })
	for i, g := range x.guess {
		if g.canTrue != g.canFalse {
			v := boolean(!g.canTrue)
			n.guess[i] = guessOf(flags(g), true, func() value { return v })
		}
	}
	if n.lit != nil {
		return n
	}
	test := x.truth()
	n.test = func(a *engine.Actor, in engine.CondInput) verdict {
		if v := test(a, in); v != fault {
			return v ^ 1
		}
		return fault
	}
	n.tabulate()
	return n
}

func (c *compiler) and(_ engine.Pos, l, r *node) *node { return c.logic(l, r, yes) }
func (c *compiler) or(_ engine.Pos, l, r *node) *node  { return c.logic(l, r, no) }

// logic compiles `and` and `or`: the right node if the left one has the verdict goOn, else the left one.
func (c *compiler) logic(l, r *node, goOn verdict) *node {
	left, right := l.any, r.any
	n := &node{fails: l.fails || r.fails, bits: l.bits && r.bits, class: r.class}
	for i := range n.guess {
		n.guess[i] = guessLogic(l.guess[i], r.guess[i], goOn)
	}
	if holds, ok := l.certain(); ok && (l.lit != nil || holds) {
		if verdictOf(holds) == goOn {
			return r.guessed(n.guess)
		}
		return l.guessed(n.guess)
	}
	n.types = l.types&typeFalsy | r.types
	if goOn == no {
		n.types, n.class = l.types&^typeFalsy|r.types, commonClass(l, r)
	}
	n.any = func(a *engine.Actor, in engine.CondInput) value {
		v := left(a, in)
		if v.truth() != goOn {
			return v
		}
		return right(a, in)
	}
	n.test = n.shortcut(l, r, goOn)
	n.tabulate()
	return n
}

// shortcut returns the test of `and` and `or`. Tests of the connection alone come first, because they are the
// cheapest; the order only matters for operands that can fail.
func (n *node) shortcut(l, r *node, goOn verdict) testFunc {
	switch {
	case n.fails:
	case goOn == yes:
		for _, x := range []*node{l, r} {
			if x.all != nil {
				n.all = append(n.all, x.all...)
			} else {
				n.all = append(n.all, x)
			}
		}
		return conjunction(n.all)
	case l.table == nil && r.table != nil:
		l, r = r, l
	}
	x, y := l.truth(), r.truth()
	if t := l.table; t != nil {
		return func(a *engine.Actor, in engine.CondInput) verdict {
			if v := verdictOf(t.has(in)); v != goOn {
				return v
			}
			return y(a, in)
		}
	}
	return func(a *engine.Actor, in engine.CondInput) verdict {
		if v := x(a, in); v != goOn {
			return v
		}
		return y(a, in)
	}
}

// conjunction returns the test of nodes that all have to hold and cannot fail.
func conjunction(all []*node) testFunc {
	merged := table{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
	var tests []testFunc
	for _, n := range all {
		if n.table == nil {
			tests = append(tests, n.truth())
			continue
		}
		for i := range merged {
			merged[i] &= n.table[i]
		}
	}
	if len(tests) == 0 {
		return func(_ *engine.Actor, in engine.CondInput) verdict { return verdictOf(merged.has(in)) }
	}
	last := len(tests) - 1
	rest := tests[last]
	for i := last - 1; i > 0; i-- {
		x, y := tests[i], rest
		rest = func(a *engine.Actor, in engine.CondInput) verdict {
			if x(a, in) != yes {
				return no
			}
			return y(a, in)
		}
	}
	if last == 0 {
		return func(a *engine.Actor, in engine.CondInput) verdict {
			if !merged.has(in) {
				return no
			}
			return rest(a, in)
		}
	}
	first := tests[0]
	return func(a *engine.Actor, in engine.CondInput) verdict {
		if !merged.has(in) || first(a, in) != yes {
			return no
		}
		return rest(a, in)
	}
}

// commonClass returns the class of an actor that may come from either node, nil if it is not certain.
func commonClass(l, r *node) *engine.Class {
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

// branch returns then if test holds, else other.
func (c *compiler) branch(test, then, other *node) *node {
	n := &node{
		types: then.types | other.types, fails: test.fails || then.fails || other.fails,
		bits: test.bits && then.bits && other.bits, class: commonClass(then, other),
	}
	for i := range n.guess {
		n.guess[i] = guessBranch(test.guess[i], then.guess[i], other.guess[i])
	}
	holds, x, y := test.truth(), then.any, other.any
	failed := test.any // for the text of an error
	n.any = func(a *engine.Actor, in engine.CondInput) value {
		switch holds(a, in) {
		case yes:
			return x(a, in)
		case no:
			return y(a, in)
		default:
			return failed(a, in)
		}
	}
	p, q := then.truth(), other.truth()
	n.test = func(a *engine.Actor, in engine.CondInput) verdict {
		switch v := holds(a, in); v {
		case yes:
			return p(a, in)
		case no:
			return q(a, in)
		default:
			return v
		}
	}
	n.tabulate()
	return n
}
