package server

import "testing"

// TestAgesOfRemembered: a connection that joins the group, whose datagrams were now and then not one to a net update, is told
// relative to what it got in the very datagram (docs/protocol.md). Where the ages of one of its payloads are not regular,
// those before it are not taken to be so either.
func TestAgesOfRemembered(t *testing.T) {
	s := &Server{}
	c := &Conn{s: s, sender: sender{lastPay: 13, sent: 24}}
	for number, no := range map[uint32]uint32{13: 23, 12: 22, 11: 20, 9: 19} { // 11 went one datagram earlier than the others
		c.payNo[number] = no
		c.validPay |= 1 << (13 - number)
	}
	c.gotPay = c.validPay
	c.remembered()
	for _, x := range []struct {
		got     uint64 // what arrived: bit k is payload 13 − k
		regular bool
	}{{1, true}, {3, true}, {1 << 2, false}, {1 << 4, false}, {1<<4 | 1<<2 | 3, false}} {
		c.gotPay = x.got
		var ages [32]uint8
		got := c.holds64(14, &ages)
		regular := ages[0] == regularAges
		if got != x.got<<1 || regular != x.regular {
			t.Errorf("payloads %b arrived: %b, regular %v", x.got, got, regular)
		}
		for j, want := range map[int]uint8{1: 1, 2: 2, 3: 4, 5: 5} {
			age := ages[j]
			if regular {
				age = uint8(j)
			}
			if got>>j&1 != 0 && age != want {
				t.Errorf("payload 14 − %d was %d datagrams ago, not %d", j, age, want)
			}
		}
	}
}
