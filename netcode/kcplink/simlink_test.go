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

const (
	fromClient = iota
	fromServer
	directions
)

// at is the weather at a time, which lasts for 20 ms: in a tenth of all times a direction loses everything, and in a tenth it
// takes 60 ms longer. No packet overtakes another.
func (w weather) at(direction int, since time.Duration) (lag time.Duration, lost bool) {
	r := rand.New(rand.NewPCG(w.seed<<1|uint64(direction), uint64((since-stepTime)/twinGap))) //nolint:gosec // not for secrets
	if lag = 25 * time.Millisecond; r.Float64() < 0.1 {
		lag += 60 * time.Millisecond
	}
	return lag, r.Float64() < 0.1
}

// A message of 100 bytes goes each way every 20 ms for twelve seconds; the links then have time to repeat what was lost.
const (
	twinMessages = 600
	twinGap      = 20 * time.Millisecond
	twinTime     = twinMessages*twinGap + 5*time.Second
)

// arrivals are when messages came, by direction and number.
type arrivals [directions][]time.Duration

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
	for seed := range uint64(6) {
		w := weather{seed + 1}
		ours, theirs := w.throughSim(t), w.throughKCP(t)
		for d := range directions {
			a, b := ours[d], theirs[d]
			if len(a) != twinMessages || len(b) != twinMessages {
				t.Fatalf("seed %d, direction %d: %d messages over simlink and %d over KCP, want %d", w.seed, d, len(a), len(b), twinMessages)
			}
			var apart []time.Duration
			var sum time.Duration
			for i := range a {
				apart = append(apart, (a[i] - b[i]).Abs())
				sum += b[i] - a[i]
			}
			slices.Sort(apart)
			if later, median, most := sum/twinMessages, apart[twinMessages/2], apart[twinMessages-1]; most > mostSingle || median > mostMedian || later < 0 || later > mostMean {
				t.Errorf("seed %d, direction %d: arrivals differ by %v at most, %v in the median; KCP is later by %v in the mean; want at most %v, %v and 0 to %v",
					w.seed, d, most, median, later, mostSingle, mostMedian, mostMean)
			}
		}
	}
}

// note notes when messages come, and that they come in order.
func note(t *testing.T, since *time.Duration, to *[]time.Duration) func(link.Conn, []byte) {
	return func(_ link.Conn, b []byte) {
		if !slices.Equal(b, numbered(len(*to), 100)) {
			t.Errorf("message %d is not what was sent", len(*to))
		}
		*to = append(*to, *since)
	}
}

// send gives both connections the message that is due in a step.
func (weather) send(t *testing.T, since time.Duration, conns [directions]link.Conn) {
	if i := int(since / twinGap); since%twinGap == 0 && i < twinMessages {
		for _, c := range conns {
			must(t, c.Send(numbered(i, 100)))
		}
	}
}

func (w weather) throughKCP(t *testing.T) (out arrivals) {
	inOne(t, impair.Rule{Lag: 25 * time.Millisecond}, false, func(x *world) {
		s, c, sc, cc := x.pair(Limits{})
		x.run(time.Second) // whatever the handshake left behind
		begin := x.now
		var since time.Duration
		s.onMessage, c.onMessage = note(t, &since, &out[fromClient]), note(t, &since, &out[fromServer])
		x.tap = func(from, to netip.AddrPort, _ []byte) bool {
			d := fromServer
			if from == c.addr {
				d = fromClient
			}
			lag, lost := w.at(d, x.now-begin)
			x.lines[[2]netip.AddrPort{from, to}].SetRule(impair.Rule{Lag: lag})
			return !lost
		}
		for now := time.Duration(0); now < twinTime; now += stepTime {
			w.send(t, now, [directions]link.Conn{fromClient: cc, fromServer: sc})
			since = now + stepTime
			x.step()
		}
		x.tap = nil
	})
	return out
}

func (w weather) throughSim(t *testing.T) (out arrivals) {
	net := simlink.New(simlink.Config{Seed: w.seed})
	server := net.Server()
	now := time.Hour
	client := net.Dial(now, simlink.Symmetric(simlink.Impairment{Lag: 25 * time.Millisecond}))
	begin := now + 2*time.Second // as long as the other has for its handshake
	var since time.Duration
	toServer, toClient := &peer{t: t, onMessage: note(t, &since, &out[fromClient])}, &peer{t: t, onMessage: note(t, &since, &out[fromServer])}
	judge := func(direction int) func() simlink.Fate {
		return func() simlink.Fate {
			_, lost := w.at(direction, now-begin)
			return simlink.Fate{Lost: lost && now > begin}
		}
	}
	client.Judge(judge(fromClient), judge(fromServer))
	for now < begin+twinTime {
		if now >= begin {
			w.send(t, now-begin, [directions]link.Conn{fromClient: client.Conn(), fromServer: client.Conn().Peer()})
		}
		now += stepTime
		if since = now - begin; since > 0 {
			up, _ := w.at(fromClient, since)
			down, _ := w.at(fromServer, since)
			client.SetPath(now, simlink.Path{Up: simlink.Impairment{Lag: up}, Down: simlink.Impairment{Lag: down}})
		}
		server.Poll(now, toServer)
		client.Poll(now, toClient)
		server.Flush(now)
		client.Flush(now)
	}
	return out
}
