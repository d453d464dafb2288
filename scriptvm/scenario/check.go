package scenario

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// checkMethods returns the checks of t. Each takes a last argument that says what is checked, for the message.
func (r *run) checkMethods() map[string]lua.LGFunction {
	compare := func(name string, expected string, holds func(less, equal bool) bool) lua.LGFunction {
		return func(L *lua.LState) int {
			a, b := L.Get(2), L.Get(3)
			less, equal, ok := order(a, b)
			if !ok {
				L.RaiseError("t:%s: expected two numbers or two strings, got %s and %s", name, r.vm.show(a), r.vm.show(b))
			}
			return r.check(L, 4, holds(less, equal), expected+" "+r.vm.show(b), r.vm.show(a))
		}
	}
	return map[string]lua.LGFunction{
		"eq": func(L *lua.LState) int {
			a, b := r.byValue(L, 2), r.byValue(L, 3)
			return r.check(L, 4, equal(a, b, 0), r.vm.show(b), r.vm.show(a))
		},
		"ne": func(L *lua.LState) int {
			a, b := r.byValue(L, 2), r.byValue(L, 3)
			return r.check(L, 4, !equal(a, b, 0), "anything but "+r.vm.show(b), r.vm.show(a))
		},
		"near": r.near,
		"ok": func(L *lua.LState) int {
			return r.check(L, 3, lua.LVAsBool(L.Get(2)), "true", r.vm.show(L.Get(2)))
		},
		"no": func(L *lua.LState) int {
			return r.check(L, 3, !lua.LVAsBool(L.Get(2)), "false or nil", r.vm.show(L.Get(2)))
		},
		"lt": compare("lt", "less than", func(less, _ bool) bool { return less }),
		"le": compare("le", "at most", func(less, equal bool) bool { return less || equal }),
		"gt": compare("gt", "more than", func(less, equal bool) bool { return !less && !equal }),
		"ge": compare("ge", "at least", func(less, _ bool) bool { return !less }),
		"match": func(L *lua.LState) int {
			s, ok := L.Get(2).(lua.LString)
			pattern := r.pattern(L, 3)
			return r.check(L, 4, ok && r.matches(string(s), pattern), "a text that matches "+strconv.Quote(pattern), r.vm.show(L.Get(2)))
		},
		"error":        r.expectRaised,
		"expect_error": r.expectReported,
		"within":       r.within,
		"always":       r.always,
	}
}

// check counts a check that holds, and fails the run for one that does not. The argument at i says what is checked.
func (r *run) check(L *lua.LState, i int, holds bool, expected, actual string) int {
	if holds {
		r.result.Checks++
		return 0
	}
	message := "check failed"
	if s, ok := L.Get(i).(lua.LString); ok {
		message = string(s)
	}
	r.fail(L, Failure{Message: message, Compared: true, Expected: expected, Actual: actual})
	return 0
}

// byValue returns an argument, with arrays and structs of actors as plain tables.
func (r *run) byValue(L *lua.LState, i int) lua.LValue {
	x := L.Get(i)
	if pl, ok := x.(place); ok {
		plain, err := r.plain(pl)
		raise(L, err)
		return plain
	}
	return x
}

func (r *run) pattern(L *lua.LState, i int) string {
	s := argument[lua.LString](r, L, i, "expected a pattern")
	if _, err := r.vm.sb.Call("", r.find, lua.LString(""), s); err != nil {
		L.RaiseError("%s", message(err))
	}
	return string(s)
}

// message returns the text of a sandbox error, without its position.
func message(err error) string {
	var e *sandbox.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// near is t:near(a, b, tolerance): numbers, vectors by distance, rotators by their largest component.
func (r *run) near(L *lua.LState) int {
	a, b := L.Get(2), L.Get(3)
	tol := argument[lua.LNumber](r, L, 4, "t:near: expected a tolerance as third argument")
	d, ok := distance(a, b)
	if !ok {
		L.RaiseError("t:near: expected two numbers, vectors or rotators, got %s and %s", r.vm.show(a), r.vm.show(b))
	}
	return r.check(L, 5, d <= float64(tol),
		fmt.Sprintf("%s within %s", r.vm.show(b), r.vm.show(tol)), fmt.Sprintf("%s, which is %.6g off", r.vm.show(a), d))
}

func distance(a, b lua.LValue) (float64, bool) {
	if x, ok := a.(lua.LNumber); ok {
		y, ok := b.(lua.LNumber)
		return math.Abs(float64(x - y)), ok
	}
	if x, ok := scriptvm.VectorOf(a); ok {
		y, ok := scriptvm.VectorOf(b)
		return x.Distance(y), ok
	}
	if x, ok := scriptvm.RotatorOf(a); ok {
		y, ok := scriptvm.RotatorOf(b)
		d := x.Sub(y)
		part := func(u uint16) float64 { return math.Abs(float64(geom.Signed(u))) }
		return max(part(d.Pitch), part(d.Yaw), part(d.Roll)), ok
	}
	return 0, false
}

func order(a, b lua.LValue) (less, equal, ok bool) {
	switch x := a.(type) {
	case lua.LNumber:
		y, ok := b.(lua.LNumber)
		return x < y, x == y, ok && x-x == 0 && y-y == 0 || ok && x == x && y == y
	case lua.LString:
		y, ok := b.(lua.LString)
		return x < y, x == y, ok
	}
	return false, false, false
}

// maxCompareDepth bounds the depth to which tables are compared; deeper ones count as different.
const maxCompareDepth = 32

// equal compares by value: plain values, vectors, rotators, handles, and tables with equal contents.
func equal(a, b lua.LValue, depth int) bool {
	ta, ok := a.(*lua.LTable)
	if !ok {
		return a == b
	}
	tb, ok := b.(*lua.LTable)
	if !ok || depth > maxCompareDepth {
		return false
	}
	if ta == tb {
		return true
	}
	n := 0
	for k, x := ta.Next(lua.LNil); k != lua.LNil; k, x = ta.Next(k) {
		if !equal(x, tb.RawGet(k), depth+1) {
			return false
		}
		n++
	}
	for k, _ := tb.Next(lua.LNil); k != lua.LNil; k, _ = tb.Next(k) {
		n--
	}
	return n == 0
}

// expectRaised is t:error(fn, pattern): fn must raise an error that matches. It returns the message.
func (r *run) expectRaised(L *lua.LState) int {
	fn := argument[*lua.LFunction](r, L, 2, "t:error: expected a function")
	pattern := ""
	if L.Get(3) != lua.LNil {
		pattern = r.pattern(L, 3)
	}
	_, err := r.vm.sb.Call("", fn)
	if r.failed {
		L.RaiseError("%s", r.result.Failures[0].Message) // a check inside failed: that is the failure
	}
	if err == nil {
		return r.check(L, 4, false, "an error that matches "+strconv.Quote(pattern), "no error")
	}
	if text := r.vm.file.spent(err); text != "" {
		r.fail(L, Failure{Message: text})
	}
	r.check(L, 4, r.matches(err.Error(), pattern), "an error that matches "+strconv.Quote(pattern), strconv.Quote(err.Error()))
	L.Push(lua.LString(err.Error()))
	return 1
}

// expectReported is t:expect_error(pattern).
func (r *run) expectReported(L *lua.LState) int {
	e := &expectation{pattern: r.pattern(L, 2)}
	e.file, e.line, _ = sandbox.SplitPlace(L.Where(1) + " ")
	r.expected = append(r.expected, e)
	return 0
}

// grace is how many extra seconds t:within waits in real time. The virtual clock measures a scenario exactly;
// sockets only have to show that the same happens, on a machine that may be busy.
const grace = 8

// within is t:within(seconds, fn): runs until fn is true, and fails if it never is.
func (r *run) within(L *lua.LState) int {
	seconds, fn := r.watch(L, "within")
	if r.stage.Transport() == "kcp" {
		seconds += grace
	}
	until := r.stage.Now() + seconds
	var last lua.LValue
	for {
		if last = r.ask(L, fn); lua.LVAsBool(last) {
			r.result.Checks++
			L.Push(last)
			return 1
		}
		if !r.step(L, until) {
			return r.check(L, 4, false, fmt.Sprintf("true within %.6g s", seconds), r.vm.show(last)+" all the time")
		}
	}
}

// always is t:always(seconds, fn): fn must be true now and after every tick.
func (r *run) always(L *lua.LState) int {
	seconds, fn := r.watch(L, "always")
	start := r.stage.Now()
	for {
		if x := r.ask(L, fn); !lua.LVAsBool(x) {
			return r.check(L, 4, false, fmt.Sprintf("true for %.6g s", seconds), fmt.Sprintf("%s after %.6g s", r.vm.show(x), r.stage.Now()-start))
		}
		if !r.step(L, start+seconds) {
			r.result.Checks++
			return 0
		}
	}
}

func (r *run) watch(L *lua.LState, name string) (float64, *lua.LFunction) {
	seconds, ok := L.Get(2).(lua.LNumber)
	fn, isFunction := L.Get(3).(*lua.LFunction)
	if !ok || !isFunction || !(seconds >= 0) || math.IsInf(float64(seconds), 0) {
		L.RaiseError("t:%s: expected seconds and a function, got %s and %s", name, r.vm.show(L.Get(2)), r.vm.show(L.Get(3)))
	}
	return float64(seconds), fn
}

func (r *run) ask(L *lua.LState, fn *lua.LFunction) lua.LValue {
	L.Push(fn)
	L.Call(0, 1)
	x := L.Get(-1)
	L.Pop(1)
	return x
}

// Bounds for showing values in messages.
const (
	maxShown      = 400 // bytes
	maxShownDepth = 4
)

// show formats a value as it would be written in a script.
func (v *fileVM) show(x lua.LValue) string {
	var b strings.Builder
	showTo(&b, x, 0)
	s := b.String()
	if len(s) > maxShown {
		return s[:maxShown] + "…"
	}
	return s
}

func showTo(b *strings.Builder, x lua.LValue, depth int) {
	switch x := x.(type) {
	case lua.LString:
		if len(x) > maxShown {
			x = x[:maxShown]
		}
		b.WriteString(strconv.Quote(string(x)))
	case lua.LNumber:
		fmt.Fprintf(b, "%.14g", float64(x))
	case *lua.LFunction:
		b.WriteString("a function")
	case *lua.LTable:
		if depth >= maxShownDepth || b.Len() > maxShown {
			b.WriteString("{…}")
			return
		}
		b.WriteByte('{')
		n := x.Len()
		first := true
		for k, e := x.Next(lua.LNil); k != lua.LNil && b.Len() <= maxShown; k, e = x.Next(k) {
			if !first {
				b.WriteString(", ")
			}
			first = false
			if i, ok := k.(lua.LNumber); !ok || i < 1 || int(i) > n {
				if s, ok := k.(lua.LString); ok {
					b.WriteString(string(s))
				} else {
					b.WriteByte('[')
					showTo(b, k, depth+1)
					b.WriteByte(']')
				}
				b.WriteString(" = ")
			}
			showTo(b, e, depth+1)
		}
		b.WriteByte('}')
	default:
		b.WriteString(x.String())
	}
}
