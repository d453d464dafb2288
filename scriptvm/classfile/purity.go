package classfile

import (
	"fmt"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/condition"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	"github.com/yuin/gopher-lua/ast"
)

// A condition must have no side effects (R5.5). The effects of a function are found in its tree: what it assigns
// beyond its own locals, and what it calls. A call is pure if everything it may reach is; what is not known to be
// pure counts as impure.

// purity holds the effects of a function itself.
type purity struct {
	// bad holds effects that are impure whatever other files contain.
	bad []effect
	// calls are checked against the classes.
	calls []pureCall
}

type effect struct {
	pos  engine.Pos
	text string
}

type pureCall struct {
	name string
	pos  engine.Pos
	def  *defDecl // whose self it is called on; nil for other objects
	// super is set for C.super.Name.
	super bool
}

// pureGlobals may be called by conditions. pcall and similar functions are excluded: what they call is not known.
var pureGlobals = map[string]bool{
	"tonumber": true, "tostring": true, "type": true, "select": true, "unpack": true, "pairs": true, "ipairs": true,
	"next": true, "rawequal": true, "rawget": true, "vector": true, "rotator": true, "assert": true, "error": true,
	"getmetatable": true,
}

// impureMembers lists the library functions with side effects.
var impureMembers = map[string]bool{
	"math.random": true, "math.randomseed": true, "table.insert": true, "table.remove": true, "table.sort": true,
	"coroutine.create": true, "coroutine.resume": true, "coroutine.wrap": true, "coroutine.yield": true,
}

// purityOf finds a function's effects in its tree, including those of helpers of the file that it calls.
func (u *unit) purityOf(f *syntax.Function) purity {
	p := purityReader{unit: u, seen: map[*syntax.Function]bool{}}
	p.read(f)
	return p.out
}

type purityReader struct {
	*unit
	out  purity
	seen map[*syntax.Function]bool
}

func (p *purityReader) read(f *syntax.Function) {
	if p.seen[f] || f.Expr == nil {
		return
	}
	p.seen[f] = true
	p.chunk.WalkFunction(f, syntax.Visitor{
		Stmt: func(s ast.Stmt, _ *syntax.Path) bool {
			switch s := s.(type) {
			case *ast.AssignStmt:
				for _, l := range s.Lhs {
					p.assign(f, l)
				}
			case *ast.FuncDefStmt:
				if s.Name.Func != nil {
					p.assign(f, s.Name.Func)
				} else {
					p.bad(s.Name.Receiver, "defines the function "+dotted(s.Name.Receiver)+":"+s.Name.Method)
				}
			}
			return true
		},
		Expr: func(e ast.Expr, _ *syntax.Path) bool {
			if c, ok := e.(*ast.FuncCallExpr); ok {
				p.call(c)
			}
			return true
		},
	})
}

func (p *purityReader) bad(at ast.PositionHolder, text string) {
	p.out.bad = append(p.out.bad, effect{p.at(at), text})
}

// inside reports whether a variable is declared in f or a function within it.
func inside(s *syntax.Symbol, f *syntax.Function) bool {
	for g := s.Func; g != nil; g = g.Parent {
		if g == f {
			return true
		}
	}
	return false
}

func (p *purityReader) assign(f *syntax.Function, l ast.Expr) {
	if id := ident(l); id != nil {
		switch s := p.chunk.Symbol(id); {
		case s == nil: // reported as global-write
		case !inside(s, f):
			p.bad(l, "assigns the variable "+id.Value)
		}
		return
	}
	root := l
	for {
		a, ok := root.(*ast.AttrGetExpr)
		if !ok {
			break
		}
		root = a.Object
	}
	if id := ident(root); id != nil {
		if s := p.chunk.Symbol(id); s != nil && inside(s, f) && !s.Assigned {
			if _, ok := s.Init.(*ast.TableExpr); ok {
				return // a table of its own
			}
		}
	}
	name := dotted(l)
	if name == "" {
		name = "a member"
	}
	p.bad(l, "assigns "+name)
}

func (p *purityReader) call(c *ast.FuncCallExpr) {
	if c.Func == nil {
		p.out.calls = append(p.out.calls, pureCall{name: c.Method, pos: p.at(c), def: p.selfOf(c.Receiver)})
		return
	}
	switch fn := c.Func.(type) {
	case *ast.IdentExpr:
		s := p.chunk.Symbol(fn)
		if s == nil {
			if !pureGlobals[fn.Value] {
				p.bad(c, "calls "+fn.Value)
			}
			return
		}
		if fe, ok := s.Init.(*ast.FunctionExpr); ok && !s.Assigned {
			p.read(p.chunk.Function(fe))
			return
		}
		p.bad(c, "calls "+fn.Value+", which is not known to be pure")
	case *ast.AttrGetExpr:
		obj, name, ok := attr(fn)
		if id := ident(obj); ok && id != nil && p.chunk.Symbol(id) == nil && words.libraries[id.Value] != nil {
			if impureMembers[id.Value+"."+name] {
				p.bad(c, "calls "+id.Value+"."+name)
			}
			return
		}
		if o, super, isAttr := attr(obj); ok && isAttr && super == "super" && p.classNamed(o) != nil && len(c.Args) > 0 {
			if d := p.selfOf(c.Args[0]); d != nil {
				p.out.calls = append(p.out.calls, pureCall{name: name, pos: p.at(c), def: d, super: true})
				return
			}
		}
		what := dotted(fn)
		if what == "" {
			what = "a value"
		}
		p.bad(c, "calls "+what+", which is not known to be pure")
	case *ast.FunctionExpr: // its body is walked with the rest
	default:
		p.bad(c, "calls "+exprWords(fn))
	}
}

// impure finds the first effect of a function and everything it calls; "" if there is none.
func (l *loader) impure(d *defDecl, seen map[*defDecl]bool) (engine.Pos, string) {
	if seen[d] {
		return engine.Pos{}, ""
	}
	seen[d] = true
	p, _ := d.asCondition()
	if len(p.bad) > 0 {
		return p.bad[0].pos, p.bad[0].text
	}
	for _, c := range p.calls {
		if why := l.impureCall(c, seen); why != "" {
			return c.pos, why
		}
	}
	return engine.Pos{}, ""
}

// impureCall returns what is impure in a call, "" if it is pure.
func (l *loader) impureCall(c pureCall, seen map[*defDecl]bool) string {
	var found []*engine.Function
	add := func(f *engine.Function) {
		if f != nil {
			found = append(found, f)
		}
	}
	var natives []*api.Function
	if c.def != nil {
		class := l.built.Find(c.def.class.name)
		if c.super {
			if class.Parent != nil {
				class = class.Parent
				add(class.Functions[c.name])
			}
		} else {
			for _, k := range l.built.All() {
				if k.Descends(class) {
					add(k.Functions[c.name])
					for _, s := range k.SortedStates() {
						add(s.Dispatch.Functions[c.name])
					}
				}
			}
		}
		if n := l.natives.methodOf(class, c.name); n != nil && len(found) == 0 {
			natives = append(natives, n)
		}
	} else {
		for _, k := range l.built.All() {
			add(k.Functions[c.name])
		}
		natives = l.natives.methods[c.name]
		if len(found) == 0 && len(natives) == 0 && contains(words.libraries["string"], c.name) {
			return ""
		}
	}
	if len(found) == 0 && len(natives) == 0 {
		if c.def != nil && !c.super {
			return "" // an unknown name, reported as such
		}
		return fmt.Sprintf("calls %s, which is not known to be pure", c.name)
	}
	for _, n := range natives {
		if !n.Pure {
			return fmt.Sprintf("calls %s, which changes the game", c.name)
		}
	}
	done := map[*engine.FunctionSpec]bool{}
	for _, f := range found {
		if done[f.Spec] {
			continue
		}
		done[f.Spec] = true
		if f.Kind != engine.CallLocal {
			return fmt.Sprintf("calls %s, which is sent to another peer", c.name)
		}
		d, _ := f.Script.(*Def)
		if d == nil {
			continue
		}
		if pos, why := l.impure(l.declOf[d], seen); why != "" {
			return fmt.Sprintf("calls %s, which %s (%s)", c.name, why, pos)
		}
	}
	return ""
}

// condSource returns what the compiler of conditions needs to know about functions.
func (l *loader) condSource() condition.Source {
	return condition.Source{Classes: l.built, Body: func(f *engine.Function) *condition.Function {
		if d, _ := f.Script.(*Def); d != nil {
			_, body := l.declOf[d].asCondition()
			return body
		}
		return nil
	}}
}

// conditions compiles the conditions of all rules.
func (l *loader) conditions() {
	src := l.condSource()
	for _, u := range l.units {
		for _, c := range u.classes {
			spec := l.declSpec[c]
			for i, r := range c.rules {
				if r.cond == nil {
					continue
				}
				rs := &spec.Rules[i]
				d := r.cond.def
				if pos, why := l.impure(d, map[*defDecl]bool{}); why != "" {
					l.errorf(pos, "impure-condition", "class %s: the condition of %s %s; a condition only looks, it has no effects (R5.5)", c.name, d.name, why)
					continue
				}
				src.Class = l.built.Find(c.name)
				_, body := d.asCondition()
				cond, issues := condition.Compile(src, body)
				for _, is := range issues {
					l.condIssue(c, d, is)
				}
				if cond == nil {
					continue
				}
				rs.Cond = cond
				if !cond.Native() {
					l.slow[r.cond] = true
					rs.Script = l.def(d)
					l.def(d).Rule = rs
				}
				for _, n := range rs.Names {
					if p := src.Class.Property(n); p != nil && p.Rule != nil && p.Rule.RuleSpec == rs {
						p.Rule.Upstream = cond.Upstream()
						if cond.Upstream() {
							l.upwardFits(p)
						}
					}
				}
			}
		}
	}
	l.built.Watch() // the classes were built before their conditions
}

// upwardFits rejects a variable sent by clients that could be too large for its datagram to the server (R5.16).
func (l *loader) upwardFits(p *engine.Property) {
	switch n := p.Type.WireBytes(); {
	case p.Type.Kind == engine.KindFastArray:
		l.errorf(p.Rule.Pos, "state-too-large", "class %s: %s is a fastarray, and those do not go from clients to the server; use a server function (R5.16)",
			p.Class.Name, p.Name)
	case n > engine.MaxUpwardBytes:
		l.errorf(p.Rule.Pos, "state-too-large", "class %s: %s goes from clients to the server and takes up to %d bytes on the wire; at most %d: give strings a smaller max, or use a server function (R5.16)",
			p.Class.Name, p.Name, n, engine.MaxUpwardBytes)
	}
}

func (l *loader) condIssue(c *classDecl, d *defDecl, is condition.Issue) {
	pos := is.Pos
	if pos.Line == 0 {
		pos = d.pos
	}
	where := "class " + c.name + ": the condition of " + d.name
	switch is.Kind {
	case condition.IssueSlow:
		if l.opt.Check {
			l.warnf(pos, "slow-condition", "%s runs in the script VM for every actor and connection: %s; use variables, constants, operators and functions of one return", where, is.Text)
		}
	case condition.IssueConstant:
		if l.opt.Check {
			l.warnf(d.pos, "constant-condition", "%s: %s", where, is.Text)
		}
	case condition.IssueType:
		l.errorf(pos, "condition-type", "%s: %s", where, is.Text)
	case condition.IssueName:
		l.errorf(pos, "unknown-name", "%s: %s", where, is.Text)
	case condition.IssueSides:
		l.errorf(d.pos, "both-sides", "%s: %s", where, is.Text)
	}
}
