package kcplink

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
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
// Simlink sends a message when the end is flushed, which is the step after it was given one. KCP sends at its next interval of
// 10 ms, which begins one step later here: half of all messages, those that nothing holds up, arrive exactly 15 ms apart. Weather
// lasts long enough that these meet the same. When something is lost, both repeat it, but not at the same time, since time-outs
// run on KCP's interval in one and on steps in the other. So a repetition may meet other weather, and the message and all
// behind it then wait for one more time-out: 120 to 200 ms here, and half as much again for the second. That bounds single
// messages. It happens to both links alike, so the means differ
// by the 15 ms and little more.
func TestSimlinkIsLikeKCP(t *testing.T) {
	const (
		mostMedian = kcpInterval + stepTime
		mostMean   = 3 * mostMedian
		mostSingle = 350 * time.Millisecond
	)
	for seed := range uint64(6) {
		w := weather{seed + 1}
		var ours, theirs arrivals
		synctest.Test(t, func(t *testing.T) { theirs = w.throughKCP(t) })
		ours = w.throughSim(t)
		for d := range directions {
			a, b := ours[d], theirs[d]
			if len(a) != twinMessages || len(b) != twinMessages {
				t.Fatalf("seed %d, direction %d: %d messages over simlink and %d over KCP, want %d", w.seed, d, len(a), len(b), twinMessages)
			}
			var apart []time.Duration
			var sum, way time.Duration
			for i := range a {
				apart = append(apart, (a[i] - b[i]).Abs())
				sum += a[i] - b[i]
				way += a[i] - time.Duration(i)*twinGap
			}
			slices.Sort(apart)
			later, median, most := -sum/twinMessages, apart[twinMessages/2], apart[twinMessages-1]
			t.Logf("seed %d, direction %d: simlink takes %v in the mean; KCP %v more, half within %v, all within %v", w.seed, d, way/twinMessages, later, median, most)
			if most > mostSingle || median > mostMedian || later < 0 || later > mostMean {
				t.Errorf("seed %d, direction %d: arrivals differ by %v at most, %v in the median; KCP is later by %v in the mean; want at most %v, %v and 0 to %v",
					w.seed, d, most, median, later, mostSingle, mostMedian, mostMean)
			}
		}
	}
}

// twin is a handler that notes when messages come, and that they come in order.
type twin struct {
	t   *testing.T
	now *time.Duration
	to  *[]time.Duration
}

func (h twin) Opened(link.Conn)           {}
func (h twin) Datagram(link.Conn, []byte) {}
func (h twin) Closed(_ link.Conn, why link.Reason) {
	h.t.Errorf("closed: %v", why)
}

func (h twin) Message(_ link.Conn, b []byte) {
	if want := numbered(len(*h.to), 100); !slices.Equal(b, want) {
		h.t.Errorf("message %d is not what was sent", len(*h.to))
	}
	*h.to = append(*h.to, *h.now)
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
	x := newWorld(t, impair.Rule{Lag: 25 * time.Millisecond}, 7)
	defer func() {
		for _, p := range x.peers {
			if err := p.l.Close(); err != nil {
				t.Error(err)
			}
		}
	}()
	s, c, sc, cc := x.pair(Limits{})
	x.run(time.Second) // whatever the handshake left behind
	begin := x.now
	var since time.Duration
	s.onMessage = twin{t, &since, &out[fromClient]}.Message
	c.onMessage = twin{t, &since, &out[fromServer]}.Message
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
	return out
}

func (w weather) throughSim(t *testing.T) (out arrivals) {
	net := simlink.New(simlink.Config{Seed: w.seed})
	server := net.Server()
	now := time.Hour
	client := net.Dial(now, simlink.Symmetric(simlink.Impairment{Lag: 25 * time.Millisecond}))
	begin := now + 2*time.Second // as long as the other has for its handshake
	var since time.Duration
	toServer, toClient := twin{t, &since, &out[fromClient]}, twin{t, &since, &out[fromServer]}
	client.Judge(
		func() simlink.Fate {
			_, lost := w.at(fromClient, now-begin)
			return simlink.Fate{Lost: lost && now > begin}
		},
		func() simlink.Fate {
			_, lost := w.at(fromServer, now-begin)
			return simlink.Fate{Lost: lost && now > begin}
		},
	)
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
