// Package command is the registry of the commands that people give to a running host: on its terminal, over its API, on
// its pages and in the game. Parsing, completion, help, the required role and the log of changes follow from one entry.
//
// It owns the search for a line's command, its arguments, and the messages if they are wrong. It deliberately does
// not: know what commands do, decide who has which role, write anywhere, or have a goroutine.
//
//	var r command.Registry
//	err := r.Add(command.Command{
//		Name: "say", Params: []command.Param{{Name: "TEXT", Kind: command.Text}}, Needs: access.Moderator,
//		Help: "Show all players a line of text.", Run: say,
//	})
//	answer, err := r.Do(ctx, command.Caller{Name: "terminal", Role: access.Owner}, "say hello")
//
// Guarantees: A wrong line gives one line with the nearest name. A command that needs a role is refused without it, and
// logged. Knows nothing about hosts.
package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/console"
	"github.com/tidelock/tidelock/engine"
)

// MaxLine bounds a line, in bytes; a longer one is not executed.
const MaxLine = 4096

// Command is an entry of a registry.
type Command struct {
	// Name is one word or several in lower case: "reload level".
	Name string
	// Params are its arguments, in order. Optional ones follow the others; only the last may be a Text.
	Params []Param
	// Help is a sentence for the help and the documents.
	Help string
	// Needs is the least role of who may give it. A command that changes anything needs one; [access.None] is for those that
	// only show something.
	Needs access.Role
	// Public says that in the game it is for all players, also for those without a role; it must need none then.
	Public bool
	// Run executes it. The answer is lines for the caller; an error is one line. It may be called on any goroutine.
	Run func(*Call) (answer []string, err error)
}

// Usage returns how the command is typed: "say TEXT", "help [COMMAND]".
func (c *Command) Usage() string {
	s := c.Name
	for i := range c.Params {
		s += " " + c.Params[i].String()
	}
	return s
}

// Caller is who gives a command.
type Caller struct {
	// Name is for the log: "terminal", or a player's name.
	Name string
	// Key is the key of a player, "" for others.
	Key string
	// Connection is the number of the player's connection in the match, 0 for others.
	Connection uint32
	// Role is what they may do.
	Role access.Role
	// Via is where the command came from: "terminal", "api", "page", "game".
	Via string
}

// Call is one execution of a command.
type Call struct {
	Context context.Context //nolint:containedctx // a call is what a context belongs to
	Caller  Caller

	values []value
}

// Registry holds the commands. Its methods are for any goroutine; the zero value is empty.
type Registry struct {
	// Log, if not nil, is called for each executed or refused command that needs a role, after it ran. Set it before
	// the first use.
	Log func(who Caller, line string, err error)

	mu   sync.RWMutex
	list []Command // sorted by name
}

// UsageError is a line that is not a command, or one with wrong, missing or surplus arguments.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// RoleError is a command for which the caller lacks the role.
type RoleError struct {
	Command string
	Needs   access.Role
	Has     access.Role
}

func (e *RoleError) Error() string {
	has := "you have none"
	if e.Has != access.None {
		has = "yours is " + e.Has.String()
	}
	return fmt.Sprintf("%s needs the role %s; %s: ask the host's owner for it", e.Command, e.Needs, has)
}

// Add adds commands. A name that is taken, or an entry that cannot be typed, is an error, and nothing is added.
func (r *Registry) Add(list ...Command) error { return r.Replace(nil, list...) }

// Replace removes commands by their names, of which unknown ones are ignored, and adds others. On an error nothing is
// changed.
func (r *Registry) Replace(names []string, list ...Command) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.DeleteFunc(slices.Clone(r.list), func(c Command) bool { return slices.Contains(names, c.Name) })
	for i := range list {
		if err := list[i].check(); err != nil {
			return err
		}
		at, taken := find(all, list[i].Name)
		if taken {
			return fmt.Errorf("there is a command %q already", list[i].Name)
		}
		all = slices.Insert(all, at, list[i])
	}
	r.list = all
	return nil
}

func find(list []Command, name string) (at int, ok bool) {
	return slices.BinarySearchFunc(list, name, func(c Command, name string) int { return strings.Compare(c.Name, name) })
}

// check returns what is wrong with an entry.
func (c *Command) check() error {
	if c.Name == "" || c.Run == nil || c.Name != strings.ToLower(strings.Join(strings.Fields(c.Name), " ")) {
		return fmt.Errorf("command %q: expected a name in lower case, with single spaces, and a function", c.Name)
	}
	optional := false
	for i, p := range c.Params {
		if p.Name == "" || strings.ContainsAny(p.Name, " \t\"") {
			return fmt.Errorf("command %q: %q cannot be the name of an argument; write one word", c.Name, p.Name)
		}
		if optional && !p.Optional {
			return fmt.Errorf("command %q: %s must be optional, as it follows an optional argument", c.Name, p.Name)
		}
		if p.Kind == Text && i < len(c.Params)-1 {
			return fmt.Errorf("command %q: %s takes the rest of the line, so it must be the last argument", c.Name, p.Name)
		}
		optional = p.Optional
	}
	return nil
}

// List returns all commands, sorted by name.
func (r *Registry) List() []Command {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.list // never changed in place
}

// Find returns the command of a line, false for none.
func (r *Registry) Find(line string) (Command, bool) {
	if c, _ := match(r.List(), strings.TrimSpace(line)); c != nil {
		return *c, true
	}
	return Command{}, false
}

// Do runs the command of a line. An empty line does nothing. The error is a *UsageError if the line is wrong, a
// *RoleError if the caller may not, otherwise the command's own.
func (r *Registry) Do(ctx context.Context, who Caller, line string) (answer []string, err error) {
	line = strings.TrimSpace(line)
	if line == "" {
		return nil, nil
	}
	if len(line) > MaxLine {
		return nil, &UsageError{fmt.Sprintf("a line of more than %d bytes is not a command", MaxLine)}
	}
	if !utf8.ValidString(line) || strings.ContainsFunc(line, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		return nil, &UsageError{"a command is text without control characters"}
	}
	list := r.List()
	c, args := match(list, line)
	if c == nil {
		word, _, _ := strings.Cut(line, " ")
		return nil, &UsageError{fmt.Sprintf("unknown command %q%s; help lists all", word, nearest(list, line))}
	}
	if c.Needs != access.None && r.Log != nil {
		defer func() { r.Log(who, line, err) }()
	}
	if who.Role < c.Needs {
		return nil, &RoleError{Command: c.Name, Needs: c.Needs, Has: who.Role}
	}
	call := &Call{Context: ctx, Caller: who}
	if call.values, err = c.parse(args); err != nil {
		if len(c.Params) == 0 {
			err = &UsageError{err.Error() + nearest(list, line)}
		}
		return nil, err
	}
	return c.Run(call)
}

// match returns the command with the longest name that the line begins with, nil for none, and the rest of the line.
func match(list []Command, line string) (c *Command, args string) {
	for i := range list {
		rest, ok := cutWords(line, list[i].Name)
		if ok && (c == nil || len(list[i].Name) > len(c.Name)) {
			c, args = &list[i], rest
		}
	}
	return c, args
}

// cutWords removes the words of a name from the beginning of a line, in whatever case and distance they are typed.
func cutWords(line, name string) (rest string, ok bool) {
	for word := range strings.FieldsSeq(name) {
		line = strings.TrimLeft(line, " \t")
		if len(line) < len(word) || !strings.EqualFold(line[:len(word)], word) {
			return "", false
		}
		if line = line[len(word):]; line != "" && line[0] != ' ' && line[0] != '\t' {
			return "", false
		}
	}
	return strings.TrimSpace(line), true
}

// nearest returns "; did you mean …?" for a line, or for its first words.
func nearest(list []Command, line string) string {
	var names []string
	for i := range list {
		names = append(names, list[i].Name)
	}
	words := strings.Fields(strings.ToLower(line))
	for _, n := range [...]int{len(words), 2, 1} {
		typed := strings.Join(words[:min(n, len(words))], " ")
		if n := engine.NearestName(typed, names); n != "" && n != typed {
			return fmt.Sprintf("; did you mean %q?", n)
		}
	}
	return ""
}

// Help lists the commands that a caller may give, or, with a name, that one and those that begin with it.
func (r *Registry) Help(who Caller, name string) ([]string, error) {
	list := slices.DeleteFunc(slices.Clone(r.List()), func(c Command) bool { return who.Role < c.Needs })
	if name != "" {
		all := list
		list = slices.DeleteFunc(slices.Clone(list), func(c Command) bool { return !strings.HasPrefix(c.Name+" ", strings.ToLower(name)+" ") })
		if len(list) == 0 {
			return nil, &UsageError{fmt.Sprintf("help: no command %q%s", name, nearest(all, name))}
		}
	}
	var rows [][]string
	for i := range list {
		rows = append(rows, []string{list[i].Usage(), list[i].Help})
	}
	return console.Table(rows, 2), nil
}
