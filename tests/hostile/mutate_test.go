//go:build unix

package hostile

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"time"

	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/wire"
)

// mutator is a link between an honest client and the one that carries what it says: it changes every message and datagram that
// the client sends. The same seed changes alike. It belongs to one goroutine.
type mutator struct {
	link.Link
	rng   *rand.Rand
	how   []mutation
	share float64
	// honest is set while nothing is changed.
	honest bool
	// sent are messages and datagrams of before, of all kinds, to be said again or spliced.
	sent []said
	held []said
	// deaf is how often a poll is passed on: with "slow" once in so many.
	deaf, polls int
	conns       map[link.Conn]*mutated
	count       int // what was changed
}

// said is something that a client said.
type said struct {
	b       []byte
	message bool
}

// maxSaid bounds what a mutator remembers, flood how many are sent of one at most.
const maxSaid, flood = 64, 40

// mutation makes of something said what is sent in its place: nothing, itself, or more.
type mutation func(m *mutator, s said) []said

// mutations by their names in attack files.
var mutations = map[string]mutation{
	"bits":     flipBits,
	"truncate": truncate,
	"extend":   extend,
	"repeat":   repeat,
	"reorder":  reorder,
	"numbers":  changeNumbers,
	"channels": changeChannel,
	"kinds":    changeKind,
	"lengths":  declareMore,
	"nans":     notNumbers,
	"splice":   splice,
	"nesting":  nest,
	"swap":     func(_ *mutator, s said) []said { return []said{{s.b, !s.message}} },
	"again":    sayAgain,
	"flood":    func(_ *mutator, s said) []said { return many(s, flood) },
	"silent":   saysNothing,
	"noack":    acknowledgeNothing,
	"ackahead": acknowledgeAhead,
	"faults":   complain,
	"slow":     func(m *mutator, s said) []said { m.deaf = 180; return []said{s} },
	"empty":    func(*mutator, said) []said { return []said{{nil, true}, {nil, false}, {[]byte{0x90}, true}} },
	"whole":    func(_ *mutator, s said) []said { return []said{s, {bytes.Repeat([]byte{0xc0}, 60000), true}} },
	"steps":    wrongSteps,
	"moves":    oldMoves,
}

func many(s said, n int) []said {
	out := make([]said, n)
	for i := range out {
		out[i] = s
	}
	return out
}

func flipBits(m *mutator, s said) []said {
	b := bytes.Clone(s.b)
	for range 1 + m.rng.IntN(8) {
		if len(b) > 0 {
			b[m.rng.IntN(len(b))] ^= 1 << m.rng.IntN(8)
		}
	}
	return []said{{b, s.message}}
}

func truncate(m *mutator, s said) []said {
	return []said{{s.b[:m.rng.IntN(len(s.b)+1)], s.message}}
}

func extend(m *mutator, s said) []said {
	b := bytes.Clone(s.b)
	for range 1 + m.rng.IntN(40) {
		b = append(b, byte(m.rng.Uint32()))
	}
	return []said{{b, s.message}}
}

func repeat(m *mutator, s said) []said { return many(s, 2+m.rng.IntN(4)) }

// reorder keeps some back and sends them in any order later.
func reorder(m *mutator, s said) []said {
	m.held = append(m.held, s)
	if len(m.held) < 6 {
		return nil
	}
	out := m.held
	m.held = nil
	m.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// changeNumbers replaces small integers of msgpack by others, large ones and negative ones among them.
func changeNumbers(m *mutator, s said) []said {
	var b []byte
	for _, c := range s.b {
		if c > 0x7f || m.rng.IntN(6) != 0 {
			b = append(b, c)
			continue
		}
		switch m.rng.IntN(4) {
		case 0:
			b = append(b, byte(m.rng.IntN(128)))
		case 1:
			b = wire.AppendInt(b, -int64(m.rng.IntN(1<<20)))
		case 2:
			b = wire.AppendInt(b, math.MaxInt64)
		default:
			b = wire.AppendUint(b, uint64(m.rng.IntN(1<<16)))
		}
	}
	return []said{{b, s.message}}
}

// changeChannel addresses every call to the actors of others: the value after a call's kind is its channel.
func changeChannel(m *mutator, s said) []said {
	b := bytes.Clone(s.b)
	for i := 1; i+1 < len(b); i++ {
		if b[i] == byte(wire.KindCall) && b[i-1]&0xf0 == 0x90 && b[i+1] < 0x80 {
			b[i+1] = byte(m.rng.IntN(128))
		}
	}
	return []said{{b, s.message}}
}

// changeKind makes messages those of another kind, which only a server sends among them.
func changeKind(m *mutator, s said) []said {
	b := bytes.Clone(s.b)
	for i := range b {
		if b[i]&0xf0 == 0x90 && i+1 < len(b) && b[i+1] <= byte(wire.KindFault)+2 {
			b[i+1] = byte(m.rng.IntN(int(wire.KindFault) + 3))
			break
		}
	}
	return []said{{b, s.message}}
}

// declareMore puts lengths into it that are longer than what follows.
func declareMore(m *mutator, s said) []said {
	heads := [][]byte{{0xdd, 0xff, 0xff, 0xff, 0xff}, {0xdf, 0x7f, 0xff, 0xff, 0xff}, {0xc6, 0x10, 0, 0, 0}, {0xdb, 0xff, 0xff, 0xff, 0xff}, {0xdc, 0xff, 0xff}}
	at := m.rng.IntN(len(s.b) + 1)
	b := append(bytes.Clone(s.b[:at]), heads[m.rng.IntN(len(heads))]...)
	return []said{{append(b, s.b[at:]...), s.message}}
}

// notNumbers replaces floats by ones that are no numbers.
func notNumbers(m *mutator, s said) []said {
	b := bytes.Clone(s.b)
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 3e38, -3e38, 1e-42}
	for i := 0; i+5 <= len(b); i++ {
		if b[i] == 0xca {
			binary.BigEndian.PutUint32(b[i+1:], math.Float32bits(odd[m.rng.IntN(len(odd))]))
			i += 4
		}
	}
	return []said{{b, s.message}}
}

// splice joins the beginning of one to the end of another.
func splice(m *mutator, s said) []said {
	other := m.sent[m.rng.IntN(len(m.sent))].b
	b := append(bytes.Clone(s.b[:m.rng.IntN(len(s.b)+1)]), other[m.rng.IntN(len(other)+1):]...)
	return []said{{b, s.message}}
}

// nest hides it in arrays in arrays.
func nest(m *mutator, s said) []said {
	b := bytes.Repeat([]byte{0x91}, 1+m.rng.IntN(900))
	return []said{{append(b, s.b...), s.message}}
}

// sayAgain says something of long before instead.
func sayAgain(m *mutator, s said) []said {
	return []said{s, m.sent[m.rng.IntN(len(m.sent))], m.sent[m.rng.IntN(len(m.sent))]}
}

// saysNothing is silent from its hundredth message on: it is in, and does not move.
func saysNothing(m *mutator, s said) []said {
	if m.count > 100 {
		return nil
	}
	return []said{s}
}

// acknowledgeNothing takes the acknowledgement off every datagram.
func acknowledgeNothing(_ *mutator, s said) []said {
	h, rest, ok := header(s)
	if !ok {
		return []said{s}
	}
	h.Acks = false
	return []said{{append(wire.AppendHeader(nil, h), rest...), false}}
}

// acknowledgeAhead acknowledges what was never sent.
func acknowledgeAhead(m *mutator, s said) []said {
	h, rest, ok := header(s)
	if !ok {
		return []said{s}
	}
	h.Acks, h.Ack, h.Missing = true, h.Ack+wire.Seq(m.rng.IntN(1<<15)), m.rng.Uint32()
	return []said{{append(wire.AppendHeader(nil, h), rest...), false}}
}

// header takes a datagram's header off it.
func header(s said) (h wire.Header, rest []byte, ok bool) {
	if s.message {
		return h, nil, false
	}
	r := wire.NewReader(s.b)
	h = r.Header()
	n := len(wire.AppendHeader(nil, h))
	if r.Err() != nil || n > len(s.b) {
		return h, nil, false
	}
	return h, s.b[n:], true
}

// complain says that scripts failed, with texts of its own.
func complain(m *mutator, s said) []said {
	text := make([]byte, 400)
	for i := range text {
		text[i] = byte(m.rng.IntN(256))
	}
	out := []said{s}
	for range 4 {
		out = append(out, said{wire.AppendFault(nil, &wire.Fault{
			Function: "Pawn:Tick\x1b[2J\n" + string(text[:m.rng.IntN(20)]), File: "scripts/core/Pawn.lua", Line: m.rng.IntN(1 << 20), Text: string(text),
		}), true})
	}
	return out
}

// wrongSteps repeats the steps of joining in the middle of the match, and out of order.
func wrongSteps(m *mutator, s said) []said {
	steps := []said{
		{wire.AppendReady(nil, uint8(m.rng.IntN(256)), wire.Seq(m.rng.IntN(1<<16))), true},
		{wire.AppendHello(nil, &wire.Hello{Version: wire.Version, Agent: "again", Options: "?name=Admin?password=x"}), true},
		{wire.AppendHello(nil, &wire.Hello{Version: 99, Agent: "old"}), true},
		{wire.AppendWant(nil, &wire.Want{}), true},
		{wire.AppendKick(nil, wire.Refusal{Code: "kick", Text: "you are out"}), true},
		{wire.AppendTravel(nil, wire.Travel{}), true},
	}
	return []said{s, steps[m.rng.IntN(len(steps))]}
}

// oldMoves says the datagrams of before again under new numbers, so that their moves come twice.
func oldMoves(m *mutator, s said) []said {
	h, _, ok := header(s)
	if !ok {
		return []said{s}
	}
	_, rest, ok := header(m.sent[m.rng.IntN(len(m.sent))])
	if !ok {
		return []said{s}
	}
	return []said{{append(wire.AppendHeader(nil, h), rest...), false}}
}

// Poll passes on what came, with the mutator's connections in place of the link's.
func (m *mutator) Poll(now time.Duration, h link.Handler) {
	if m.polls++; m.deaf > 0 && m.polls%m.deaf != 0 {
		return
	}
	m.Link.Poll(now, handler{m, h})
}

// of is the mutator's connection for one of the link's.
func (m *mutator) of(c link.Conn) *mutated {
	x := m.conns[c]
	if x == nil {
		x = &mutated{Conn: c, m: m}
		m.conns[c] = x
	}
	return x
}

// handler passes on what the link hands over.
type handler struct {
	m *mutator
	h link.Handler
}

func (h handler) Opened(c link.Conn)             { h.h.Opened(h.m.of(c)) }
func (h handler) Message(c link.Conn, b []byte)  { h.h.Message(h.m.of(c), b) }
func (h handler) Datagram(c link.Conn, b []byte) { h.h.Datagram(h.m.of(c), b) }
func (h handler) Closed(c link.Conn, why link.Reason) {
	h.h.Closed(h.m.of(c), why)
	delete(h.m.conns, c)
}

// mutated is a connection whose other end gets something else than what is sent.
type mutated struct {
	link.Conn
	m *mutator
}

// Send and SendDatagram send what the mutations make of it. What the link refuses is lost, as it would be for a program that
// sends what it likes.
func (c *mutated) Send(b []byte) error { return c.m.say(c.Conn, said{bytes.Clone(b), true}) }

func (c *mutated) SendDatagram(b []byte) error { return c.m.say(c.Conn, said{bytes.Clone(b), false}) }

func (m *mutator) say(to link.Conn, s said) error {
	if len(m.sent) < maxSaid {
		m.sent = append(m.sent, s)
	} else {
		m.sent[m.rng.IntN(maxSaid)] = s
	}
	out := []said{s}
	if !m.honest && m.rng.Float64() < m.share && len(m.how) > 0 {
		m.count++
		out = m.how[m.rng.IntN(len(m.how))](m, s)
	}
	for _, x := range out {
		if x.message {
			_ = to.Send(x.b) // its queue may be full of what it said before
		} else {
			_ = to.SendDatagram(x.b)
		}
	}
	return nil
}
