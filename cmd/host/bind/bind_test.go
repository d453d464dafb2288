package bind

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// busy is what the system says of a port that is in use.
func busy() error { return &net.OpError{Op: "listen", Net: "udp", Err: syscall.EADDRINUSE} }

func TestListen(t *testing.T) {
	other := errors.New("no randomness")
	const (
		inUse = " is in use, perhaps by another host; stop that one, or give another port"
		give  = "; give host:port of this machine, or :port for all its addresses"
	)
	fails := func(err error) func(int, string) error { return func(int, string) error { return err } }
	busyUntil := func(free int, err error) func(int, string) error {
		return func(n int, _ string) error {
			if n < free {
				return err
			}
			return nil
		}
	}
	for _, c := range []struct {
		name, addr string
		next       bool
		open       func(n int, at string) error
		last       string // that is tried; the first is addr
		count      int
		says       string // "" for no error
	}{
		{"free", "127.0.0.1:7777", true, fails(nil), "127.0.0.1:7777", 1, ""},
		{"next free", "127.0.0.1:7777", true, busyUntil(3, busy()), "127.0.0.1:7780", 4, ""},
		{"chosen", "127.0.0.1:7777", false, fails(busy()), "127.0.0.1:7777", 1, "UDP 127.0.0.1:7777" + inUse},
		{"none free", ":7777", true, fails(busy()), ":7877", 101, "UDP :7777" + inUse},
		{"last port", ":65534", true, fails(busy()), ":65535", 2, "UDP :65534" + inUse},
		{"any port, in use on the other network", ":0", false, busyUntil(1, &Error{"TCP", ":5", busy()}), ":0", 2, ""},
		{
			"no address of this machine", "192.0.2.1:7", true, fails(&net.OpError{Op: "listen", Err: syscall.EADDRNOTAVAIL}), "192.0.2.1:7", 1,
			`cannot listen on UDP "192.0.2.1:7": ` + syscall.EADDRNOTAVAIL.Error() + give,
		},
		{"another failure", ":7", true, fails(other), ":7", 1, "no randomness"},
		{"no port", "7777", true, nil, "", 0, `cannot listen on UDP "7777": missing port in address` + give},
		{"named port", ":nosuchservice", true, nil, "", 0, `cannot listen on UDP ":nosuchservice": lookup udp/nosuchservice: unknown port` + give},
	} {
		t.Run(c.name, func(t *testing.T) {
			var tried []string
			err := Listen("UDP", c.addr, c.next, func(at string) error {
				tried = append(tried, at)
				return c.open(len(tried)-1, at)
			})
			if err == nil && c.says != "" || err != nil && err.Error() != c.says {
				t.Errorf("error %v, expected %q", err, c.says)
			}
			if len(tried) != c.count || c.count > 0 && (tried[0] != c.addr || tried[c.count-1] != c.last) {
				t.Errorf("tried %d: %v", len(tried), tried)
			}
			if err != nil && c.name != "another failure" && !errors.As(err, new(*Error)) {
				t.Errorf("%T is no *Error", err)
			}
		})
	}
}
