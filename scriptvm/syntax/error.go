package syntax

import (
	"fmt"
	"strings"
)

// Error is what is wrong with a script's text, and where. Lines and columns count from 1; columns are
// bytes. A column of 0 means that only the line is known.
type Error struct {
	File   string
	Line   int
	Column int
	Msg    string
}

// Error gives file:line:column: message, the form that editors jump to.
func (e *Error) Error() string {
	if e.Column == 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// Position is a place in a file, both counted from 1. The zero value is "unknown".
type Position struct {
	Line   int
	Column int
}

// IsValid reports whether p is known.
func (p Position) IsValid() bool { return p.Line > 0 }

// String gives line:column.
func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// Errorf makes an error at a position of the chunk, for checkers of what the chunk means.
func (c *Chunk) Errorf(at Position, format string, args ...any) *Error {
	return &Error{File: c.Name, Line: at.Line, Column: at.Column, Msg: fmt.Sprintf(format, args...)}
}

// Nearest gives the candidate that a misspelt name most likely meant, or "" when none is near: at most
// one edit for names up to four letters, two up to eight, three beyond; a difference of case only is
// always near. Of equally near ones the first in order of the slice wins.
func Nearest(name string, candidates []string) string {
	allowed := 3
	switch {
	case len(name) <= 4:
		allowed = 1
	case len(name) <= 8:
		allowed = 2
	}
	if len(name) > 64 {
		return ""
	}
	best, bestDistance := "", allowed+1
	for _, candidate := range candidates {
		if candidate == name || len(candidate) > 64 {
			continue
		}
		if strings.EqualFold(candidate, name) {
			return candidate
		}
		if d := editDistance(name, candidate, bestDistance); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours; it may stop early
// with any number ≥ limit. Both names are at most 64 bytes.
func editDistance(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	var rows [3][65]int
	for j := 0; j <= len(b); j++ {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, previous, row := &rows[(i+1)%3], &rows[(i+2)%3], &rows[i%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(previous[j]+1, row[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
