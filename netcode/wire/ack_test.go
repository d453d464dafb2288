package wire

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tidelock/tidelock/tests/tier"
	"pgregory.net/rapid"
)

func TestSeqWraps(t *testing.T) {
	for _, c := range []struct {
		a, b Seq
		d    int
	}{{1, 0, 1}, {0, 65535, 1}, {65535, 0, -1}, {5, 65530, 11}, {32767, 0, 32767}, {0, 0, 0}, {40000, 50000, -10000}} {
		if c.a.Since(c.b) != c.d || c.a.After(c.b) != (c.d > 0) {
			t.Errorf("%d since %d: %d, after %v", c.a, c.b, c.a.Since(c.b), c.a.After(c.b))
		}
	}
}

func TestHeaderSizes(t *testing.T) {
	for _, c := range []struct {
		h    Header
		size int
	}{
		{Header{}, 2},
		{Header{Seq: 0x1234, Acks: true, Ack: 0x1230}, 7},
		{Header{Seq: 0x1234, Acks: true, Ack: 0x1230, Missing: 1 << 31}, MaxHeader},
	} {
		b := AppendHeader(nil, c.h)
		r := NewReader(b)
		if got := r.Header(); got != c.h || r.End() != nil || len(b) != c.size {
			t.Errorf("%+v: %d bytes, read %+v, %v", c.h, len(b), got, r.Err())
		}
		wantWhole(t, b, func(r *Reader) { r.Header() })
	}
}

func TestWindow(t *testing.T) {
	var w Window
	take := func(s Seq, want Arrival, missing uint32) {
		t.Helper()
		if got := w.Look(s); got != want {
			t.Fatalf("%d looks %v, want %v", s, got, want)
		}
		if got := w.Take(s); got != want || w.missing != missing {
			t.Fatalf("%d: %v, missing %b; want %v, %b", s, got, w.missing, want, missing)
		}
	}
	take(2, ArrivalNew, 0b11) // 0 and 1 are missing from the start
	take(2, ArrivalDuplicate, 0b11)
	take(0, ArrivalNew, 0b01)
	take(0, ArrivalDuplicate, 0b01)
	take(3, ArrivalNew, 0b010)
	take(40, ArrivalNew, ^uint32(0))
	take(8, ArrivalNew, ^uint32(0)&^(1<<31))
	take(7, ArrivalOld, ^uint32(0)&^(1<<31))
	take(41, ArrivalNew, ^uint32(0)&^1)
	take(73, ArrivalNew, 0x7fffffff)
	if (&Window{}).Take(65535) != ArrivalOld {
		t.Fatal("nothing comes before number 0")
	}
}

// Every record comes back exactly once; delivered is only said of what came; over the wrap of the numbers.
func TestEveryDatagramHasOneFate(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		rng := rand.New(rand.NewPCG(seed, 1))
		loss, ackLoss := rapid.Float64Range(0, 0.9).Draw(t, "loss"), rapid.Float64Range(0, 0.9).Draw(t, "ack loss")
		reorder := rapid.Float64Range(0, 0.5).Draw(t, "reorder")
		delay := rapid.IntRange(0, 40).Draw(t, "delay")
		size := rapid.SampledFrom([]int{64, 256}).Draw(t, "ring")
		n := 2000
		sent, win := NewSent(size), Window{}
		if rapid.Bool().Draw(t, "near the wrap") {
			base := Seq(65000)
			sent.next, sent.oldest = base, base
			win = Window{started: true, newest: base - 1}
		}
		first := sent.next
		type event struct {
			at  int
			seq Seq
			h   Header
			ack bool
		}
		var events []event
		got := make([]bool, n)
		fates := map[int32]Notification{}
		note := func(out []Notification) []Notification {
			for _, f := range out {
				if _, twice := fates[f.Record]; twice || f.Seq != first+Seq(f.Record) || f.Delivered && !got[f.Record] {
					t.Fatalf("%+v is a second fate, of another datagram, or of one that never came", f)
				}
				fates[f.Record] = f
			}
			return out[:0]
		}
		var out []Notification
		for now := range n + 200 {
			if now < n {
				var q Seq
				q, out = sent.Push(int32(now), out)
				out = note(out)
				if rng.Float64() >= loss {
					d := delay
					if rng.Float64() < reorder {
						d += rng.IntN(40)
					}
					events = append(events, event{at: now + d, seq: q})
				}
			}
			keep := events[:0]
			var acks []event
			for _, e := range events {
				switch {
				case e.at > now:
					keep = append(keep, e)
				case e.ack:
					var err error
					if out, err = sent.Ack(e.h, out); err != nil {
						t.Fatal(err)
					}
					out = note(out)
				case win.Take(e.seq) == ArrivalNew:
					if got[int(e.seq-first)] {
						t.Fatalf("datagram %d taken twice", e.seq)
					}
					got[int(e.seq-first)] = true
					if rng.Float64() >= ackLoss {
						h := Header{}
						win.Fill(&h)
						acks = append(acks, event{at: now + delay, h: h, ack: true})
					}
				}
			}
			events = append(keep, acks...)
		}
		note(sent.Lose(sent.Next(), out))
		if sent.InFlight() != 0 || len(fates) != n {
			t.Fatalf("%d are still in flight, %d of %d came back", sent.InFlight(), len(fates), n)
		}
		for i, f := range fates { // any order
			if loss == 0 && ackLoss == 0 && reorder == 0 && delay < 30 && !f.Delivered {
				t.Fatalf("record %d lost on a perfect line", i)
			}
		}
	})
}

func TestAckOfNothing(t *testing.T) {
	s := NewSent(64)
	if _, err := s.Ack(Header{Acks: true, Ack: 0}, nil); err != ErrRange {
		t.Fatal("an acknowledgement of what was never sent must be refused")
	}
	s.Push(7, nil)
	out, err := s.Ack(Header{Acks: true, Ack: 0}, nil)
	if err != nil || len(out) != 1 || out[0] != (Notification{0, 7, true}) {
		t.Fatal(out, err)
	}
	if out, err = s.Ack(Header{Acks: true, Ack: 0}, out[:0]); err != nil || len(out) != 0 {
		t.Fatal("a repeated acknowledgement decides nothing", out, err)
	}
	if out, err = s.Ack(Header{Acks: true, Ack: 60000}, out[:0]); err != nil || len(out) != 0 {
		t.Fatal("an old acknowledgement decides nothing", out, err)
	}
}

func TestAckAllocatesNothing(t *testing.T) {
	s, w, out := NewSent(256), Window{}, make([]Notification, 0, 64)
	if n := testing.AllocsPerRun(70000, func() {
		var q Seq
		q, out = s.Push(1, out[:0])
		h := Header{}
		if q%7 != 0 {
			w.Take(q)
		}
		w.Fill(&h)
		out, _ = s.Ack(h, out)
	}); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

// TestLate: a datagram counted as lost that an acknowledgement shows to have come is told, once.
func TestLate(t *testing.T) {
	s, w := NewSent(64), Window{}
	var out []Notification
	for i := range int32(4) {
		_, out = s.Push(i, out)
	}
	out = s.Lose(3, out) // a time-out, though 0 and 2 have come
	w.Take(0)
	w.Take(2)
	var h Header
	w.Fill(&h)
	for range 2 {
		if _, err := s.Ack(h, nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(out) != 3 || !slices.Equal(s.Spurious, []Seq{0, 2}) {
		t.Errorf("lost %v, late %v", out, s.Spurious)
	}
	s.Spurious = s.Spurious[:0]
	for i := range int32(100) { // the ring holds others by now
		_, out = s.Push(i, out)
	}
	w.Take(1)
	w.Fill(&h)
	if _, err := s.Ack(h, nil); err != nil || len(s.Spurious) > 0 {
		t.Errorf("late %v, %v", s.Spurious, err)
	}
}

func TestUnbroken(t *testing.T) {
	var w Window
	for _, s := range []Seq{30000, 60000, 65530, 65531, 65533, 65535, 0, 1} { // 65532 and 65534 are lost
		w.Take(s)
	}
	for _, c := range []struct {
		from, to Seq
		want     bool
	}{
		{65530, 65531, true},
		{65531, 65533, false},
		{65530, 65533, false},
		{65533, 65535, false},
		{65535, 0, true},
		{65535, 1, true},
		{65530, 1, false},
		{1, 2, true},
		{0, 2, true},
		{1, 3, false},         // 2 has not come
		{65500, 65502, false}, // before the window
	} {
		if got := w.Unbroken(c.from, c.to); got != c.want {
			t.Errorf("from %d to %d: %v", c.from, c.to, got)
		}
	}
	w.Take(65532) // it was only late
	if !w.Unbroken(65530, 65533) {
		t.Error("what comes late has come")
	}
}
