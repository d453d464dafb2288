package scene

import (
	"strconv"
	"unicode/utf8"
)

// maxSaid bounds the bytes of a tick's events that can occur in any number (lines, messages, effects); further
// ones are dropped and counted. Spawned and gone are bounded by MaxActors instead, and never dropped.
const maxSaid = 256 << 10

// Events is a JSON array of objects that is built event by event. It allocates only when it grows beyond its
// largest size so far.
type Events struct {
	buf     []byte
	said    int // bytes of droppable events
	dropped int
	from    int // start of the present event
}

// Begin starts an event: {"e":"kind". Each method adds a member; End closes it.
func (e *Events) Begin(kind string) *Events {
	if len(e.buf) == 0 {
		e.buf = append(e.buf, '[')
	} else {
		e.buf = append(e.buf, ',')
	}
	e.from = len(e.buf)
	e.buf = append(e.buf, `{"e":`...)
	e.buf = appendText(e.buf, kind)
	return e
}

func (e *Events) name(name string) {
	e.buf = append(e.buf, ',')
	e.buf = appendText(e.buf, name)
	e.buf = append(e.buf, ':')
}

// Int adds a whole number.
func (e *Events) Int(name string, v int) *Events {
	e.name(name)
	e.buf = strconv.AppendInt(e.buf, int64(v), 10)
	return e
}

// Bool adds true or false.
func (e *Events) Bool(name string, v bool) *Events {
	e.name(name)
	e.buf = strconv.AppendBool(e.buf, v)
	return e
}

// Float adds a number to six digits; one that is not finite is 0.
func (e *Events) Float(name string, v float64) *Events {
	e.name(name)
	e.buf = appendFloat(e.buf, v)
	return e
}

// Text adds a string. Invalid UTF-8 becomes U+FFFD.
func (e *Events) Text(name, v string) *Events {
	e.name(name)
	e.buf = appendText(e.buf, v)
	return e
}

// Vector adds three numbers.
func (e *Events) Vector(name string, x, y, z float64) *Events {
	e.name(name)
	e.buf = appendVector(e.buf, x, y, z)
	return e
}

// JSON adds a value that is JSON already.
func (e *Events) JSON(name string, v []byte) *Events {
	e.name(name)
	e.buf = append(e.buf, v...)
	return e
}

// End closes the event.
func (e *Events) End() { e.buf = append(e.buf, '}') }

// EndSaid closes an event that is dropped if the tick has too many.
func (e *Events) EndSaid() {
	e.buf = append(e.buf, '}')
	if size := len(e.buf) - e.from; e.said+size <= maxSaid {
		e.said += size
		return
	}
	e.dropped++
	if e.buf = e.buf[:e.from-1]; len(e.buf) == 1 {
		e.buf = e.buf[:0]
	}
}

// Raw adds an event that is JSON already: an object with a member "e".
func (e *Events) Raw(object []byte) {
	if len(e.buf) == 0 {
		e.buf = append(e.buf, '[')
	} else {
		e.buf = append(e.buf, ',')
	}
	e.buf = append(e.buf, object...)
}

// take returns the whole array, empty for no event. It is valid until reset.
func (e *Events) take() []byte {
	if e.dropped > 0 {
		n := e.dropped
		e.dropped = 0
		e.Begin("dropped").Int("count", n).End()
	}
	if len(e.buf) > 0 {
		e.buf = append(e.buf, ']')
	}
	return e.buf
}

func (e *Events) reset() { e.buf, e.said = e.buf[:0], 0 }

func appendVector(b []byte, x, y, z float64) []byte {
	b = appendFloat(append(b, '['), x)
	b = appendFloat(append(b, ','), y)
	b = appendFloat(append(b, ','), z)
	return append(b, ']')
}

func appendFloat(b []byte, v float64) []byte {
	if v-v != 0 {
		v = 0
	}
	return strconv.AppendFloat(b, v, 'g', 6, 64)
}

// appendText writes a JSON string (RFC 8259).
func appendText(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s { // invalid UTF-8 becomes U+FFFD
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < 0x20 || r == 0x7f:
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
