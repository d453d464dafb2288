package server

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/wire"
)

// visitor is a connection that remembers what it was sent and why it was closed.
type visitor struct {
	addressed
	sent   []wire.Kind
	closed link.Reason
}

func (v *visitor) Send(b []byte) error {
	r := wire.NewReader(b)
	kind, _ := r.Message()
	v.sent = append(v.sent, kind)
	return nil
}

func (v *visitor) Close(why link.Reason) { v.closed = why }

// visit opens a connection of a key from an address.
func visit(s *Server, key byte, addr string) *visitor {
	v := &visitor{addressed: addressed{id: link.Identity{Key: [32]byte{key}, Addr: addr}}}
	s.Opened(v)
	return v
}

// barrier is a list of texts that bars keys and addresses that contain one of them.
type barrier []string

func (b *barrier) Check(key, addr string) *link.Reason {
	for _, part := range *b {
		if strings.Contains(key, part) || strings.HasPrefix(addr, part) {
			return &link.Reason{Code: "banned", Text: "you are banned: " + part}
		}
	}
	return nil
}

// TestAdmit (R8.3): a connection that the host keeps out is sent a refusal and nothing else, and the game is not asked.
// One that was admitted is asked about again when its address changes, and when the host wants that; a travel keeps all
// of it.
func TestAdmit(t *testing.T) {
	var told []Event
	g := &guarded{}
	door, inside := &barrier{"key-01", "192.0.2.7"}, &barrier{"192.0.2.7"}
	cfg := Config{
		World: emptyWorld(t), Game: g, Tick: 60, Net: 30, Event: func(e Event) { told = append(told, e) },
		Admit: door.Check, Keep: inside.Check,
	}
	s := New(cfg)
	for range 2 {
		s.Stats.Denied, told = 0, nil
		for _, v := range []*visitor{visit(s, 1, "198.51.100.1:5"), visit(s, 2, "192.0.2.7:5")} {
			if len(v.sent) != 1 || v.sent[0] != wire.KindRefuse || v.closed.Code != "banned" {
				t.Errorf("sent %v, closed by %+v", v.sent, v.closed)
			}
			s.Message(v, wire.AppendHello(nil, &wire.Hello{Version: wire.Version, Options: "?password=sesame"}))
			s.Message(v, wire.AppendReady(nil, s.set.Epoch, 0))
		}
		good := visit(s, 3, "198.51.100.1:5")
		if len(good.sent) != 1 || good.sent[0] != wire.KindWelcome || g.asked != 0 || s.Stats.Denied != 2 {
			t.Errorf("sent %v, the game was asked %d times, %d denied", good.sent, g.asked, s.Stats.Denied)
		}
		if want := ` was kept out (banned): you are banned: key-01`; len(told) != 2 || told[0].Kind != EventAccess || !strings.HasSuffix(told[0].Text, want) ||
			!strings.HasPrefix(told[0].Key, "key-01") || told[0].Addr != "198.51.100.1:5" {
			t.Errorf("told %+v", told)
		}
		// It moves to an address that is banned; the door's list does not concern it any more.
		moved, stays := visit(s, 4, "198.51.100.2:5"), visit(s, 5, "198.51.100.3:5")
		*door = append(*door, "key-05")
		stays.id.Addr, moved.id.Addr = "198.51.100.4:5", "192.0.2.7:9"
		s.Receive(s.now)
		if moved.closed.Code != "banned" || stays.closed.Code != "" || connOf(stays).Address != "198.51.100.4:5" || s.Stats.Denied != 3 {
			t.Errorf("moved: %+v, %+v, %d denied", moved.closed, stays.closed, s.Stats.Denied)
		}
		if n := s.Recheck(); n != 0 {
			t.Errorf("%d closed without a reason", n)
		}
		*inside = append(*inside, "key-05")
		if n := s.Recheck(); n != 1 || stays.closed.Text != "you are banned: key-05" || good.closed.Code != "" {
			t.Errorf("%d closed: %+v, %+v", n, stays.closed, good.closed)
		}
		if n := s.Recheck(); n != 0 {
			t.Errorf("%d closed twice", n)
		}
		// Kick reaches those who are loading, and only those that match.
		other := visit(s, 6, "198.51.100.5:5")
		key := connOf(good).Key()
		if n := s.Kick(func(c *Conn) bool { return c.Key() == key }, link.Reason{Code: "kicked", Text: "be quiet"}); n != 1 || good.closed != (link.Reason{Code: "kicked", Text: "be quiet"}) || other.closed.Code != "" {
			t.Errorf("%d kicked: %+v, %+v", n, good.closed, other.closed)
		}
		if e := told[len(told)-1]; e.Kind != EventKick || !strings.HasSuffix(e.Text, " is kicked: be quiet") || e.Key != key {
			t.Errorf("told %+v", e)
		}
		s.Kick(func(*Conn) bool { return true }, link.Reason{})
		*door, *inside = barrier{"key-01", "192.0.2.7"}, barrier{"192.0.2.7"}
		before := s.Stats.Denied
		cfg.World = emptyWorld(t)
		if s = s.Travel(cfg, "elsewhere"); s.Stats.Denied != before || before == 0 {
			t.Errorf("%d denied after the travel, %d before", s.Stats.Denied, before)
		}
	}
}
