package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// emulator is what a terminal shows of the bytes written to it; see newEmulator. It understands as much of ECMA-48 as the host
// writes, and lists the sequences that it does not understand.
type emulator struct {
	width, height int
	cells         [2][][]rune // the usual screen, and the second
	second        int         // which of them is shown
	row, col      int
	saved         [2]int // row and column on the usual screen
	wrap, cursor  bool
	pending       []byte
	// unknown are sequences that it does not understand.
	unknown []string
}

// newEmulator makes one of some size.
func newEmulator(width, height int) *emulator {
	e := &emulator{width: width, height: height, wrap: true, cursor: true}
	for i := range e.cells {
		e.cells[i] = blank(width, height)
	}
	return e
}

func blank(width, height int) [][]rune {
	out := make([][]rune, height)
	for i := range out {
		out[i] = []rune(strings.Repeat(" ", width))
	}
	return out
}

// resize changes the size and keeps what fits.
func (e *emulator) resize(width, height int) {
	for i, old := range e.cells {
		e.cells[i] = blank(width, height)
		for r := range min(height, e.height) {
			copy(e.cells[i][r], old[r][:min(width, e.width)])
		}
	}
	e.width, e.height = width, height
	e.row, e.col = min(e.row, height-1), min(e.col, width-1)
}

// String is the screen as lines, without spaces at their ends.
func (e *emulator) String() string {
	lines := make([]string, e.height)
	for i, r := range e.cells[e.second] {
		lines[i] = strings.TrimRight(strings.ReplaceAll(string(r), "\x00", ""), " ")
	}
	return strings.Join(lines, "\n")
}

// Write takes what a program writes; it never fails.
func (e *emulator) Write(p []byte) (int, error) {
	b := append(e.pending, p...)
	for len(b) > 0 {
		n := e.take(b)
		if n == 0 {
			break
		}
		b = b[n:]
	}
	e.pending = append([]byte(nil), b...)
	return len(p), nil
}

// take handles the first character or sequence and returns its length, 0 where it is not complete.
func (e *emulator) take(b []byte) int {
	switch b[0] {
	case 0x1b:
		return e.escape(b)
	case '\r':
		e.col = 0
	case '\n':
		e.down()
	case '\b':
		e.col = max(0, e.col-1)
	case 7:
	case '\t':
		e.col = min(e.width-1, (e.col/8+1)*8)
	default:
		if !utf8.FullRune(b) {
			return 0
		}
		r, n := utf8.DecodeRune(b)
		e.put(r)
		return n
	}
	return 1
}

func (e *emulator) down() {
	if e.row < e.height-1 {
		e.row++
		return
	}
	c := e.cells[e.second]
	e.cells[e.second] = append(c[1:], []rune(strings.Repeat(" ", e.width)))
}

func (e *emulator) put(r rune) {
	if r < ' ' {
		return
	}
	if e.col >= e.width {
		if e.wrap {
			e.col = 0
			e.down()
		} else {
			e.col = e.width - 1
		}
	}
	e.cells[e.second][e.row][e.col] = r
	e.col++
}

// escape handles a sequence.
func (e *emulator) escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	if b[1] != '[' {
		e.unknown = append(e.unknown, strconv.Quote(string(b[:2])))
		return 2
	}
	i := 2
	for i < len(b) && (b[i] < 0x40 || b[i] > 0x7e) {
		i++
	}
	if i == len(b) {
		return 0
	}
	args := string(b[2:i])
	if !e.csi(args, b[i]) {
		e.unknown = append(e.unknown, strconv.Quote(string(b[:i+1])))
	}
	return i + 1
}

func (e *emulator) csi(args string, final byte) bool {
	n := make([]int, 2)
	for i, a := range strings.SplitN(strings.TrimPrefix(args, "?"), ";", 2) {
		n[i], _ = strconv.Atoi(a)
	}
	line := e.cells[e.second][e.row]
	at := min(e.col, e.width-1)
	fill := func(r []rune) {
		for i := range r {
			r[i] = ' '
		}
	}
	switch final {
	case 'm':
	case 'A':
		e.row = max(0, e.row-max(1, n[0]))
	case 'B':
		e.row = min(e.height-1, e.row+max(1, n[0]))
	case 'C':
		e.col = min(e.width-1, e.col+max(1, n[0]))
	case 'D':
		e.col = max(0, at-max(1, n[0]))
	case 'H':
		e.row, e.col = max(0, min(e.height, n[0])-1), max(0, min(e.width, n[1])-1)
	case 'K':
		switch n[0] {
		case 0:
			fill(line[at:])
		case 1:
			fill(line[:at+1])
		default:
			fill(line)
		}
	case 'J':
		if n[0] == 2 {
			e.cells[e.second] = blank(e.width, e.height)
			break
		}
		fill(line[at:])
		for _, r := range e.cells[e.second][e.row+1:] {
			fill(r)
		}
	case 'h', 'l':
		on := final == 'h'
		switch args {
		case "?1049":
			if on {
				e.saved = [2]int{e.row, e.col}
				e.cells[1] = blank(e.width, e.height)
				e.second = 1
			} else {
				e.row, e.col = e.saved[0], e.saved[1]
				e.second = 0
			}
		case "?25":
			e.cursor = on
		case "?7":
			e.wrap = on
		default:
			return false
		}
	default:
		return false
	}
	return true
}
