// Package plain checks untrusted TOML files before they are parsed: files of content and a mod's mod.toml.
//
// These files need little of TOML, and the parser spends minutes on a few kilobytes of what they do not need:
// keys of thousands of parts, deeply nested tables. Such files are rejected first, so that nobody can block a
// host or a client with one. Since the parser does not report positions of values, the package also finds the
// lines of tables and keys. It does not parse.
//
//	line, why := plain.Check(text)
//	at := plain.Lines(text)["mods.hats.share"]
//
// Guarantees: A file that a parser would spend minutes on is refused with its line.
package plain

import (
	"fmt"
	"strings"
)

// Error is a file that cannot be used.
type Error struct {
	File string
	Line int // 0 if unknown
	Text string
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
	}
	return e.File + ": " + e.Text
}

const (
	maxKeyBytes = 200 // of a key or a table's head
	maxNesting  = 3   // of a key or a table header
)

// Check returns the first line that exceeds what these files need, with a reason; 0 for none. Invalid TOML is
// left to the parser.
func Check(text string) (line int, why string) {
	line = 1
	depth, key := 0, 0
	inKey := true // before the = of a line that is not inside brackets
	for i := 0; i < len(text); i++ {
		c := text[i]
		if inKey && c != '\n' {
			if key++; key > maxKeyBytes {
				return line, fmt.Sprintf("a key of more than %d bytes", maxKeyBytes)
			}
		}
		switch c {
		case '\n':
			line++
			if depth == 0 {
				inKey, key = true, 0
			}
		case '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case '"', '\'':
			var lines int
			if i, lines = pastString(text, i); i >= len(text) {
				return 0, "" // it never ends: the parser reports that
			}
			line += lines
		case '=':
			inKey = false
		case '{':
			return line, "tables in braces; write [[notify]] and its kin"
		case '[':
			if !inKey {
				if depth++; depth > maxNesting {
					return line, fmt.Sprintf("brackets nested more than %d deep", maxNesting)
				}
			}
		case ']':
			depth = max(0, depth-1)
		}
	}
	return 0, ""
}

// pastString returns the last byte of a string that begins at i, and how many line ends it contains.
func pastString(text string, i int) (end, lines int) {
	quote := text[i]
	long := i+2 < len(text) && text[i+1] == quote && text[i+2] == quote
	if long {
		i += 2
	}
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quote == '"':
			i++
		case c == '\n' && !long:
			return i - 1, lines // the parser will report that
		case c == '\n':
			lines++
		case c == quote && !long:
			return i, lines
		case c == quote && i+2 < len(text) && text[i+1] == quote && text[i+2] == quote:
			return i + 2, lines
		case c == quote && long && i+2 >= len(text):
			return len(text), lines
		}
	}
	return len(text), lines
}

// Errorf makes an Error; line is 0 if unknown.
func Errorf(file string, line int, format string, args ...any) *Error {
	return &Error{file, line, fmt.Sprintf(format, args...)}
}

// Place is a line that begins a table or gives a key a value.
type Place struct {
	Line  int    // from 1
	Table string // "mods.hats", "" for the file itself
	Index int    // from 0, among tables with the same name
	Key   string // "" if the line begins the table
	Value string // as it is written
}

// Places lists the places of a file in order. Lines within a multi-line text or list may be among them.
func Places(text string) []Place {
	var out []Place
	var head Place
	seen := map[string]int{}
	for line := range strings.Lines(text) {
		head.Line++
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			name, _, _ := strings.Cut(strings.TrimLeft(line, "["), "]")
			head.Table = dotted(name)
			head.Index = seen[head.Table]
			seen[head.Table]++
			out = append(out, head)
			continue
		}
		if key, value, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			out = append(out, Place{head.Line, head.Table, head.Index, dotted(key), value})
		}
	}
	return out
}

// Lines finds the first line of each table and key by its path: mods, mods.hats, mods.hats.share.
func Lines(text string) map[string]int {
	out := map[string]int{}
	for _, p := range Places(text) {
		path := strings.Trim(p.Table+"."+p.Key, ".") + "."
		for i := range path {
			if path[i] == '.' && out[path[:i]] == 0 {
				out[path[:i]] = p.Line
			}
		}
	}
	return out
}

// dotted returns a key of several parts without spaces and quotes.
func dotted(key string) string {
	parts := strings.Split(key, ".")
	for i := range parts {
		parts[i] = strings.Trim(strings.TrimSpace(parts[i]), `"'`)
	}
	return strings.Join(parts, ".")
}
