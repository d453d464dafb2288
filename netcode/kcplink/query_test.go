package kcplink

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
)

// asker asks from an address of a world by hand, and keeps what comes back.
type asker struct {
	w    *world
	addr netip.AddrPort
	q    Query
	in   chan []packet
	got  [][]byte
}

func newAsker(w *world, addr string, nonce uint64) *asker {
	a := &asker{w: w, addr: netip.MustParseAddrPort(addr), q: Query{Nonce: nonce}, in: make(chan []packet, 1024)}
	w.socks[a.addr] = &memSocket{w: w, addr: a.addr, in: a.in}
	return a
}

func (a *asker) send(b []byte) { a.w.send(a.addr, serverAddr, b) }

// run takes what arrives for a while, and answers cookies.
func (a *asker) run(d time.Duration) {
	for end := a.w.now + d; a.w.now < end; {
		a.w.step()
		for len(a.in) > 0 {
			for _, p := range <-a.in {
				a.got = append(a.got, bytes.Clone(p.b[:p.n]))
				if send := a.q.Receive(p.b[:p.n]); send != nil {
					a.send(send)
				}
			}
		}
	}
}

const described = `{"name":"here"}`

func queried(t *testing.T, f func(w *world, s *peer)) {
	t.Helper()
	inOne(t, impair.Rule{Lag: 10 * time.Millisecond}, false, func(w *world) {
		s := w.server(Server{}, Limits{})
		must(t, s.l.SetInfo([]byte(described)))
		f(w, s)
	})
}

func TestQuery(t *testing.T) {
	queried(t, func(w *world, s *peer) {
		a := newAsker(w, "10.9.0.1:5000", 77)
		a.send(a.q.Hello())
		a.run(100 * time.Millisecond)
		if string(a.q.Info()) != described || s.l.Open() != 0 || len(s.l.halves) != 0 {
			t.Errorf("got %q; %d open", a.q.Info(), s.l.Open())
		}
		if c := s.l.Counters(); c.Queries != 1 || c.QueriesDropped != 0 {
			t.Errorf("counted %+v", c)
		}
		must(t, s.l.SetInfo(nil))
		b := newAsker(w, "10.9.0.2:5000", 78)
		b.send(b.q.Hello())
		b.run(100 * time.Millisecond)
		if c := s.l.Counters(); b.q.Info() != nil || c.QueriesDropped != 1 {
			t.Errorf("a host without a description says %q", b.q.Info())
		}
		if err := s.l.SetInfo(make([]byte, MaxInfo+1)); err == nil || !strings.Contains(err.Error(), "at most 991 fit") {
			t.Errorf("too long: %v", err)
		}
	})
}

// TestQueryDoesNotAmplify: whatever a stranger sends, from its own address or a forged one, no more bytes come back than it
// sent, and an address that never received a cookie gets no description.
func TestQueryDoesNotAmplify(t *testing.T) {
	queried(t, func(w *world, s *peer) {
		must(t, s.l.SetInfo(bytes.Repeat([]byte("x"), MaxInfo)))
		sent, back := map[netip.AddrPort]int{}, map[netip.AddrPort]int{}
		infos := map[netip.AddrPort]int{}
		w.tap = func(from, to netip.AddrPort, b []byte) bool {
			if len(b) > 0 && b[0] == typeInfo {
				infos[to]++
			}
			sent[from], back[to] = sent[from]+len(b), back[to]+len(b)
			if to != serverAddr && back[to] > sent[to] {
				t.Errorf("%v sent %d bytes and gets %d", to, sent[to], back[to])
			}
			return true
		}
		a := newAsker(w, "10.9.0.1:5000", 1)
		a.send(a.q.Hello())
		a.run(100 * time.Millisecond)
		if len(a.q.Info()) != MaxInfo {
			t.Fatalf("got %d bytes", len(a.q.Info()))
		}
		query := (&Query{Nonce: 1}).Receive(a.got[0]) // with a's cookie
		victim := newAsker(w, "10.66.0.1:5000", 2)
		for n := 0; n <= len(query); n += 9 { // cut, with the cookie of another address
			victim.send(query[:n])
		}
		other := newAsker(w, "10.9.0.1:5001", 3) // another port of the asker
		other.send(query)
		for n := range 60 { // short ones, with a's own cookie
			a.send(query[:querySize-1-n])
		}
		a.run(100 * time.Millisecond)
		victim.run(10 * time.Millisecond)
		if infos[victim.addr] != 0 || back[victim.addr] != 0 || infos[other.addr] != 0 || infos[a.addr] != 1 {
			t.Errorf("descriptions %v, bytes %v", infos, back)
		}
		a.run(25 * time.Second) // the cookie expires
		a.send(query)
		a.run(100 * time.Millisecond)
		if infos[a.addr] != 1 {
			t.Error("a cookie that has expired was accepted")
		}
	})
}

// TestQueriesAreBounded: an address gets a burst and then five answers a second, all together get 200, and players still join.
func TestQueriesAreBounded(t *testing.T) {
	queried(t, func(w *world, s *peer) {
		answers := map[netip.AddrPort]int{}
		w.tap = func(_, to netip.AddrPort, b []byte) bool {
			if len(b) > 0 && b[0] == typeInfo {
				answers[to]++
			}
			return true
		}
		cookie := func(a *asker) []byte {
			a.send(a.q.Hello())
			a.run(50 * time.Millisecond)
			return (&Query{Nonce: 9}).Receive(a.got[0])
		}
		a := newAsker(w, "10.9.0.1:5000", 1)
		query := cookie(a)
		w.run(5 * time.Second)
		clear(answers)
		for range 400 { // 2 s
			a.send(query)
			w.step()
		}
		if n := answers[a.addr]; n < 18 || n > 22 {
			t.Errorf("%d answers in two seconds", n)
		}
		var many []*asker
		var queries [][]byte
		for i := range 60 {
			many = append(many, newAsker(w, fmt.Sprintf("10.77.%d.1:5000", i), 1))
			queries = append(queries, cookie(many[i]))
		}
		w.run(3 * time.Second)
		clear(answers)
		for range 10 {
			for i, m := range many {
				m.send(queries[i])
			}
		}
		c := w.client(0)
		c.dial(Dial{})
		w.until("a player joins meanwhile", 5*time.Second, func() bool { return len(c.opened) == 1 && len(s.opened) == 1 })
		sum := 0
		for _, n := range answers { // any order: a sum
			sum += n
		}
		if sum < 150 || sum > 260 {
			t.Errorf("%d answers to 600 queries at once", sum)
		}
	})
}

// FuzzQuery: no answer of a server disturbs an asker.
func FuzzQuery(f *testing.F) {
	f.Add(append([]byte{typeCookie}, make([]byte, rawCookie)...))
	f.Add(append([]byte{typeInfo, 0, 0, 0, 0, 0, 0, 0, 7}, described...))
	f.Fuzz(func(t *testing.T, b []byte) {
		q := Query{Nonce: 7}
		if send := q.Receive(b); send != nil && len(send) != querySize {
			t.Errorf("%d bytes to send", len(send))
		}
		if len(q.Info()) > MaxInfo {
			t.Errorf("a description of %d bytes", len(q.Info()))
		}
	})
}
