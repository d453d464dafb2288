package condition

import (
	"sort"
	"strconv"

	"github.com/tidelock/tidelock/engine"
)

const (
	// maxNodes bounds the operations of a compiled condition, counting called functions each time; a larger one
	// runs in the VM. Beyond maxJudged nothing is known about it.
	maxNodes, maxJudged = 400, 1000
	// maxCalls bounds how deep methods are inlined; recursion ends there. maxInline is the same for the local
	// functions of a file.
	maxCalls, maxInline = 8, 4
)

// Issue is an error or a warning about a condition. Pos is zero if it concerns the whole condition.
type Issue struct {
	Pos  engine.Pos
	Kind IssueKind
	Text string
}

// IssueKind is the kind of an issue.
type IssueKind uint8

// The kinds of issues. All except IssueSlow and IssueConstant make the classes unusable.
const (
	// IssueSlow: the condition cannot be compiled and runs in the VM.
	IssueSlow IssueKind = iota
	// IssueType: an operation that can only be an error.
	IssueType
	// IssueName: a name that does not exist.
	IssueName
	// IssueSides: it could hold on both sides of a connection (R5.16).
	IssueSides
	// IssueConstant: it never holds, or reads something and always holds.
	IssueConstant
)

// Source is what the compiler needs to know about classes.
type Source struct {
	Classes *engine.Classes
	// Class is the one whose replication block or looks contain the condition.
	Class *engine.Class
	// Body returns a function in the form that Read produced, nil if that is not known.
	Body func(*engine.Function) *Function
}

// compiled implements [engine.Condition].
type compiled struct {
	test             testFunc
	any              anyFunc // for the text of an error
	mask             engine.CondMask
	props            []*engine.Property
	others, upstream bool
}

func (c *compiled) Native() bool              { return true }
func (c *compiled) Upstream() bool            { return c.upstream }
func (c *compiled) Mask() engine.CondMask     { return c.mask }
func (c *compiled) Props() []*engine.Property { return c.props }
func (c *compiled) ReadsOthers() bool         { return c.others }

func (c *compiled) Eval(a *engine.Actor, in engine.CondInput) bool {
	v := c.test(a, in)
	if v == fault {
		a.NoteCondFault(c, c.any(a, in).str)
	}
	return v == yes
}

// compiler compiles one condition.
type compiler struct {
	Source
	self                  *node
	nodes, depth, inlined int
	role                  bool // of the function being compiled
	issue                 *Issue
	props                 map[*engine.Property]bool
	mask                  engine.CondMask
	others                bool
}

// Compile compiles a condition. It returns nil if an issue is an error; a condition that cannot be compiled becomes
// an [engine.ScriptCondition].
func Compile(src Source, f *Function) (engine.Condition, []Issue) {
	c := &compiler{Source: src, self: theSelf(src.Class), role: f.role, props: map[*engine.Property]bool{}}
	n := c.function(f, []*node{c.self})
	upstream, issues := n.judge()
	if c.issue != nil {
		issues = append(issues, *c.issue)
	}
	for _, i := range issues {
		if i.Kind != IssueSlow && i.Kind != IssueConstant {
			return nil, issues
		}
	}
	if c.issue != nil {
		return engine.ScriptCondition(upstream), issues
	}
	out := &compiled{test: n.truth(), any: n.any, mask: c.mask, others: c.others, upstream: upstream}
	for p := range c.props { // any order: sorted below
		out.props = append(out.props, p)
	}
	sort.Slice(out.props, func(i, j int) bool { return out.props[i].Name < out.props[j].Name })
	return out, issues
}

// function inlines a function at its call.
func (c *compiler) function(f *Function, args []*node) *node {
	env := make([]*node, f.vars)
	for i := range f.params {
		if i < len(args) {
			env[i] = args[i]
		} else {
			env[i] = literal(value{kind: typeNil})
		}
	}
	return f.body(c, env)
}

// problem records the first error, and returns a node that may be anything, derived from others.
func (c *compiler) problem(kind IssueKind, pos engine.Pos, text string, of []*node) *node {
	if c.issue == nil {
		c.issue = &Issue{pos, kind, text}
	}
	n := c.opaque()
	for i := range n.guess {
		n.guess[i].looks = true
		for _, o := range of {
			n.guess[i] = n.guess[i].by(o.guess[i])
		}
	}
	return n
}

func (c *compiler) slow(pos engine.Pos, text string, of ...*node) *node {
	return c.problem(IssueSlow, pos, text, of)
}

func (c *compiler) wrong(pos engine.Pos, text string, of ...*node) *node {
	return c.problem(IssueType, pos, text, of)
}

func (c *compiler) opaque() *node {
	return &node{
		types: typeAny, fails: true, guess: everySide(anything),
		any: func(*engine.Actor, engine.CondInput) value { return failure("not compiled") },
	}
}

// call is the call of a method or of a global function.
type call struct {
	pos  engine.Pos
	name string
	on   *node // nil for a global function
	args []*node
}

// nodes returns the receiver and the arguments.
func (k *call) nodes() []*node {
	if k.on == nil {
		return k.args
	}
	return append([]*node{k.on}, k.args...)
}

// looked marks the result of a call as derived from its arguments.
func (k *call) looked(n *node) *node {
	g := n.guess
	for i := range g {
		g[i].looks = true
		for _, o := range k.nodes() {
			g[i] = g[i].by(o.guess[i])
		}
	}
	return n.guessed(g)
}

// global compiles a call of a global function.
func (c *compiler) global(k *call) *node {
	plain := true
	for _, a := range k.args {
		plain = plain && a.types == typeNumber && !a.fails
	}
	native := natives[k.name]
	switch {
	case plain && native != nil:
		if n := native(c, k); n != nil {
			return k.looked(n)
		}
	case plain && len(k.args) > 0:
		return c.slow(k.pos, "it calls "+k.name+", which only the script VM can", k.args...)
	}
	return c.slow(k.pos, "it calls "+k.name+" with more than plain numbers", k.args...)
}

// callable are the types that may have methods.
const callable = typeVector | typeRotator | typeRef | typeString | typePlace | typeWorld

// method compiles a call of a native of a value or an actor, or of a function of the class.
func (c *compiler) method(k *call) *node {
	x, space, reason := k.on, "", "it calls "+k.name
	switch {
	case x.self:
		if c.overridden(c.Class, k.name) {
			return k.looked(c.ownMethod(k))
		}
		space, reason = "Actor", reason+", which only the script VM can"
	case x.types == typeVector:
		space, reason = "vector", reason+" of a vector"
	case x.types == typeRotator:
		space = "rotator"
	case x.types&callable == typeRef:
		c.others = true
		if x.class != nil && c.overridden(x.class, k.name) {
			return c.slow(k.pos, "it calls the function "+k.name+" of another actor", k.nodes()...)
		}
		space, reason = "Actor", reason+", which only the script VM can"
	}
	if native := natives[space+":"+k.name]; native != nil {
		if n := native(c, k); n != nil {
			return sequence(k.args, k.looked(n))
		}
	}
	return c.slow(k.pos, reason, k.nodes()...)
}

// overridden reports whether a class, a parent, a child or a state of one has a function with that name.
func (c *compiler) overridden(k *engine.Class, name string) bool {
	if k.Functions[name] != nil {
		return true
	}
	for _, d := range c.Classes.All() {
		if !d.Descends(k) {
			continue
		}
		if d.Functions[name] != nil {
			return true
		}
		for _, s := range d.States { // any order: it asks whether any state has one
			if s.Dispatch.Functions[name] != nil || s.Dispatch.Ignored[name] {
				return true
			}
		}
	}
	return false
}

// ownMethod compiles a call of a function of the class. The actor's class and state select among overrides in
// children and states.
func (c *compiler) ownMethod(k *call) *node {
	if c.depth >= maxCalls {
		return c.slow(k.pos, "its functions call one another more than "+strconv.Itoa(maxCalls)+" deep", k.nodes()...)
	}
	c.depth++
	role, inlined := c.role, c.inlined
	defer func() { c.depth, c.role, c.inlined = c.depth-1, role, inlined }()
	args := k.nodes()
	ignored := literal(value{kind: typeNil})
	var bodies []*node // all of them, in the order in which they are found
	made := map[*engine.FunctionSpec]*node{}
	body := func(d *engine.Dispatch) *node {
		f := d.Functions[k.name]
		if f == nil {
			if d.Ignored[k.name] {
				return ignored
			}
			return c.slow(k.pos, k.name+" is a native in some classes and a function in others")
		}
		if made[f.Spec] == nil {
			made[f.Spec] = c.inline(k, f, args)
		}
		return made[f.Spec]
	}
	table := make([]*node, c.Classes.Dispatches())
	add := func(d *engine.Dispatch) *node {
		n := body(d)
		table[d.Index] = n
		for _, b := range bodies {
			if b == n {
				return n
			}
		}
		bodies = append(bodies, n)
		return n
	}
	for _, d := range c.Classes.All() {
		if !d.Descends(c.Class) {
			continue
		}
		outside := add(d.Dispatch)
		for _, s := range d.SortedStates() { // their errors are reported in this order
			c.others = add(s.Dispatch) != outside || c.others
		}
	}
	if len(bodies) == 1 {
		return sequence(k.args, bodies[0])
	}
	out := &node{guess: bodies[0].guess}
	tests := map[*node]testFunc{}
	for i, n := range bodies {
		out.types |= n.types
		out.fails = out.fails || n.fails
		tests[n] = n.truth()
		for side := range out.guess {
			if i > 0 {
				out.guess[side] = either(out.guess[side], n.guess[side])
			}
		}
	}
	anys, truths := make([]anyFunc, len(table)), make([]testFunc, len(table))
	for i, n := range table {
		if n != nil {
			anys[i], truths[i] = n.any, tests[n]
		}
	}
	at := func(a *engine.Actor) int {
		if a.Dispatch == nil { // a class's template
			return a.Class.Dispatch.Index
		}
		return a.Dispatch.Index
	}
	out.any = func(a *engine.Actor, in engine.CondInput) value { return anys[at(a)](a, in) }
	out.test = func(a *engine.Actor, in engine.CondInput) verdict { return truths[at(a)](a, in) }
	return sequence(k.args, out)
}

// inline inlines a function at its call. Errors in it are reported at the call, because the same function may be
// correct elsewhere.
func (c *compiler) inline(k *call, f *engine.Function, args []*node) *node {
	b := c.Body(f)
	if b == nil {
		return c.slow(k.pos, "it calls "+k.name+" of class "+f.Class.Name+", which is more than one expression", k.nodes()...)
	}
	fine := c.issue == nil
	c.role, c.inlined = b.role, 0
	n := c.function(b, args)
	if fine && c.issue != nil {
		c.issue.Pos = k.pos
		c.issue.Text = "it calls " + f.Name + " of class " + f.Class.Name + ", and there " + c.issue.Text
	}
	return n
}
