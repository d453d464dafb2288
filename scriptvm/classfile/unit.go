package classfile

import (
	"fmt"
	"hash/fnv"
	"path"
	"strings"
	"sync"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	"github.com/yuin/gopher-lua/ast"
)

// unit is one file after the first pass: declarations and facts, which need no other file.
//
// Invariant: nothing in it changes after readUnit except chunk, which the first compilation takes, and outline,
// which is built on first use.
type unit struct {
	src       Source
	natives   *vocabulary
	hash      uint64
	diags     []engine.Diagnostic
	chunk     *syntax.Chunk // nil if the text does not parse
	broken    bool          // does not parse, or a declaration cannot be read
	entry     *cached       // of the cache it belongs to
	rewritten bool          // chunk is used up

	classes []*classDecl
	classOf map[*syntax.Symbol]*classDecl
	defs    []*defDecl  // functions, validators, code
	conds   []*condDecl // conditions that are functions

	facts facts
	defOf map[*syntax.Function]*defDecl

	outlineOnce sync.Once
	outline     *outline // see outlined
}

// readUnit makes the first pass over one file.
func readUnit(src Source, natives *vocabulary) *unit {
	u := readTree(src, natives)
	h := fnv.New64a()
	h.Write([]byte(src.Text))
	u.hash = h.Sum64()
	if u.chunk != nil {
		u.readFacts()
		u.broken = u.hasErrors()
	}
	return u
}

// readTree returns what a file declares, and its tree.
func readTree(src Source, natives *vocabulary) *unit {
	u := &unit{src: src, natives: natives, classOf: map[*syntax.Symbol]*classDecl{}}
	chunk, err := syntax.Parse(src.Path, src.Text)
	if err != nil {
		u.broken = true
		e, ok := err.(*syntax.Error)
		if !ok {
			e = &syntax.Error{File: src.Path, Line: 1, Msg: err.Error()}
		}
		u.errorf(u.pos(syntax.Position{Line: e.Line, Column: e.Column}), "syntax", "%s", e.Msg)
		return u
	}
	u.chunk = chunk
	if src.Lib == "" {
		u.declarations()
	}
	u.index()
	return u
}

func (u *unit) pos(p syntax.Position) engine.Pos {
	line := p.Line
	if line > 0 {
		line += u.src.LineOffset
	}
	return engine.Pos{File: u.src.Path, Line: line, Column: p.Column}
}

// at returns the position of a node's own word, start where its text begins.
func (u *unit) at(n ast.PositionHolder) engine.Pos { return u.pos(u.chunk.Pos(n)) }
func (u *unit) start(e ast.Expr) engine.Pos        { return u.pos(u.chunk.Start(e)) }

func (u *unit) errorf(pos engine.Pos, rule, format string, args ...any) {
	u.diags = append(u.diags, engine.Diagnostic{Pos: pos, Severity: engine.SevError, Rule: rule, Text: fmt.Sprintf(format, args...)})
}

// dotted returns names and dots as written in the source, "" for anything else.
func dotted(e ast.Expr) string {
	if e == nil {
		return ""
	}
	return syntax.DottedName(e)
}

// ident returns the identifier's symbol and name, or nil.
func ident(e ast.Expr) *ast.IdentExpr {
	id, _ := e.(*ast.IdentExpr)
	return id
}

// attr splits a.b.
func attr(e ast.Expr) (object ast.Expr, name string, ok bool) {
	a, isAttr := e.(*ast.AttrGetExpr)
	if !isAttr {
		return nil, "", false
	}
	k, isString := a.Key.(*ast.StringExpr)
	if !isString {
		return nil, "", false
	}
	return a.Object, k.Value, true
}

func validName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return true
}

// fileName compares the name of a class file with its one class.
func (u *unit) fileName() {
	base := strings.TrimSuffix(path.Base(strings.ReplaceAll(u.src.Path, `\`, "/")), ".lua")
	switch {
	case len(u.classes) == 0:
		if !u.hasErrors() {
			u.errorf(engine.Pos{File: u.src.Path, Line: 1 + u.src.LineOffset, Column: 1}, "no-class",
				`the file declares no class: expected local %s = class("%s", "Parent"); plain modules belong into scripts/lib`, base, base)
		}
	default:
		for _, c := range u.classes[1:] {
			u.errorf(c.pos, "file-name", "class %s: a file holds one class and already holds %s at %s; move it to %s.lua", c.name, u.classes[0].name, u.classes[0].pos, c.name)
		}
		if c := u.classes[0]; c.name != base {
			u.errorf(c.pos, "file-name", "class %s stands in %s.lua: the file bears the class's name; rename one of them", c.name, base)
		}
	}
}

func (u *unit) hasErrors() bool {
	for _, d := range u.diags {
		if d.Severity == engine.SevError {
			return true
		}
	}
	return false
}

// otherStatement checks whether a statement that is not a declaration was meant as one.
func (u *unit) otherStatement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.FuncCallStmt:
		c, ok := s.Expr.(*ast.FuncCallExpr)
		if !ok || c.Func == nil {
			return
		}
		if obj, name, ok := attr(c.Func); ok {
			if k := u.classNamed(obj); k != nil && !contains(blocks, name) {
				u.errorf(u.at(c.Func), "unknown-block", "class %s: unknown declaration .%s%s; a class has %s", k.name, name,
					engine.Nearest(name, blocks), strings.Join(blocks, ", "))
			}
		}
	case *ast.AssignStmt:
		for _, l := range s.Lhs {
			if obj, name, ok := attr(l); ok {
				if k := u.classNamed(obj); k != nil {
					u.errorf(u.at(l), "class-field", "class %s: a class holds no values of its own, got .%s = …%s; declare a variable in .properties or use a local", k.name, name,
						engine.Nearest(name, []string{"auto_state"}))
				}
			}
		}
	}
}

// nested rejects a declaration below the top level. It is called for every node of a class file.
func (u *unit) nested(n ast.PositionHolder, at *syntax.Path) {
	top := at.Parent == nil
	switch n := n.(type) {
	case *ast.FuncCallExpr:
		if !top && at.Parent.Parent == nil && (at.Role == syntax.RoleValue || at.Role == syntax.RoleStatement) {
			switch at.Parent.Node.(type) {
			case *ast.FuncCallStmt, *ast.LocalAssignStmt, *ast.AssignStmt: // the last is reported in classStatement
				return
			}
		}
		if n.Func == nil {
			return
		}
		if _, ok := u.isClassCall(n); ok {
			u.errorf(u.at(n), "nested-declaration", "class(…) stands at the top level of its file: the loader reads it before anything runs")
		} else if obj, name, ok := attr(n.Func); ok && contains(blocks, name) {
			if k := u.classNamed(obj); k != nil {
				u.errorf(u.at(n.Func), "nested-declaration", "class %s: .%s stands at the top level of its file: the loader reads it before anything runs", k.name, name)
			}
		}
	case *ast.FuncDefStmt:
		if k := u.rootClass(n); k != nil && !top {
			u.errorf(u.at(n), "nested-declaration", "class %s: functions of a class stand at the top level of its file", k.name)
		}
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			if obj, name, ok := attr(l); ok && !top {
				if k := u.classNamed(obj); k != nil {
					rule := "class-field"
					if name == "auto_state" {
						rule = "nested-declaration"
					}
					u.errorf(u.at(l), rule, "class %s: .%s cannot be assigned while the game runs", k.name, name)
				}
			}
		}
	}
}
