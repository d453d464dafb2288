// Package port reserves ports for tests whose programs are started again at the same address, or whose configuration names the port before
// anybody listens. All others listen on port 0.
//
// A reserved port is below the range from which systems draw ports for port 0 and for outgoing connections, so that nobody gets it by
// chance, and a lock on a file keeps other tests of this tree away from it, those of another checkout, too.
//
//	addr := port.Reserve(t, 1) // "127.0.0.1:12345"
//
// Guarantees: A reserved port is one test's until that test ends.
package port

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// first and last bound the ports that are reserved. Linux draws from 32768 on, other systems from 49152.
const first, last = 12000, 31999

// Reserve returns the address on 127.0.0.1 of the first of n ports that are beside each other, free for TCP and UDP, and nobody else's until
// the test ends.
func Reserve(t testing.TB, n int) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), "tidelock-test-ports")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for from := first; from+n-1 <= last; from += n {
		held, err := hold(dir, from, n)
		if errors.Is(err, errTaken) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { release(held) })
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(from))
	}
	t.Fatalf("no %d ports from %d to %d are free", n, first, last)
	return ""
}

// errTaken is a port that somebody has.
var errTaken = errors.New("the port is taken")

// hold locks some ports.
func hold(dir string, from, n int) (held []*os.File, err error) {
	defer func() {
		if err != nil {
			release(held)
		}
	}()
	for p := from; p < from+n; p++ {
		f, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(p)), os.O_CREATE|os.O_RDWR, 0o666)
		if err != nil {
			return held, fmt.Errorf("reserving a port: %w", err)
		}
		held = append(held, f)
		if !lock(f) || !free(p) {
			return held, errTaken
		}
	}
	return held, nil
}

func release(held []*os.File) {
	for _, f := range held {
		_ = f.Close() // the lock goes with it
	}
}

// free reports whether nobody listens at a port.
func free(p int) bool {
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(p))
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return false
	}
	_ = l.Close() // nobody came
	u, err := net.ListenPacket("udp", addr)
	if err != nil {
		return false
	}
	_ = u.Close() // nobody came
	return true
}
