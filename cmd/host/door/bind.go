package door

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"github.com/tidelock/tidelock/netcode/kcplink"
)

// tries is how many ports after the asked one are looked at, where the port was nobody's choice.
const tries = 100

// BindError is a socket that cannot be had. It is the user's affair: another address would do.
type BindError struct {
	Addr string
	Err  error
}

func (e *BindError) Error() string {
	if inUse(e.Err) {
		return fmt.Sprintf("UDP %s is in use, perhaps by another host; stop that one, or give another port", e.Addr)
	}
	return fmt.Sprintf("cannot listen on UDP %q: %v; give host:port of this machine, or :port for all its addresses", e.Addr, cause(e.Err))
}

func (e *BindError) Unwrap() error { return e.Err }

// Bind opens the socket of a link at c.Addr. next takes the next free port where that one is in use; the link's Addr
// tells which. The error is a *BindError where the address is at fault.
func Bind(c kcplink.Config, next bool) (*kcplink.Link, error) {
	host, service, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return nil, &BindError{c.Addr, err}
	}
	port, err := net.LookupPort("udp", service)
	if err != nil {
		return nil, &BindError{c.Addr, err}
	}
	asked := c.Addr
	for n := 0; ; n++ {
		c.Addr = net.JoinHostPort(host, strconv.Itoa(port+n))
		l, err := kcplink.New(c)
		var network net.Error
		switch {
		case err == nil:
			return l, nil
		case next && inUse(err) && n < tries && port+n < 65535:
		case errors.As(err, &network):
			return nil, &BindError{asked, err}
		default:
			return nil, err
		}
	}
}

// windowsInUse is WSAEADDRINUSE, which package syscall has no name for.
const windowsInUse = syscall.Errno(10048)

func inUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, windowsInUse) }

// cause is the end of an error of package net, without the address that the message has already.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		err = op.Err
	}
	var addr *net.AddrError
	if errors.As(err, &addr) {
		return errors.New(addr.Err)
	}
	return err
}
