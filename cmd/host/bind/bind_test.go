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
	for _, c := range []struct {
		name  string
		addr  string
		next  bool
		open  func(n int, at string) error
		tried []string // the first and the last
		count int
		says  string // "" for no error
	}{
		{"free", "127.0.0.1:7777", true, func(int, string) error { return nil }, []string{"127.0.0.1:7777", "127.0.0.1:7777"}, 1, ""},
		{
			"next free", "127.0.0.1:7777", true, func(n int, _ string) error {
				if n < 3 {
					return busy()
				}
				return nil
			}, []string{"127.0.0.1:7777", "127.0.0.1:7780"}, 4, "",
		},
		{
			"chosen", "127.0.0.1:7777", false, func(int, string) error { return busy() },
			[]string{"127.0.0.1:7777", "127.0.0.1:7777"},
			1,
			"UDP 127.0.0.1:7777 is in use, perhaps by another host; stop that one, or give another port",
		},
		{
			"none free", ":7777", true, func(int, string) error { return busy() },
			[]string{":7777", ":7877"},
			101,
			"UDP :7777 is in use, perhaps by another host; stop that one, or give another port",
		},
		{
			"last port", ":65534", true, func(int, string) error { return busy() },
			[]string{":65534", ":65535"},
			2,
			"UDP :65534 is in use, perhaps by another host; stop that one, or give another port",
		},
		{
			"any port, in use on the other network", ":0", false, func(n int, _ string) error {
				if n == 0 {
					return &Error{"TCP", ":5", busy()}
				}
				return nil
			}, []string{":0", ":0"}, 2, "",
		},
		{
			"no address of this machine", "192.0.2.1:7", true, func(int, string) error { return &net.OpError{Op: "listen", Err: syscall.EADDRNOTAVAIL} },
			[]string{"192.0.2.1:7", "192.0.2.1:7"},
			1,
			`cannot listen on UDP "192.0.2.1:7": ` + syscall.EADDRNOTAVAIL.Error() + `; give host:port of this machine, or :port for all its addresses`,
		},
		{"another failure", ":7", true, func(int, string) error { return other }, []string{":7", ":7"}, 1, "no randomness"},
		{"no port", "7777", true, nil, nil, 0, `cannot listen on UDP "7777": missing port in address; give host:port of this machine, or :port for all its addresses`},
		{"named port", ":nosuchservice", true, nil, nil, 0, `cannot listen on UDP ":nosuchservice": lookup udp/nosuchservice: unknown port; give host:port of this machine, or :port for all its addresses`},
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
			if len(tried) != c.count || c.count > 0 && (tried[0] != c.tried[0] || tried[c.count-1] != c.tried[1]) {
				t.Errorf("tried %d: %v", len(tried), tried)
			}
			if err != nil && c.name != "another failure" && !errors.As(err, new(*Error)) {
				t.Errorf("%T is no *Error", err)
			}
		})
	}
}
