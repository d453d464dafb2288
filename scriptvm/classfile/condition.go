package classfile

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/condition"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	"github.com/yuin/gopher-lua/ast"
)

// newScope returns what conditions of any file may know.
func newScope(chunk *syntax.Chunk) *condition.Scope {
	return &condition.Scope{
		Chunk:    chunk,
		Locals:   func(*ast.LocalAssignStmt) []*syntax.Symbol { return nil },
		Class:    func(*syntax.Symbol) string { return "" },
		Constant: func(name string) (float64, bool) { v, ok := words.constants[name]; return v, ok },
		Number:   constNumber,
		Library:  func(name string) bool { return words.libraries[name] != nil },
		Words:    exprWords,
	}
}

// scope returns what conditions of a class file may know.
func (u *unit) scope() *condition.Scope {
	s := newScope(u.chunk)
	s.Pos, s.Locals = u.at, u.localsOf
	s.Class = func(sym *syntax.Symbol) string {
		if c := u.classOf[sym]; c != nil {
			return c.name
		}
		return ""
	}
	return s
}

// bareName is a variable of self that a condition of looks uses.
type bareName struct {
	name string
	pos  engine.Pos
}
