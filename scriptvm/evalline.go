package scriptvm

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm/syntax"
)

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

// plainName matches a key that Lua lets one write without brackets.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

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
		case named && plainName.MatchString(string(s)):
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
