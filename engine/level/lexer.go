package level

import (
	"fmt"
	"strings"
)

type tokenKind uint8

const (
	tokenEOF tokenKind = iota
	tokenWord
	tokenString
	tokenPunct // one of { } ( ) [ ]
)

type token struct {
	kind tokenKind
	text string // unescaped
	line int
}

func (t token) is(punct string) bool { return t.kind == tokenPunct && t.text == punct }

// describe returns the token for an error message, cut to a readable length.
func (t token) describe() string {
	switch t.kind {
	case tokenEOF:
		return "the end of the file"
	case tokenString:
		return "the string " + quoted(t.text)
	case tokenWord, tokenPunct:
	}
	return quoted(t.text)
}

func quoted(s string) string {
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return fmt.Sprintf("%q", s)
}

// lexer splits the text into tokens. Words end only at white space, so that textures may be named {fence or
// +0button; at the start of a token braces and brackets are separate tokens unless word() reads it.
type lexer struct {
	name string
	src  string
	pos  int
	line int
}

func newLexer(name string, src []byte) *lexer {
	return &lexer{name: name, src: strings.TrimPrefix(string(src), "\uFEFF"), line: 1}
}

func (l *lexer) skipSpace() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == '\n':
			l.line++
			l.pos++
		case c <= ' ':
			l.pos++
		case c == '/' && strings.HasPrefix(l.src[l.pos:], "//"):
			end := strings.IndexByte(l.src[l.pos:], '\n')
			if end < 0 {
				end = len(l.src) - l.pos
			}
			l.pos += end
		default:
			return
		}
	}
}

// next returns the next token. The error is a string that is not closed, or too long a token.
func (l *lexer) next() (token, error) {
	l.skipSpace()
	if l.pos == len(l.src) {
		return token{kind: tokenEOF, line: l.line}, nil
	}
	switch c := l.src[l.pos]; c {
	case '{', '}', '(', ')', '[', ']':
		l.pos++
		return token{tokenPunct, l.src[l.pos-1 : l.pos], l.line}, nil
	case '"':
		return l.quoted()
	}
	return l.word()
}

// word returns the next token read as a word regardless of its first character: a texture's name.
func (l *lexer) word() (token, error) {
	l.skipSpace()
	start := l.pos
	if start < len(l.src) && l.src[start] == '"' {
		return l.quoted()
	}
	for l.pos < len(l.src) && l.src[l.pos] > ' ' {
		l.pos++
	}
	if l.pos == start {
		return token{kind: tokenEOF, line: l.line}, nil
	}
	return l.sized(token{tokenWord, l.src[start:l.pos], l.line})
}

// number returns the next token read as a word that also ends at brackets: hand-written maps contain "(0 0 0)".
func (l *lexer) number() (token, error) {
	l.skipSpace()
	start := l.pos
	for l.pos < len(l.src) && l.src[l.pos] > ' ' && !strings.ContainsRune("(){}[]\"", rune(l.src[l.pos])) {
		l.pos++
	}
	if l.pos == start {
		return l.next()
	}
	return l.sized(token{tokenWord, l.src[start:l.pos], l.line})
}

func (l *lexer) sized(t token) (token, error) {
	if len(t.text) > MaxString {
		return t, l.limit(t.line, "a name or value is longer than %d bytes", MaxString)
	}
	return t, nil
}

func (l *lexer) quoted() (token, error) {
	start, escaped := l.pos+1, false
	for i := start; i < len(l.src); i++ {
		switch l.src[i] {
		case '\n':
			return token{}, l.errorf(l.line, "expected '\"' to close the string %s before the end of the line",
				quoted(strings.TrimRight(l.src[start:i], "\r")))
		case '\\':
			// A Windows path may end in a backslash: "c:\maps\" is closed if nothing else follows on the line.
			if rest := l.src[i+1:]; strings.HasPrefix(rest, "\"") && !endsLine(rest[1:]) || strings.HasPrefix(rest, "\\") {
				i++
			}
			escaped = true
		case '"':
			text := l.src[start:i]
			l.pos = i + 1
			if escaped {
				text = unescape(text)
			}
			return l.sized(token{tokenString, text, l.line})
		}
	}
	return token{}, l.errorf(l.line, "expected '\"' to close the string %s before the end of the file", quoted(l.src[start:]))
}

func endsLine(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r")
	return rest == "" || rest[0] == '\n' || rest[0] == '}'
}

// unescape decodes what editors write: \" and \\, and \n as Quake reads it. Other backslashes stay.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '"', '\\':
				i++
			case 'n':
				b.WriteByte('\n')
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func (l *lexer) errorf(line int, format string, args ...any) error {
	return &ParseError{Name: l.name, Line: line, Text: fmt.Sprintf(format, args...)}
}

func (l *lexer) limit(line int, format string, args ...any) error {
	return &ParseError{Name: l.name, Line: line, Text: fmt.Sprintf(format, args...), err: ErrLimit}
}
