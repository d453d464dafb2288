package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/tidelock/tidelock/engine/geom"
)

// Values are what a property may hold and plain tables, as MessagePack, so that an export can be read by anything: nil, booleans,
// numbers (float64, and integers where they are whole), strings, and maps and arrays of these. Vectors and rotators are
// extension types 1 and 2: three big-endian float64, and three uint16.

// Bounds of a value beside [MaxValue].
const (
	maxDepth = 16
	maxNodes = 16384 // values and keys in one value
)

const (
	extVector  = 1
	extRotator = 2
)

// Table is a table of a script: Array holds the values of keys 1, 2, …, without gaps, Pairs all others in any order.
type Table struct {
	Array []any
	Pairs []Pair
}

// Pair is an entry of a Table. Key is a string, a float64 or a bool.
type Pair struct{ Key, Value any }

// Get returns the value at a key of Pairs, nil if there is none.
func (t *Table) Get(key any) any {
	if t != nil {
		for _, p := range t.Pairs {
			if p.Key == key {
				return p.Value
			}
		}
	}
	return nil
}

// Append encodes a value: nil, bool, float64, string, [geom.Vector], [geom.Rotator] or [*Table]. The same value always gives
// the same bytes. An error says what cannot be stored.
func Append(b []byte, x any) ([]byte, error) {
	start := len(b)
	nodes := 0
	b, err := appendValue(b, x, 0, &nodes)
	if err == nil && len(b)-start > MaxValue {
		err = fmt.Errorf("a value of %d bytes is too large: at most %d; use several keys", len(b)-start, MaxValue)
	}
	return b, err
}

func appendValue(b []byte, x any, depth int, nodes *int) ([]byte, error) {
	if *nodes++; *nodes > maxNodes {
		return b, fmt.Errorf("a value of more than %d parts is too large", maxNodes)
	}
	switch x := x.(type) {
	case nil:
		return append(b, 0xc0), nil
	case bool:
		if x {
			return append(b, 0xc3), nil
		}
		return append(b, 0xc2), nil
	case float64:
		if x-x != 0 {
			return b, fmt.Errorf("the number %v cannot be stored", x)
		}
		return appendNumber(b, x), nil
	case string:
		return appendString(b, x), nil
	case geom.Vector:
		if n := x.X + x.Y + x.Z; n-n != 0 {
			return b, fmt.Errorf("the vector %v cannot be stored", x)
		}
		b = append(b, 0xc7, 24, extVector)
		for _, f := range [3]float64{x.X, x.Y, x.Z} {
			b = binary.BigEndian.AppendUint64(b, math.Float64bits(f))
		}
		return b, nil
	case geom.Rotator:
		b = append(b, 0xc7, 6, extRotator)
		for _, n := range [3]uint16{x.Pitch, x.Yaw, x.Roll} {
			b = binary.BigEndian.AppendUint16(b, n)
		}
		return b, nil
	case *Table:
		if depth == maxDepth {
			return b, fmt.Errorf("a table is nested more than %d deep, or contains itself", maxDepth)
		}
		return appendTable(b, x, depth, nodes)
	}
	return b, fmt.Errorf("a %T cannot be stored", x)
}

func appendTable(b []byte, t *Table, depth int, nodes *int) ([]byte, error) {
	var err error
	if len(t.Pairs) == 0 && len(t.Array) > 0 {
		b = appendHead(b, len(t.Array), 0x90, 16, 0xdc)
		for _, e := range t.Array {
			if b, err = appendValue(b, e, depth+1, nodes); err != nil {
				return b, err
			}
		}
		return b, nil
	}
	type entry struct{ key, value []byte }
	entries := make([]entry, 0, len(t.Array)+len(t.Pairs))
	add := func(key, value any) error {
		switch key.(type) {
		case string, float64, bool:
		default:
			return fmt.Errorf("a %T cannot be the key of a stored table", key)
		}
		k, err := appendValue(nil, key, depth+1, nodes)
		if err != nil {
			return err
		}
		v, err := appendValue(nil, value, depth+1, nodes)
		entries = append(entries, entry{k, v})
		return err
	}
	for i, e := range t.Array {
		if err := add(float64(i+1), e); err != nil {
			return b, err
		}
	}
	for _, p := range t.Pairs {
		if err := add(p.Key, p.Value); err != nil {
			return b, err
		}
	}
	slices.SortFunc(entries, func(x, y entry) int { return slices.Compare(x.key, y.key) })
	b = appendHead(b, len(entries), 0x80, 16, 0xde)
	for _, e := range entries {
		b = append(append(b, e.key...), e.value...)
	}
	return b, nil
}

// appendHead appends the head of an array or a map: short for fewer than limit entries.
func appendHead(b []byte, n int, short byte, limit int, long byte) []byte {
	switch {
	case n < limit:
		return append(b, short|byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, long), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(b, long+1), uint32(n))
}

// appendNumber appends a whole number in as few bytes as there are, positive ones without a sign as most encoders do: a tool that makes
// the value again from a text makes the same bytes.
func appendNumber(b []byte, x float64) []byte {
	n := int64(x)
	if float64(n) != x || n == 0 && math.Signbit(x) || n > 1<<53 || n < -1<<53 {
		return binary.BigEndian.AppendUint64(append(b, 0xcb), math.Float64bits(x))
	}
	switch {
	case n >= 0 && n < 128, n < 0 && n >= -32:
		return append(b, byte(n))
	case n >= 0 && n <= math.MaxUint8:
		return append(b, 0xcc, byte(n))
	case n >= 0 && n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, 0xcd), uint16(n))
	case n >= 0 && n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(b, 0xce), uint32(n))
	case n >= 0:
		return binary.BigEndian.AppendUint64(append(b, 0xcf), uint64(n))
	case n >= math.MinInt8:
		return append(b, 0xd0, byte(n))
	case n >= math.MinInt16:
		return binary.BigEndian.AppendUint16(append(b, 0xd1), uint16(n))
	case n >= math.MinInt32:
		return binary.BigEndian.AppendUint32(append(b, 0xd2), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(b, 0xd3), uint64(n))
}

// appendString appends text as a string, and other bytes as binary.
func appendString(b []byte, s string) []byte {
	n := len(s)
	switch {
	case !utf8.ValidString(s):
		switch {
		case n <= math.MaxUint8:
			b = append(b, 0xc4, byte(n))
		case n <= math.MaxUint16:
			b = binary.BigEndian.AppendUint16(append(b, 0xc5), uint16(n))
		default:
			b = binary.BigEndian.AppendUint32(append(b, 0xc6), uint32(n))
		}
	case n < 32:
		b = append(b, 0xa0|byte(n))
	case n <= math.MaxUint8:
		b = append(b, 0xd9, byte(n))
	case n <= math.MaxUint16:
		b = binary.BigEndian.AppendUint16(append(b, 0xda), uint16(n))
	default:
		b = binary.BigEndian.AppendUint32(append(b, 0xdb), uint32(n))
	}
	return append(b, s...)
}

// Decode decodes a value that Append made; any other MessagePack of the same kinds is decoded, too. Memory is bounded by the
// length of b.
func Decode(b []byte) (any, error) {
	d := decoder{b: b}
	x, err := d.value(0)
	if err == nil && len(d.b) > 0 {
		err = fmt.Errorf("%d bytes follow the value", len(d.b))
	}
	if err != nil {
		return nil, fmt.Errorf("not a stored value: %w", err)
	}
	return x, nil
}

type decoder struct {
	b     []byte
	nodes int
}

var errShort = errors.New("it ends too early")

func (d *decoder) take(n uint64) ([]byte, error) {
	if n > uint64(len(d.b)) {
		return nil, errShort
	}
	out := d.b[:n]
	d.b = d.b[n:]
	return out, nil
}

// number reads a big-endian unsigned integer of so many bytes.
func (d *decoder) number(bytes int) (n uint64, err error) {
	p, err := d.take(uint64(bytes))
	for _, c := range p {
		n = n<<8 | uint64(c)
	}
	return n, err
}

func (d *decoder) value(depth int) (any, error) {
	if d.nodes++; d.nodes > maxNodes {
		return nil, fmt.Errorf("more than %d parts", maxNodes)
	}
	head, err := d.number(1)
	if err != nil {
		return nil, err
	}
	c := byte(head)
	switch {
	case c < 0x80:
		return float64(c), nil
	case c >= 0xe0:
		return float64(int8(c)), nil
	case c < 0x90:
		return d.table(uint64(c&15), true, depth)
	case c < 0xa0:
		return d.table(uint64(c&15), false, depth)
	case c < 0xc0:
		return d.text(uint64(c & 31))
	}
	switch c {
	case 0xc0:
		return nil, nil
	case 0xc2, 0xc3:
		return c == 0xc3, nil
	case 0xc4, 0xc5, 0xc6, 0xd9, 0xda, 0xdb: // binary and text, with a length of 1, 2 or 4 bytes
		n, err := d.number(1 << ((c - 0xc4) % (0xd9 - 0xc4)))
		if err != nil {
			return nil, err
		}
		return d.text(n)
	case 0xca:
		n, err := d.number(4)
		return finite(float64(math.Float32frombits(uint32(n))), err)
	case 0xcb:
		n, err := d.number(8)
		return finite(math.Float64frombits(n), err)
	case 0xcc, 0xcd, 0xce, 0xcf:
		n, err := d.number(1 << (c - 0xcc))
		return float64(n), err
	case 0xd0, 0xd1, 0xd2, 0xd3:
		bytes := 1 << (c - 0xd0)
		n, err := d.number(bytes)
		return float64(int64(n<<(64-8*bytes)) >> (64 - 8*bytes)), err
	case 0xdc, 0xdd, 0xde, 0xdf:
		n, err := d.number(2 << (c & 1))
		if err != nil {
			return nil, err
		}
		return d.table(n, c >= 0xde, depth)
	case 0xc7:
		return d.ext()
	}
	return nil, fmt.Errorf("0x%02x begins no value", c)
}

func finite(x float64, err error) (any, error) {
	if err == nil && x-x != 0 {
		err = fmt.Errorf("the number %v is not finite", x)
	}
	return x, err
}

func (d *decoder) text(n uint64) (any, error) {
	p, err := d.take(n)
	return string(p), err
}

func (d *decoder) ext() (any, error) {
	n, err := d.number(1)
	if err != nil {
		return nil, err
	}
	kind, err := d.number(1)
	if err != nil {
		return nil, err
	}
	p, err := d.take(n)
	if err != nil {
		return nil, err
	}
	switch {
	case kind == extVector && n == 24:
		f := func(i int) float64 { return math.Float64frombits(binary.BigEndian.Uint64(p[8*i:])) }
		if _, err := finite(f(0)+f(1)+f(2), nil); err != nil {
			return nil, err
		}
		return geom.Vector{X: f(0), Y: f(1), Z: f(2)}, nil
	case kind == extRotator && n == 6:
		return geom.Rotator{Pitch: binary.BigEndian.Uint16(p), Yaw: binary.BigEndian.Uint16(p[2:]), Roll: binary.BigEndian.Uint16(p[4:])}, nil
	}
	return nil, fmt.Errorf("an extension of type %d with %d bytes is not known", int8(kind), n)
}

func (d *decoder) table(n uint64, pairs bool, depth int) (any, error) {
	if depth == maxDepth {
		return nil, fmt.Errorf("nested more than %d deep", maxDepth)
	}
	if n > uint64(len(d.b)) { // each entry takes a byte
		return nil, errShort
	}
	t := &Table{}
	for range n {
		if !pairs {
			x, err := d.value(depth + 1)
			if err != nil {
				return nil, err
			}
			t.Array = append(t.Array, x)
			continue
		}
		key, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		switch k := key.(type) {
		case string, bool, float64:
		default:
			return nil, fmt.Errorf("a %T is the key of a table", k)
		}
		x, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		t.Pairs = append(t.Pairs, Pair{key, x})
	}
	return t, nil
}
