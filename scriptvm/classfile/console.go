package classfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/yuin/gopher-lua/ast"
)

// Console describes a function that people run as a command of the match: function C.console:Name(…) of a game. The
// function is called [ConsoleSpace] and Name in its class, so that it hides no function Name, and no script calls it as
// self:Name(…).
type Console struct {
	// Command is the name as it is typed: "bot add" for BotAdd.
	Command string
	// Role is the least role of who may give it, one of [ConsoleRoles].
	Role string
	// Help is the comment above the function in one line, "" without one.
	Help string
	// Caller says that the first argument is not typed: it is the PlayerController of the player who gives the command, nil
	// for everybody else.
	Caller bool
	// Optional says which arguments may be left out, by their index in [engine.FunctionSpec.Params].
	Optional []bool
}

const (
	// ConsoleSpace begins the names of functions that are commands.
	ConsoleSpace = "console."
	// GameClass is the root of the classes that may declare commands; its own parents may, too. A match has one actor of
	// them, on its server.
	GameClass = "GameInfo"
	// CallerArgument is the name of a first argument that says who gives the command.
	CallerArgument = "Caller"
)

// maxConsoleHelp bounds the help of a command, in bytes.
const maxConsoleHelp = 300

// ConsoleRoles returns what .roles may say, in ascending order. They are the roles of package access.
func ConsoleRoles() []string { return []string{"none", "moderator", "admin", "owner"} }

// consoleRole is the role that a command needs if .roles does not name it.
const consoleRole = "admin"

// commandName returns the name of a command as it is typed: "bot add" for BotAdd, "npc spawn" for NPCSpawn; "" for a
// name that is not written in PascalCase.
func commandName(name string) string {
	if name == "" || name[0] < 'A' || name[0] > 'Z' || strings.Contains(name, "_") {
		return ""
	}
	upper := func(i int) bool { return i < len(name) && name[i] >= 'A' && name[i] <= 'Z' }
	var b strings.Builder
	for i := range len(name) {
		if i > 0 && upper(i) && (!upper(i-1) || i+1 < len(name) && !upper(i+1)) {
			b.WriteByte(' ')
		}
		b.WriteString(strings.ToLower(name[i : i+1]))
	}
	return b.String()
}

// consoleFunction reads the name of function C.console:Name(…), and reports whether it can be one.
func (u *unit) consoleFunction(d *defDecl, s *ast.FuncDefStmt, pos engine.Pos) bool {
	name := commandName(d.name)
	if name == "" {
		u.errorf(d.pos, "bad-command", "class %s: console:%s: a command is written in PascalCase without _: BotAdd is typed as bot add", d.class.name, d.name)
		return false
	}
	if d.vararg {
		u.errorf(pos, "bad-command", "class %s: console:%s: a command has a fixed list of arguments; a last string takes the rest of the line", d.class.name, d.name)
		return false
	}
	d.console = &Console{
		Command: name, Role: consoleRole, Help: helpOf(u.chunk.Above(u.chunk.NamePos(s, 0).Line)),
		Caller: len(d.params) > 0 && d.params[0] == CallerArgument, Optional: make([]bool, len(d.params)),
	}
	d.name = ConsoleSpace + d.name
	return true
}

// helpOf makes one line of a comment, without the annotations of a language server.
func helpOf(comment string) string {
	var words []string
	for line := range strings.SplitSeq(comment, "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), "@") {
			words = append(words, strings.Fields(line)...)
		}
	}
	text := strings.Join(words, " ")
	if len(text) > maxConsoleHelp {
		text = text[:strings.LastIndexByte(text[:maxConsoleHelp], ' ')+1] + "…"
	}
	return text
}

// roles reads an entry of .roles.
func (u *unit) role(c *classDecl, f litField, label string) {
	switch {
	case f.value.kind == litBad:
	case f.value.kind != litString || !slices.Contains(ConsoleRoles(), f.value.text):
		got, near := f.value.describe(), ""
		if f.value.kind == litString {
			near = engine.Nearest(f.value.text, ConsoleRoles())
		}
		u.errorf(f.value.pos, "bad-command", "%s: %s: expected one of %s, got %s%s", label, f.name, quoted(ConsoleRoles()), got, near)
	default:
		c.roles = append(c.roles, f)
	}
}

// quoted lists names in quotation marks.
func quoted(names []string) string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(list, ", ")
}

// consoles completes the commands of a class: it sets their roles, and checks that the types of all arguments are declared.
func (l *loader) consoles(c *classDecl, s *engine.ClassSpec) {
	var names []string
	for _, d := range c.defs {
		if d.console != nil {
			names = append(names, strings.TrimPrefix(d.name, ConsoleSpace))
		}
	}
	for _, r := range c.roles {
		i := slices.IndexFunc(c.defs, func(d *defDecl) bool { return d.console != nil && d.name == ConsoleSpace+r.name })
		if i < 0 {
			l.errorf(r.pos, "unknown-name", "class %s: .roles of %s, which is no command of this file%s; expected function %s.console:%s(…)", c.name, r.name, engine.Nearest(r.name, names), c.name, r.name)
			continue
		}
		l.def(c.defs[i]).Console.Role = r.value.text
	}
	for i := range s.Functions {
		f := &s.Functions[i]
		d := l.declOf[f.Script.(*Def)]
		if d.console == nil {
			continue
		}
		short := strings.TrimPrefix(f.Name, ConsoleSpace)
		if len(f.Params) < len(d.params) {
			l.errorf(f.Pos, "bad-command", "class %s: console:%s: the console has to know what %s is; declare the types of all arguments: %s.params { %s = { … } }", c.name, short,
				d.params[len(f.Params)], c.name, short)
			continue
		}
		if f.Params == nil {
			f.Params = []engine.Param{} // not those of the parent's command of the same name
		}
		l.consoleArguments(c, f, d)
	}
}

// consoleArguments checks the types of a command's arguments.
func (l *loader) consoleArguments(c *classDecl, f *engine.FunctionSpec, d *defDecl) {
	info := f.Script.(*Def).Console
	label := "class " + c.name + ": console:" + strings.TrimPrefix(f.Name, ConsoleSpace)
	optional := false
	for i := range f.Params {
		p := &f.Params[i]
		if i == 0 && info.Caller {
			if p.Type.Kind != engine.KindRef || info.Optional[0] {
				l.errorf(f.Pos, "bad-command", `%s: %s is the player who gives the command, or nil: its type is ref("PlayerController")`, label, CallerArgument)
			}
			continue
		}
		switch p.Type.Kind {
		case engine.KindBool, engine.KindInt, engine.KindFloat, engine.KindString, engine.KindEnum, engine.KindRef, engine.KindClass:
		default:
			l.errorf(f.Pos, "bad-command", "%s: nobody can type %s, which is %s; expected a boolean, int, float, string, enum, ref or classref, and for a place three floats", label, d.params[i], p.Type)
		}
		if optional && !info.Optional[i] {
			l.errorf(f.Pos, "bad-command", "%s: %s follows an argument that is optional, so it must be optional, too", label, d.params[i])
		}
		optional = info.Optional[i]
	}
}

// reserved reports commands whose names are the host's own, or begin with one of them, which takes what follows as its
// arguments.
func (l *loader) reserved() {
	if len(l.opt.Reserved) == 0 {
		return
	}
	for _, u := range l.units {
		for _, d := range u.defs {
			if d.console == nil {
				continue
			}
			for _, own := range l.opt.Reserved {
				if name := d.console.Command; name == own || strings.HasPrefix(name, own+" ") {
					short := strings.TrimPrefix(d.name, ConsoleSpace)
					l.errorf(d.pos, "bad-command", "class %s: console:%s is typed as %q, and the host has a command %q of its own; rename it, for example to Game%s", d.class.name, short, name, own, short)
					break
				}
			}
		}
	}
}

// consoleCommands checks the commands of a class against its ancestors.
func (c *checker) consoleCommands(decl *classDecl) {
	k := c.built.Find(decl.name)
	for _, d := range decl.defs {
		if d.console == nil {
			continue
		}
		short := strings.TrimPrefix(d.name, ConsoleSpace)
		if game := c.built.Find(GameClass); !k.IsA(GameClass) && (game == nil || k.Parent == nil || !game.IsA(k.Name)) {
			c.error(d.pos, "bad-command", "class %s: console:%s: commands stand in the class of a game, a child of %s or one of its parents: a match has one", k.Name, short, GameClass)
		}
		for _, f := range k.FunctionNames() {
			if f != d.name && strings.HasPrefix(f, ConsoleSpace) && commandName(strings.TrimPrefix(f, ConsoleSpace)) == d.console.Command {
				c.error(d.pos, "bad-command", "class %s: console:%s and console:%s are both typed as %q; rename one", k.Name, short, strings.TrimPrefix(f, ConsoleSpace), d.console.Command)
			}
		}
		if d.console.Help == "" && c.opt.Check {
			c.warnf(d.pos, "no-help", "class %s: console:%s: help has nothing to say about it; write what it does in a comment above the function", k.Name, short)
		}
	}
}

// Commands returns the functions of a game's class that are commands, those of its ancestors included, sorted by name.
func Commands(k *engine.Class) []*engine.Function {
	var out []*engine.Function
	for _, f := range k.Functions { // any order: sorted below
		if d, _ := f.Script.(*Def); d != nil && d.Console != nil {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *engine.Function) int {
		return strings.Compare(a.Script.(*Def).Console.Command, b.Script.(*Def).Console.Command)
	})
	return out
}
