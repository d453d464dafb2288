package bus

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Network joins the hosts of a scenario on a virtual clock. It belongs to one goroutine. What happens follows from the seed, the
// calls and their times.
type Network struct {
	// Delay is how long a message takes; it varies by up to as much again, and never overtakes one of the same sender.
	Delay time.Duration
	// Notice is how long after a host was cut off its bus says so; until then messages vanish without a word.
	Notice time.Duration
	// Passed, if not nil, sees each message just before it comes, and may have it lost.
	Passed func(from, to string, m Message) (lost bool)

	rand  *rand.Rand
	now   time.Duration
	subs  subscribers
	under []transit // in order of due
}

type transit struct {
	due      time.Duration
	from, to *Simulated
	sub      *subscriber
	m        Message
}

// NewNetwork returns a network without hosts.
func NewNetwork(seed uint64) *Network {
	return &Network{Delay: time.Millisecond, Notice: 2 * time.Second, rand: rand.New(rand.NewPCG(seed, 0xB05))}
}

// Simulated is the bus of one host in a [Network].
type Simulated struct {
	net  *Network
	name string
	gone bool
	// cut is when this host was cut off; negative if it is not.
	cut  time.Duration
	last map[*Simulated]time.Duration // when the last message to each host comes
}

// Host joins a host.
func (n *Network) Host(name string) *Simulated {
	return &Simulated{net: n, name: name, cut: -1, last: map[*Simulated]time.Duration{}}
}

// Leave ends a host, as if its process were killed: what is on the way from it still comes.
func (s *Simulated) Leave() {
	s.gone = true
	for subject, all := range s.net.subs { // any order: each subject by itself
		left := slices.DeleteFunc(slices.Clone(all), func(x *subscriber) bool { return x.host == s })
		if s.net.subs[subject] = left; len(left) == 0 {
			delete(s.net.subs, subject)
		}
	}
}

// Cut separates a host from all others, or joins it again.
func (s *Simulated) Cut(off bool) {
	switch {
	case !off:
		s.cut = -1
	case s.cut < 0:
		s.cut = s.net.now
	}
}

// Publish implements [Bus].
func (s *Simulated) Publish(m Message) error {
	if err := CheckSubject(m.Subject); err != nil {
		return err
	}
	if err := s.Err(); err != nil {
		return err
	}
	n := s.net
	for _, x := range n.subs.of(m.Subject, n.rand.IntN) {
		due := n.now + n.Delay + time.Duration(n.rand.Int64N(int64(n.Delay)+1))
		if x.host == s {
			due = n.now
		}
		due = max(due, s.last[x.host])
		s.last[x.host] = due
		t := transit{due, s, x.host, x, m}
		i, _ := slices.BinarySearchFunc(n.under, due, func(t transit, due time.Duration) int {
			if t.due <= due {
				return -1
			}
			return 1
		})
		n.under = slices.Insert(n.under, i, t)
	}
	return nil
}

// Subscribe implements [Bus].
func (s *Simulated) Subscribe(subject, group string, fn func(Message)) (func(), error) {
	if err := CheckSubject(subject); err != nil {
		return nil, err
	}
	x := &subscriber{group: group, host: s, fn: fn}
	s.net.subs.add(subject, x)
	return func() { s.net.subs.remove(subject, x) }, nil
}

// Err implements [Bus].
func (s *Simulated) Err() error {
	if s.gone || s.cut >= 0 && s.net.now >= s.cut+s.net.Notice {
		return ErrOffline
	}
	return nil
}

// Deliver moves the clock to now and hands over what is due. A message to or from a host that is cut off is lost.
func (n *Network) Deliver(now time.Duration) {
	n.now = now
	for len(n.under) > 0 && n.under[0].due <= now {
		t := n.under[0]
		n.under = slices.Delete(n.under, 0, 1)
		apart := t.from != t.to && (t.from.cut >= 0 || t.to.cut >= 0)
		if apart || t.to.gone || !slices.Contains(n.subs[t.m.Subject], t.sub) {
			continue
		}
		if n.Passed == nil || !n.Passed(t.from.name, t.to.name, t.m) {
			t.sub.fn(t.m)
		}
	}
}
