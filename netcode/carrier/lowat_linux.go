//go:build linux

package carrier

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// bufferLittle limits the bytes that the kernel accepts before it can send them to notSent. Other connections than
// TCP have no such option, and need none.
func bufferLittle(c syscall.Conn) {
	raw, err := c.SyscallConn()
	if err != nil {
		return // closed meanwhile
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, notSent)
	})
}
