package server

import (
	"testing"
	"unsafe"
)

// TestRecordsFillCacheLines: records are made in rows (Conn.reserve), so that one which is not a whole number of cache lines
// would share its first, hot line with another.
func TestRecordsFillCacheLines(t *testing.T) {
	if n := unsafe.Sizeof(repState{}); n%64 != 0 {
		t.Errorf("a rec takes %d bytes; pad it to a multiple of 64", n)
	}
	if n := unsafe.Offsetof(sendState{}.isLate) + 8; n > 64 {
		t.Errorf("the hot part of a replication state ends at byte %d, behind the first cache line", n)
	}
}
