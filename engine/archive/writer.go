package archive

import (
	"encoding/binary"
	"math"
)

// Writer appends values to a buffer. The zero value is empty and ready. It never fails.
type Writer struct{ buf []byte }

// NewWriter returns a writer that appends to a buffer, from its start on: one of an earlier archive saves its growth.
func NewWriter(buf []byte) *Writer { return &Writer{buf[:0]} }

// Bytes returns what was written. It is valid until the next write.
func (w *Writer) Bytes() []byte { return w.buf }

// Len returns how many bytes were written.
func (w *Writer) Len() int { return len(w.buf) }

// Truncate removes what was written after the first n bytes.
func (w *Writer) Truncate(n int) { w.buf = w.buf[:n] }

// Byte appends a byte.
func (w *Writer) Byte(b byte) { w.buf = append(w.buf, b) }

// Bool appends a byte: 0 or 1.
func (w *Writer) Bool(b bool) {
	if b {
		w.buf = append(w.buf, 1)
	} else {
		w.buf = append(w.buf, 0)
	}
}

// Uint appends a number from 0 in one to ten bytes, small ones in few.
func (w *Writer) Uint(n uint64) { w.buf = binary.AppendUvarint(w.buf, n) }

// Int appends a number near 0, of either sign, in few bytes.
func (w *Writer) Int(n int64) { w.buf = binary.AppendVarint(w.buf, n) }

// Word appends eight bytes.
func (w *Writer) Word(n uint64) { w.buf = binary.LittleEndian.AppendUint64(w.buf, n) }

// Float appends a number exactly, in eight bytes.
func (w *Writer) Float(f float64) { w.Word(math.Float64bits(f)) }

// Float32 appends a number that is exactly a float32, in four bytes.
func (w *Writer) Float32(f float64) {
	w.buf = binary.LittleEndian.AppendUint32(w.buf, math.Float32bits(float32(f)))
}

// String appends a string with its length.
func (w *Writer) String(s string) {
	w.Uint(uint64(len(s)))
	w.buf = append(w.buf, s...)
}

// Begin opens a section, whose length precedes it; End, with what Begin returned, closes it.
func (w *Writer) Begin() (section int) {
	w.buf = append(w.buf, 0, 0, 0, 0)
	return len(w.buf)
}

// End closes a section.
func (w *Writer) End(section int) {
	binary.LittleEndian.PutUint32(w.buf[section-4:], uint32(len(w.buf)-section))
}
