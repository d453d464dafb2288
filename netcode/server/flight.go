package server

import (
	"github.com/tidelock/tidelock/netcode/wire"
)

// flying is what a datagram under way holds of one entity, by the slot of that: hardly one is ever looked at again.
type flying struct {
	slot   int32
	serial uint32 // of the rec, 0 for none
	mask   uint64
}

// sentItem is the same of what a datagram held by itself, or in common and is its connection's own since.
type sentItem struct {
	slot   int32
	serial uint32
	mask   wire.Mask
}

// flown is what is known of a datagram beside its items.
type flown struct {
	update uint32 // net update
	clock  uint32 // of pieces
	pieces bool   // it holds variables that cross by elements or items
	items  int32  // how many items of the ring it holds
	// payload is what it holds of the crowd's, 0 for none or where it arrived. What of that is the connection's own again
	// stands in extra.
	payload uint32
	extra   []sentItem
	crowd   uint32 // newest payload there was before
}

// lagging is a rec that may be closed once all that holds something of it has its fate.
type lagging struct {
	r      *rec
	serial uint32
}

// remember notes in the ring what the datagram under way holds, and what is left to send.
func (c *sender) remember(n *snapshot, r *repState) {
	if n := len(c.items); n == 0 || c.itemAt-c.ledger.OldestFirst(c.itemAt) >= int32(n) {
		c.growItems()
	}
	all := r.sendAll()
	k := r.of.Class()
	at := int(c.itemAt) & (len(c.items) - 1)
	c.items[at] = flying{slot: int32(r.of.Slot()), serial: r.serial, mask: all[0]}
	if !k.Small {
		if c.wides == nil {
			c.wides = make([][wire.MaxVariables/64 - 1]uint64, len(c.items))
		}
		copy(c.wides[at][:], all[1:])
	}
	c.itemAt++
	if k.Location >= 0 && all.Has(k.Location) {
		r.placed = r.placed<<(c.sent-r.placeNo) | 1
		r.placeNo = c.sent
	}
	if k.Elements > 0 {
		c.flights[c.sent%uint32(len(c.flights))].pieces = true
	}
	r.lastNo = c.sent + 1
	if k.Small {
		r.ever |= r.send
		r.repeat = r.send & r.pending &^ k.Always[0]
		r.pending &^= r.send
	} else {
		r.wasSent(&all)
		first := r.pendingAll()
		first = and(&first, &all)
		first = without(&first, &k.Always)
		r.unpend(&all)
		r.setRepeat(&first)
	}
	if r.isLate || r.initial && !k.Initial.Empty() {
		c.noteInitial(r, &all)
	}
	if n.logs {
		c.logged = append(c.logged, sentItem{int32(r.of.Slot()), r.serial, all})
	}
}

func (c *sender) growItems() {
	old := c.items
	n := max(256, 2*len(old))
	c.items = make([]flying, n)
	wides := c.wides
	if wides != nil {
		c.wides = make([][wire.MaxVariables/64 - 1]uint64, n)
	}
	for k := range old {
		i := int(c.itemAt - int32(k) - 1) // wraps; what was not used yet is empty
		c.items[i&(n-1)] = old[i&(len(old)-1)]
		if wides != nil {
			c.wides[i&(n-1)] = wides[i&(len(old)-1)]
		}
	}
}

// fates takes what became of datagrams: what was lost is pending again, with its present value (R5.8, R5.22).
func (c *Conn) fates() {
	news := false
	c.sess.Late(func(first, last int32) {
		if n := c.itemAt - first; !c.saturated || n < 0 || n > int32(len(c.items)) {
			return // nobody counts turns, or their places in the ring hold others since
		}
		for i := first; i != last; i++ {
			it := &c.items[int(i)&(len(c.items)-1)]
			if r := c.recOf(it.slot, it.serial); r != nil {
				if st, ok := r.rep.Private(); ok {
					c.reclaim(st)
				}
			}
		}
	})
	c.sess.Fates(func(delivered bool, seq wire.Seq, first, last int32) {
		news = true
		fl := &c.flights[uint32(seq)%uint32(len(c.flights))]
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
			if !fl.pieces {
				return
			}
		} else {
			if fl.payload != 0 && len(c.s.crowd.log[fl.payload%crowdLog]) > 0 {
				c.s.crowd.leave(c)
			}
			c.loseExtra(fl)
		}
		for i := first; i != last; i++ {
			at := int(i) & (len(c.items) - 1)
			it := &c.items[at]
			r := c.recAt(it.slot)
			if r == nil || r.serial != it.serial {
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
				for n := held.mask.Next(0); n >= 0; n = held.mask.Next(n + 1) {
					if p := k.Vars[n].Piece; p >= 0 && p < len(r.pieces) && r.pieces[p] < fl.clock {
						r.pieces[p] = fl.clock
					}
				}
			}
		}
	})
	if news && len(c.settling) > 0 {
		c.settleLagging()
	}
}

// arrived notes the number of a datagram that did.
func (c *sender) arrived(no uint32) {
	if ahead := int32(no - c.gotNo); ahead > 0 || c.got == 0 {
		c.got = c.got<<uint32(ahead) | 1
		c.gotNo = no
	} else {
		c.got |= 1 << uint32(-ahead)
	}
}

// flies reports whether a datagram without a fate may hold something of an actor.
func (c *sender) flies(r *repState) bool {
	return r.lastNo != 0 && c.sent-(r.lastNo-1) <= uint32(c.ledger.InFlight())
}

// settleLater has settle asked again when more is known of what flies.
func (c *Conn) settleLater(r *rec) {
	if !r.lags {
		r.lags = true
		c.settling = append(c.settling, lagging{r, r.serial})
	}
}

func (c *Conn) settleLagging() {
	n := len(c.settling) // those that settle puts back come after
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
