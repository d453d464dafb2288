//go:build unix

package sockets

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/session"
	"github.com/tidelock/tidelock/netcode/wire"
)

// dictionary is what a player who has no world must know to call Steer.
type dictionary struct {
	classes *engine.Classes
	player  uint32 // number of class CrowdPlayer
	steer   *engine.Function
	number  uint16
}

func newDictionary() (*dictionary, error) {
	sources, err := scripts("0")
	if err != nil {
		return nil, err
	}
	a, err := assets.Open(assets.Options{})
	if err != nil {
		return nil, err
	}
	m, err := match.Open(match.Options{Sources: sources, Content: a.Content(), NetMode: engine.NMClient})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	d := &dictionary{classes: m.World.Classes}
	set := schema.New(d.classes, 1)
	k := set.Of(d.classes.Find("CrowdPlayer"))
	d.player = k.Index
	for n, f := range k.Functions {
		if f.Name == "Steer" {
			d.steer, d.number = f, uint16(n)
		}
	}
	if d.steer == nil {
		return nil, errors.New("class CrowdPlayer has no function Steer")
	}
	return d, nil
}

// wireLink is a socket with several players who join, acknowledge and steer, and have no world.
type wireLink struct {
	link    *kcplink.Link
	dict    *dictionary
	players []*wirePlayer
	now     time.Duration
	ticks   int
	every   int // ticks between two calls of Steer
	ask     bool
}

// wirePlayer is one of them.
type wirePlayer struct {
	w       *wireLink
	name    string
	sess    *session.Session
	channel uint16 // of the PlayerController
	in      bool   // has one
	why     link.Reason
	over    bool
	steer   [5]engine.Value // arguments of Steer, once it steers
	steers  bool
	rng     *rand.Rand
	trips   []time.Duration // of questions for the time, the wait for both ticks included
	asked   time.Duration
}

func newWireLink(dict *dictionary, every int, ask bool) (*wireLink, error) {
	l, err := kcplink.New(kcplink.Config{Addr: loopback, Limits: kcplink.Limits{DialTimeout: patience, Silence: starved}})
	if err != nil {
		return nil, err
	}
	return &wireLink{link: l, dict: dict, every: max(1, every), ask: ask}, nil
}

// join begins to join with one more player, over UDP where carry is nil.
func (w *wireLink) join(addr netip.AddrPort, carry func(*kcplink.Link) (*kcplink.Pipe, error), name string, seed uint64) error {
	key, err := kcplink.NewKey() // one link for all, and each a player of their own
	if err != nil {
		return err
	}
	dial := kcplink.Dial{Addr: addr, Key: key}
	if carry != nil {
		if dial.Pipe, err = carry(w.link); err != nil {
			return err
		}
	}
	c, err := w.link.Dial(dial)
	if err != nil {
		return err
	}
	p := &wirePlayer{w: w, name: name, rng: rand.New(rand.NewPCG(seed, 7))}
	c.SetUser(p)
	w.players = append(w.players, p)
	return nil
}

// tick receives, steers and sends.
func (w *wireLink) tick(now time.Duration) {
	w.now = now
	w.ticks++
	w.link.Poll(now, w)
	for i, p := range w.players {
		if p.sess != nil && !p.over {
			p.tick(w.ticks + i)
		}
	}
	w.link.Flush(now)
}

func (w *wireLink) close() error {
	for _, p := range w.players {
		if p.sess != nil && !p.over {
			p.sess.Conn.Close(link.Reason{Code: "quit", Text: "the player left"})
		}
	}
	w.link.Flush(w.now)
	return w.link.Close()
}

func playerOf(c link.Conn) *wirePlayer {
	p, _ := c.User().(*wirePlayer)
	return p
}

// Opened says hello.
func (w *wireLink) Opened(c link.Conn) {
	p := playerOf(c)
	p.sess = session.New(c)
	p.sess.Now = w.now
	p.send(wire.AppendHello(nil, &wire.Hello{Version: wire.Version, Agent: "sockets", Options: "?name=" + p.name}))
}

// Closed ends a player.
func (w *wireLink) Closed(c link.Conn, why link.Reason) { playerOf(c).end(why) }

func (p *wirePlayer) end(why link.Reason) {
	if !p.over {
		p.over, p.in, p.why = true, false, why
	}
}

func (p *wirePlayer) send(b []byte) {
	if _, err := p.sess.Send(b); err != nil {
		p.end(link.Reason{Code: "send", Text: err.Error()})
	}
}

// Message reads what is said reliably as far as it matters here.
func (w *wireLink) Message(c link.Conn, b []byte) {
	p := playerOf(c)
	if err := wire.GuardNodes(b, 1<<16); err != nil {
		p.end(link.Reason{Code: "protocol", Text: err.Error()})
		return
	}
	r := wire.NewReader(b)
	for r.More() {
		kind, n := r.Message()
		switch kind {
		case wire.KindWelcome:
			m := r.Welcome(n)
			p.send(wire.AppendReady(nil, m.Epoch, 0)) // nothing is fetched: nothing is run
		case wire.KindRefuse, wire.KindKick:
			m := r.Refusal(n)
			p.end(link.Reason{Code: m.Code, Text: m.Text})
		case wire.KindClasses:
			m := r.Classes(n)
			p.send(wire.AppendReady(nil, m.Epoch, 0))
		case wire.KindOpen:
			m := r.Open(n)
			r.SkipValues(&m.Mask)
			if len(m.Name) == 0 && m.Class == w.dict.player {
				p.channel, p.in = m.Channel, true
			}
		default:
			for range n {
				r.Skip()
			}
		}
		if r.Err() != nil {
			break
		}
	}
	if err := r.End(); err != nil {
		p.end(link.Reason{Code: "protocol", Text: fmt.Sprintf("a message that is not sound: %v", err)})
		return
	}
	p.sess.Processed()
}

// Datagram acknowledges what came and reads no variables.
func (w *wireLink) Datagram(c link.Conn, b []byte) {
	p := playerOf(c)
	var d session.Datagram
	h, ok, err := p.sess.Open(b, &d)
	if err != nil {
		p.end(link.Reason{Code: "protocol", Text: fmt.Sprintf("a datagram that is not sound: %v", err)})
		return
	}
	if !ok {
		return
	}
	payload, only := false, true
	for d.R.Peek() == wire.ShapeArray {
		kind, n := d.R.Message()
		switch kind {
		case wire.KindReceived:
			p.sess.Received(d.R.Received(n))
		case wire.KindTell:
			only = false
			m := d.R.Tell(n)
			p.trips = append(p.trips, w.now-time.Duration(m.Stamp)*time.Microsecond)
		case wire.KindCall:
			only = false
			d.R.SkipArgs(d.R.Call(n))
		default:
			d.R.Fail(wire.ErrKind)
		}
		if d.R.Err() != nil {
			p.end(link.Reason{Code: "protocol", Text: d.R.Err().Error()})
			return
		}
		payload = true
	}
	payload = payload && !only || d.R.More()
	if err := p.sess.Take(h, payload, w.now); err != nil {
		p.end(link.Reason{Code: "protocol", Text: err.Error()})
	}
}

// askEvery is the time between two questions for the time.
const askEvery = 100 * time.Millisecond

func (p *wirePlayer) tick(n int) {
	w := p.w
	p.sess.Expire(w.now)
	p.sess.Notifications(func(bool, wire.Seq, int32, int32) {})
	ask := w.ask && p.in && w.now-p.asked >= askEvery
	steer := p.in && n%w.every == 0
	if !ask && !steer && !p.sess.Owes() {
		return
	}
	b := p.sess.Begin()
	if ask {
		p.asked = w.now
		b = wire.AppendAsk(b, w.now.Microseconds())
	}
	if steer {
		if !p.steers || n/w.every%60 == 0 {
			p.wander()
		}
		b = wire.AppendCall(b, wire.Call{Channel: p.channel, Function: w.dict.number, Args: len(p.steer)})
		var vals wire.Values
		for i := range p.steer {
			b = vals.AppendValue(b, w.dict.steer.Params[i].Type, &p.steer[i], w.dict.classes)
		}
	}
	_ = p.sess.Finish(b, ask || steer, 0, 0) // a datagram that cannot be sent is one that is lost
}

// wander chooses where to go next, and whether to shoot on the way.
func (p *wirePlayer) wander() {
	p.steers = true
	p.steer = [5]engine.Value{
		engine.Float(1), engine.Float(float64(p.rng.IntN(3) - 1)), engine.Rotation(geom.Rot(0, p.rng.IntN(1<<16), 0)),
		engine.Bool(p.rng.IntN(4) == 0), engine.Bool(p.rng.IntN(3) == 0),
	}
}
