//go:build !js && !(linux && (amd64 || arm64))

package kcplink

import (
	"net"
	"net/netip"
)

// udpSocket reads and writes one datagram per call, which is what other systems offer.
type udpSocket struct {
	c    *net.UDPConn
	addr netip.AddrPort
}

func openSocket(addr string) (socket, error) {
	c, err := bind(addr)
	if err != nil {
		return nil, err
	}
	a := c.LocalAddr().(*net.UDPAddr).AddrPort()
	return &udpSocket{c: c, addr: netip.AddrPortFrom(a.Addr().Unmap(), a.Port())}, nil
}

func (s *udpSocket) localAddr() netip.AddrPort { return s.addr }

func (s *udpSocket) close() error { return s.c.Close() }

func (s *udpSocket) read(ps []*packet) (int, error) {
	p := ps[0]
	n, from, err := s.c.ReadFromUDPAddrPort(p.b[:])
	if err != nil {
		return 0, err
	}
	p.n, p.from = n, path{AddrPort: netip.AddrPortFrom(from.Addr().Unmap(), from.Port())}
	return 1, nil
}

// write may wait for the system's buffer here; there is no portable non-blocking call.
func (s *udpSocket) write(out []*outPacket) (int, error) {
	for i, o := range out {
		if _, err := s.c.WriteToUDPAddrPort(o.b[:o.n], o.to.AddrPort); err != nil {
			return i, err
		}
	}
	return len(out), nil
}
