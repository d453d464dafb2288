package syntax

import (
	"errors"
	"fmt"
	"strings"

	"github.com/yuin/gopher-lua/parse"
)

// Token is one word of the source with its place. Type is gopher-lua's: a rune for punctuation, a
// parse.T… constant otherwise.
type Token struct {
	Type   int
	Line   int
	Column int
	Text   string // of a string literal its value
}

// Pos is where the token starts.
func (t Token) Pos() Position { return Position{Line: t.Line, Column: t.Column} }

// describe shows the token in an error message.
func (t Token) describe() string {
	switch t.Type {
	case parse.TString:
		text := t.Text
		if len(text) > 20 {
			text = text[:20] + "…"
		}
		return fmt.Sprintf("string %q", text)
	default:
		return "'" + t.Text + "'"
	}
}

// opener is an unfinished bracket or block during scanning.
type opener struct {
	token   Token
	elseifs int
	powers  int // right-associative operators pending at this level
}

// scan reads the whole source into tokens and refuses what the parser must not see: its stack grows
// with what is pending, 256 bytes an entry.
func scan(name, src string) ([]Token, []opener, *Error) {
	fail := func(t Token, format string, args ...any) *Error {
		return &Error{File: name, Line: t.Line, Column: t.Column, Msg: fmt.Sprintf(format, args...)}
	}
	scanner := parse.NewScanner(strings.NewReader(src), name)
	lexer := &parse.Lexer{PrevTokenType: parse.TNil} // Scan looks at the previous type and sets a flag
	tokens := make([]Token, 0, len(src)/4+16)
	open := []opener{{}}
	unary := 0
	for {
		raw, err := scanner.Scan(lexer)
		lexer.PrevTokenType = raw.Type
		token := Token{Type: raw.Type, Line: raw.Pos.Line, Column: raw.Pos.Column, Text: raw.Str}
		if err != nil {
			return nil, nil, scanError(name, src, token, tokens, err)
		}
		if token.Type == parse.EOF {
			return tokens, open[1:], nil
		}
		tokens = append(tokens, token)

		level := &open[len(open)-1]
		switch token.Type {
		case '-', '#', parse.TNot:
			if token.Type != '-' || !endsOperand(tokens) {
				unary++
				if unary > MaxDepth/2 {
					return nil, nil, fail(token, "more than %d operators in a row before one value", MaxDepth/2)
				}
			}
		case '(', '{', '[', parse.TFunction, parse.TDo, parse.TThen, parse.TRepeat:
			unary = 0
			open = append(open, opener{token: token})
			if len(open) > MaxDepth {
				return nil, nil, fail(token, "nested more than %d deep", MaxDepth)
			}
		case ')', '}', ']', parse.TUntil:
			unary = 0
			open = closeOne(open, token.Type)
		case parse.TEnd, parse.TElse:
			unary = 0
			open = closeOne(open, token.Type)
			if token.Type == parse.TElse {
				open = append(open, opener{token: token})
			}
		case parse.TElseIf:
			unary = 0
			open = closeOne(open, token.Type)
			level = &open[len(open)-1] // what encloses the chain; each 'then' opens a level of its own
			if level.elseifs++; level.elseifs >= MaxDepth-1 {
				return nil, nil, fail(token, "more than %d elseif in one chain", MaxDepth-2)
			}
		case '^', parse.T2Comma:
			unary = 0
			level.powers++
			if level.powers > MaxDepth {
				return nil, nil, fail(token, "more than %d '%s' in one expression", MaxDepth, token.Text)
			}
		case ',', ';', '=', parse.TLocal, parse.TReturn, parse.TIf, parse.TWhile, parse.TFor, parse.TIn,
			parse.TAnd, parse.TOr, parse.TEqeq, parse.TNeq, '<', '>', parse.TLte, parse.TGte:
			unary = 0
			level.powers = 0
			if token.Type == parse.TIf {
				level.elseifs = 0
			}
		case parse.TGoto, parse.T2Colon:
			return nil, nil, fail(token, "goto and labels are not part of this language (Lua 5.1); use a "+
				"condition, a function with return, or repeat … until true with break")
		case parse.TString:
			unary = 0
			if len(token.Text) > MaxLiteral {
				return nil, nil, fail(token, "a string of %d bytes; at most %d", len(token.Text), MaxLiteral)
			}
		case parse.TIdent:
			unary = 0
			if len(token.Text) > MaxName {
				return nil, nil, fail(token, "a name of %d characters; at most %d", len(token.Text), MaxName)
			}
		case parse.TNumber:
			unary = 0
			if len(token.Text) > MaxNumber {
				return nil, nil, fail(token, "a number of %d characters; at most %d", len(token.Text), MaxNumber)
			}
			if !validNumber(token.Text) {
				return nil, nil, fail(token, "malformed number near '%s'", strings.TrimSuffix(token.Text, "\xff"))
			}
		default:
			unary = 0
		}
	}
}

// endsOperand reports whether the token before the last one ends a value, so that '-' subtracts.
func endsOperand(tokens []Token) bool {
	if len(tokens) < 2 {
		return false
	}
	switch tokens[len(tokens)-2].Type {
	case parse.TIdent, parse.TNumber, parse.TString, parse.TNil, parse.TTrue, parse.TFalse, parse.T3Comma,
		')', ']', '}', parse.TEnd:
		return true
	}
	return false
}

// closeOne drops the innermost opener if the token closes it; the parser reports the mismatch if not.
func closeOne(open []opener, closer int) []opener {
	if len(open) == 1 {
		return open
	}
	if closes(open[len(open)-1].token.Type, closer) {
		return open[:len(open)-1]
	}
	return open
}

func closes(opening, closer int) bool {
	switch opening {
	case '(':
		return closer == ')'
	case '{':
		return closer == '}'
	case '[':
		return closer == ']'
	case parse.TRepeat:
		return closer == parse.TUntil
	case parse.TThen:
		return closer == parse.TEnd || closer == parse.TElse || closer == parse.TElseIf
	default: // function, do, else
		return closer == parse.TEnd
	}
}

// validNumber reports whether the text is a number of Lua 5.1. gopher-lua turns what it cannot read
// into NaN without a word.
func validNumber(text string) bool {
	lower := strings.ToLower(text)
	if digits, ok := strings.CutPrefix(lower, "0x"); ok {
		return digits != "" && strings.Trim(digits, "0123456789abcdef") == "" && len(digits) <= 15
	}
	mantissa, exponent, found := strings.Cut(lower, "e")
	if found {
		exponent = strings.TrimPrefix(strings.TrimPrefix(exponent, "+"), "-")
		if exponent == "" || strings.Trim(exponent, "0123456789") != "" {
			return false
		}
	}
	whole, fraction, dotted := strings.Cut(mantissa, ".")
	if len(whole) > 1 && whole[0] == '0' && !dotted && !found {
		return false // gopher-lua reads 0010 as octal
	}
	return whole+fraction != "" && strings.Trim(whole+fraction, "0123456789") == ""
}

// scanError says in plain words what the scanner stumbled over.
func scanError(name, src string, token Token, before []Token, err error) *Error {
	result := &Error{File: name, Line: token.Line, Column: token.Column}
	// An apostrophe in what was meant as a comment begins a string.
	if h, ok := findHabit(src, before, len(before)); ok {
		result.Line, result.Column, result.Msg = h.token.Line, h.token.Column, h.message()
		return result
	}
	var problem *parse.Error
	if !errors.As(err, &problem) {
		result.Msg = err.Error()
		return result
	}
	near := problem.Token
	if len(near) > 20 {
		near = near[:20] + "…"
	}
	switch problem.Message {
	case "unterminated string":
		result.Msg = fmt.Sprintf("a string without its closing quote near %q", near)
	case "unterminated multiline string":
		result.Msg = "a long string without its closing ]]"
	case "invalid multiline comment":
		result.Msg = "a long comment without its closing ]], or one begun with --[= and no second ["
		// The scanner reports the end of the file; the comment began after the last word it saw.
		if n := len(before); n > 0 && result.Line <= 0 {
			result.Line, result.Column = before[n-1].Line, 0
		}
	case "invalid multiline string":
		result.Msg = "'[=' begins a long string and needs a second '['"
	case "illegal hexadecimal number":
		result.Msg = fmt.Sprintf("malformed number near '%s'", near)
	case "Invalid '~' token", "Invalid token":
		result.Msg = fmt.Sprintf("unexpected character %q", near)
		rest := lineOf(src, token.Line)
		if text, hint, ok := characterHint(rest[min(max(token.Column-1, 0), len(rest)):]); ok {
			result.Msg = habit{text: text, hint: hint}.message()
		}
	default:
		result.Msg = problem.Message
	}
	if result.Line <= 0 {
		result.Line = 1
	}
	return result
}

// firstOnLine is the column of the first token of a line, 0 if it has none.
func (c *Chunk) firstOnLine(line int) int {
	low, high := 0, len(c.tokens)
	for low < high {
		if middle := (low + high) / 2; c.tokens[middle].Line < line {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(c.tokens) && c.tokens[low].Line == line {
		return c.tokens[low].Column
	}
	return 0
}

// Column looks up where a word stands on a line: the nth time (from 1) that a token has this text, or
// 0. Use Pos of a node where there is one.
func (c *Chunk) Column(line int, word string, nth int) int {
	for i := range c.tokens {
		if token := &c.tokens[i]; token.Line == line && token.Text == word {
			if nth--; nth <= 0 {
				return token.Column
			}
		} else if token.Line > line {
			break
		}
	}
	return 0
}

// Tokens gives the words of the file in order. The slice is the chunk's: do not change it.
func (c *Chunk) Tokens() []Token { return c.tokens }
