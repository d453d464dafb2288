package engine

// Which side of a connection a condition can hold on (R5.16), found by evaluating it with the roles known
// and the rest of the actor unknown.
//
// On the server Role is Authority and RemoteRole is what the client gets, SimulatedProxy or
// AutonomousProxy (an actor whose RemoteRole is None is never replicated). On a client it is the other way round, and
// bNetInitial, bNetOwner and bNetDirty are false.

// sides is what is found.
type sides struct {
	upstream bool
	outcome  CondOutcome
}

// guess is what may be known of a value.
type guess struct {
	known bool
	val   condValue // where known
	// canTrue and canFalse are the truths it may have.
	canTrue, canFalse bool
	self              bool // it is the actor
}

var anything = guess{canTrue: true, canFalse: true}

func knownGuess(v condValue) guess {
	return guess{known: true, val: v, canTrue: v.truth(), canFalse: !v.truth()}
}

func either(a, b guess) guess {
	if a.known && b.known && sameCond(&a.val, &b.val) {
		return a
	}
	return guess{canTrue: a.canTrue || b.canTrue, canFalse: a.canFalse || b.canFalse}
}

// judger evaluates with guesses.
type judger struct {
	src          CondSource
	role, remote Role
	client       bool
	mentions     bool // Role or HasAuthority
	looks        bool // anything but literals
	spent, depth int
}

// judge finds on which sides a condition can hold.
func (src CondSource) judge(f *ExprFunc) (sides, []CondIssue) {
	j := &judger{src: src}
	hold := func(client bool, pairs ...[2]Role) (g guess) {
		for i, p := range pairs {
			j.client, j.role, j.remote = client, p[0], p[1]
			r := j.function(f, nil)
			if i == 0 {
				g = r
			} else {
				g = either(g, r)
			}
		}
		return g
	}
	server := hold(false, [2]Role{RoleAuthority, RoleSimulatedProxy}, [2]Role{RoleAuthority, RoleAutonomousProxy})
	client := hold(true, [2]Role{RoleSimulatedProxy, RoleAuthority}, [2]Role{RoleAutonomousProxy, RoleAuthority})
	var s sides
	var issues []CondIssue
	issue := func(k CondIssueKind, text string) {
		issues = append(issues, CondIssue{Pos: f.Body.Pos, Kind: k, Text: text})
	}
	switch {
	case j.mentions && server.canTrue && client.canTrue:
		issue(IssueSides, "it could hold on both sides: on the server, and on a client, which would send the variable upwards; "+
			"a rule is for one side: add self.Role == ROLE_Authority and …, or self.Role < ROLE_Authority and …")
	case j.mentions && !server.canTrue && client.canTrue:
		s.upstream = true
	case !server.canTrue:
		s.outcome = CondNeverTrue
		issue(IssueConstant, "it never holds, so the variables never cross; use COND_Never or take the rule out if that is meant")
	case !server.canFalse && j.looks:
		s.outcome = CondAlways
		issue(IssueConstant, "it always holds on the server; leave when out: a variable is sent whenever it changed")
	case !server.canFalse:
		s.outcome = CondAlways
	}
	return s, issues
}

// maxJudge bounds the work; beyond it everything is unknown.
const maxJudge = 4000

func (j *judger) function(f *ExprFunc, args []guess) guess {
	env := make([]guess, f.Vars)
	for i := range env {
		env[i] = knownGuess(condValue{kind: typeNil})
		if i < f.Params && i < len(args) {
			env[i] = args[i]
		}
	}
	return j.expr(f.Body, env)
}

func (j *judger) expr(e *Expr, env []guess) guess {
	if j.spent++; j.spent > maxJudge {
		return anything
	}
	num := func(n float64) guess { return knownGuess(condValue{kind: typeNumber, num: n}) }
	arg := func(i int) guess { return j.expr(e.Args[i], env) }
	switch e.Op {
	case ExprNil:
		return knownGuess(condValue{kind: typeNil})
	case ExprTrue, ExprFalse:
		return knownGuess(boolValue(e.Op == ExprTrue))
	case ExprNumber:
		return num(e.Num)
	case ExprString:
		return knownGuess(condValue{kind: typeString, str: e.Str})
	case ExprUnknown:
		if e.Num != 0 {
			j.mentions = true
		}
		j.looks = true
		return anything
	case ExprSelf:
		return guess{canTrue: true, self: true}
	case ExprClass, ExprWorld:
		return guess{canTrue: true}
	case ExprVar:
		return env[int(e.Num)]
	case ExprLet:
		inner := append([]guess(nil), env...)
		inner[int(e.Num)] = arg(0)
		return j.expr(e.Args[1], inner)
	case ExprIf:
		c := arg(0)
		switch {
		case !c.canFalse:
			return arg(1)
		case !c.canTrue:
			return arg(2)
		}
		return either(arg(1), arg(2))
	case ExprAnd, ExprOr:
		l := arg(0)
		stop := e.Op == ExprOr // the truth at which the left side is the answer
		if stop && !l.canFalse || !stop && !l.canTrue {
			// The right side is never looked at, but it may name Role all the same.
			return l
		}
		r := arg(1)
		if stop && !l.canTrue || !stop && !l.canFalse {
			return r
		}
		if l.known {
			return either(l, r)
		}
		if stop {
			return guess{canTrue: true, canFalse: r.canFalse}
		}
		return guess{canTrue: r.canTrue, canFalse: true}
	case ExprNot:
		x := arg(0)
		if x.known || x.canTrue != x.canFalse {
			return knownGuess(boolValue(!x.canTrue))
		}
		return anything
	case ExprEq, ExprNe:
		l, r := arg(0), arg(1)
		if l.known && r.known {
			return knownGuess(boolValue(sameCond(&l.val, &r.val) == (e.Op == ExprEq)))
		}
		return anything
	case ExprLt, ExprLe, ExprGt, ExprGe:
		l, r := arg(0), arg(1)
		if l.known && r.known && l.val.kind == typeNumber && r.val.kind == typeNumber {
			swap := e.Op == ExprGt || e.Op == ExprGe
			return knownGuess(boolValue(compareNumbers(l.val.num, r.val.num, e.Op == ExprLe || e.Op == ExprGe, swap)))
		}
		return anything
	case ExprAdd, ExprSub, ExprMul, ExprDiv, ExprMod, ExprPow:
		l, r := arg(0), arg(1)
		if l.known && r.known && l.val.kind == typeNumber && r.val.kind == typeNumber {
			return num(arithmetic(e.Op, l.val.num, r.val.num))
		}
		return anything // it may be an error, which is false
	case ExprNeg:
		if x := arg(0); x.known && x.val.kind == typeNumber {
			return num(-x.val.num)
		}
		return anything
	case ExprLen, ExprConcat:
		for i := range e.Args {
			arg(i)
		}
		j.looks = true
		return anything
	case ExprIndex:
		return j.index(e, env)
	case ExprElem, ExprCall:
		for i := range e.Args {
			arg(i)
		}
		j.looks = true
		return anything
	case ExprMethod:
		return j.method(e, env)
	case numExprOps:
	}
	return anything
}

func (j *judger) index(e *Expr, env []guess) guess {
	j.looks = true
	if !j.expr(e.Args[0], env).self {
		return anything
	}
	switch e.Str {
	case "Role":
		j.mentions = true
		return knownGuess(condValue{kind: typeNumber, num: float64(j.role)})
	case "RemoteRole":
		return knownGuess(condValue{kind: typeNumber, num: float64(j.remote)})
	case "bNetInitial", "bNetOwner", "bNetDirty":
		if j.client && j.src.Class.byName[e.Str] == nil {
			return knownGuess(boolValue(false))
		}
		return anything
	}
	if p := j.src.Class.byName[e.Str]; p != nil {
		switch p.Type.Kind {
		case KindBool, KindRef, KindClass:
			return anything
		default:
		}
		return guess{canTrue: true} // everything else is true, also 0 and ""
	}
	return anything
}

func (j *judger) method(e *Expr, env []guess) guess {
	j.looks = true
	var args []guess
	for _, a := range e.Args[1:] {
		args = append(args, j.expr(a, env))
	}
	if !j.expr(e.Args[0], env).self {
		return anything
	}
	c := &condCompiler{src: j.src}
	if !c.overridden(j.src.Class, e.Str) {
		if e.Str == "HasAuthority" {
			j.mentions = true
			return knownGuess(boolValue(j.role == RoleAuthority))
		}
		return anything
	}
	if j.depth >= maxCondCalls {
		return anything
	}
	j.depth++
	defer func() { j.depth-- }()
	// Any of the bodies may run.
	var out *guess
	add := func(g guess) {
		if out == nil {
			out = &g
		} else {
			*out = either(*out, g)
		}
	}
	done := map[*FunctionSpec]bool{}
	look := func(d *Dispatch) {
		f := d.Functions[e.Str]
		switch {
		case f == nil:
			add(knownGuess(condValue{kind: typeNil}))
		case done[f.Spec]:
		default:
			done[f.Spec] = true
			if b := j.src.Body(f); b != nil {
				add(j.function(b, args))
			} else {
				add(anything)
			}
		}
	}
	for _, d := range j.src.Classes.sorted {
		if d.Descends(j.src.Class) {
			look(d.Dispatch)
			for _, s := range d.SortedStates() {
				look(s.Dispatch)
			}
		}
	}
	if out == nil {
		return anything
	}
	return *out
}
