package syntax

import (
	"fmt"
	"strings"

	"github.com/yuin/gopher-lua/parse"
)

// Token is one word of the source with its position. Type is gopher-lua's: a rune for punctuation, a parse.T…
// constant otherwise.
type Token struct {
	Type   int
	Line   int
	Column int
	Text   string // of a string literal its value
}

// Pos returns where the token starts.
func (t Token) Pos() Position { return Position{Line: t.Line, Column: t.Column} }

// describe returns the token for an error message.
func (t Token) describe() string {
	if t.Type == parse.TString {
		return fmt.Sprintf("string %q", short(t.Text))
	}
	return "'" + t.Text + "'"
}

// short cuts a text for a message.
func short(text string) string {
	if len(text) > 20 {
		return text[:20] + "…"
	}
	return text
}

var reserved = map[string]int{
	"and": parse.TAnd, "break": parse.TBreak, "do": parse.TDo, "else": parse.TElse, "elseif": parse.TElseIf, "end": parse.TEnd,
	"false": parse.TFalse, "for": parse.TFor, "function": parse.TFunction, "goto": parse.TGoto, "if": parse.TIf, "in": parse.TIn,
	"local": parse.TLocal, "nil": parse.TNil, "not": parse.TNot, "or": parse.TOr, "repeat": parse.TRepeat, "return": parse.TReturn,
	"then": parse.TThen, "true": parse.TTrue, "until": parse.TUntil, "while": parse.TWhile,
}

// scanner splits a source into tokens and comments. It accepts the same language as gopher-lua's, odd numbers
// included.
type scanner struct {
	src      string
	at       int // offset of the next character
	line     int
	start    int // offset of the current line
	last     int // line on which the last token ended
	from     int // offset of the last token
	comments []Comment
	problem  string // why there is no token
}

// peek returns the character n positions ahead, -1 after the last one.
func (s *scanner) peek(n int) int {
	if s.at+n < len(s.src) {
		return int(s.src[s.at+n])
	}
	return -1
}

func isDigit(ch int) bool { return '0' <= ch && ch <= '9' }

func isHex(ch int) bool { return isDigit(ch) || 'a' <= ch|0x20 && ch|0x20 <= 'f' }

func isLetter(ch int) bool { return 'a' <= ch|0x20 && ch|0x20 <= 'z' || ch == '_' }

func isNewline(ch int) bool { return ch == '\n' || ch == '\r' }

// skip skips characters of a kind.
func (s *scanner) skip(kind func(ch int) bool) {
	for kind(s.peek(0)) {
		s.at++
	}
}

// newline skips a line end, of one character or of two different ones.
func (s *scanner) newline() {
	ch := s.peek(0)
	s.at++
	if next := s.peek(0); isNewline(next) && next != ch {
		s.at++
	}
	s.line, s.start = s.line+1, s.at
}

// next returns the next token, of type parse.EOF at the end. On an error problem is set, and the token is the
// position.
func (s *scanner) next() Token {
	for {
		switch ch := s.peek(0); {
		case ch == ' ' || ch == '\t':
			s.at++
		case isNewline(ch):
			s.newline()
		case ch == '-' && s.peek(1) == '-':
			place := Token{Line: s.line, Column: s.at - s.start + 1}
			if s.comment(); s.problem != "" {
				return place
			}
		default:
			s.from = s.at
			t := Token{Line: s.line, Column: s.at - s.start + 1}
			t.Type, t.Text = s.token(ch)
			s.last = s.line
			return t
		}
	}
}

func (s *scanner) token(ch int) (typ int, text string) {
	first := s.at
	switch {
	case ch < 0:
		return parse.EOF, ""
	case isLetter(ch):
		s.skip(func(ch int) bool { return isLetter(ch) || isDigit(ch) })
		text = s.src[first:s.at]
		if word, ok := reserved[text]; ok {
			return word, text
		}
		return parse.TIdent, text
	case isDigit(ch) || ch == '.' && isDigit(s.peek(1)):
		return parse.TNumber, s.number()
	case ch == '"' || ch == '\'':
		return parse.TString, s.quoted(ch)
	case ch == '[' && (s.peek(1) == '[' || s.peek(1) == '='):
		return parse.TString, s.long("a long string without its closing ]]", "'[=' begins a long string and needs a second '['")
	}
	typ, length := ch, 2
	switch s.src[first:min(first+2, len(s.src))] {
	case "==":
		typ = parse.TEqeq
	case "~=":
		typ = parse.TNeq
	case "<=":
		typ = parse.TLte
	case ">=":
		typ = parse.TGte
	case "::":
		typ = parse.T2Colon
	case "..":
		if typ = parse.T2Comma; s.peek(2) == '.' {
			typ, length = parse.T3Comma, 3
		}
	default:
		if length = 1; strings.IndexByte("+-*/%^#(){}[];,=<>.:", byte(ch)) < 0 {
			s.problem = fmt.Sprintf("unexpected character %q", s.src[first:first+1])
			line, _, _ := strings.Cut(s.src[first:], "\n")
			if text, hint, ok := characterHint(line); ok {
				s.problem = habit{text: text, hint: hint}.message()
			}
		}
	}
	s.at += length
	return typ, s.src[first:s.at]
}

// number reads what begins like a number; validNumber checks it. Of several leading zeros gopher-lua drops the
// first.
func (s *scanner) number() string {
	first := s.at
	if s.peek(0) == '0' && s.peek(1)|0x20 == 'x' {
		s.at += 2
		s.skip(isHex)
		return s.src[first:s.at]
	}
	if s.peek(0) == '0' && isDigit(s.peek(1)) {
		first++
	}
	s.at++
	s.skip(isDigit)
	if s.peek(0) == '.' {
		s.at++
		s.skip(isDigit)
	}
	if s.peek(0)|0x20 == 'e' {
		if s.at++; s.peek(0) == '+' || s.peek(0) == '-' {
			s.at++
		}
		s.at = min(s.at+1, len(s.src)) // whatever it is
		s.skip(isDigit)
	}
	return s.src[first:s.at]
}

// quoted reads a string in quotes and returns its value.
func (s *scanner) quoted(quote int) string {
	s.at++
	first := s.at
	var value []byte // the part before first
	for {
		switch ch := s.peek(0); {
		case ch == quote:
			rest := s.src[first:s.at]
			if s.at++; value == nil {
				return rest
			}
			return string(value) + rest
		case ch < 0 || isNewline(ch):
			s.problem = fmt.Sprintf("a string without its closing quote near %q", short(string(value)+s.src[first:s.at]))
			return ""
		case ch == '\\':
			value = append(value, s.src[first:s.at]...)
			s.at++
			value = s.escape(value)
			first = s.at
		default:
			s.at++
		}
	}
}

// escape reads what follows a backslash.
func (s *scanner) escape(value []byte) []byte {
	ch := s.peek(0)
	switch {
	case ch < 0:
		return value
	case isNewline(ch):
		s.newline()
		return append(value, '\n')
	case isDigit(ch):
		code := 0
		for n := 0; n < 3 && isDigit(s.peek(0)); n++ {
			code = code*10 + s.peek(0) - '0'
			s.at++
		}
		return append(value, byte(code))
	}
	s.at++
	if i := strings.IndexByte("abfnrtv", byte(ch)); i >= 0 {
		ch = int("\a\b\f\n\r\t\v"[i])
	}
	return append(value, byte(ch))
}

// long reads [==[ … ]==] and returns its content, without a line end at its beginning.
func (s *scanner) long(open, begun string) string {
	level := 0
	for s.peek(1+level) == '=' {
		level++
	}
	if s.peek(1+level) != '[' {
		s.problem = begun
		return ""
	}
	if s.at += level + 2; isNewline(s.peek(0)) {
		s.newline()
	}
	length := strings.Index(s.src[s.at:], "]"+strings.Repeat("=", level)+"]")
	if length < 0 {
		s.problem = open
		return ""
	}
	text, end := s.src[s.at:s.at+length], s.at+length
	for s.at < end {
		if isNewline(s.peek(0)) {
			s.newline()
		} else {
			s.at++
		}
	}
	s.at = end + level + 2
	if strings.Contains(text, "\r") {
		text = strings.NewReplacer("\r\n", "\n", "\n\r", "\n", "\r", "\n").Replace(text)
	}
	return text
}

// comment reads a comment.
func (s *scanner) comment() {
	c := Comment{Line: s.line, Column: s.at - s.start + 1, Alone: s.last != s.line}
	s.at += 2
	if s.peek(0) == '[' && (s.peek(1) == '[' || s.peek(1) == '=') {
		const problem = "a long comment without its closing ]], or one begun with --[= and no second ["
		c.Text = trimLines(s.long(problem, problem))
	} else {
		first := s.at
		s.skip(func(ch int) bool { return ch >= 0 && !isNewline(ch) })
		c.Text = strings.TrimSpace(strings.TrimLeft(s.src[first:s.at], "-"))
	}
	c.LastLine = s.line
	s.comments = append(s.comments, c)
}

func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// opener is an unfinished bracket or block during scanning.
type opener struct {
	token   Token
	elseifs int
	powers  int // right-associative operators pending at this level
}

// scan reads the whole source into the chunk's tokens and comments and returns what is not closed at its end. It
// rejects what would overflow the parser's stack, which grows with what is pending.
func (c *Chunk) scan() []opener {
	s := scanner{src: c.Source, line: 1}
	tokens := make([]Token, 0, len(c.Source)/4+16)
	open := []opener{{}}
	unary := 0
	for {
		token := s.next()
		fail := func(format string, args ...any) { panic(c.Errorf(token.Pos(), format, args...)) }
		if s.problem != "" {
			// An apostrophe in an intended comment begins a string.
			if h, ok := findHabit(c.Source, tokens, len(tokens)); ok {
				token, s.problem = h.token, h.message()
			}
			fail("%s", s.problem)
		}
		if token.Type == parse.EOF {
			c.tokens, c.comments = tokens, s.comments
			return open[1:]
		}
		tokens = append(tokens, token)

		level := &open[len(open)-1]
		pending := unary
		unary = 0
		switch token.Type {
		case '-', '#', parse.TNot:
			if token.Type != '-' || !endsOperand(tokens) {
				if unary = pending + 1; unary > MaxDepth/2 {
					fail("more than %d operators in a row before one value", MaxDepth/2)
				}
			}
		case '(', '{', '[', parse.TFunction, parse.TDo, parse.TThen, parse.TRepeat:
			open = append(open, opener{token: token})
			if len(open) > MaxDepth {
				fail("nested more than %d deep", MaxDepth)
			}
		case ')', '}', ']', parse.TUntil, parse.TEnd, parse.TElse:
			open = closeOne(open, token.Type)
			if token.Type == parse.TElse {
				open = append(open, opener{token: token})
			}
		case parse.TElseIf:
			open = closeOne(open, token.Type)
			level = &open[len(open)-1] // the level around the chain; each 'then' opens a level of its own
			if level.elseifs++; level.elseifs >= MaxDepth-1 {
				fail("more than %d elseif in one chain", MaxDepth-2)
			}
		case '^', parse.T2Comma:
			level.powers++
			if level.powers > MaxDepth {
				fail("more than %d '%s' in one expression", MaxDepth, token.Text)
			}
		case ',', ';', '=', parse.TLocal, parse.TReturn, parse.TIf, parse.TWhile, parse.TFor, parse.TIn,
			parse.TAnd, parse.TOr, parse.TEqeq, parse.TNeq, '<', '>', parse.TLte, parse.TGte:
			level.powers = 0
			if token.Type == parse.TIf {
				level.elseifs = 0
			}
		case parse.TGoto, parse.T2Colon:
			fail("goto and labels are not part of this language (Lua 5.1); use a " +
				"condition, a function with return, or repeat … until true with break")
		case parse.TString:
			if len(token.Text) > MaxLiteral {
				fail("a string of %d bytes; at most %d", len(token.Text), MaxLiteral)
			}
		case parse.TIdent:
			if len(token.Text) > MaxName {
				fail("a name of %d characters; at most %d", len(token.Text), MaxName)
			}
		case parse.TNumber:
			if len(token.Text) > MaxNumber {
				fail("a number of %d characters; at most %d", len(token.Text), MaxNumber)
			}
			if !validNumber(token.Text) {
				fail("malformed number near '%s'", strings.TrimSpace(token.Text))
			}
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

// closeOne drops the innermost opener if the token closes it; otherwise the parser reports the mismatch.
func closeOne(open []opener, closer int) []opener {
	if n := len(open) - 1; n > 0 && closes(open[n].token.Type, closer) {
		return open[:n]
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

// validNumber reports whether the text is a number of Lua 5.1. gopher-lua silently turns what it cannot read into
// NaN.
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
