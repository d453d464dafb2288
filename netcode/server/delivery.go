package server

import (
	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/netcode/wire"
)

// notifications processes the delivery notifications of datagrams: lost variables become pending again, with their
// present values (R5.8, R5.22).
func (c *Conn) notifications() {
	told := false
	c.sess.Spurious(func(first, last int32) {
		if n := c.itemAt - first; !c.saturated || n < 0 || n > int32(len(c.items)) {
			return // nobody counts turns, or their slots in the ring hold others since
		}
		for i := first; i != last; i++ {
			it := &c.items[int(i)&(len(c.items)-1)]
			if r := c.repOf(it.slot, it.serial); r != nil {
				if st, ok := r.sending.Private(); ok {
					c.refund(st, -1)
				}
			}
		}
	})
	c.sess.Notifications(func(delivered bool, seq wire.Seq, first, last int32) {
		told = true
		fl := c.flights.at(uint32(seq))
		no := c.sent - uint32(wire.Seq(c.sent)-seq)
		if len(c.landings) > 0 {
			c.land(no, delivered)
		}
		if delivered {
			c.arrived(no)
			if fl.payload != 0 {
				c.gotPayload(fl.payload)
				fl.payload = 0
			}
			fl.extra = fl.extra[:0]
			if !fl.versioned {
				return
			}
		} else {
			if fl.payload != 0 && len(c.s.group.log[fl.payload%groupLog]) > 0 {
				c.s.group.leave(c)
			}
			c.loseExtra(fl)
		}
		count.Add(count.Updated, int(last-first))
		for i := first; i != last; i++ {
			at := int(i) & (len(c.items) - 1)
			it := &c.items[at]
			r := c.repOf(it.slot, it.serial)
			if r == nil {
				continue
			}
			k := r.ent.class
			held := sentItem{slot: it.slot, serial: it.serial, mask: wire.Mask{it.mask}}
			if !k.Small {
				copy(held.mask[1:], c.wides[at][:])
			}
			switch {
			case !delivered:
				c.loseItem(&held)
			case k.Elements > 0:
				r.arrived(&held.mask, fl.clock)
			}
		}
	})
	if told && len(c.settling) > 0 {
		c.settleLagging()
	}
}

func (c *Conn) settleLagging() {
	n := len(c.settling) // those that settle puts back are appended
	for i := range n {
		if l := c.settling[i]; l.r.serial == l.serial {
			l.r.lags = false
			c.settle(l.r)
		}
	}
	rest := copy(c.settling, c.settling[n:])
	clear(c.settling[rest:])
	c.settling = c.settling[:rest]
}

// land processes the delivery notification of a datagram. Lost variables are late; variables that arrived are not,
// and no older datagram makes them late again.
func (c *Conn) land(no uint32, delivered bool) {
	kept := c.landings[:0]
	for _, l := range c.landings { // in order of datagrams
		r := c.repOf(l.slot, l.serial)
		switch {
		case r == nil:
		case l.no != no:
			kept = append(kept, l)
		case delivered:
			for i := range kept {
				if o := &kept[i]; o.slot == l.slot && int32(o.no-no) < 0 {
					o.mask = o.mask.Without(l.mask)
				}
			}
			c.arrive(r, &l.mask)
		default:
			c.own(r).makeLate(l.mask)
		}
	}
	c.landings = kept
}

// loseExtra makes the variables pending again that a lost datagram held of a payload.
func (c *Conn) loseExtra(fl *flight) {
	for i := range fl.extra {
		c.loseItem(&fl.extra[i])
	}
	fl.extra = fl.extra[:0]
}

func (c *Conn) loseItem(it *sentItem) {
	r := c.repOf(it.slot, it.serial)
	if r == nil {
		return
	}
	st := c.own(r)
	c.Traffic.Lost(r.ent.class, &it.mask)
	c.refund(st, 1)
	st.lack(&it.mask)
	c.queue(r)
}

// confirm checks which reliable messages the client has processed since.
func (c *Conn) confirm() {
	c.acknowledged() // before the numbers of its messages wrap
	list := c.opens
	c.opens, c.spare = c.spare[:0], nil // settle itself sends reliable messages
	for _, r := range list {
		if r.serial == 0 || r.conn != c {
			continue
		}
		st := c.own(r)
		if st.initial && c.sess.PeerHas(r.opened) {
			st.initial = false
			c.requeue(r)
		}
		if !c.sess.PeerHas(st.after) {
			c.opens = append(c.opens, r)
			continue
		}
		st.waits, r.acks = false, false
		c.settle(r)
	}
	clear(list)
	c.spare = list[:0]
}
