//go:build counts

package count

import "sync/atomic"

// On reports whether this build counts.
const On = true

// totals is a package variable because the counts are those of the process. It is atomic because workers count, too.
var totals [Kinds]atomic.Int64

// Add adds n, which may be negative.
func Add(k Kind, n int) { totals[k].Add(int64(n)) }

// Read returns the counts so far.
func Read() (t Totals) {
	for k := range t {
		t[k] = totals[k].Load()
	}
	return t
}
