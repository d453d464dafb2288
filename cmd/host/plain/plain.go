// Package plain checks TOML files of strangers before they are parsed: files of content and a mod's mod.toml.
//
// They need little of TOML, and a parser spends minutes on a few kilobytes of what they do not need: keys of thousands of
// parts, tables in tables in tables. So that nobody can hold up a host or a client by one, these are refused first. It does
// not parse.
//
//	line, why := plain.Check(text)
package plain

import "fmt"

const (
	maxKeyBytes = 200 // of a key or a table's head
	maxNesting  = 3   // of brackets
)

// Check reports the first line that goes beyond what these files need, with a reason; 0 for none. What is no TOML the
// parser will say.
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
				return 0, "" // it never ends: the parser says so
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

// pastString is the last byte of a string that begins at i, and how many lines it goes over.
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
			return i - 1, lines // the parser will complain
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
