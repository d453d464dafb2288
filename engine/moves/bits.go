package moves

import "errors"

// Errors of reading. A peer's data gives one of these and no others.
var (
	ErrRange   = errors.New("a value is out of its range")
	ErrSurplus = errors.New("there are more bytes than values")
	ErrRoster  = errors.New("it names somebody who cannot take part")
)

// writer appends numbers of any width, lowest bit first. Zero bytes at the end are left out: values at rest are
// written as zeros, and last if possible.
type writer struct {
	buf []byte
	n   int // bits written
}

func (w *writer) reset() { w.buf, w.n = w.buf[:0], 0 }

func (w *writer) put(x uint64, bits int) {
	for bits > 0 {
		if w.n&7 == 0 {
			w.buf = append(w.buf, 0)
		}
		take := min(bits, 8-w.n&7)
		w.buf[w.n>>3] |= byte(x&(1<<take-1)) << (w.n & 7)
		x >>= take
		w.n += take
		bits -= take
	}
}

func (w *writer) flag(on bool) {
	var x uint64
	if on {
		x = 1
	}
	w.put(x, 1)
}

func (w *writer) text() string {
	n := len(w.buf)
	for n > 0 && w.buf[n-1] == 0 {
		n--
	}
	return string(w.buf[:n])
}

// reader reads what writer wrote. After the end it reads zeros.
type reader struct {
	buf string
	n   int // bits read
	err error
}

func (r *reader) get(bits int) uint64 {
	var x uint64
	for got := 0; got < bits; {
		take := min(bits-got, 8-r.n&7)
		if at := r.n >> 3; at < len(r.buf) {
			x |= uint64(r.buf[at]>>(r.n&7)&(1<<take-1)) << got
		}
		r.n += take
		got += take
	}
	return x
}

func (r *reader) flag() bool { return r.get(1) != 0 }

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// end returns the first error; bits left after the last value are one.
func (r *reader) end() error {
	if at := r.n >> 3; at < len(r.buf) && (at+1 < len(r.buf) || r.buf[at]>>(r.n&7) != 0) {
		r.fail(ErrSurplus)
	}
	return r.err
}
