// Package losses runs one short exchange between a server and its clients many times, each time with a different
// packet lost or late, and expects the same final state. It finds the one critical packet that random loss seldom
// hits. No program contains it.
//
//	losses.Each(t, func(x *losses.Exchange) string {
//		r := rig.New(classes...).Start()
//		p := r.Join(path)
//		r.Run(1)
//		x.Watch(p.End)           // from here on a packet may be lost
//		chest.Set(gold, engine.Int(7))
//		r.Run(0.5)
//		x.Rest()                 // from here on none is
//		r.Run(2)
//		return fmt.Sprint(p.Copy(chest).Get(gold))
//	})
//
// The exchange must be the same on every run except for the lost packet: its own world, clients and links, seeded
// randomness only, no clock.
//
// Guarantees: Not part of any program.
package losses

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/simlink"
)

// Late is the delay of a late packet: longer than several net updates.
const Late = 150 * time.Millisecond

// leastPackets is the minimum number of packets of an exchange in each direction; one with fewer tests nothing.
const leastPackets = 1

// Exchange is one run. Each direction of each watched client is a line whose packets are counted from 0.
type Exchange struct {
	mode        mode
	line, index int   // of the packet that this run loses
	sent        []int // packets so far, by line
	rest        bool
	// mark is the latest one, and hit the one after which the packet was lost.
	mark, hit string
}

// mode is what happens to the packet.
type mode uint8

const (
	whole mode = iota // nothing happens to any
	single
	pair // it and the next are lost
	late // it arrives later than those after it
)

func (m mode) String() string {
	return [...]string{"nothing lost", "one lost", "two lost", "one late"}[m]
}

// Watch counts a client's packets from now on, and loses those that this run is to lose.
func (x *Exchange) Watch(clients ...*simlink.Client) {
	for _, c := range clients {
		down := len(x.sent)
		up := down + 1
		x.sent = append(x.sent, 0, 0)
		c.Judge(func() simlink.Fate { return x.judge(up) }, func() simlink.Fate { return x.judge(down) })
	}
}

// Rest ends the part of the exchange in which packets are lost.
func (x *Exchange) Rest() { x.rest = true }

// Mark names the next step, for failure messages.
func (x *Exchange) Mark(text string) { x.mark = text }

func (x *Exchange) judge(line int) (f simlink.Fate) {
	if x.rest {
		return f
	}
	n := x.sent[line]
	x.sent[line]++
	switch {
	case x.mode == whole || line != x.line:
	case n == x.index:
		x.hit = x.mark
		f.Lost = x.mode != late
		if x.mode == late {
			f.Late = Late
		}
	case n == x.index+1:
		f.Lost = x.mode == pair
	}
	return f
}

func (x *Exchange) String() string {
	out := fmt.Sprintf("%s, packet %d %s", x.mode, x.index, lineName(x.line))
	if x.hit != "" {
		out += ", after " + x.hit
	}
	return out
}

// lineName returns the name of a line for messages.
func lineName(line int) string {
	return fmt.Sprintf("%s client %d", [...]string{"to", "of"}[line%2], line/2)
}

// Each runs an exchange without a loss, and then once for every packet of it lost, every two consecutive ones lost,
// and every one late, in both directions. Every run must return the same as the first. It logs the number of runs.
func Each(t *testing.T, exchange func(x *Exchange) string) {
	t.Helper()
	first := Exchange{}
	want := exchange(&first)
	if len(first.sent) == 0 {
		t.Fatal("no client was watched: call Watch before what is tested")
	}
	for line, n := range first.sent {
		if n < leastPackets {
			t.Fatalf("%d packets %s, expected at least %d: call Watch before what is tested, and Rest after it", n, lineName(line), leastPackets)
		}
	}
	runs, failed := 0, 0
	for _, m := range []mode{single, pair, late} {
		for line, n := range first.sent {
			for index := range n {
				x := Exchange{mode: m, line: line, index: index}
				got := exchange(&x)
				runs++
				if got == want {
					continue
				}
				if failed++; failed <= 5 {
					t.Errorf("%s:\n%s", &x, differing(got, want))
				}
			}
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d runs end otherwise than without a loss", failed, runs)
	}
	t.Logf("%d runs; packets by line: %v", runs, first.sent)
}

// Expect is Each for an exchange that must return want without a loss.
func Expect(t *testing.T, want string, exchange func(x *Exchange) string) {
	t.Helper()
	first := true
	Each(t, func(x *Exchange) string {
		got := exchange(x)
		if first && got != want {
			t.Fatalf("without a loss it is:\n%s\nexpected:\n%s", got, want)
		}
		first = false
		return got
	})
}

// differing returns the lines of got that differ from want.
func differing(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(g) != len(w) {
		return got + "\nwithout a loss it is:\n" + want
	}
	out := ""
	for i := range g {
		if g[i] != w[i] {
			out += g[i] + "\n  without a loss: " + w[i] + "\n"
		}
	}
	return out
}
