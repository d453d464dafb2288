package classfile

import (
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"reflect"
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

// PartKind is the kind of a part of a file.
type PartKind uint8

// The kinds of parts.
const (
	PartClass     PartKind = iota // class(…) itself: its parent
	PartFunction                  // a function of the class, or of a state
	PartValidator                 // the validator of a function
	PartCode                      // the latent code of a state
	PartParams                    // the argument types of a function
	PartRole                      // the role that a command needs
	PartRule                      // the replication rule of a variable
	PartState                     // the declaration of a state
	PartComponent                 // a static component
	PartHitBoxes                  // .hitboxes
	PartLooks                     // .looks
	PartActions                   // .actions
	PartAutoState                 // .auto_state
	PartLocal                     // a local of the file: a constant, a helper
	PartCommon                    // other code at the top level
	PartVariable                  // a variable that the class declares
	numPartKinds
)

// partKey identifies a part of the files.
type partKey struct {
	class string // or the module, "lib.aiming"
	kind  PartKind
	name  string
}

// part is the content of a part, without comments, spaces and positions.
type part struct {
	sum  uint64
	text string // for short parts: a literal, a class's name
}

// outline is a file split into parts, so that two versions of it can be compared.
type outline struct {
	parts map[partKey]part
	order []partKey
}

// outlined splits the file into parts. It parses the text again, because compiling uses up the tree: only a reload
// needs it, and only for files that changed.
func (u *unit) outlined() *outline {
	u.outlineOnce.Do(func() { u.outline = readOutline(u.src, u.natives) })
	return u.outline
}

func readOutline(src Source, natives *vocabulary) *outline {
	u := readTree(src, natives)
	o := &outline{parts: map[partKey]part{}}
	if u.chunk == nil {
		return o
	}
	owner := src.Lib
	if owner == "" && len(u.classes) > 0 {
		owner = u.classes[0].name
	}
	for _, c := range u.classes {
		o.put(partKey{c.name, PartClass, ""}, part{sum: sumOf(c.parent), text: c.parent})
		for _, p := range c.components {
			o.put(partKey{c.name, PartComponent, p.name}, part{sum: sumOf(p.value.text), text: p.value.text})
		}
		for _, s := range c.states {
			o.put(partKey{c.name, PartState, s.name}, part{sum: sumOf(fmt.Sprint(s.simulated, s.extends, s.ignores))})
		}
		for _, r := range c.rules {
			what := fmt.Sprint(r.named, r.group, r.notify)
			if r.cond != nil {
				what += strconv.FormatUint(sumOf(r.cond.expr), 16)
			}
			for _, n := range r.names {
				o.put(partKey{c.name, PartRule, n.name}, part{sum: sumOf(what)})
			}
		}
	}
	for _, s := range u.chunk.Stmts {
		o.statement(u, s, owner)
	}
	return o
}

// put adds a part; duplicates are distinguished by a number.
func (o *outline) put(k partKey, p part) {
	name := k.name
	for n := 2; ; n++ {
		if _, has := o.parts[k]; !has {
			break
		}
		k.name = fmt.Sprintf("%s #%d", name, n)
	}
	o.parts[k] = p
	o.order = append(o.order, k)
}

// statement adds the content of a statement of the top level that declarations do not cover.
func (o *outline) statement(u *unit, s ast.Stmt, owner string) {
	switch u.kindOf(s) {
	case declFunction:
		def := s.(*ast.FuncDefStmt)
		for _, d := range u.defs {
			if d.stmt != def {
				continue
			}
			k := partKey{d.class.name, PartFunction, d.name}
			if d.state != "" {
				k.name = d.state + "." + d.name
			}
			switch d.what {
			case DefValidator:
				k.kind = PartValidator
			case DefCode:
				k.kind, k.name = PartCode, d.state
			default:
			}
			o.put(k, part{sum: sumOf(s)})
		}
		return
	case declBlock:
		call := s.(*ast.FuncCallStmt).Expr.(*ast.FuncCallExpr)
		obj, what, _ := attr(call.Func)
		c := u.classNamed(obj)
		table, _ := call.Args[0].(*ast.TableExpr)
		switch what {
		case "params":
			for _, f := range table.Fields {
				if k, ok := f.Key.(*ast.StringExpr); ok {
					o.put(partKey{c.name, PartParams, k.Value}, part{sum: sumOf(f.Value)})
				}
			}
		case "roles":
			for _, f := range table.Fields {
				if k, ok := f.Key.(*ast.StringExpr); ok {
					o.put(partKey{c.name, PartRole, k.Value}, part{sum: sumOf(f.Value), text: literalText(f.Value)})
				}
			}
		case "hitboxes":
			o.put(partKey{c.name, PartHitBoxes, ""}, part{sum: sumOf(call)})
		case "looks":
			o.put(partKey{c.name, PartLooks, ""}, part{sum: sumOf(call)})
		case "actions":
			o.put(partKey{c.name, PartActions, ""}, part{sum: sumOf(call)})
		}
		return
	case declAuto:
		o.put(partKey{owner, PartAutoState, ""}, part{sum: sumOf(s)})
		return
	case declClass:
		return
	case declNothing:
	}
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		for i, n := range s.Names {
			p := part{sum: sumOf(s)}
			if i < len(s.Exprs) {
				p = part{sum: sumOf(s.Exprs[i]), text: literalText(s.Exprs[i])}
			}
			o.put(partKey{owner, PartLocal, n}, p)
		}
	case *ast.FuncDefStmt:
		name := dotted(s.Name.Func)
		if s.Name.Func == nil {
			name = dotted(s.Name.Receiver) + ":" + s.Name.Method
		}
		o.put(partKey{owner, PartLocal, name}, part{sum: sumOf(s)})
	case *ast.ReturnStmt:
	default:
		o.put(partKey{owner, PartCommon, ""}, part{sum: sumOf(s)})
	}
}

// literalText returns a number or a string as it is written, "" for anything else and for long ones.
func literalText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.NumberExpr:
		return e.Value
	case *ast.UnaryMinusOpExpr:
		if t := literalText(e.Expr); t != "" {
			return "-" + t
		}
	case *ast.StringExpr:
		if len(e.Value) <= 40 {
			return strconv.Quote(e.Value)
		}
	case *ast.TrueExpr:
		return "true"
	case *ast.FalseExpr:
		return "false"
	}
	return ""
}

// sumOf hashes a tree by its content: types, names, values; not by positions.
func sumOf(x any) uint64 {
	h := fnv.New64a()
	sumValue(h, reflect.ValueOf(x))
	return h.Sum64()
}

func sumValue(h hash.Hash64, v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			_, _ = h.Write([]byte{0}) // a hash accepts everything
			return
		}
		sumValue(h, v.Elem())
	case reflect.Struct:
		_, _ = io.WriteString(h, v.Type().Name()+"{")
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() { // positions are not
				sumValue(h, v.Field(i))
			}
		}
		_, _ = h.Write([]byte{'}'})
	case reflect.Slice:
		_, _ = io.WriteString(h, strconv.Itoa(v.Len())+"[")
		for i := range v.Len() {
			sumValue(h, v.Index(i))
		}
	default:
		_, _ = fmt.Fprintf(h, "%v;", v)
	}
}
