package classfile

import (
	"math"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/yuin/gopher-lua/ast"
)

// litKind is the shape of a literal.
type litKind uint8

const (
	litBad litKind = iota // said already
	litNil
	litBool
	litNumber
	litString
	litConst // a NAME constant: number holds its value
	litClass // a class, by its local variable
	litCall  // a constructor: vector(…), int(…), struct{…}
	litTable
)

// lit is a literal of a declaration, detached from its tree, so that it can be used again for every world after the
// tree is rewritten.
type lit struct {
	kind   litKind
	num    float64
	text   string // of a string; the name of a constant, a class, a constructor
	args   []*lit
	fields []litField // of a table, in order
	pos    engine.Pos
}

// litField is an entry of a table literal. Name is "" for a positional one.
type litField struct {
	name  string
	pos   engine.Pos
	value *lit
}

// describe returns the kind of a literal, for "expected …, got …".
func (l *lit) describe() string {
	switch l.kind {
	case litNil:
		return "nil"
	case litBool:
		return strconv.FormatBool(l.num != 0)
	case litNumber:
		return "number " + strconv.FormatFloat(l.num, 'g', -1, 64)
	case litString:
		return strconv.Quote(clip(l.text))
	case litConst:
		return l.text
	case litClass:
		return "class " + l.text
	case litCall:
		return l.text + "(…)"
	case litTable:
		return "a table"
	case litBad:
	}
	return "?"
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// list returns the positional values, for tables that are lists.
func (l *lit) list() []*lit {
	var out []*lit
	for i := range l.fields {
		if l.fields[i].name == "" {
			out = append(out, l.fields[i].value)
		}
	}
	return out
}

// literal reads an expression of a declaration. what is the name of the declaration for messages.
func (u *unit) literal(e ast.Expr, what string) *lit {
	l := &lit{pos: u.at(e)}
	switch e := e.(type) {
	case *ast.NilExpr:
		l.kind = litNil
	case *ast.TrueExpr:
		l.kind, l.num = litBool, 1
	case *ast.FalseExpr:
		l.kind = litBool
	case *ast.StringExpr:
		l.kind, l.text = litString, e.Value
	case *ast.NumberExpr, *ast.UnaryMinusOpExpr, *ast.ArithmeticOpExpr:
		n, ok := constNumber(e)
		if !ok {
			return u.notLiteral(l, e, what)
		}
		l.kind, l.num = litNumber, n
	case *ast.IdentExpr:
		if s := u.chunk.Symbol(e); s != nil {
			if c := u.classOf[s]; c != nil {
				l.kind, l.text = litClass, c.name
				return l
			}
			u.errorf(l.pos, "not-literal", "%s is read before anything runs: expected a literal, got the local variable %s; write its value here", what, e.Value)
			return l
		}
		n, ok := words.constants[e.Value]
		if !ok {
			u.errorf(l.pos, "unknown-global", "%s: unknown constant %s%s", what, e.Value, engine.Nearest(e.Value, words.constantNames))
			return l
		}
		l.kind, l.text, l.num = litConst, e.Value, n
	case *ast.TableExpr:
		l.kind = litTable
		for _, f := range e.Fields {
			lf := litField{}
			switch k := f.Key.(type) {
			case nil:
				lf.pos = u.start(f.Value)
			case *ast.StringExpr:
				lf.name, lf.pos = k.Value, u.at(k)
			default:
				u.errorf(u.start(f.Key), "not-literal", "%s: expected a name as key, got an expression", what)
				continue
			}
			lf.value = u.literal(f.Value, what)
			l.fields = append(l.fields, lf)
		}
	case *ast.FuncCallExpr:
		id, ok := e.Func.(*ast.IdentExpr)
		if !ok || u.chunk.Symbol(id) != nil {
			return u.notLiteral(l, e, what)
		}
		l.pos = u.at(id)
		if u.natives.constructors[id.Value] == nil {
			if u.natives.globals[id.Value] {
				return u.notLiteral(l, e, what)
			}
			u.errorf(l.pos, "unknown-type", "%s: unknown type %s%s", what, id.Value, engine.Nearest(id.Value, u.natives.constructorNames()))
			return l
		}
		l.kind, l.text = litCall, id.Value
		for _, a := range e.Args {
			l.args = append(l.args, u.literal(a, what))
		}
	default:
		return u.notLiteral(l, e, what)
	}
	return l
}

func (u *unit) notLiteral(l *lit, e ast.Expr, what string) *lit {
	l.kind = litBad
	l.pos = u.start(e)
	u.errorf(l.pos, "not-literal", "%s is read before anything runs: expected a literal, got %s", what, exprWords(e))
	return l
}

// exprWords describes in a word or two what an expression is.
func exprWords(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.FunctionExpr:
		return "a function"
	case *ast.FuncCallExpr:
		if n := dotted(e.Func); n != "" {
			return "a call of " + n
		}
		return "a call"
	case *ast.AttrGetExpr:
		if n := dotted(e); n != "" {
			return n
		}
		return "an index"
	case *ast.IdentExpr:
		return e.Value
	case *ast.Comma3Expr:
		return "..."
	case *ast.StringConcatOpExpr:
		return "a joined string (..)"
	case *ast.TableExpr:
		return "a table"
	case *ast.StringExpr:
		return "a string"
	case *ast.NumberExpr:
		return "a number"
	case *ast.NilExpr:
		return "nil"
	case *ast.TrueExpr, *ast.FalseExpr:
		return "a boolean"
	}
	return "an expression"
}

// constNumber evaluates a number, unary minus, and arithmetic of these.
func constNumber(e ast.Expr) (float64, bool) {
	switch e := e.(type) {
	case *ast.NumberExpr:
		return parseNumber(e.Value)
	case *ast.UnaryMinusOpExpr:
		n, ok := constNumber(e.Expr)
		return -n, ok
	case *ast.ArithmeticOpExpr:
		a, ok := constNumber(e.Lhs)
		if !ok {
			return 0, false
		}
		b, ok := constNumber(e.Rhs)
		if !ok {
			return 0, false
		}
		return arith(e.Operator, a, b), true
	}
	return 0, false
}

// arith evaluates Lua's arithmetic as gopher-lua does.
func arith(op string, a, b float64) float64 {
	switch op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	case "%":
		m := math.Mod(a, b)
		if b > 0 && m < 0 || b < 0 && m > 0 {
			m += b
		}
		return m
	default:
		return math.Pow(a, b)
	}
}

// parseNumber reads a number as gopher-lua does.
func parseNumber(s string) (float64, bool) {
	s = strings.Trim(s, " \t\n")
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return float64(v), true
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}
