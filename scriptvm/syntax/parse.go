package syntax

import (
	"errors"
	"fmt"
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// Chunk is one checked file: its tree and what is known about it. It belongs to one goroutine.
type Chunk struct {
	// Name is the file as errors show it, and the source name in bytecode.
	Name string
	// Source is the text as it was parsed.
	Source string
	// Stmts is the tree. Change it through Rewrite.
	Stmts []ast.Stmt

	tokens   []Token
	comments []Comment

	at    map[ast.PositionHolder]int32   // node → its own token
	names map[ast.PositionHolder][]int32 // node → tokens of the names it declares, in order

	main      *Function
	functions []*Function
	byExpr    map[*ast.FunctionExpr]*Function
	symbols   map[*ast.IdentExpr]*Symbol
	globals   []*ast.IdentExpr
	locals    []*Symbol

	hardened, compiled bool
}

// Parse checks a file and builds its tree. The error is an *Error.
func Parse(name, src string) (*Chunk, error) {
	if len(src) > MaxSource {
		return nil, &Error{
			File: name, Line: 1, Column: 1,
			Msg: fmt.Sprintf("the file has %d bytes; at most %d", len(src), MaxSource),
		}
	}
	src = strings.TrimPrefix(src, "\xef\xbb\xbf") // the byte order mark some editors write
	tokens, open, problem := scan(name, src)
	if problem != nil {
		return nil, problem
	}
	stmts, err := parseTree(name, src)
	if err != nil {
		return nil, parseError(name, src, tokens, open, err)
	}
	c := &Chunk{Name: name, Source: src, Stmts: stmts, tokens: tokens, comments: scanComments(src)}
	if err := c.align(); err != nil {
		return nil, err
	}
	if err := c.resolve(); err != nil {
		return nil, err
	}
	return c, nil
}

// parseTree calls gopher-lua's parser, which reports most failures by error and some by panic.
func parseTree(name, src string) (stmts []ast.Stmt, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("parser: %v", r)
		}
	}()
	stmts, err = parse.Parse(strings.NewReader(src), name)
	if err == nil && stmts == nil {
		err = errors.New("the parser gave up without saying why")
	}
	return stmts, err
}

// parseError puts the parser's complaint into words, at the word it stumbled over or at the form of another language that
// led it astray.
func parseError(name, src string, tokens []Token, open []opener, err error) *Error {
	result := &Error{File: name, Line: 1, Column: 1, Msg: err.Error()}
	var problem *parse.Error
	if !errors.As(err, &problem) {
		return result
	}
	at := func(h habit) *Error {
		result.Line, result.Column, result.Msg = h.token.Line, h.token.Column, h.message()
		return result
	}
	if problem.Pos.Line == parse.EOF {
		if h, ok := findHabit(src, tokens, len(tokens)); ok {
			return at(h)
		}
		if h, ok := elseIf(tokens, open); ok {
			return at(h)
		}
		line, column := endOf(src)
		result.Line, result.Column = line, column
		result.Msg = "unexpected end of file"
		if problem.Message == "parse error" {
			result.Msg += ": an expression alone is not a statement (a call or an assignment is)"
		}
		if n := len(open); n > 0 {
			t := open[n-1].token
			result.Msg += fmt.Sprintf("; '%s' of %d:%d is not closed by '%s'", t.Text, t.Line, t.Column, closerOf(t.Type))
		}
		return result
	}
	// The scanner stands behind the word; the word is the last that starts before.
	index := -1
	for i := range tokens {
		if t := &tokens[i]; t.Line > problem.Pos.Line || t.Line == problem.Pos.Line && t.Column > problem.Pos.Column {
			break
		}
		index = i
	}
	if index < 0 {
		return result
	}
	token := tokens[index]
	result.Line, result.Column = token.Line, token.Column
	if strings.HasPrefix(problem.Message, "ambiguous syntax") {
		result.Msg = ambiguous
		return result
	}
	if h, ok := findHabit(src, tokens, index); ok {
		return at(h)
	}
	result.Msg = "unexpected " + token.describe() + hint(tokens, index)
	if problem.Message == "parse error" && !strings.Contains(result.Msg, ";") {
		// The parser saw the token after an expression that cannot stand alone.
		result.Msg += ": an expression alone is not a statement (a call or an assignment is)"
	}
	return result
}

const ambiguous = "ambiguous: this '(' on a new line calls what stands before it; move it up, or put ';' before it"

// hint says what a word needs that stands at the wrong place.
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

// openAt gives the innermost bracket or block still open after the tokens, if any.
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

// endOf is the position behind the last character.
func endOf(src string) (line, column int) {
	line, column = 1, 1
	for i := 0; i < len(src); i++ {
		if src[i] == '\n' {
			line, column = line+1, 1
		} else {
			column++
		}
	}
	return line, column
}
