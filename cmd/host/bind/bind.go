// Package bind opens sockets at an operator's address, or at the next free port if the operator did not choose one.
//
//	err := bind.Listen("UDP", "127.0.0.1:7777", true, func(at string) error { link, err = open(at); return err })
//
// It deliberately does not: read flags, or know what listens.
//
// Guarantees: An unusable address is distinguished from any other failure.
package bind

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
)

// tries is how many ports after the requested one are tried if nobody chose the port.
const tries = 100

// Error is an address that cannot be listened on. Another one may work.
type Error struct {
	// Network is "TCP" or "UDP".
	Network string
	// Addr is what was requested, host:port.
	Addr string
	Err  error
}

func (e *Error) Error() string {
	if InUse(e.Err) {
		return fmt.Sprintf("%s %s is in use, perhaps by another host; stop that one, or give another port", e.Network, e.Addr)
	}
	return fmt.Sprintf("cannot listen on %s %q: %v; give host:port of this machine, or :port for all its addresses", e.Network, e.Addr, cause(e.Err))
}

// Unwrap returns the system's error.
func (e *Error) Unwrap() error { return e.Err }

// Listen calls open with addr, host:port, its port as a number. While the port is in use, it calls open again:
// with the next port if next is set, for a port that nobody chose, and with port 0 again if that was requested,
// because open may need the same port of two networks. It tries at most 100 more ports. The error is an *Error
// if the address is at fault, for network if open does not say which; others are returned unchanged.
func Listen(network, addr string, next bool, open func(at string) error) error {
	host, service, err := net.SplitHostPort(addr)
	if err != nil {
		return &Error{network, addr, err}
	}
	port, err := net.LookupPort(strings.ToLower(network), service)
	if err != nil {
		return &Error{network, addr, err}
	}
	for n := 0; ; n++ {
		err := open(net.JoinHostPort(host, strconv.Itoa(port)))
		var failed net.Error
		switch {
		case err == nil:
			return nil
		case InUse(err) && n < tries && port < 65535 && (next || port == 0):
			if port != 0 {
				port++
			}
		case errors.As(err, new(*Error)):
			return err
		case errors.As(err, &failed):
			return &Error{network, addr, err}
		default:
			return err
		}
	}
}

// windowsInUse is WSAEADDRINUSE, for which package syscall has no name.
const windowsInUse = syscall.Errno(10048)

// InUse reports whether an error says that another socket has the address.
func InUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, windowsInUse) }

// cause returns the innermost error of package net, without the address that the message already has.
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
