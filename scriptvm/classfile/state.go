package classfile

import (
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/yuin/gopher-lua/ast"
)

type stateDecl struct {
	name      string
	pos       engine.Pos
	declared  bool // by C.state("…"), not merely by a function
	simulated bool
	extends   string
	ignores   []string
}

// state reads C.state("Name", {…}).
func (u *unit) state(c *classDecl, call *ast.FuncCallExpr, pos engine.Pos) {
	label := "class " + c.name + ": .state"
	if len(call.Args) == 0 || len(call.Args) > 2 {
		u.errorf(pos, "not-literal", `%s: expected C.state("Name", { simulated =, extends =, ignores = }), got %d arguments`, label, len(call.Args))
		return
	}
	n := u.literal(call.Args[0], label)
	if n.kind != litString || !validName(n.text) {
		if n.kind != litBad {
			u.errorf(n.pos, "not-literal", "%s: expected a name in quotes, got %s", label, n.describe())
		}
		return
	}
	s := u.stateNamed(c, n.text, n.pos)
	if s.declared {
		u.errorf(n.pos, "repeated", "class %s: state %s is declared again; it is already at %s", c.name, s.name, s.pos)
		return
	}
	s.declared, s.pos = true, n.pos
	if len(call.Args) == 1 {
		return
	}
	o := u.literal(call.Args[1], label)
	if o.kind != litTable {
		if o.kind != litBad {
			u.errorf(o.pos, "not-literal", "%s: expected a table of options, got %s", label, o.describe())
		}
		return
	}
	known := []string{"simulated", "extends", "ignores"}
	for _, f := range o.fields {
		v := f.value
		want := ""
		switch f.name {
		case "simulated":
			if want = "true or false"; v.kind == litBool {
				s.simulated, want = v.num != 0, ""
			}
		case "extends":
			if want = "a state's name"; v.kind == litString {
				s.extends, want = v.text, ""
			}
		case "ignores":
			if want = `a list of names, { "Bump" }`; v.kind == litTable && len(v.list()) == len(v.fields) {
				want = ""
				for _, e := range v.list() {
					if e.kind != litString {
						want = "names in quotes"
						v = e
						break
					}
					s.ignores = append(s.ignores, e.text)
				}
			}
		default:
			u.errorf(f.pos, "unknown-key", "class %s: state %s: unknown option %q%s; it takes %s", c.name, s.name, f.name,
				engine.Nearest(f.name, known), strings.Join(known, ", "))
			continue
		}
		if want != "" && v.kind != litBad {
			u.errorf(v.pos, "bad-type", "class %s: state %s: %s: expected %s, got %s", c.name, s.name, f.name, want, v.describe())
		}
	}
}

func (u *unit) stateNamed(c *classDecl, name string, pos engine.Pos) *stateDecl {
	for _, s := range c.states {
		if s.name == name {
			return s
		}
	}
	s := &stateDecl{name: name, pos: pos}
	c.states = append(c.states, s)
	return s
}

// autoState reads C.auto_state = "Name".
func (u *unit) autoState(s *ast.AssignStmt) {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		u.errorf(u.at(s), "not-literal", `auto_state stands alone in its statement: expected C.auto_state = "Name"`)
		return
	}
	obj, _, _ := attr(s.Lhs[0])
	c := u.classNamed(obj)
	pos := u.at(s.Lhs[0])
	if !u.once(c, "auto_state", pos) {
		return
	}
	v := u.literal(s.Rhs[0], "class "+c.name+": .auto_state")
	if v.kind != litString {
		if v.kind != litBad {
			u.errorf(v.pos, "not-literal", "class %s: .auto_state: expected a state's name in quotes, got %s", c.name, v.describe())
		}
		return
	}
	c.autoState, c.autoPos = v.text, v.pos
}
