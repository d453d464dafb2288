package view

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Styles of terminals (ECMA-48, SGR). Lines contain them, and they are removed for a terminal without colors.
const (
	plain   = "\x1b[0m"
	strong  = "\x1b[1m"
	faint   = "\x1b[2m"
	own     = "\x1b[1;33m" // oneself
	hostile = "\x1b[1;31m" // enemies, and errors
	friend  = "\x1b[1;36m" // team-mates
	useful  = "\x1b[32m"   // items
	flying  = "\x1b[35m"   // shots
	moving  = "\x1b[36m"   // moving parts of the level
	chatted = "\x1b[36m"
)

// styled returns a text in a style.
func styled(style, text string) string {
	if style == "" || text == "" {
		return text
	}
	return style + text + plain
}

// skip returns the length of the style sequence at the start of s, 0 if there is none.
func skip(s string) int {
	if len(s) < 2 || s[0] != 0x1b || s[1] != '[' {
		return 0
	}
	if i := strings.IndexByte(s, 'm'); i > 0 {
		return i + 1
	}
	return len(s)
}

// pieces splits a line into styles, which take no column, and characters with their columns.
func pieces(s string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for s != "" {
			n, wide := skip(s), 0
			if n == 0 {
				var r rune
				r, n = utf8.DecodeRuneInString(s)
				wide = columns(r)
			}
			if !yield(s[:n], wide) {
				return
			}
			s = s[n:]
		}
	}
}

// unstyled returns a line without styles.
func unstyled(s string) string {
	if strings.IndexByte(s, 0x1b) < 0 {
		return s
	}
	var b strings.Builder
	for p := range pieces(s) {
		if skip(p) == 0 {
			b.WriteString(p)
		}
	}
	return b.String()
}

// wide are the characters of two columns: those of East Asia, and most emoji.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1},
		{0x2e80, 0x303e, 1},
		{0x3041, 0x33ff, 1},
		{0x3400, 0x4dbf, 1},
		{0x4e00, 0x9fff, 1},
		{0xa000, 0xa4cf, 1},
		{0xac00, 0xd7a3, 1},
		{0xf900, 0xfaff, 1},
		{0xfe30, 0xfe6f, 1},
		{0xff00, 0xff60, 1},
		{0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{{0x1f300, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f900, 0x1f9ff, 1}, {0x20000, 0x3fffd, 1}},
}

// columns returns how many columns of a terminal a character takes.
func columns(r rune) int {
	switch {
	case unicode.In(r, unicode.M, unicode.Cf):
		return 0
	case r >= 0x1100 && unicode.Is(wide, r):
		return 2
	}
	return 1
}

// width returns how many columns a line takes.
func width(s string) int {
	sum := 0
	for _, n := range pieces(s) {
		sum += n
	}
	return sum
}

// cut shortens a line to so many columns and marks the cut.
func cut(s string, most int) string {
	if len(s) <= most || width(s) <= most {
		return s
	}
	if most <= 0 {
		return ""
	}
	var b strings.Builder
	at := 0
	for p, n := range pieces(s) {
		if at += n; at > most-1 {
			break
		}
		b.WriteString(p)
	}
	text := b.String()
	if strings.IndexByte(text, 0x1b) >= 0 {
		text += plain
	}
	return text + "…"
}

// pad fills a line with spaces, and cuts a longer one.
func pad(s string, to int) string {
	s = cut(s, to)
	return s + strings.Repeat(" ", max(0, to-width(s)))
}

// ends returns a line with a text at either end; the right one is dropped if there is no room.
func ends(left, right string, to int) string {
	if room := to - width(left) - width(right); right != "" && room >= 2 {
		return left + strings.Repeat(" ", room) + right
	}
	return cut(left, to)
}

// joined puts parts on a line, as many as fit, the first in any case.
func joined(parts []string, between string, to int) string {
	out := ""
	for _, p := range parts {
		switch {
		case p == "":
		case out == "":
			out = p
		case width(out)+width(between)+width(p) <= to:
			out += between + p
		default:
			return cut(out, to)
		}
	}
	return cut(out, to)
}

// wrapped puts parts on as many lines as needed, at most most. The separator between two parts, without its
// spaces, may exceed the width at the end of a line.
func wrapped(parts []string, between string, to, most int) []string {
	var out []string
	for len(parts) > 0 && len(out) < most {
		n := 1
		for n < len(parts) && width(strings.Join(parts[:n+1], between)) <= to {
			n++
		}
		line := cut(strings.Join(parts[:n], between), to)
		if parts = parts[n:]; len(parts) > 0 {
			line += strings.TrimSpace(between)
		}
		out = append(out, line)
	}
	return out
}
