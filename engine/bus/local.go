package bus

import (
	"slices"
	"sync"
)

// Local is the bus of a host by itself: messages come back to the process that sent them. The zero value is ready. Subscribers
// are called at once, on the goroutine that publishes.
type Local struct {
	mu   sync.Mutex
	subs subscribers
}

// Publish implements [Bus].
func (l *Local) Publish(m Message) error {
	if err := CheckSubject(m.Subject); err != nil {
		return err
	}
	l.mu.Lock()
	to := l.subs.of(m.Subject, func(int) int { return 0 })
	l.mu.Unlock()
	for _, s := range to {
		s.fn(m)
	}
	return nil
}

// Subscribe implements [Bus].
func (l *Local) Subscribe(subject, group string, fn func(Message)) (func(), error) {
	if err := CheckSubject(subject); err != nil {
		return nil, err
	}
	s := &subscriber{group: group, fn: fn}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.subs.add(subject, s)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.subs.remove(subject, s)
	}, nil
}

// Err implements [Bus]: nothing can be in the way.
func (l *Local) Err() error { return nil }

type subscriber struct {
	group string
	host  *Simulated // of Network
	fn    func(Message)
}

// subscribers are those of each subject, in the order of their coming.
type subscribers map[string][]*subscriber

func (s *subscribers) add(subject string, x *subscriber) {
	if *s == nil {
		*s = subscribers{}
	}
	(*s)[subject] = append((*s)[subject], x)
}

func (s *subscribers) remove(subject string, x *subscriber) {
	left := slices.DeleteFunc(slices.Clone((*s)[subject]), func(y *subscriber) bool { return y == x })
	if (*s)[subject] = left; len(left) == 0 {
		delete(*s, subject)
	}
}

// of returns who gets a message: all without a group, and of each group the one that pick chooses of n.
func (s subscribers) of(subject string, pick func(n int) int) []*subscriber {
	all := s[subject]
	out := make([]*subscriber, 0, len(all))
	for i, x := range all {
		if x.group == "" {
			out = append(out, x)
			continue
		}
		same := func(y *subscriber) bool { return y.group == x.group }
		if slices.IndexFunc(all, same) != i {
			continue // chosen at the first of its group
		}
		var members []*subscriber
		for _, y := range all {
			if same(y) {
				members = append(members, y)
			}
		}
		out = append(out, members[pick(len(members))])
	}
	return out
}
