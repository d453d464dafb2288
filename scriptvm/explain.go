package scriptvm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// This file names variables in errors: gopher-lua says "attempt to index a non-table object(nil)", scripts see
// "attempt to index a nil value (local 'enemy')". It only runs when an error is raised.

// maxPlaces bounds the files whose places are cached. A repeated error finds its own; each takes as much memory as
// a syntax tree.
const maxPlaces = 4

// placesOf returns the source positions of a function's instructions, nil if they are unknown.
func (v *VM) placesOf(proto *lua.FunctionProto) *classfile.Places {
	for i, pl := range v.known {
		if pl.Has(proto) {
			copy(v.known[1:i+1], v.known[:i])
			v.known[0] = pl
			return pl
		}
	}
	var pl *classfile.Places
	v.vm.Uncounted(func() {
		if v.staging != nil {
			pl = v.staging.program.Places(proto)
		}
		if pl == nil && v.program != nil {
			pl = v.program.Places(proto)
		}
	})
	if pl == nil {
		return nil
	}
	v.known = slices.Insert(v.known, 0, pl)
	v.known = v.known[:min(len(v.known), maxPlaces)]
	return pl
}

// Layout of an instruction, which gopher-lua does not export: opcode 6 bits, A 8, C 9, B 9. A B or C of 256 or more
// is a constant.
func opcode(inst uint32) int   { return int(inst >> 26) }
func operandA(inst uint32) int { return int(inst >> 18 & 0xff) }
func operandB(inst uint32) int { return int(inst & 0x1ff) }
func operandC(inst uint32) int { return int(inst >> 9 & 0x1ff) }

const firstConstant = 256

// explain is [sandbox.Options].Explain.
func (v *VM) explain(f *sandbox.Fault) string {
	if n, ok := f.Tag().(*bound); ok {
		// Errors of natives in the registry begin with the native's name.
		head, rest, _ := strings.Cut(f.Message, ":")
		switch {
		case strings.HasPrefix(f.Message, n.shown()+":"), strings.HasPrefix(f.Message, n.Name+" "):
			return ""
		case strings.EqualFold(head, n.Name): // the engine's own name for it
			return n.shown() + ":" + rest
		}
		return n.shown() + ": " + f.Message
	}
	pl := v.placesOf(f.Fn.Proto)
	if pl == nil || f.PC < 0 || f.PC >= len(f.Fn.Proto.Code) {
		return ""
	}
	inst := f.Fn.Proto.Code[f.PC]
	value := func(i int) lua.LValue {
		if i >= firstConstant {
			return f.Fn.Proto.Constants[i-firstConstant]
		}
		return f.Register(i)
	}
	switch opcode(inst) {
	case lua.OP_GETTABLE, lua.OP_SELF:
		return v.explainIndex(f, pl, value(operandB(inst)), value(operandC(inst)))
	case lua.OP_SETTABLE:
		if key := value(operandB(inst)); strings.HasPrefix(f.Message, "table index is ") {
			s := "attempt to use " + valueText(key) + " as a key"
			if o := pl.Key(f.Fn.Proto, f.PC); o != "" {
				s += " (" + string(o) + ")"
			}
			return s
		}
		return v.explainIndex(f, pl, value(operandA(inst)), value(operandB(inst)))
	case lua.OP_ADD, lua.OP_SUB, lua.OP_MUL, lua.OP_DIV, lua.OP_MOD, lua.OP_POW:
		return v.explainArithmetic(f, pl, value(operandB(inst)), value(operandC(inst)))
	case lua.OP_UNM:
		return v.explainArithmetic(f, pl, value(operandB(inst)))
	case lua.OP_LT, lua.OP_LE:
		return v.explainCompare(f, pl, value(operandB(inst)), value(operandC(inst)))
	case lua.OP_FORPREP, lua.OP_FORLOOP:
		return v.explainFor(f, pl, operandA(inst))
	case lua.OP_TFORLOOP:
		list, _, _ := pl.Operation(f.Fn.Proto, f.PC)
		if f.Native || len(list) == 0 {
			return ""
		}
		what := v.named(f.Register(operandA(inst)), list[0])
		return fmt.Sprintf("attempt to loop over %s; write for key, value in pairs(…) do, or ipairs(…) for a list", what)
	case lua.OP_CALL:
		return v.explainCall(f, pl, operandA(inst))
	}
	return ""
}

// named describes a value in a message about an operation: "a nil value (local 'p')".
func (v *VM) named(x lua.LValue, o classfile.Operand) string {
	s := "a " + typeName(x) + " value"
	if a := objectOf(x); a != nil {
		s = "the actor " + a.actor.Name
	}
	if o != "" {
		s += " (" + string(o) + ")"
	}
	return s
}

func (v *VM) explainIndex(f *sandbox.Fault, pl *classfile.Places, object, key lua.LValue) string {
	if f.Native || !strings.HasPrefix(f.Message, "attempt to index ") {
		return ""
	}
	if _, ok := object.(*lua.LTable); ok {
		return "" // values other than tables are indexed through a metatable
	}
	s := "attempt to index " + v.named(object, pl.Indexed(f.Fn.Proto, f.PC))
	switch key := key.(type) {
	case lua.LString:
		s += fmt.Sprintf(" with key '%s'", clipped(string(key)))
	case lua.LNumber:
		s += " with key " + formatNumber(float64(key))
	}
	return s
}

// isNumber reports whether Lua accepts a value as a number in arithmetic.
func isNumber(x lua.LValue) bool {
	switch x := x.(type) {
	case lua.LNumber:
		return true
	case lua.LString:
		_, err := strconv.ParseFloat(strings.TrimSpace(string(x)), 64)
		return err == nil
	}
	return false
}

func (v *VM) explainArithmetic(f *sandbox.Fault, pl *classfile.Places, values ...lua.LValue) string {
	list, _, ok := pl.Operation(f.Fn.Proto, f.PC)
	if !ok || len(list) != len(values) {
		return ""
	}
	if f.Native { // an operator of a vector or a rotator refused
		w := strings.Fields(f.Message) // of badArith: attempt to add a vector and a string
		if len(w) != 8 || w[0] != "attempt" || w[1] != "to" || w[3] != "a" || w[5] != "and" || w[6] != "a" || len(values) != 2 {
			return ""
		}
		return fmt.Sprintf("attempt to %s %s and %s", w[2], v.named(values[0], list[0]), v.named(values[1], list[1]))
	}
	for i, x := range values {
		if !isNumber(x) {
			return "attempt to perform arithmetic on " + v.named(x, list[i])
		}
	}
	return ""
}

func (v *VM) explainCompare(f *sandbox.Fault, pl *classfile.Places, a, b lua.LValue) string {
	list, swapped, ok := pl.Operation(f.Fn.Proto, f.PC)
	if f.Native || !ok || len(list) != 2 {
		return ""
	}
	if swapped {
		a, b = b, a
	}
	return fmt.Sprintf("attempt to compare %s with %s", v.named(a, list[0]), v.named(b, list[1]))
}

func (v *VM) explainFor(f *sandbox.Fault, pl *classfile.Places, first int) string {
	list, _, ok := pl.Operation(f.Fn.Proto, f.PC)
	if f.Native || !ok {
		return ""
	}
	for i, what := range []string{"start", "limit", "step"} {
		if x := f.Register(first + i); i < len(list) && x.Type() != lua.LTNumber {
			return fmt.Sprintf("the %s of a for loop must be a number, got %s", what, v.named(x, list[i]))
		}
	}
	return ""
}

// libraryMessage is gopher-lua's error about an argument of one of its own functions.
type libraryMessage struct {
	argument           int // from 1
	function, expected string
}

// parseLibraryMessage reads a message such as "bad argument #2 to insert (number expected, got nil)".
func parseLibraryMessage(message string) (m libraryMessage, ok bool) {
	message, begins := strings.CutPrefix(message, "bad argument #")
	message, ends := strings.CutSuffix(message, ")")
	number, message, named := strings.Cut(message, " to ")
	m.function, m.expected, ok = strings.Cut(message, " (")
	n, err := strconv.ParseUint(number, 10, 16)
	m.argument = int(n)
	return m, ok && begins && ends && named && err == nil
}

// explainStore names the variables of an assignment through (store).
func (v *VM) explainStore(f *sandbox.Fault, pl *classfile.Places) string {
	object, key := f.Argument(1), f.Argument(2)
	if strings.HasPrefix(f.Message, "table index is ") {
		s := "attempt to use " + valueText(key) + " as a key"
		if o := pl.Key(f.Fn.Proto, f.PC); o != "" {
			s += " (" + string(o) + ")"
		}
		return s
	}
	native := f.Native
	f.Native = false // the assignment itself
	s := v.explainIndex(f, pl, object, key)
	f.Native = native
	return s
}

func (v *VM) explainCall(f *sandbox.Fault, pl *classfile.Places, first int) string {
	if f.Native && f.Callee() == v.storeFunction {
		return v.explainStore(f, pl)
	}
	if list, _, ok := pl.Operation(f.Fn.Proto, f.PC); ok { // '..' and '#' are calls of natives
		for i := len(list) - 1; i >= 0; i-- {
			x := f.Argument(i + 1)
			if x.Type() == lua.LTString || x.Type() == lua.LTNumber {
				continue
			}
			if what := v.named(x, list[i]); strings.HasPrefix(f.Message, "attempt to concatenate ") {
				return "attempt to concatenate " + what
			} else if strings.HasPrefix(f.Message, "attempt to get length ") {
				return "attempt to get the length of " + what
			}
		}
		return ""
	}
	call, ok := pl.Call(f.Fn.Proto, f.PC)
	if !ok {
		return ""
	}
	if m, ok := parseLibraryMessage(f.Message); ok && f.Native {
		return v.libraryArgument(f, &call, m)
	}
	if f.Native || f.Message != calledNil {
		return ""
	}
	s := "attempt to call " + v.named(f.Register(first), call.Callee)
	if call.Method != "" {
		s += v.missingMethod(f.Register(first+1), call.Method)
	}
	return s
}

// libraryArgument formats an argument error in the form of natives, counted as the script wrote it.
func (v *VM) libraryArgument(f *sandbox.Fault, call *classfile.Call, m libraryMessage) string {
	n, name := m.argument, m.function
	if call.Name != "" {
		name = call.Name
	}
	if call.Method != "" {
		n--
	}
	if n == 0 {
		return ""
	}
	what := "nothing"
	if n <= len(call.Args) {
		x := f.Argument(m.argument)
		what = valueText(x)
		if o := call.Args[n-1]; o != "" && x == lua.LNil {
			what += " (" + string(o) + ")"
		}
	}
	if kind, _, ok := strings.Cut(m.expected, " expected, got "); ok {
		return fmt.Sprintf("%s: argument %d: expected a %s, got %s", name, n, kind, what)
	}
	return fmt.Sprintf("%s: argument %d: %s, got %s", name, n, m.expected, what)
}

// maxNames bounds the functions of a table that are searched for the nearest name.
const maxNames = 500
