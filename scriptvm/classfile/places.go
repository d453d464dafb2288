package classfile

import (
	"slices"

	"github.com/tidelock/tidelock/scriptvm/syntax"
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// Places maps an instruction of a file's bytecode to the expression it was compiled from. Bytecode only has lines,
// so the file is parsed and compiled once more with the numbers of words instead of lines. That takes a few
// milliseconds and as much memory as the file's tree, and only happens when an error needs it.
type Places struct {
	chunk   *syntax.Chunk
	nodes   [][]ast.PositionHolder                    // by word
	running map[*lua.FunctionProto]*lua.FunctionProto // to the same function with words for lines
}

// Places returns the places of the file that a function's bytecode belongs to, or nil if it is not part of the
// program.
func (p *Program) Places(proto *lua.FunctionProto) *Places {
	f, _ := p.CodeOf(proto)
	i := slices.IndexFunc(p.units, func(u *unit) bool { return u.src.Path == proto.SourceName })
	if f == nil || i < 0 {
		return nil
	}
	of := p.units[i]
	src := of.src
	src.LineOffset = 0
	u := readUnit(src, of.natives)
	clean, err := syntax.Parse(src.Path, src.Text)
	if u.broken || err != nil {
		return nil
	}
	out := u.rewrite(p.layoutOf(u, f), syntax.CompileWords)
	pl := &Places{chunk: clean, nodes: clean.NodesByToken(), running: map[*lua.FunctionProto]*lua.FunctionProto{}}
	if out.err != nil || !pl.match(f.Proto, out.proto) || pl.running[proto] == nil {
		return nil
	}
	return pl
}

// Has reports whether the places are those of a function's bytecode.
func (pl *Places) Has(proto *lua.FunctionProto) bool { return pl.running[proto] != nil }

// layoutOf returns what rewriting the file depended on when the program was built.
func (p *Program) layoutOf(u *unit, f *File) *layout {
	l := &loader{built: p.Classes, slow: map[*condDecl]bool{}}
	for _, c := range u.conds {
		for _, d := range f.Defs {
			if d.What == DefCondition && d.Pos.Column == c.def.pos.Column && d.Name == c.def.name && d.Class == c.def.class.name {
				l.slow[c] = true
			}
		}
	}
	return l.layout(u)
}

// match pairs the functions of two compilations, and reports whether they are the same except for their lines.
func (pl *Places) match(a, b *lua.FunctionProto) bool {
	if !slices.Equal(a.Code, b.Code) || len(a.FunctionPrototypes) != len(b.FunctionPrototypes) {
		return false
	}
	pl.running[a] = b
	for i := range a.FunctionPrototypes {
		if !pl.match(a.FunctionPrototypes[i], b.FunctionPrototypes[i]) {
			return false
		}
	}
	return true
}

// nodesOf returns the nodes whose word an instruction comes from.
func (pl *Places) nodesOf(proto *lua.FunctionProto, pc int) []ast.PositionHolder {
	words := pl.running[proto]
	if words == nil || pc < 0 || pc >= len(words.DbgSourcePositions) {
		return nil
	}
	i := words.DbgSourcePositions[pc] - 1
	if i < 0 || i >= len(pl.nodes) {
		return nil
	}
	return pl.nodes[i]
}

// Column returns the column of the word that an instruction was compiled from, from 1; 0 if it is unknown.
func (pl *Places) Column(proto *lua.FunctionProto, pc int) int {
	for _, n := range pl.nodesOf(proto, pc) {
		if at := pl.chunk.Pos(n); at.Column > 0 {
			return at.Column
		}
	}
	return 0
}

// find returns the node of a kind that an instruction comes from.
func find[T ast.PositionHolder](pl *Places, proto *lua.FunctionProto, pc int) (node T, ok bool) {
	for _, n := range pl.nodesOf(proto, pc) {
		if node, ok = n.(T); ok {
			return node, true
		}
	}
	return node, false
}

// Operand is a value that an instruction worked on, as it is named in the source: "local 'p'", "field 'Weapon'",
// "result of 'GetOwningPlayer'"; "" if it has no name.
type Operand string

func (pl *Places) operand(e ast.Expr) Operand {
	switch e := e.(type) {
	case *ast.IdentExpr:
		if pl.chunk.Symbol(e) == nil {
			return Operand("global '" + e.Value + "'")
		}
		return Operand("local '" + e.Value + "'")
	case *ast.AttrGetExpr:
		if _, name, ok := attr(e); ok {
			return Operand("field '" + name + "'")
		}
		if name := dotted(e.Object); name != "" {
			return Operand("element of '" + name + "'")
		}
	case *ast.FuncCallExpr:
		switch {
		case e.Func == nil:
			return Operand("result of '" + e.Method + "'")
		case dotted(e.Func) != "":
			return Operand("result of '" + dotted(e.Func) + "'")
		}
	case *ast.Comma3Expr:
		return "'...'"
	}
	return ""
}

func (pl *Places) operands(list ...ast.Expr) []Operand {
	out := make([]Operand, len(list))
	for i, e := range list {
		out[i] = pl.operand(e)
	}
	return out
}

// Indexed returns what an instruction indexes, be it a.b, a[b], or a in a:b().
func (pl *Places) Indexed(proto *lua.FunctionProto, pc int) Operand {
	if c, ok := find[*ast.FuncCallExpr](pl, proto, pc); ok && c.Func == nil {
		return pl.operand(c.Receiver)
	}
	if a, ok := find[*ast.AttrGetExpr](pl, proto, pc); ok {
		return pl.operand(a.Object)
	}
	return ""
}

// Key returns what an instruction uses as a key in a[b].
func (pl *Places) Key(proto *lua.FunctionProto, pc int) Operand {
	if a, ok := find[*ast.AttrGetExpr](pl, proto, pc); ok {
		return pl.operand(a.Key)
	}
	return ""
}

// Call is a call as written in the source.
type Call struct {
	// Callee is what is called, "method 'Fire'" for a:Fire().
	Callee Operand
	// Name is the callee as written, with dots, "" if it is an expression. Method is the name after the colon, ""
	// if there is none.
	Name, Method string
	Args         []Operand
}

// Call returns the call that an instruction makes.
func (pl *Places) Call(proto *lua.FunctionProto, pc int) (Call, bool) {
	c, ok := find[*ast.FuncCallExpr](pl, proto, pc)
	if !ok {
		return Call{}, false
	}
	out := Call{Method: c.Method, Args: pl.operands(c.Args...)}
	if c.Func != nil {
		out.Callee, out.Name, out.Method = pl.operand(c.Func), dotted(c.Func), ""
	} else {
		out.Callee, out.Name = Operand("method '"+c.Method+"'"), c.Method
	}
	return out, true
}

// Operation returns the operands of arithmetic, a comparison, a concatenation, '#' or unary '-' in source order,
// and of a for statement its start, limit and step, or the expressions after in. swapped is set if the instruction
// has the operands of a comparison in reverse order.
func (pl *Places) Operation(proto *lua.FunctionProto, pc int) (list []Operand, swapped, ok bool) {
	for _, n := range pl.nodesOf(proto, pc) {
		switch n := n.(type) {
		case *ast.ArithmeticOpExpr:
			return pl.operands(n.Lhs, n.Rhs), false, true
		case *ast.RelationalOpExpr:
			return pl.operands(n.Lhs, n.Rhs), n.Operator == ">" || n.Operator == ">=", true
		case *ast.UnaryMinusOpExpr:
			return pl.operands(n.Expr), false, true
		case *ast.UnaryLenOpExpr:
			return pl.operands(n.Expr), false, true
		case *ast.StringConcatOpExpr:
			return pl.operands(syntax.ConcatParts(n)...), false, true
		case *ast.NumberForStmt:
			list = pl.operands(n.Init, n.Limit)
			if n.Step != nil {
				list = append(list, pl.operand(n.Step))
			}
			return list, false, true
		case *ast.GenericForStmt:
			return pl.operands(n.Exprs...), false, true
		}
	}
	return nil, false, false
}
