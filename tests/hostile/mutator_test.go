//go:build unix

package hostile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/wire"
)

// sink is a connection that keeps what is sent.
type sink struct {
	link.Conn
	got []said
}

func (s *sink) Send(b []byte) error {
	s.got = append(s.got, said{bytes.Clone(b), true})
	return nil
}

func (s *sink) SendDatagram(b []byte) error {
	s.got = append(s.got, said{bytes.Clone(b), false})
	return nil
}

// spoken is what an honest client says in a moment: datagrams with moves and calls, and messages of joining.
func spoken() []said {
	var out []said
	for i := range 60 {
		d := wire.AppendHeader(nil, wire.Header{Seq: wire.Seq(i), Acks: true, Ack: wire.Seq(i)})
		d = wire.AppendCall(d, wire.Call{Channel: 3, Function: 2, Args: 1})
		d = wire.AppendFloat(d, 0.3)
		out = append(out, said{wire.AppendAsk(d, int64(i)), false})
		out = append(out, said{wire.AppendReady(nil, 1, wire.Seq(i)), true})
	}
	return append(out, said{nil, true}, said{nil, false}, said{[]byte{0x91}, true})
}

// say sends everything through a mutator and gives what came out.
func say(seed uint64, share float64, how ...mutation) []said {
	var s sink
	m := &mutator{rng: rand.New(rand.NewPCG(seed, 1)), how: how, share: share, conns: map[link.Conn]*mutated{}}
	c := m.of(&s)
	for _, x := range spoken() {
		if x.message {
			_ = c.Send(x.b) // a sink takes all
		} else {
			_ = c.SendDatagram(x.b)
		}
	}
	return s.got
}

// TestMutations: each changes what is said, the same for the same seed, whatever it is given; without one, all passes as it is.
func TestMutations(t *testing.T) {
	honestly := fmt.Sprint(spoken())
	if got := fmt.Sprint(say(1, 1)); got != honestly {
		t.Error("an honest client's words are changed")
	}
	for name, how := range mutations {
		first, again := fmt.Sprint(say(7, 1, how)), fmt.Sprint(say(7, 1, how))
		if first != again {
			t.Errorf("%s: not the same twice", name)
		}
		if first == honestly && name != "slow" && name != "silent" { // these are about time and later words
			t.Errorf("%s changes nothing", name)
		}
		if n := len(say(7, 1, how)); n > flood*len(spoken()) {
			t.Errorf("%s: %d of %d", name, n, len(spoken()))
		}
	}
	if got := fmt.Sprint(say(7, 0, mutations["bits"])); got != honestly {
		t.Error("a share of 0 changes something")
	}
}
