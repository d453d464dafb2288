package scriptvm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// What people run in a world, and what they are shown of it: lines of Lua, and commands of a game.

// Bounds of a value in the answer of EvalLine.
const (
	maxShownDepth   = 4
	maxShownEntries = 32
	maxShownString  = 1024
)

// EvalLine runs a line that a person typed, with the globals of class functions: an expression, or statements. It returns
// the results as Lua writes them. A line that faults leaves declared variables as they were; its error is one line, and nobody
// is charged with it.
func (v *VM) EvalLine(name, line string) (string, error) {
	out, err := v.Eval(name, "return "+line)
	if errors.As(err, new(*syntax.Error)) {
		out, err = v.Eval(name, line)
	}
	if err != nil {
		return "", err
	}
	var texts []string
	for _, x := range out {
		texts = append(texts, v.shownValue(x, 0))
	}
	return strings.Join(texts, ", "), nil
}

// RunCommand runs a command of a game: f is one of [classfile.Commands] of its class, and args has a value for
// each of its parameters; one of KindNone is the parameter's default. It returns the text that the function returns, ""
// for none. A command that faults leaves declared variables as they were; its error is one line with file and line, and
// nobody is charged with it: a person gave the command, and reads the error.
func (v *VM) RunCommand(game *engine.Actor, f *engine.Function, args []engine.Value) (string, error) {
	if game.Deleted() || game.Class.Functions[f.Name] != f {
		return "", errors.New("the scripts have changed meanwhile; give the command again")
	}
	b := v.runnable(f)
	if b == nil {
		return "", fmt.Errorf("%s is quarantined; save a fixed file", functionName(f.Script.(*classfile.Def)))
	}
	list := []lua.LValue{game.Script.(*object).table}
	for i := range f.Params {
		x := args[i]
		if x.Kind == engine.KindNone {
			x = f.Params[i].Default
		}
		list = append(list, v.argumentToLua(&f.Params[i], x))
	}
	mark := v.world.Mark()
	v.world.Enter()
	defer v.world.Leave()
	v.count(b)
	v.cause = causeCall
	outer := v.enter(f, game)
	out, err := v.vm.CallMulti(f.Class.Name, b.fn, list...)
	v.leave(outer)
	text := ""
	if err == nil {
		text, err = v.answerOf(f, out)
	}
	if err != nil {
		v.world.Rollback(mark)
		return "", oneLine(err)
	}
	v.world.Release()
	return text, nil
}

// answerOf returns the text that a command returned.
func (v *VM) answerOf(f *engine.Function, out []lua.LValue) (string, error) {
	if len(out) == 0 || out[0] == lua.LNil {
		return "", nil
	}
	s, ok := out[0].(lua.LString)
	if !ok || len(out) > 1 {
		texts := make([]string, len(out))
		for i, x := range out {
			texts[i] = v.shownValue(x, 0)
		}
		return "", fmt.Errorf("%s: %s returned %s; expected one string, or nothing", f.Pos, functionName(f.Script.(*classfile.Def)), strings.Join(texts, ", "))
	}
	return string(s), nil
}

// oneLine returns an error without line ends and of a bounded length: the text may be of a script.
func oneLine(err error) error {
	text := strings.Join(strings.FieldsFunc(err.Error(), func(c rune) bool { return c < ' ' }), " ")
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	return errors.New(text)
}

// shownValue writes a value as Lua does, with actors and classes by their names, and tables up to a bound.
func (v *VM) shownValue(x lua.LValue, depth int) string {
	if p, ok := x.(*part); ok {
		x = v.plainPart(p)
	}
	switch x := x.(type) {
	case *lua.LNilType, lua.LBool, vec, rot:
		return x.String()
	case lua.LNumber:
		return formatNumber(float64(x))
	case lua.LString:
		s := string(x)
		if len(s) > maxShownString {
			s = s[:maxShownString] + "…"
		}
		return strconv.Quote(s)
	case *lua.LTable:
		if o := objectOf(x); o != nil {
			return o.actor.Name
		}
		if c := v.classOf(x); c != nil {
			return c.data.Name
		}
		return v.shownTable(x, depth)
	}
	return keyText(x) // without an address (G19)
}

// plainName reports whether Lua accepts a key without brackets.
func plainName(s string) bool {
	return s != "" && !('0' <= s[0] && s[0] <= '9') && strings.TrimFunc(s, isWord) == ""
}

func (v *VM) shownTable(t *lua.LTable, depth int) string {
	if depth == maxShownDepth {
		return "{ … }"
	}
	var parts []string
	more := 0
	each(t, func(k, e lua.LValue) {
		switch s, named := k.(lua.LString); {
		case len(parts) == maxShownEntries:
			more++
		case k == lua.LNumber(len(parts)+1):
			parts = append(parts, v.shownValue(e, depth+1))
		case named && plainName(string(s)):
			parts = append(parts, string(s)+" = "+v.shownValue(e, depth+1))
		default:
			parts = append(parts, "["+v.shownValue(k, depth+1)+"] = "+v.shownValue(e, depth+1))
		}
	})
	if more > 0 {
		parts = append(parts, fmt.Sprintf("… %d more", more))
	}
	if len(parts) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}
