package scenario

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/simlink"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// simWay connects peers by simulated links on the stage's clock.
type simWay struct {
	stage *stage
	net   *simlink.Network
	conns []*simlink.Conn // of clients
}

func newSimWay(s *stage, c *config, seed uint64) *simWay {
	return &simWay{stage: s, net: simlink.New(simlink.Config{Seed: seed, Silence: c.silence, Heartbeat: c.heartbeat(), Sum: s.trail != nil})}
}

func (w *simWay) listen() (link.Link, error)   { return w.net.Server(), nil }
func (w *simWay) now(at float64) time.Duration { return virtual(at) }
func (w *simWay) wait(float64)                 {}
func (w *simWay) close()                       {}

func (w *simWay) dial(c *client) (line, error) {
	k := w.net.Dial(virtual(w.stage.now), pathOf(c.link))
	w.conns = append(w.conns, k.Conn())
	return &simLine{Client: k, way: w, key: identityOf(c.opt.Name)}, nil
}

// audit adds up the bytes of every connection, and compares their sum with the bytes of the network.
func (w *simWay) audit(metered []*meter) []string {
	var out []string
	var down, up uint64
	one := func(name string, c *simlink.Conn) {
		st, a := c.Stats(), c.Account()
		if st.BytesOut+a.Waiting != a.Payload+a.Retransmitted+a.Overhead {
			out = append(out, fmt.Sprintf("R13.1: %s sent %d bytes, which is not the sum of their parts: %+v", name, st.BytesOut, a))
		}
	}
	for _, m := range metered {
		out = append(out, m.audit()...)
		if c, ok := m.Conn.(*simlink.Conn); ok {
			one("the server at "+m.conn.String(), c)
		}
		down += m.Stats().BytesOut
	}
	for i, c := range w.conns {
		one(fmt.Sprintf("dial %d of a client", i+1), c)
		up += c.Stats().BytesOut
	}
	for _, d := range []struct {
		what string
		net  simlink.Traffic
		sum  uint64
	}{{"to clients", w.net.Down, down}, {"to the server", w.net.Up, up}} {
		if want := d.net.Bytes - d.net.HandshakeBytes; d.sum != want {
			out = append(out, fmt.Sprintf("R13.1: %s, connections sent %d bytes, and the network carried %d", d.what, d.sum, want))
		}
	}
	return out
}

// simLine is a client's end of one connection.
type simLine struct {
	*simlink.Client
	way *simWay
	key [32]byte

	up, down func() simlink.Fate // decides which packets are lost, nil for none
}

// lose loses the packets of a direction with these numbers, counted from 1 and from now.
func (w *simLine) lose(up bool, packets []int) {
	n := 0
	judge := func() simlink.Fate {
		n++
		return simlink.Fate{Lost: slices.Contains(packets, n)}
	}
	if up {
		w.up = judge
	} else {
		w.down = judge
	}
	w.Judge(w.up, w.down)
}

func (w *simLine) impair(l script.LinkOptions) { w.SetPath(virtual(w.way.stage.now), pathOf(l)) }
func (w *simLine) kill()                       { w.Kill() }

func (w *simLine) leadsTo(c link.Conn) bool {
	p := w.Conn().Peer()
	return p != nil && link.Conn(p) == c
}

// introduce sets the client's identity, as a handshake would prove it.
func (w *simLine) introduce(c link.Conn) {
	if s, ok := c.(*simlink.Conn); ok {
		id := s.Identity()
		id.Key = w.key
		s.SetIdentity(id)
	}
}

// pathOf is both directions of a link.
func pathOf(l script.LinkOptions) simlink.Path {
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	i := simlink.Impairment{Lag: seconds(l.Lag), Jitter: seconds(l.Jitter), Burst: l.Burst, Dup: l.Dup, Reorder: l.Reorder}
	p := simlink.Symmetric(i)
	p.Up.Loss, p.Down.Loss = l.LossUp, l.LossDown
	p.Up.Rate, p.Down.Rate = int(l.Up), int(l.Down)
	return p
}

// identityOf returns the private key of a client by its name: the same in every run, so that the client is
// recognized.
func identityOf(name string) [32]byte { return sha256.Sum256([]byte("scenario client " + name)) }
