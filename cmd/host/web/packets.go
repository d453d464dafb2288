package web

import (
	"hash/maphash"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"golang.org/x/net/ipv4"

	"github.com/tidelock/tidelock/netcode/throttle"
)

const (
	// longPerSession is how many packets with a long header are allowed for each session that an address may
	// open: a handshake needs four to eight, and some are sent again.
	longPerSession = 10
	// longSlots is the number of buckets that addresses share. It is fixed, so that forged addresses cost nothing.
	longSlots = 4096
)

// packets is the UDP socket with protection against floods. quic-go answers Initials of strangers from a queue
// of eight and drops further ones regardless of the sender: one address could lock out all others. Packets with
// a long header, which only handshakes use, are therefore bounded by address first; established connections use
// short headers and pass.
//
// Reads are quic-go's, on one goroutine.
type packets struct {
	*net.UDPConn
	batch   *ipv4.PacketConn
	now     func() time.Time
	start   time.Time
	rate    float64
	seed    maphash.Seed
	slots   [longSlots]throttle.Bucket
	refused atomic.Uint64
}

func newPackets(c *net.UDPConn, l Limits, now func() time.Time) *packets {
	return &packets{UDPConn: c, batch: ipv4.NewPacketConn(c), now: now, start: now(), rate: float64(l.UpgradesPerSecond * longPerSession), seed: maphash.MakeSeed()}
}

// slotOf returns the bucket of an address.
func (p *packets) slotOf(a netip.Addr) *throttle.Bucket {
	return &p.slots[maphash.Comparable(p.seed, throttle.Network(a))%longSlots]
}

// passes reports whether a packet is passed to quic-go.
func (p *packets) passes(b []byte, from netip.Addr, now time.Duration) bool {
	switch {
	case len(b) > 0 && b[0]&0xc0 == 0x40: // an established connection, or unknown: dropped after a cheap look-up
		return true
	case len(b) > 0 && b[0]&0x80 != 0 && p.slotOf(from).Take(now, p.rate, upgradeBurst*p.rate):
		return true
	}
	p.refused.Add(1)
	return false
}

// ReadBatch reads packets that pass, at least one. quic-go has a buffer for each message, so they are copied
// forward, not moved.
func (p *packets) ReadBatch(ms []ipv4.Message, flags int) (int, error) {
	for {
		n, err := p.batch.ReadBatch(ms, flags)
		if err != nil || n == 0 {
			return n, err
		}
		kept, now := 0, p.now().Sub(p.start)
		for i := range n {
			m := &ms[i]
			if !p.passes(m.Buffers[0][:m.N], addrPort(m.Addr).Addr(), now) {
				continue
			}
			if to := &ms[kept]; to != m {
				to.N, to.NN = copy(to.Buffers[0], m.Buffers[0][:m.N]), copy(to.OOB, m.OOB[:m.NN])
				to.Flags, to.Addr = m.Flags, m.Addr
			}
			kept++
		}
		if kept > 0 {
			return kept, nil
		}
	}
}

// ReadFrom is ReadBatch for systems where quic-go reads one packet at a time.
func (p *packets) ReadFrom(b []byte) (int, net.Addr, error) {
	for {
		n, from, err := p.UDPConn.ReadFrom(b)
		if err != nil || p.passes(b[:n], addrPort(from).Addr(), p.now().Sub(p.start)) {
			return n, from, err
		}
	}
}
