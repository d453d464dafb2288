package port

import (
	"fmt"
	"net"
	"testing"
)

// TestReserve: two reservations never share a port, also while nobody listens there, and what is listened at is left alone.
func TestReserve(t *testing.T) {
	a, b := Reserve(t, 2), Reserve(t, 1)
	if a == b {
		t.Errorf("%s twice", a)
	}
	var again string
	t.Run("ended", func(t *testing.T) {
		again = Reserve(t, 1)
		if again == a || again == b {
			t.Errorf("%s twice", again)
		}
	})
	l, err := net.Listen("tcp", again) // its test has ended
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // a test
	if c := Reserve(t, 1); c == again {
		t.Errorf("%s, where somebody listens", fmt.Sprint(c))
	}
}
