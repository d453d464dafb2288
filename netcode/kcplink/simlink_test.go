package kcplink

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/simlink"
)

// weather is what happens to packets by when and in which direction they are sent, so that two links which send other packets at
// other times still meet the same losses and delays.
type weather struct{ seed uint64 }

// at is the weather at a time, which lasts for 20 ms: in a tenth of all times a direction loses everything, and in a tenth it
// takes 60 ms longer. No packet overtakes another.
func (w weather) at(up bool, since time.Duration) (lag time.Duration, lost bool) {
	direction := map[bool]uint64{false: 1}[up]
	r := rand.New(rand.NewPCG(w.seed<<1|direction, uint64((since-stepTime)/twinGap))) //nolint:gosec // not for secrets
	if lag = 25 * time.Millisecond; r.Float64() < 0.1 {
		lag += 60 * time.Millisecond
	}
	return lag, r.Float64() < 0.1
}

// A message of 100 bytes goes to the client every 20 ms for twelve seconds; the links then have time to repeat what was lost.
const (
	twinMessages = 600
	twinGap      = 20 * time.Millisecond
	twinTime     = twinMessages*twinGap + 5*time.Second
)

// TestSimlinkIsLikeKCP holds the reliable stream of simlink, which is written again because kcp-go reads the process's clock,
// against the one of this package: the same messages through the same losses and delays, both ways, arrive in full and in order
// over both, and at about the same time.
//
// Simlink sends when the end is flushed, one step after it was given a message. KCP sends at its next interval of 10 ms, which begins
// one step later here: what nothing holds up arrives 15 ms apart. What is lost both repeat, but not at the same time: a repetition
// may meet other weather and wait for one more time-out of 120 to 200 ms, and half as much again for the second. That bounds single
// messages. It happens to both alike, so the means differ by little more than the 15 ms.
func TestSimlinkIsLikeKCP(t *testing.T) {
	const (
		mostMedian = kcpInterval + stepTime
		mostMean   = 3 * mostMedian
		mostSingle = 350 * time.Millisecond
	)
	for seed := range uint64(8) {
		w := weather{seed + 1}
		a, b := w.throughSim(t), w.throughKCP(t)
		if len(a) != twinMessages || len(b) != twinMessages {
			t.Fatalf("seed %d: %d messages over simlink and %d over KCP, want %d", w.seed, len(a), len(b), twinMessages)
		}
		var apart []time.Duration
		var sum time.Duration
		for i := range a {
			apart = append(apart, (a[i] - b[i]).Abs())
			sum += b[i] - a[i]
		}
		slices.Sort(apart)
		if later, median, most := sum/twinMessages, apart[twinMessages/2], apart[twinMessages-1]; most > mostSingle ||
			median > mostMedian || later < 0 || later > mostMean {
			t.Errorf("seed %d: arrivals differ by %v at most, %v in the median; KCP is later by %v in the mean; want at most %v, %v and 0 to %v",
				w.seed, most, median, later, mostSingle, mostMedian, mostMean)
		}
	}
}

// carry sends messages for as long as the weather lasts, and returns when each came, in order. step takes a step to a time.
func (weather) carry(t *testing.T, from link.Conn, to *peer, step func(since time.Duration)) (came []time.Duration) {
	var since time.Duration
	to.onMessage = func(_ link.Conn, b []byte) {
		if !slices.Equal(b, numbered(len(came), 100)) {
			t.Errorf("message %d is not what was sent", len(came))
		}
		came = append(came, since)
	}
	for since < twinTime {
		if i := int(since / twinGap); since%twinGap == 0 && i < twinMessages {
			must(t, from.Send(numbered(i, 100)))
		}
		since += stepTime
		step(since)
	}
	return came
}

func (w weather) throughKCP(t *testing.T) (came []time.Duration) {
	inOne(t, impair.Rule{Lag: 25 * time.Millisecond}, false, func(x *world) {
		_, c, sc, _ := x.pair(Limits{})
		x.run(time.Second) // whatever the handshake left behind
		begin := x.now
		x.tap = func(from, to netip.AddrPort, _ []byte) bool {
			lag, lost := w.at(from == c.addr, x.now-begin)
			x.lines[[2]netip.AddrPort{from, to}].SetRule(impair.Rule{Lag: lag})
			return !lost
		}
		came = w.carry(t, sc, c, func(time.Duration) { x.step() })
		x.tap = nil
	})
	return came
}

func (w weather) throughSim(t *testing.T) []time.Duration {
	net := simlink.New(simlink.Config{Seed: w.seed})
	server, now := net.Server(), time.Hour
	client := net.Dial(now, simlink.Symmetric(simlink.Impairment{Lag: 25 * time.Millisecond}))
	toServer, toClient := &peer{t: t}, &peer{t: t}
	step := func() {
		now += stepTime
		server.Poll(now, toServer)
		client.Poll(now, toClient)
		server.Flush(now)
		client.Flush(now)
	}
	for range 2 * time.Second / stepTime { // as long as the other has for its handshake
		step()
	}
	begin := now
	judge := func(up bool) func() simlink.Fate {
		return func() simlink.Fate {
			_, lost := w.at(up, now-begin)
			return simlink.Fate{Lost: lost}
		}
	}
	client.Judge(judge(true), judge(false))
	return w.carry(t, client.Conn().Peer(), toClient, func(since time.Duration) {
		up, _ := w.at(true, since)
		down, _ := w.at(false, since)
		client.SetPath(begin+since, simlink.Path{Up: simlink.Impairment{Lag: up}, Down: simlink.Impairment{Lag: down}})
		step()
	})
}
