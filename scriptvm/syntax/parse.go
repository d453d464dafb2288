package syntax

import (
	"fmt"
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// Chunk is one checked file: its tree and its analysis. It belongs to one goroutine.
type Chunk struct {
	// Name is the file name in errors, and the source name in bytecode.
	Name string
	// Source is the text that was parsed.
	Source string
	// Stmts is the tree. Change it through Rewrite.
	Stmts []ast.Stmt

	tokens   []Token
	comments []Comment
	lines    []int     // by token: the line of the instructions generated for it
	symbols  []*Symbol // by token: the meaning of the identifier

	main      *Function
	functions []*Function
	byExpr    map[*ast.FunctionExpr]*Function
	locals    []*Symbol

	hardened, compiled bool
}

// Parse checks a file and builds its tree. The error is an *Error.
func Parse(name, src string) (c *Chunk, err error) {
	c = &Chunk{Name: name, Source: strings.TrimPrefix(src, "\xef\xbb\xbf")} // the byte order mark some editors write
	if len(src) > MaxSource {
		return nil, c.Errorf(Position{1, 1}, "the file has %d bytes; at most %d", len(src), MaxSource)
	}
	defer func() {
		switch problem := recover().(type) {
		case nil:
		case *Error:
			c, err = nil, problem
		default:
			panic(problem)
		}
	}()
	p := parser{Chunk: c, open: c.scan()}
	c.lines, c.symbols = make([]int, len(c.tokens)), make([]*Symbol, len(c.tokens))
	for i := range c.tokens {
		c.lines[i] = c.tokens[i].Line
	}
	if c.Stmts = p.block(); p.peek() != parse.EOF {
		p.fail(false)
	}
	if p.ambiguous > 0 {
		panic(c.Errorf(c.tokens[p.ambiguous].Pos(), "ambiguous: this '(' on a new line calls what stands before it; move it up, or put ';' before it"))
	}
	c.resolve()
	return c, nil
}

// alone is appended to a message about a token after an expression.
const alone = ": an expression alone is not a statement (a call or an assignment is)"

// stumble describes the error at a token, be it the word itself or the form of another language that led there.
// open is what is not closed at the end of the file; after says that the token follows an expression that cannot be
// a statement.
func (c *Chunk) stumble(open []opener, index int, after bool) *Error {
	tokens, ended := c.tokens, index == len(c.tokens)
	h, ok := findHabit(c.Source, tokens, index)
	if !ok && ended {
		h, ok = elseIf(tokens, open)
	}
	if ok {
		return c.Errorf(h.token.Pos(), "%s", h.message())
	}
	if ended {
		end := Position{Line: 1 + strings.Count(c.Source, "\n"), Column: len(c.Source) - strings.LastIndex(c.Source, "\n")}
		msg := "unexpected end of file"
		if after {
			msg += alone
		}
		if n := len(open); n > 0 {
			t := open[n-1].token
			msg += fmt.Sprintf("; '%s' of %d:%d is not closed by '%s'", t.Text, t.Line, t.Column, closerOf(t.Type))
		}
		return c.Errorf(end, "%s", msg)
	}
	msg := "unexpected " + tokens[index].describe() + hint(tokens, index)
	if after && !strings.Contains(msg, ";") {
		msg += alone
	}
	return c.Errorf(tokens[index].Pos(), "%s", msg)
}

// hint returns what a misplaced word needs.
func hint(tokens []Token, index int) string {
	token := tokens[index]
	if index > 0 && tokens[index-1].Type == parse.TReturn || token.Type != parse.TEnd && follows(tokens, index, parse.TReturn) {
		return "; " + returnHint
	}
	// A bracket that this word cannot close.
	switch token.Type {
	case parse.TEnd, parse.TUntil, ')', '}', ']', parse.TElse, parse.TElseIf:
		for _, o := range openAt(tokens[:index]) {
			return fmt.Sprintf("; '%s' of %d:%d wants '%s' first", o.Text, o.Line, o.Column, closerOf(o.Type))
		}
		return "; nothing is open that it could close"
	}
	return ""
}

// follows reports whether a statement with this keyword precedes on the same or the previous line.
func follows(tokens []Token, index, keyword int) bool {
	for i := index - 1; i >= 0 && tokens[i].Line >= tokens[index].Line-1; i-- {
		switch tokens[i].Type {
		case keyword:
			return true
		case parse.TEnd, parse.TFunction, parse.TThen, parse.TElse, parse.TDo:
			return false
		}
	}
	return false
}

// openAt returns the innermost bracket or block still open after the tokens, if any.
func openAt(tokens []Token) []Token {
	var open []Token
	for _, t := range tokens {
		switch t.Type {
		case '(', '{', '[', parse.TFunction, parse.TDo, parse.TThen, parse.TRepeat:
			open = append(open, t)
		case ')', '}', ']', parse.TUntil, parse.TEnd, parse.TElse, parse.TElseIf:
			if n := len(open); n > 0 && closes(open[n-1].Type, t.Type) {
				open = open[:n-1]
			}
			if t.Type == parse.TElse {
				open = append(open, t)
			}
		}
	}
	if n := len(open); n > 0 {
		return open[n-1:]
	}
	return nil
}

func closerOf(opening int) string {
	switch opening {
	case '(':
		return ")"
	case '{':
		return "}"
	case '[':
		return "]"
	case parse.TRepeat:
		return "until"
	}
	return "end"
}
