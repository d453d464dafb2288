package sandbox

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Kind is the kind of fault that ended a call.
type Kind uint8

// The kinds of fault.
const (
	KindScript       Kind = iota // an error the script raised or caused
	KindInstructions             // ErrInstructions
	KindMemory                   // ErrMemory
	KindTime                     // ErrTime
	KindPanic                    // ErrPanic: a bug of the host
)

// String returns the name of the kind.
func (k Kind) String() string {
	switch k {
	case KindScript:
		return "script"
	case KindInstructions:
		return "instructions"
	case KindMemory:
		return "memory"
	case KindTime:
		return "time"
	case KindPanic:
		return "panic"
	}
	return "unknown"
}

// Error is the error that ended a call of a script.
type Error struct {
	Kind Kind
	// File and Line are where it happened, "" and 0 if no script was running.
	File string
	Line int
	// Message is what happened, without the place.
	Message string
	// Stack is the call stack, innermost first, one line per function ("file:line: in function 'name'").
	Stack []string
	// Frames lists the functions on the stack, innermost first, those of the calls around the failed one included.
	Frames []Frame
	// Value is the argument of error(); a string has its position in front.
	Value lua.LValue

	cause error
}

// Error returns file:line: message.
func (e *Error) Error() string {
	if e.File == "" {
		return e.Message
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
}

// Unwrap returns ErrInstructions, ErrMemory, ErrTime or ErrPanic, or nil for an error of the script.
func (e *Error) Unwrap() error { return e.cause }

// toError converts gopher-lua's error to an *Error. reason is that of the budget.
func (vm *VM) toError(failure error, reason error) error {
	var done *Error
	if errors.As(failure, &done) {
		return done
	}
	e := &Error{Value: lua.LNil, Message: failure.Error(), Frames: vm.takeTrace()}
	var api *lua.ApiError
	if errors.As(failure, &api) {
		e.Value = vm.errorValue(api)
		e.Message = vm.describeError(e.Value)
		e.Stack = stackLines(api.StackTrace)
	}
	if text, ok := e.Value.(lua.LString); ok {
		e.File, e.Line, e.Message = SplitPlace(string(text))
	}
	if e.File == "" {
		for _, line := range e.Stack {
			if file, number, _ := SplitPlace(line); file != "" {
				e.File, e.Line = file, number
				break
			}
		}
	}
	switch {
	case reason == ErrMemory:
		e.Kind, e.cause = KindMemory, reason
	case reason == ErrTime:
		e.Kind, e.cause = KindTime, reason
	case reason != nil:
		e.Kind, e.cause = KindInstructions, reason
	case vm.internal != "" && strings.HasSuffix(e.Message, vm.internal),
		api != nil && api.Type == lua.ApiErrorPanic && !isOverflow(e.Message):
		e.Kind, e.cause = KindPanic, ErrPanic
	}
	if e.Kind == KindPanic {
		vm.internal = ""
	}
	return e
}

// errorValue returns what a script sees of an error it catches: the argument of error(), or the message without
// addresses, which differ between two runs.
func (vm *VM) errorValue(failure error) lua.LValue {
	var api *lua.ApiError
	if !errors.As(failure, &api) {
		return lua.LString(failure.Error())
	}
	text, ok := api.Object.(lua.LString)
	if !ok {
		if api.Object == nil {
			return lua.LNil
		}
		return api.Object
	}
	if isOverflow(string(text)) {
		return lua.LString("stack overflow")
	}
	return lua.LString(withoutAddresses(strings.TrimPrefix(string(text), " ")))
}

// isOverflow recognises gopher-lua's panic when a coroutine calls too deeply.
func isOverflow(message string) bool { return message == "lua callstack overflow" }

// describeError describes an error value.
func (vm *VM) describeError(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return formatNumber(float64(v))
	}
	return fmt.Sprintf("error value %s", vm.plainString(v))
}

// SplitPlace splits "file:line: message"; without a position file is "".
func SplitPlace(text string) (file string, line int, message string) {
	place, rest, found := strings.Cut(text, ": ")
	if !found {
		return "", 0, text
	}
	colon := strings.LastIndexByte(place, ':')
	if colon <= 0 {
		return "", 0, text
	}
	line, err := strconv.Atoi(place[colon+1:])
	if err != nil || line < 0 || strings.ContainsAny(place[:colon], "\n") {
		return "", 0, text
	}
	return place[:colon], line, rest
}

// withoutAddresses cuts the address from "table: 0xc000012345", which gopher-lua puts into its messages about keys.
// Our own numbers of tables are decimal.
func withoutAddresses(text string) string {
	const mark = ": 0x"
	from := 0
	for {
		i := strings.Index(text[from:], mark)
		if i < 0 {
			return text
		}
		i += from
		end := i + len(mark)
		for end < len(text) && strings.IndexByte("0123456789abcdef", text[end]) >= 0 {
			end++
		}
		known := false
		for _, kind := range []string{"table", "function", "userdata", "thread", "channel"} {
			known = known || strings.HasSuffix(text[:i], kind)
		}
		if known && end-i-len(mark) >= 6 {
			text = text[:i] + text[end:]
			from = i
		} else {
			from = end
		}
	}
}

// stackLines splits gopher-lua's stack trace into lines.
func stackLines(trace string) []string {
	var lines []string
	for _, line := range strings.Split(trace, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "", line == "stack traceback:", strings.HasPrefix(line, "[G]: ?"):
		default:
			lines = append(lines, strings.Replace(line, "corountine", "coroutine", 1))
		}
	}
	return lines
}

// stackOf returns the stack of a running state, in the same form.
func stackOf(L *lua.LState) []string {
	var lines []string
	for level := 0; len(lines) < 20; level++ {
		debug, ok := L.GetStack(level)
		if !ok {
			break
		}
		if _, err := L.GetInfo("Snl", debug, lua.LNil); err != nil {
			break
		}
		if debug.Source == bootName {
			continue // boot
		}
		name := debug.Name
		if !strings.HasPrefix(name, "<") && !strings.HasPrefix(name, "(") {
			name = "'" + name + "'"
		}
		lines = append(lines, fmt.Sprintf("%s in function %s", L.Where(level), name))
	}
	return lines
}
