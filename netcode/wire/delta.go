package wire

import "iter"

// Deltas of actors are the last part of a datagram and extend to its end:
//
//	epoch              int ≥ 0: which class table the variables' numbers are of, modulo 128 (R5.23)
//	run*
//
// A run holds the same variables of one or more actors:
//
//	base               {age: mask}  only where it changes; see below
//	after              {0: n}       only where needed; see below
//	mask               the variables: see [AppendMask]
//	channels           the actors:    see [AppendChannels]
//	value*             for each actor, in order of channels, the variables of the mask in order of numbers
//
//	25 │ 81 03 fe │ fe │ 93 02 00 07 │ 3a 35  31 2e  c0 40 2f 33
//
// epoch 37; variable 0 is relative to the value 3 datagrams ago; variable 0 of channels 2, 3 and 11; the first two
// moved by (10, 5) and (1, −2), the third by (16, −1, 3).
//
// Why it is small: channel and mask cost about a byte and a half per actor, because actors with the same changes
// are grouped. Why it is cheap: values contain neither channel nor mask, so the bytes of a variable, of all changed
// variables of an actor, or of a whole run can be encoded once and copied to every connection.
//
// base: the vectors among the variables of its mask are sent as differences (see [AppendRelative]) in this run and
// the following ones, relative to what the receiver got for the same channel and variable in the datagram with this
// one's number minus age. An empty mask ends that. The sender may only refer to a datagram that was acknowledged
// and held the variable.
//
// after: this run must not be applied before the n-th reliable message (modulo 65 536, from 1) has been processed
// (R6.4). It applies to that run only.

// AppendEpoch begins the deltas.
func AppendEpoch(b []byte, epoch uint8) []byte { return append(b, epoch&0x7f) }

// AppendBase sets the datagram to which the variables of rel are relative from here on; an empty rel means none.
func AppendBase(b []byte, age int, rel *Mask) []byte {
	b = append(b, mpFixMap|1)
	return AppendMask(AppendUint(b, uint64(age)), rel)
}

// AppendAfter makes the next run wait for a reliable message.
func AppendAfter(b []byte, n uint16) []byte {
	return AppendUint(append(b, mpFixMap|1, 0), uint64(n))
}

// AppendChannels appends the channels of a run, ascending, as one value, whichever is shorter:
//
//	n       an integer: one channel
//	[…]     an array: the first, then for each further one the numbers left out before it
//	bin     the first as two bytes, then bit i%8 of byte i/8 for the channel that many after it
func AppendChannels(b []byte, channels []uint16) []byte {
	if len(channels) == 1 {
		return AppendUint(b, uint64(channels[0]))
	}
	return appendChannels(b, channels)
}

func appendChannels(b []byte, channels []uint16) []byte {
	first, last := channels[0], channels[len(channels)-1]
	list := 1 + IntSize(int64(first))
	if len(channels) > 15 {
		list += 2
	}
	set := 2 + 2 + int(last-first)/8 + 1
	if set-4 > 255 {
		set++
	}
	if set < list+len(channels)-1 { // only then can the list, of at least that, be longer
		for i, c := range channels[1:] {
			list += IntSize(int64(c - channels[i] - 1))
		}
		if set < list {
			n := int(last-first)/8 + 1
			b = appendBinHeader(b, 2+n)
			b = append(b, byte(first>>8), byte(first))
			at := len(b)
			b = append(b, make([]byte, n)...)
			for _, c := range channels {
				b[at+int(c-first)>>3] |= 1 << ((c - first) & 7)
			}
			return b
		}
	}
	b = AppendUint(AppendArray(b, len(channels)), uint64(first))
	for i, c := range channels[1:] {
		b = AppendUint(b, uint64(c-channels[i]-1))
	}
	return b
}

// Run is the head of a run.
type Run struct {
	// Mask is the set of variables, Rel the subset that is relative to the datagram Age numbers back.
	Mask, Rel Mask
	Age       int
	// Waits is set where the run must wait for reliable message After.
	Waits bool
	After uint16
}

// Deltas reads the deltas of a datagram:
//
//	d := r.Deltas()
//	for d.Next() {
//		for {
//			channel, ok := d.Channel()
//			…
//			// known: read each variable of d.Run.Mask, those of d.Run.Rel by Reader.Relative;
//			// not known: d.SkipActor()
//		}
//	}
//	if err := r.Err(); err != nil …
//
// Every value must be read or skipped before the next Channel or Next.
type Deltas struct {
	Epoch uint8
	Run   Run

	r        *Reader
	rel      Mask
	age      int
	list     Reader // of the channels, as an array
	set      []byte // or as bits
	at, bit  int
	channels int // left
	single   bool
}

// Deltas starts reading deltas: the datagram's next value is an integer.
func (r *Reader) Deltas() Deltas { return Deltas{r: r, Epoch: r.epoch()} }

// Next reads the head of the next run; it returns false at the end and after an error. Hostile input makes
// progress, too: each run takes at least two bytes.
func (d *Deltas) Next() bool {
	r := d.r
	if !r.More() {
		return false
	}
	d.Run = Run{}
	for r.Peek() == ShapeMap {
		if r.Map() != 1 {
			r.Fail(ErrFields)
		}
		if n := int(r.IntIn(0, MaxAge)); n == 0 {
			d.Run.Waits, d.Run.After = true, r.uint16()
		} else {
			d.age, d.rel = n, r.Mask()
		}
	}
	d.Run.Mask = r.Mask()
	if d.Run.Mask.Empty() {
		r.Fail(ErrRange) // an empty run, of 8 channels per byte
	}
	d.Run.Age = d.age
	d.Run.Rel = d.rel.And(d.Run.Mask)
	d.openChannels()
	return r.err == nil
}

func (d *Deltas) openChannels() {
	r := d.r
	d.single, d.set, d.channels, d.bit = false, nil, 0, 0
	switch r.Peek() {
	case ShapeInt:
		d.at, d.channels, d.single = int(r.IntIn(0, MaxChannel)), 1, true
	case ShapeArray:
		d.channels = r.Array()
		d.list = *r
		d.at = -1
		for range d.channels { // the values follow after the whole list
			r.IntIn(0, MaxChannel)
		}
	case ShapeBin:
		s := r.Bytes(2 + (MaxChannel+8)/8)
		if len(s) < 3 {
			r.Fail(ErrType)
			return
		}
		d.at, d.set = int(be(s[:2])), s[2:]
		d.channels = 1
	case ShapeNone:
		r.Fail(ErrTruncated)
	default:
		r.Fail(ErrType)
	}
}

// Channel returns the next actor of the run.
func (d *Deltas) Channel() (channel uint16, ok bool) {
	if d.r.err != nil || d.channels == 0 {
		return 0, false
	}
	switch {
	case d.set != nil:
		for d.bit < len(d.set)*8 {
			c := d.set[d.bit>>3] >> (d.bit & 7)
			if c == 0 {
				d.bit = d.bit&^7 + 8
				continue
			}
			if c&1 == 0 {
				d.bit++
				continue
			}
			n := d.at + d.bit
			d.bit++
			if n > MaxChannel {
				d.r.err = ErrRange
				return 0, false
			}
			return uint16(n), true
		}
		d.channels = 0
		return 0, false
	case !d.single:
		d.at += 1 + int(d.list.Int())
		if d.at > MaxChannel {
			d.r.err = ErrRange
			return 0, false
		}
	}
	d.channels--
	return uint16(d.at), true
}

// Channels yields the remaining actors of the run.
func (d *Deltas) Channels() iter.Seq[uint16] {
	return func(yield func(uint16) bool) {
		for n, ok := d.Channel(); ok && yield(n); n, ok = d.Channel() {
		}
	}
}

// SkipActor skips the values of an unknown actor.
func (d *Deltas) SkipActor() {
	for i := range d.Run.Mask.All() {
		switch {
		case d.r.err != nil:
			return
		case d.Run.Rel.Has(i):
			d.r.SkipRelative()
		default:
			d.r.Skip()
		}
	}
}
