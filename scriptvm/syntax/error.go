package syntax

import "fmt"

// Error is an error in a script's text, with its position. Lines and columns count from 1; columns are bytes. A
// column of 0 means that only the line is known.
type Error struct {
	File   string
	Line   int
	Column int
	Msg    string
}

// Error returns file:line:column: message, the form that editors jump to.
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

// String returns line:column.
func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// Errorf returns an error at a position of the chunk, for checkers of its meaning.
func (c *Chunk) Errorf(at Position, format string, args ...any) *Error {
	return &Error{File: c.Name, Line: at.Line, Column: at.Column, Msg: fmt.Sprintf(format, args...)}
}
