package classfile

import (
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	"github.com/yuin/gopher-lua/ast"
)

type ruleDecl struct {
	names  []litField // name, pos; no value
	pos    engine.Pos
	named  string // COND_…
	group  string
	notify engine.Notify
	cond   *condDecl
}

// condDecl is the function of a rule's when.
type condDecl struct {
	pos  engine.Pos
	fn   *syntax.Function
	expr *ast.FunctionExpr // belongs to the chunk
	def  *defDecl
}

// replication reads the rules of C.replication{…}.
func (u *unit) replication(c *classDecl, table *ast.TableExpr) {
	what := "class " + c.name + ": .replication"
	known := []string{"when", "notify", "group"}
	for _, field := range table.Fields {
		rt, ok := field.Value.(*ast.TableExpr)
		if field.Key != nil || !ok {
			u.errorf(u.start(field.Value), "not-literal", `%s: expected rules like { "Name", when = … }, got %s`, what, exprWords(field.Value))
			continue
		}
		r := &ruleDecl{pos: u.at(rt)}
		bad := false
		seen := map[string]engine.Pos{}
		for _, f := range rt.Fields {
			key := ""
			if f.Key != nil {
				k, ok := f.Key.(*ast.StringExpr)
				if !ok {
					u.errorf(u.start(f.Key), "not-literal", "%s: expected when, notify or group as key, got an expression", what)
					bad = true
					continue
				}
				key = k.Value
				if o, dup := seen[key]; dup {
					u.errorf(u.at(f.Key), "repeated", "%s: %s stands twice in one rule, first at %s", what, key, o)
				}
				seen[key] = u.at(f.Key)
			}
			switch key {
			case "":
				n := u.literal(f.Value, what)
				if n.kind != litString {
					if n.kind != litBad {
						u.errorf(n.pos, "not-literal", "%s: expected a variable's name in quotes, got %s", what, n.describe())
					}
					bad = true
					continue
				}
				r.names = append(r.names, litField{name: n.text, pos: n.pos})
			case "when":
				bad = !u.when(r, f.Value, what) || bad
			case "notify":
				n := u.literal(f.Value, what)
				switch {
				case n.kind == litBool && n.num != 0:
					r.notify = engine.NotifyChanged
				case n.kind == litBool:
				case n.kind == litString && n.text == "always":
					r.notify = engine.NotifyAlways
				case n.kind != litBad:
					u.errorf(n.pos, "bad-rule", `%s: notify: expected true or "always", got %s`, what, n.describe())
				}
			case "group":
				n := u.literal(f.Value, what)
				if n.kind != litString || n.text == "" {
					if n.kind != litBad {
						u.errorf(n.pos, "bad-rule", "%s: group: expected a name in quotes, got %s", what, n.describe())
					}
					bad = true
					continue
				}
				r.group = n.text
			default:
				u.errorf(u.at(f.Key), "unknown-key", "%s: unknown key %q%s; a rule has names, when, notify and group", what, key, engine.Nearest(key, known))
			}
		}
		if len(r.names) == 0 && !bad {
			u.errorf(r.pos, "bad-rule", "%s: the rule names no variable", what)
			bad = true
		}
		switch {
		case bad:
			continue
		case r.named == "COND_NetGroup" && r.group == "":
			u.errorf(r.pos, "bad-rule", `%s: COND_NetGroup needs its group: expected group = "name"`, what)
		case r.named != "COND_NetGroup" && r.group != "":
			u.errorf(r.pos, "bad-rule", "%s: group goes with when = COND_NetGroup only", what)
		}
		if r.cond != nil {
			r.cond.def = &defDecl{class: c, name: r.names[0].name, what: DefCondition, pos: r.cond.pos, fn: r.cond.fn, rule: r}
			for _, p := range r.cond.fn.Params {
				r.cond.def.params = append(r.cond.def.params, p.Name)
			}
		}
		c.rules = append(c.rules, r)
	}
}

// when reads the condition of a rule.
func (u *unit) when(r *ruleDecl, e ast.Expr, what string) bool {
	switch v := e.(type) {
	case *ast.IdentExpr:
		if u.chunk.Symbol(v) == nil {
			if strings.HasPrefix(v.Value, "COND_") {
				if _, ok := words.constants[v.Value]; ok {
					r.named = v.Value
					return true
				}
			}
			u.errorf(u.at(v), "unknown-condition", "%s: unknown condition %s%s; expected COND_… or function(self) return … end", what, v.Value,
				engine.Nearest(v.Value, engine.NetConditionNames()))
			return false
		}
	case *ast.FunctionExpr:
		fn := u.chunk.Function(v)
		if len(fn.Params) != 1 || fn.Vararg {
			u.errorf(u.at(v), "bad-condition", "%s: a condition takes self alone: expected function(self) return … end", what)
			return false
		}
		r.cond = &condDecl{pos: u.at(v), fn: fn, expr: v}
		return true
	}
	u.errorf(u.start(e), "not-literal", "%s: expected when = COND_… or when = function(self) return … end, got %s", what, exprWords(e))
	return false
}
