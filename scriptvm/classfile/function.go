package classfile

import (
	"strings"
	"sync"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/condition"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	"github.com/yuin/gopher-lua/ast"
)

type paramDecl struct {
	name  string
	pos   engine.Pos
	types []*lit
}

// defDecl is one function body of the file.
type defDecl struct {
	class *classDecl
	state string
	name  string
	what  DefKind
	pos   engine.Pos
	stmt  *ast.FuncDefStmt // belongs to the chunk; nil for conditions
	fn    *syntax.Function
	rule  *ruleDecl

	simulated, reliable, stated bool
	kind                        engine.CallKind

	params  []string // without self
	console *Console // of a command, nil for others
	vararg  bool

	near func() string // the event it may have been meant to be; found once, because loads repeat
	// asCondition returns what a condition needs to know of the function: its effects, and its form as an
	// expression.
	asCondition func() (purity, *condition.Function)
}

// specifiers of functions, in the recommended order.
var specifiers = []string{"simulated", "server", "client", "multicast", "remote", "reliable", "unreliable", "validate", "state", "console"}

// function reads function C…:Name(…).
func (u *unit) function(s *ast.FuncDefStmt) {
	c := u.rootClass(s)
	fn := u.chunk.Function(s.Func)
	if s.Name.Func != nil {
		name := "Name"
		if _, n, ok := attr(s.Name.Func); ok {
			name = n
		}
		u.errorf(u.at(s.Name.Func), "bad-function", "class %s: a function of a class takes self: expected function %s:%s(…); a helper is a local function", c.name, c.name, name)
		return
	}
	d := &defDecl{class: c, name: s.Name.Method, stmt: s, fn: fn, vararg: fn.Vararg}
	for _, p := range fn.Params {
		d.params = append(d.params, p.Name)
	}
	var chain []string
	for e := s.Name.Receiver; ; {
		obj, n, ok := attr(e)
		if !ok {
			break
		}
		chain = append([]string{n}, chain...)
		e = obj
	}
	d.pos = u.pos(u.chunk.NamePos(s, len(chain)+1))
	at := func(i int) engine.Pos { return u.pos(u.chunk.NamePos(s, i+1)) }
	reliability := ""
	for i := 0; i < len(chain); i++ {
		word := chain[i]
		clash := func(with string) {
			u.errorf(at(i), "bad-function", "class %s: function %s: .%s does not go with .%s", c.name, d.name, word, with)
		}
		switch word {
		case "simulated":
			d.simulated = true
		case "server", "client", "multicast", "remote":
			if d.stated {
				clash(d.kind.String())
				return
			}
			d.stated = true
			d.kind = map[string]engine.CallKind{
				"server": engine.CallServer, "client": engine.CallClient, "multicast": engine.CallMulticast, "remote": engine.CallRemote,
			}[word]
		case "reliable", "unreliable":
			if reliability != "" {
				clash(reliability)
				return
			}
			reliability = word
			d.reliable = word == "reliable"
		case "validate":
			if i != 0 || len(chain) != 1 {
				u.errorf(at(i), "bad-function", "class %s: a validator is written function %s.validate:%s(…)", c.name, c.name, d.name)
				return
			}
			d.what = DefValidator
		case "console":
			if len(chain) != 1 {
				u.errorf(at(i), "bad-function", "class %s: a command takes no specifiers: expected function %s.console:%s(…)", c.name, c.name, d.name)
				return
			}
			if !u.consoleFunction(d, s, d.pos) {
				return
			}
		case "state":
			if i != 0 || len(chain) < 2 {
				u.errorf(at(i), "bad-function", "class %s: a function of a state is written function %s.state.Name:%s(…)", c.name, c.name, d.name)
				return
			}
			i++
			d.state = chain[i]
			u.stateNamed(c, d.state, at(i))
			if d.name == "Code" {
				d.what = DefCode
			}
		default:
			u.errorf(at(i), "bad-function", "class %s: function %s: unknown specifier .%s%s; a function has %s", c.name, d.name, word,
				engine.Nearest(word, specifiers), strings.Join(specifiers[:7], ", "))
			return
		}
	}
	if reliability != "" && !d.stated {
		u.errorf(d.pos, "bad-function", "class %s: function %s: .%s says how a call crosses; expected .server, .client, .multicast or .remote before it", c.name, d.name, reliability)
		return
	}
	if d.what == DefCode && len(chain) > 2 {
		u.errorf(d.pos, "bad-function", "class %s: the code of state %s takes no specifier; write simulated = true in .state", c.name, d.state)
		return
	}
	for _, o := range c.defs {
		if o.name == d.name && o.state == d.state && o.what == d.what {
			u.errorf(d.pos, "duplicate-function", "class %s: %s is already defined at %s", c.name, label(d), o.pos)
			return
		}
	}
	for _, o := range c.defs {
		if d.state == "" && o.state == "" && (o.name == ConsoleSpace+d.name || d.name == ConsoleSpace+o.name) {
			u.errorf(d.pos, "bad-command", "class %s: %s and %s, at %s, have one name, and .params could mean either; rename one", c.name, label(d), label(o), o.pos)
			return
		}
	}
	d.near = sync.OnceValue(func() string { return nearEvent(d.name) })
	c.defs = append(c.defs, d)
	u.defs = append(u.defs, d)
}

// label returns the name of a def inside its class.
func label(d *defDecl) string {
	switch {
	case d.what == DefValidator:
		return "the validator of " + d.name
	case d.what == DefCode:
		return "the code of state " + d.state
	case d.what == DefCondition:
		return "the condition of " + d.name
	case d.console != nil:
		return "command " + d.console.Command
	case d.state != "":
		return "function " + d.name + " of state " + d.state
	}
	return "function " + d.name
}
