package classfile

import (
	"math/bits"
	"slices"
	"strconv"

	"github.com/tidelock/tidelock/engine"
	"github.com/yuin/gopher-lua/ast"
)

// lenient is the set of values whose operators the checker does not know: a table may have a metatable.
const lenient = isTable | isOther

// arithmeticOf returns the kinds that an operator can result in, 0 if it can only be an error. A value that may be
// nil counts as the other kinds that it may have.
func arithmeticOf(op string, a, b known) kinds {
	var out kinds
	for x := a.operand(); x != 0; x &= x - 1 {
		for y := b.operand(); y != 0; y &= y - 1 {
			out |= arithmeticOfTwo(op, 1<<bits.TrailingZeros16(uint16(x)), 1<<bits.TrailingZeros16(uint16(y)))
		}
	}
	return out
}

// operand returns the kinds of a value as an operand: without nil if it may be more, and without a string that is
// not a number.
func (k known) operand() kinds {
	out := k.kinds
	if out != isNil {
		out &^= isNil
	}
	if k.text != "" && out == isString {
		if _, ok := parseNumber(k.value.Str); !ok {
			return isBool // likewise nothing to calculate with
		}
	}
	return out
}

func arithmeticOfTwo(op string, a, b kinds) kinds {
	const number = isNumber | isString
	switch {
	case (a|b)&lenient != 0:
		return isAny
	case a&number != 0 && b&number != 0:
		return isNumber
	case op == "+" || op == "-":
		if a == b && a&(isVector|isRotator) != 0 {
			return a
		}
	case op == "*":
		if a == isVector && b&(isVector|isNumber) != 0 || a == isRotator && b == isNumber {
			return a
		}
		if a == isNumber && b&(isVector|isRotator) != 0 {
			return b
		}
	case op == "/":
		if a&(isVector|isRotator) != 0 && b == isNumber {
			return a
		}
	}
	return 0
}

// verbs maps the operators to words in messages.
var verbs = map[string]string{"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "take the rest of", "^": "raise"}

// operation checks an operator by its operands.
func (f *flow) operation(e ast.Expr) {
	switch e := e.(type) {
	case *ast.ArithmeticOpExpr:
		a, b := f.of(e.Lhs), f.of(e.Rhs)
		if arithmeticOf(e.Operator, a, b) == 0 {
			f.report(e, "operation", "cannot %s %s and %s", verbs[e.Operator], a.described(), b.described())
		}
	case *ast.UnaryMinusOpExpr:
		if k := f.of(e.Expr); k.operand()&(isNumber|isString|isVector|isRotator|lenient) == 0 {
			f.report(e, "operation", "cannot negate %s", k.described())
		}
	case *ast.UnaryLenOpExpr:
		k := f.of(e.Expr)
		if k.kinds == isPart && k.typ.Kind == engine.KindArray {
			return
		}
		if k.filled()&(isString|isFast|lenient) == 0 {
			f.report(e, "operation", "%s has no length", k.described())
		}
	case *ast.StringConcatOpExpr:
		for _, side := range []ast.Expr{e.Lhs, e.Rhs} {
			if k := f.of(side); k.filled()&(isString|isNumber|lenient) == 0 {
				f.report(side, "operation", "cannot concatenate %s; expected tostring(…)", k.described())
			}
		}
	case *ast.RelationalOpExpr:
		f.comparison(e)
	}
}

// filled returns the kinds of a value besides nil, or nil if it has no others.
func (k known) filled() kinds {
	if k.kinds == isNil {
		return isNil
	}
	return k.kinds &^ isNil
}

// described is describe without an irrelevant nil.
func (k known) described() string {
	k.kinds = k.filled()
	return k.describe()
}

func (f *flow) comparison(e *ast.RelationalOpExpr) {
	a, b := f.of(e.Lhs), f.of(e.Rhs)
	x, y := a.filled(), b.filled()
	if e.Operator != "==" && e.Operator != "~=" {
		const ordered = isNumber | isString
		if (x|y)&lenient == 0 && x&y&ordered == 0 {
			f.report(e, "operation", "cannot compare %s with %s", a.described(), b.described())
		}
		return
	}
	if a.kinds&b.kinds == 0 && (a.kinds|b.kinds)&isOther == 0 {
		if a.kinds != isNil && b.kinds != isNil {
			f.c.warnf(f.start(e), "constant-comparison", "%s%s is never equal to %s", f.where(), a.described(), b.described())
		}
		return
	}
	if a.enum == nil {
		a, b = b, a
	}
	if a.enum != nil && b.text != "" && b.kinds == isString && !slices.Contains(a.enum.Enum, b.value.Str) {
		f.c.warnf(f.start(e), "constant-comparison", "%sexpected %s, got %s%s", f.where(), a.enum, b.text, engine.Nearest(b.value.Str, a.enum.Enum))
	}
}

// callee checks what is called without a colon.
func (f *flow) callee(e *ast.FuncCallExpr) {
	k := f.of(e.Func)
	if k.kinds != isNil && k.filled()&(isFunc|lenient) == 0 {
		f.c.error(f.at(e.Func), "operation", "%s%s is %s and cannot be called", f.where(), shown(e.Func), k.described())
	}
}

// numberFor checks the bounds of for i = a, b, c.
func (f *flow) numberFor(s *ast.NumberForStmt) {
	for _, bound := range []ast.Expr{s.Init, s.Limit, s.Step} {
		if bound == nil {
			continue
		}
		if k := f.of(bound); k.filled()&(isNumber|isOther) == 0 {
			hint := ""
			if k.filled() == isTable {
				hint = "; #list is the length of one"
			}
			f.report(bound, "operation", "a bound of a loop: expected a number, got %s%s", k.described(), hint)
		}
	}
}

// genericFor checks what for … in loops over.
func (f *flow) genericFor(s *ast.GenericForStmt) {
	if len(s.Exprs) == 0 {
		return
	}
	k := f.of(s.Exprs[0])
	listed := k.filled() == isTable && (k.elem != nil || k.rec != nil)
	switch {
	case k.filled()&(isFunc|lenient) == 0 && k.kinds != isNil, listed:
		hint := ""
		if k.filled() == isTable {
			hint = "; write for key, value in pairs(…) do, or ipairs(…) for a list"
		}
		f.report(s.Exprs[0], "operation", "cannot loop over %s%s", k.described(), hint)
	}
}

// taken holds the arguments of Lua's functions that the checker knows: n a number, s a string or a number, t a
// table, l a list, f a function, a anything. Those after a ? are optional.
var taken = map[string]string{
	"ipairs": "l", "pairs": "t", "next": "t?a", "tostring": "a", "tonumber": "a?n", "type": "a", "pcall": "f", "rawget": "ta", "rawset": "taa", "setmetatable": "ta", "unpack": "t?nn",
	"math.abs": "n", "math.acos": "n", "math.asin": "n", "math.atan": "n", "math.atan2": "nn", "math.ceil": "n", "math.cos": "n", "math.deg": "n", "math.exp": "n",
	"math.floor": "n", "math.fmod": "nn", "math.log": "n", "math.max": "n?nnnnnnn", "math.min": "n?nnnnnnn", "math.modf": "n", "math.pow": "nn", "math.rad": "n",
	"math.random": "?nn", "math.sin": "n", "math.sqrt": "n", "math.tan": "n",
	"string.byte": "s?nn", "string.find": "ss?n", "string.format": "s", "string.gmatch": "ss", "string.gsub": "ss", "string.len": "s", "string.lower": "s",
	"string.match": "ss?n", "string.rep": "sn", "string.reverse": "s", "string.sub": "sn?n", "string.upper": "s",
	"table.concat": "t?snn", "table.insert": "ta", "table.remove": "t?n", "table.sort": "t?f",
}

// taken checks the arguments of a function of Lua, by its name: "math.floor".
func (f *flow) taken(e *ast.FuncCallExpr, name string) {
	signature := taken[name]
	if signature == "" {
		return
	}
	list, open := f.givenBy(e.Args)
	i, optional := 0, false
	for _, c := range signature {
		if c == '?' {
			optional = true
			continue
		}
		if i >= len(list) {
			if !optional && !open {
				f.c.error(f.at(e), "missing-argument", "%s%s: argument %d is missing", f.where(), name, i+1)
			}
			return
		}
		want := known{kinds: isAny}
		switch c {
		case 'n':
			want.kinds = isNumber
		case 's':
			want.kinds = isString | isNumber
		case 't':
			want.kinds = isTable | isActor | isClass
		case 'l':
			want.kinds = isTable | isClass
		case 'f':
			want.kinds = isFunc
		}
		g := list[i]
		i++
		if c != 'a' && want.kinds&isNumber != 0 && g.k.kinds == isString {
			if _, ok := parseNumber(g.k.value.Str); g.k.text == "" || ok {
				continue // Lua accepts "5" as a number
			}
		}
		if g.k.kinds == isNil && (optional || c == 'a') {
			continue
		}
		want.kinds |= isOther
		if g.k.filled()&want.kinds == 0 {
			want.kinds &^= isOther | isActor | isClass
			f.report(g.expr, "argument-type", "%s: argument %s: expected %s, got %s", name, strconv.Itoa(i), want.describe(), g.k.described())
		}
	}
}
