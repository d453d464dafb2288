package classfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/parse"

	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// wraps are the constructors whose first argument is the default; of the others, and of a table, a default cannot be
// written by itself.
var wraps = []string{"int", "float", "str", "quantized"}

// typeOnly are the constructors that have no default to write.
var typeOnly = []string{"enum", "ref", "classref", "array", "fastarray", "struct", "local_", "optional"}

// EditDefault returns a class file's text with another default of a variable: value is Lua, as it is written there. A variable that the
// class declares is changed in its properties, an inherited one in the class's own defaults, which are added if there are
// none. Everything else stays as it stands, comments and layout included. Whether the value fits the variable is for Load
// to say.
func EditDefault(src Source, class, variable, value string) (string, error) {
	if err := oneValue(value); err != nil {
		return "", err
	}
	e := editor{name: src.Path, text: src.Text}
	var err error
	if e.spans, err = syntax.Spans(src.Path, src.Text); err != nil {
		return "", err
	}
	local, after := e.class(class)
	if local == "" {
		return "", fmt.Errorf("%s: no class %s is declared here", src.Path, class)
	}
	if at, ok := e.field(e.block(local, "defaults"), variable); ok {
		return e.replace(at, e.expression(at), value), nil
	}
	for _, block := range []string{"properties", "persistent"} {
		if at, ok := e.field(e.block(local, block), variable); ok {
			return e.property(at, value)
		}
	}
	return e.insert(local, after, variable, value), nil
}

// oneValue checks that a text is one expression of Lua, on one line, and nothing more.
func oneValue(value string) error {
	if strings.ContainsAny(value, "\n\r") || strings.Contains(value, "--") {
		return errors.New("a value is one line, without a comment")
	}
	c, err := syntax.Parse("value", "return "+value)
	if err != nil {
		return fmt.Errorf("%q is no value: %w", value, err)
	}
	spans, err := syntax.Spans("value", value)
	if err != nil || len(c.Stmts) != 1 || len(spans) == 0 {
		return fmt.Errorf("%q is no value", value)
	}
	depth := 0
	for _, s := range spans {
		switch s.Type {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth--
		case ',', ';', parse.TEnd:
			if depth == 0 {
				return fmt.Errorf("%q is more than one value", value)
			}
		}
	}
	return nil
}

// editor finds places in a text by its tokens. Positions are indexes of spans.
type editor struct {
	name, text string
	spans      []syntax.Span
}

// is reports whether the tokens from at on have these texts.
func (e *editor) is(at int, words ...string) bool {
	if at < 0 || at+len(words) > len(e.spans) {
		return false
	}
	for i, w := range words {
		s := e.spans[at+i]
		if w == "" && s.Type == parse.TIdent {
			continue
		}
		if s.Text != w || s.Type == parse.TString {
			return false
		}
	}
	return true
}

// class finds `local X = class("NAME"…)`, and returns X and the position after the statement.
func (e *editor) class(name string) (local string, after int) {
	for i := range e.spans {
		if e.is(i, "local", "", "=", "class", "(") && i+5 < len(e.spans) && e.spans[i+5].Type == parse.TString && e.spans[i+5].Text == name {
			return e.spans[i+1].Text, e.closing(i+4) + 1
		}
	}
	return "", 0
}

// block returns the position of the brace that opens `X.what {` or `X.what({` at the top level, -1 for none.
func (e *editor) block(local, what string) int {
	for i := range e.spans {
		if e.is(i, local, ".", what) && (i == 0 || e.spans[i-1].Text != ".") {
			switch {
			case e.is(i+3, "{"):
				return i + 3
			case e.is(i+3, "(", "{"):
				return i + 4
			}
		}
	}
	return -1
}

// closing returns the position of the bracket that closes the one at a position.
func (e *editor) closing(open int) int {
	depth := 0
	for i := open; i < len(e.spans); i++ {
		switch e.spans[i].Type {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(e.spans) - 1
}

// field finds `name =` directly in the table that opens at a position, and returns the position of its value.
func (e *editor) field(open int, name string) (at int, ok bool) {
	if open < 0 {
		return 0, false
	}
	for i, end := open+1, e.closing(open); i < end; i++ {
		switch e.spans[i].Type {
		case '(', '{', '[':
			i = e.closing(i)
		case parse.TIdent:
			first := i == open+1 || e.spans[i-1].Type == ',' || e.spans[i-1].Type == ';'
			if first && e.is(i, name, "=") {
				return i + 2, true
			}
		}
	}
	return 0, false
}

// expression returns the last position of the value that begins at a position, in a list.
func (e *editor) expression(at int) (last int) {
	for i := at; i < len(e.spans); i++ {
		switch e.spans[i].Type {
		case '(', '{', '[':
			i = e.closing(i)
		case ')', '}', ']', ',', ';':
			return i - 1
		}
	}
	return len(e.spans) - 1
}

func (e *editor) replace(first, last int, value string) string {
	return e.text[:e.spans[first].Start] + value + e.text[e.spans[last].End:]
}

// property replaces the default in a declaration.
func (e *editor) property(at int, value string) (string, error) {
	last := e.expression(at)
	if last > at && e.is(at+1, "(") && e.spans[at].Type == parse.TIdent {
		name := e.spans[at].Text
		switch {
		case slices.Contains(wraps, name) && e.is(at+2, ")"):
			return e.text[:e.spans[at+1].End] + value + e.text[e.spans[at+2].Start:], nil
		case slices.Contains(wraps, name):
			return e.replace(at+2, e.expression(at+2), value), nil
		case slices.Contains(typeOnly, name):
			return "", fmt.Errorf("%s:%d: a default of %s(…) cannot be written by itself; edit the declaration", e.name, e.spans[at].Line, name)
		}
	}
	if e.is(at, "{") {
		return "", fmt.Errorf("%s:%d: a default that is a table cannot be written by itself; edit the declaration", e.name, e.spans[at].Line)
	}
	return e.replace(at, last, value), nil
}

// insert adds a default to the class's own, which are added after the statement that ends at a position.
func (e *editor) insert(local string, after int, variable, value string) string {
	line := variable + " = " + value
	open := e.block(local, "defaults")
	if open < 0 {
		at := e.spans[after-1].End
		if i := strings.IndexByte(e.text[at:], '\n'); i >= 0 { // what follows on that line is a comment about it
			at += i
		} else {
			at = len(e.text)
		}
		return e.text[:at] + "\n\n" + local + ".defaults {\n\t" + line + ",\n}" + e.text[at:]
	}
	end := e.closing(open)
	last := e.spans[end-1] // the brace itself where the table is empty
	if e.spans[end].Line == e.spans[open].Line {
		sep := ", "
		if end-1 == open {
			sep = " "
		} else if last.Type == ',' || last.Type == ';' {
			sep = " "
		}
		tail := e.text[last.End:e.spans[end].Start]
		if strings.TrimSpace(tail) == "" {
			tail = " "
		}
		return e.text[:last.End] + sep + line + tail + e.text[e.spans[end].Start:]
	}
	// On a line of its own before the closing brace, indented as the line before.
	head := e.text[:e.spans[end].Start]
	indent := "\t"
	if end-1 > open {
		begin := strings.LastIndexByte(e.text[:e.spans[open+1].Start], '\n') + 1
		if space := e.text[begin:e.spans[open+1].Start]; strings.TrimSpace(space) == "" && space != "" {
			indent = space
		}
		if last.Type != ',' && last.Type != ';' {
			head = e.text[:last.End] + "," + e.text[last.End:e.spans[end].Start]
		}
	}
	begin := strings.LastIndexByte(head, '\n') + 1
	return head[:begin] + indent + line + ",\n" + head[begin:] + e.text[e.spans[end].Start:]
}
