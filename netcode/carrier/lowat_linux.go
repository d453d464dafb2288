//go:build linux

package carrier

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// bufferLittle lets the kernel take no more than notSent bytes that it cannot send yet. What is no TCP connection has no
// such option, and needs none.
func bufferLittle(c syscall.Conn) {
	raw, err := c.SyscallConn()
	if err != nil {
		return // closed meanwhile
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, notSent)
	})
}
