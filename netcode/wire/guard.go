package wire

import "encoding/binary"

// Guard scans a datagram or a message, a sequence of values, before anything is read from it: every declared length
// is at most the remaining bytes, nothing is nested deeper than [MaxDepth], there are at most [MaxNodes] values, no
// extensions, and map keys are strings or integers. It allocates nothing, does not recurse, and takes time in
// proportion to the bytes.
//
// Input that passes is safe for any msgpack decoder, of this package or a library (facts: the library allocates by
// declared length, 336 MB for five bytes).
func Guard(b []byte) error { return GuardNodes(b, MaxNodes) }

// GuardNodes is [Guard] with another bound on the number of values: a class table or a manifest has more.
func GuardNodes(b []byte, nodes int) error {
	w := walker{b: b, nodes: nodes}
	for w.pos < len(b) {
		if err := w.value(); err != nil {
			return err
		}
	}
	return nil
}

type walker struct {
	b     []byte
	pos   int
	nodes int // left
}

// value skips one value and everything in it.
func (w *walker) value() error {
	// left[d] is how many values are to come at depth d; a map's count is doubled, and a key is next when an even
	// number is left.
	var left [MaxDepth + 1]uint32
	var isMap [MaxDepth + 1]bool
	d := 0
	left[0] = 1
	b, pos := w.b, w.pos
	for {
		for left[d] == 0 {
			if d == 0 {
				w.pos = pos
				return nil
			}
			d--
		}
		if w.nodes--; w.nodes < 0 {
			return ErrNodes
		}
		if pos >= len(b) {
			return ErrTruncated
		}
		c := b[pos]
		pos++
		key := isMap[d] && left[d]&1 == 0
		left[d]--

		if c < mpFixMap || c >= 0xe0 { // small integers are most of what is sent
			continue
		}
		var size, children uint64
		mapping := false
		switch {
		case c < mpFixArray:
			children, mapping = uint64(c&15), true
		case c < mpFixStr:
			children = uint64(c & 15)
		case c < mpNil:
			size = uint64(c & 31)
		default:
			width := lengthWidth[c-mpNil]
			if width == bad {
				return ErrFormat
			}
			if width > 4 { // a scalar of width−5 bytes
				size = uint64(width - 5)
				break
			}
			if int(width) > len(b)-pos {
				return ErrTruncated
			}
			n := uint64(0)
			switch width {
			case 1:
				n = uint64(b[pos])
			case 2:
				n = uint64(binary.BigEndian.Uint16(b[pos:]))
			case 4:
				n = uint64(binary.BigEndian.Uint32(b[pos:]))
			}
			pos += int(width)
			if c >= mpArray16 {
				children, mapping = n, c >= mpMap16
			} else {
				size = n
			}
		}
		if key && (c < mpFixStr || c >= mpArray16 || c >= mpNil && c < mpUint8) {
			return ErrKey
		}
		if size > uint64(len(b)-pos) {
			if c >= mpFloat32 && c <= mpInt64 {
				return ErrTruncated
			}
			return ErrLength
		}
		pos += int(size)
		if children == 0 {
			continue
		}
		if mapping {
			children *= 2
		}
		if children > uint64(len(b)-pos) {
			return ErrLength
		}
		if d++; d > MaxDepth {
			return ErrDepth
		}
		left[d], isMap[d] = uint32(children), mapping
	}
}

const bad = 0xff

// lengthWidth maps the format bytes from 0xc0 to 0xdf to the number of length bytes that follow (1, 2 or 4), or to
// five plus the size of a scalar; bad is refused.
const lengthWidth = "\x05\xff\x05\x05" + // nil, never used, false, true
	"\x01\x02\x04" + // bin
	"\xff\xff\xff" + // ext
	"\x09\x0d" + // float
	"\x06\x07\x09\x0d" + // uint
	"\x06\x07\x09\x0d" + // int
	"\xff\xff\xff\xff\xff" + // fixext
	"\x01\x02\x04" + // str
	"\x02\x04" + // array
	"\x02\x04" // map
