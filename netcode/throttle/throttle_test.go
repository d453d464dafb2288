package throttle

import (
	"net/netip"
	"testing"
	"time"
)

func TestBucket(t *testing.T) {
	const rate, burst = 4, 8
	var b Bucket
	take := func(now time.Duration) (n int) {
		for b.Take(now, rate, burst) {
			n++
		}
		return n
	}
	now := 100 * time.Second
	if n := take(now); n != burst {
		t.Errorf("a burst of %d, expected %d", n, burst)
	}
	now += time.Second
	if n := take(now); n != rate {
		t.Errorf("%d a second, expected %d", n, rate)
	}
	if b.Empty(now+time.Second, rate) {
		t.Error("empty after one second of two")
	}
	if !b.Empty(now+2*time.Second, rate) {
		t.Error("not empty after two seconds")
	}
	take(now + 2*time.Second)
	if n := take(now); n != 0 {
		t.Errorf("%d were allowed because the clock went back", n)
	}
}

func TestNetwork(t *testing.T) {
	for _, c := range [][2]string{
		{"192.0.2.7", "192.0.2.7"},
		{"::ffff:192.0.2.7", "192.0.2.7"},
		{"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"},
		{"2001:db8:1:2:ffff::%eth0", "2001:db8:1:2::"},
		{"fe80::1%eth0", "fe80::"},
	} {
		if got := Network(netip.MustParseAddr(c[0])); got != netip.MustParseAddr(c[1]) {
			t.Errorf("%s counts as %v, expected %s", c[0], got, c[1])
		}
	}
	if got := Network(netip.Addr{}); got != netip.IPv6Unspecified() {
		t.Errorf("what is no address counts as %v", got)
	}
}
