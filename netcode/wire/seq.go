package wire

// Seq numbers the datagrams of one direction of a connection. It wraps: comparisons hold between numbers less than
// 32 768 apart, which is nine minutes at 60 datagrams per second.
type Seq uint16

// After reports whether s is newer than o.
func (s Seq) After(o Seq) bool { return int16(s-o) > 0 }

// Since returns how many numbers s is after o; negative if it is before.
func (s Seq) Since(o Seq) int { return int(int16(s - o)) }
