package share_test

import (
	"testing"

	"github.com/tidelock/tidelock/netcode/server/share"
)

func TestState(t *testing.T) {
	type own struct{ sent, kept int }
	type common struct{ sent int }
	var s share.State[own, common]
	filled := 0
	fill := func(o *own, c *common) {
		filled++
		o.sent += c.sent
	}

	// Private from the beginning.
	o, ok := s.Private()
	if !ok || s.Common() != nil {
		t.Fatal("a zero State is not private")
	}
	o.sent, o.kept = 1, 7
	if got := s.Split(fill); got != o || filled != 0 {
		t.Errorf("splitting what is private: another value, or filled %d times", filled)
	}

	// While a common value is in force, the private one is out of reach.
	c := &common{sent: 10}
	s.Join(c)
	if o, ok := s.Private(); ok || o != nil {
		t.Error("a private value is given while a common one is in force")
	}
	if s.Common() != c {
		t.Error("the common value is another one")
	}
	if p := s.Peek(fill); p != (own{11, 7}) || s.Common() != c || filled != 1 {
		t.Errorf("peeking gives %v, filled %d times", p, filled)
	}

	// Splitting brings it up to date, once.
	if p := s.Split(fill); *p != (own{11, 7}) || s.Common() != nil || filled != 2 {
		t.Errorf("splitting gives %v, filled %d times", *p, filled)
	}
	if p, ok := s.Private(); !ok || *p != (own{11, 7}) || s.Split(fill) != p || filled != 2 {
		t.Errorf("after splitting: %v %t, filled %d times", *p, ok, filled)
	}
}
