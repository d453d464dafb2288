// Package command parses what an operator types while a host runs: a table of commands, a parser for lines, and a reader of
// an input.
//
// It owns the search for a line's command and the messages if there is none. It deliberately does not: know
// what commands do, write anywhere, or have a goroutine.
//
//	table := command.Table{{Name: "say", Args: "TEXT", Help: "Show all players a line of text.", Run: say}}
//	answer, err := table.Do("say hello")
package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidelock/tidelock/cmd/host/console"
	"github.com/tidelock/tidelock/engine"
)

// MaxLine bounds a line, in bytes; a longer one is not executed.
const MaxLine = 4096

// Command is an entry of a table.
type Command struct {
	// Name is one word or several in lower case: "reload level".
	Name string
	// Args describes the arguments: "TEXT"; "" for none, "[NAME]" for an optional one.
	Args string
	// Help is a sentence for the help.
	Help string
	// Run executes it. args is the text after the name, without spaces around it. The answer is lines for the
	// user; an error is one line.
	Run func(args string) (answer []string, err error)
}

// usage returns how the command is typed.
func (c *Command) usage() string { return strings.TrimSpace(c.Name + " " + c.Args) }

// Table lists the commands, in the order of the help.
type Table []Command

// UsageError is a line that is not a command, or one with missing or surplus arguments.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// Do runs the command of a line. An empty line does nothing. The error is a *UsageError if the line is wrong,
// otherwise the command's own.
func (t Table) Do(line string) (answer []string, err error) {
	line = strings.Join(strings.Fields(line), " ")
	if line == "" {
		return nil, nil
	}
	if !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil, &UsageError{"a command is text without control characters"}
	}
	c, args := t.find(line)
	switch {
	case c == nil:
		word, _, _ := strings.Cut(line, " ")
		return nil, &UsageError{fmt.Sprintf("unknown command %q%s; help lists all", word, t.nearest(line))}
	case args != "" && c.Args == "":
		return nil, &UsageError{fmt.Sprintf("%s: it takes no argument, got %q%s", c.Name, args, t.nearest(line))}
	case args == "" && c.Args != "" && !strings.HasPrefix(c.Args, "["):
		return nil, &UsageError{"expected " + c.usage()}
	}
	return c.Run(args)
}

// find returns the command with the longest name that the line begins with, nil for none.
func (t Table) find(line string) (c *Command, args string) {
	lower := strings.ToLower(line)
	for i := range t {
		rest, ok := strings.CutPrefix(lower, t[i].Name)
		if ok && (rest == "" || rest[0] == ' ') && (c == nil || len(t[i].Name) > len(c.Name)) {
			c, args = &t[i], strings.TrimSpace(line[len(line)-len(rest):])
		}
	}
	return c, args
}

// nearest returns "; did you mean …?" for a line, or for its first word.
func (t Table) nearest(line string) string {
	var names []string
	for i := range t {
		names = append(names, t[i].Name)
	}
	word, _, _ := strings.Cut(line, " ")
	for _, typed := range [...]string{strings.ToLower(line), strings.ToLower(word)} {
		if n := engine.NearestName(typed, names); n != "" && n != typed {
			return fmt.Sprintf("; did you mean %q?", n)
		}
	}
	return ""
}

// Help lists all commands, or, with a name, that one and those that begin with it.
func (t Table) Help(name string) ([]string, error) {
	list := slices.Clone(t)
	if name != "" {
		list = slices.DeleteFunc(list, func(c Command) bool { return !strings.HasPrefix(c.Name+" ", strings.ToLower(name)+" ") })
		if len(list) == 0 {
			return nil, &UsageError{fmt.Sprintf("help: no command %q%s", name, t.nearest(name))}
		}
	}
	var rows [][]string
	for i := range list {
		rows = append(rows, []string{list[i].usage(), list[i].Help})
	}
	return console.Table(rows, 2), nil
}

// Read calls do with every line of an input until it ends, and returns the first error of the input or of do,
// nil at the end. For a line longer than [MaxLine] do gets an error instead. The last line needs no line end.
func Read(in io.Reader, do func(line string, err error) error) error {
	r := bufio.NewReaderSize(in, MaxLine)
	long := false
	for {
		b, err := r.ReadSlice('\n')
		var stop error
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			long = true
			continue
		case err == nil && long:
			long = false
			stop = do("", &UsageError{fmt.Sprintf("a line of more than %d bytes is not a command", MaxLine)})
		case err == nil || len(b) > 0 && !long:
			stop = do(strings.TrimRight(string(b), "\r\n"), nil)
		}
		switch {
		case stop != nil:
			return stop
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
