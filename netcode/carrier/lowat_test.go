//go:build linux

package carrier

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// The kernel keeps little of what it cannot send.
func TestBufferLittle(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	must(t, err)
	defer c.Close()
	tcp := c.(*net.TCPConn)
	bufferLittle(tcp)
	raw, err := tcp.SyscallConn()
	must(t, err)
	got := 0
	if cerr := raw.Control(func(fd uintptr) { got, err = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT) }); cerr != nil {
		t.Fatal(cerr)
	}
	if err != nil || got != notSent {
		t.Errorf("TCP_NOTSENT_LOWAT is %d, %v", got, err)
	}
}
