package archive

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Reader reads what a [Writer] wrote. After the first fault it reads zero values only.
type Reader struct {
	buf  []byte
	base int // where buf begins in the whole, for messages
	at   int
	what string // what is being read, for messages
	err  *error // shared with the readers of sections
}

// Error is a fault of an archive: what is wrong, and where. The caller adds the name of the archive.
type Error struct {
	// What names the part that was read, At is the position in the content, in bytes.
	What string
	At   int
	Text string
}

func (e *Error) Error() string {
	if e.What == "" {
		return fmt.Sprintf("byte %d: %s", e.At, printable(e.Text))
	}
	return fmt.Sprintf("%s, byte %d: %s", printable(e.What), e.At, printable(e.Text))
}

// mostText bounds a part of a message, in bytes.
const mostText = 200

// printable makes a text of an archive part of a line: names in it may hold anything.
func printable(s string) string {
	if len(s) > mostText {
		s = s[:mostText] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}

// NewReader reads a buffer, which must not change meanwhile.
func NewReader(buf []byte) *Reader { return &Reader{buf: buf, err: new(error)} }

// Err returns the first fault, nil for none. Every fault is an [*Error].
func (r *Reader) Err() error { return *r.err }

// Failf ends the reading with a fault, unless there was one before.
func (r *Reader) Failf(format string, args ...any) {
	if *r.err == nil {
		*r.err = &Error{What: r.what, At: r.base + r.at, Text: fmt.Sprintf(format, args...)}
	}
}

// Reading names the part that is read next in messages.
func (r *Reader) Reading(what string) { r.what = what }

// Left returns how many bytes are left, 0 after a fault.
func (r *Reader) Left() int {
	if *r.err != nil {
		return 0
	}
	return len(r.buf) - r.at
}

// take returns the next n bytes, nil after a fault.
func (r *Reader) take(n int) []byte {
	if *r.err != nil {
		return nil
	}
	if n < 0 || n > len(r.buf)-r.at {
		r.Failf("it ends %d bytes too early", n-(len(r.buf)-r.at))
		return nil
	}
	b := r.buf[r.at : r.at+n : r.at+n]
	r.at += n
	return b
}

// Byte reads a byte.
func (r *Reader) Byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// Peek returns the next byte without reading it; 0 at the end.
func (r *Reader) Peek() byte {
	if r.Left() == 0 {
		return 0
	}
	return r.buf[r.at]
}

// Bool reads a boolean; a byte above 1 is a fault.
func (r *Reader) Bool() bool {
	b := r.Byte()
	if b > 1 {
		r.Failf("expected 0 or 1, got %d", b)
	}
	return b == 1
}

// Uint reads a number of at most a bound.
func (r *Reader) Uint(most uint64) uint64 {
	if *r.err != nil {
		return 0
	}
	n, size := binary.Uvarint(r.buf[r.at:])
	if size <= 0 {
		r.Failf("a number is cut off or too long")
		return 0
	}
	if n > most {
		r.Failf("expected a number up to %d, got %d", most, n)
		return 0
	}
	r.at += size
	return n
}

// Int reads a number of either sign.
func (r *Reader) Int() int64 {
	if *r.err != nil {
		return 0
	}
	n, size := binary.Varint(r.buf[r.at:])
	if size <= 0 {
		r.Failf("a number is cut off or too long")
		return 0
	}
	r.at += size
	return n
}

// Count reads the number of items that follow, each of at least so many bytes: more than are left is a fault, so that a
// slice of that length can be made.
func (r *Reader) Count(most, bytes int) int {
	n := r.Uint(math.MaxUint64)
	switch {
	case *r.err != nil:
		return 0
	case n > uint64(most):
		r.Failf("expected at most %d items, got %d", most, n)
		return 0
	case n*uint64(bytes) > uint64(r.Left()):
		r.Failf("%d items of at least %d bytes do not fit into the %d that follow", n, bytes, r.Left())
		return 0
	}
	return int(n)
}

// Word reads eight bytes.
func (r *Reader) Word() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Float reads a number; infinity and NaN are faults.
func (r *Reader) Float() float64 {
	f := math.Float64frombits(r.Word())
	if f-f != 0 {
		r.Failf("expected a finite number, got %g", f)
		return 0
	}
	return f
}

// Float32 reads a number of four bytes; infinity and NaN are faults.
func (r *Reader) Float32() float64 {
	b := r.take(4)
	if b == nil {
		return 0
	}
	f := float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	if f-f != 0 {
		r.Failf("expected a finite number, got %g", f)
		return 0
	}
	return f
}

// String reads a string of at most so many bytes.
func (r *Reader) String(most int) string {
	return string(r.take(r.Count(most, 1)))
}

// Section returns a reader of the section that follows, and skips it. A fault in one of the two readers ends both.
func (r *Reader) Section(what string) *Reader {
	n := 0
	if b := r.take(4); b != nil {
		n = int(binary.LittleEndian.Uint32(b))
	}
	from := r.base + r.at
	return &Reader{buf: r.take(n), base: from, what: what, err: r.err}
}

// End reports a fault if anything is left.
func (r *Reader) End() {
	if n := r.Left(); n > 0 {
		r.Failf("%d bytes follow the end", n)
	}
}
