package bus

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSubjects: what a bus could take for a wildcard, or an empty part, is no subject.
func TestSubjects(t *testing.T) {
	for _, s := range []string{"a", "a.b-c_d=.E9", strings.Repeat("x", MaxSubject)} {
		if err := CheckSubject(s); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
	for _, s := range []string{"", ".", "a.", ".a", "a..b", "a.*", "a.>", "a b", "a\r\nPUB", "ä", strings.Repeat("x", MaxSubject+1)} {
		if CheckSubject(s) == nil {
			t.Errorf("%q is a subject", s)
		}
	}
}

// world is a host of a test.
type world struct {
	*Client
	bus *Simulated
	got []string
}

func newWorld(n *Network, name string) *world {
	w := &world{bus: n.Host(name)}
	w.Client = &Client{Bus: w.bus, Host: name}
	return w
}

func (w *world) note(in In) { w.got = append(w.got, in.From+":"+string(in.Body)) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestOrder: each host gets what another sends in its order, a group gets each message once, and nobody gets one twice.
func TestOrder(t *testing.T) {
	for seed := range uint64(50) {
		n := NewNetwork(seed)
		n.Delay = 30 * time.Millisecond
		var all []*world
		for _, name := range []string{"a", "b", "c"} {
			w := newWorld(n, name)
			for _, group := range []string{"", "g"} {
				_, err := w.Subscribe("s."+group+"x", group, w.note)
				must(t, err)
			}
			all = append(all, w)
		}
		r := rand.New(rand.NewPCG(seed, 1))
		var now time.Duration
		for i := range 200 {
			now += time.Duration(r.IntN(20)) * time.Millisecond
			n.Deliver(now)
			for _, w := range all {
				w.Deliver(now)
			}
			w := all[r.IntN(3)]
			must(t, w.Publish("s.x", fmt.Appendf(nil, "%03d", i)))
			must(t, w.Publish("s.gx", fmt.Appendf(nil, "g%03d", i)))
		}
		n.Deliver(now + time.Second)
		grouped := map[string]int{}
		for _, w := range all {
			w.Deliver(now + time.Second)
			count := 0
			last := map[string]string{}
			for _, g := range w.got {
				from, body, _ := strings.Cut(g, ":")
				if body[0] == 'g' {
					grouped[body]++
					continue
				}
				count++
				if last[from] >= body {
					t.Fatalf("seed %d: %s gets %s after %s", seed, w.Host, body, last[from])
				}
				last[from] = body
			}
			if count != 200 {
				t.Fatalf("seed %d: %s got %d of 200", seed, w.Host, count)
			}
		}
		for body, n := range grouped {
			if n != 1 {
				t.Fatalf("seed %d: %s came to %d of a group", seed, body, n)
			}
		}
		if len(grouped) != 200 {
			t.Fatalf("seed %d: %d of 200 came to the group", seed, len(grouped))
		}
	}
}

// TestRequests: each request is answered once, by the first answer, an error or its time, whatever is lost.
func TestRequests(t *testing.T) {
	lost := 0
	for seed := range uint64(50) {
		n := NewNetwork(seed)
		r := rand.New(rand.NewPCG(seed, 2))
		n.Passed = func(string, string, Message) bool { return r.IntN(4) == 0 }
		a, b, c := newWorld(n, "a"), newWorld(n, "b"), newWorld(n, "c")
		for _, w := range []*world{b, c} {
			_, err := w.Subscribe("ask", "", func(in In) {
				if !in.Wanted() {
					t.Fatal("no answer is wanted")
				}
				text := ""
				if in.Body[0] == '7' {
					text = "seven"
				}
				must(t, w.Answer(in, in.Body, text))
			})
			must(t, err)
		}
		done := map[int]int{}
		var now time.Duration
		step := func() {
			now += 5 * time.Millisecond
			n.Deliver(now)
			for _, w := range []*world{a, b, c} {
				w.Deliver(now)
			}
		}
		for i := range 100 {
			must(t, a.Request("ask", fmt.Append(nil, i), 20*time.Millisecond, func(in In, err error) {
				done[i]++
				var remote *RemoteError
				switch {
				case errors.Is(err, ErrTimeout):
					lost++
				case errors.As(err, &remote):
					if fmt.Sprint(i)[0] != '7' || remote.Text != "seven" || remote.Host != in.From {
						t.Fatalf("%d: %v", i, err)
					}
				case err != nil || string(in.Body) != fmt.Sprint(i):
					t.Fatalf("%d: %q %v", i, in.Body, err)
				}
			}))
			step()
		}
		for range 10 {
			step()
		}
		for i := range 100 {
			if done[i] != 1 {
				t.Fatalf("seed %d: request %d was answered %d times", seed, i, done[i])
			}
		}
		if len(a.order) != 0 || len(a.requests) != 0 {
			t.Fatal("requests are left")
		}
	}
	if lost == 0 || lost > 2000 {
		t.Errorf("%d of 5000 requests had no answer", lost)
	}
}

// TestCut: a host that is cut off hears nothing, is told after a while, and takes part again afterwards.
func TestCut(t *testing.T) {
	n := NewNetwork(1)
	a, b := newWorld(n, "a"), newWorld(n, "b")
	for _, w := range []*world{a, b} {
		_, err := w.Subscribe("s", "", w.note)
		must(t, err)
	}
	at := func(now time.Duration) {
		n.Deliver(now)
		a.Deliver(now)
		b.Deliver(now)
	}
	b.bus.Cut(true)
	must(t, b.Publish("s", []byte("1")))
	must(t, a.Publish("s", []byte("2")))
	at(time.Second)
	if !slices.Equal(a.got, []string{"a:2"}) || !slices.Equal(b.got, []string{"b:1"}) {
		t.Fatal(a.got, b.got)
	}
	at(3 * time.Second)
	if err := b.Publish("s", nil); !errors.Is(err, ErrOffline) {
		t.Fatal(err)
	}
	b.bus.Cut(false)
	must(t, b.Publish("s", []byte("3")))
	at(4 * time.Second)
	if a.got[1] != "b:3" {
		t.Fatal(a.got)
	}
	b.bus.Leave()
	must(t, a.Publish("s", []byte("4")))
	at(5 * time.Second)
	if len(b.got) != 2 {
		t.Fatal(b.got)
	}
}

// TestFlood: who sends faster than a host hands over loses messages, not memory.
func TestFlood(t *testing.T) {
	l := &Local{}
	c := &Client{Bus: l, Host: "a"}
	n := 0
	_, err := c.Subscribe("s", "", func(In) { n++ })
	must(t, err)
	for range 3 * maxQueued {
		must(t, c.Publish("s", make([]byte, 100)))
	}
	must(t, l.Publish(Message{Subject: "s", Data: []byte("nonsense")}))
	if c.bytes > maxQueuedBytes {
		t.Fatal(c.bytes)
	}
	c.Deliver(0)
	if n != maxQueued || c.Stats.Lost != 2*maxQueued+1 {
		t.Fatal(n, c.Stats)
	}
	must(t, l.Publish(Message{Subject: "s", Data: []byte("nonsense")}))
	if c.Deliver(0); c.Stats.Bad != 1 {
		t.Fatal(c.Stats)
	}
	if err := c.Publish("s", make([]byte, MaxFrame+1)); err == nil {
		t.Error("a message of any size is sent")
	}
}

// FuzzEnvelope: bytes of anybody cause no panic, and what is read was written so.
func FuzzEnvelope(f *testing.F) {
	f.Add((&envelope{from: "a", id: 1 << 60, text: "no", body: []byte("x")}).append(nil))
	f.Add((&envelope{from: "a", body: make([]byte, MaxFrame)}).append(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := readEnvelope(data)
		if err == nil && !bytes.Equal(e.append(nil), data) && len(data) < 1<<16 {
			t.Errorf("%q is read and not written so", data)
		}
	})
}
