package doctor

import (
	"errors"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// system adds what Linux shows.
func (m *Machine) system() {
	m.Proc, m.Cgroup = "/proc", "/sys/fs/cgroup"
	m.OpenFiles = func() (uint64, error) {
		var r unix.Rlimit
		err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r)
		return r.Cur, err // Go has raised it to the hard limit
	}
	m.UDPBuffer = udpBuffer
	m.SinceBoot = func() (time.Duration, error) {
		var t unix.Timespec
		err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t)
		return time.Duration(t.Nano()), err
	}
	m.Free = func(dir string) (uint64, error) {
		var s unix.Statfs_t
		if err := unix.Statfs(dir, &s); err != nil {
			return 0, err
		}
		return s.Bavail * uint64(s.Bsize), nil
	}
}

// udpBuffer returns the receive buffer of a socket that requests some bytes.
func udpBuffer(request int) (granted int, err error) {
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.SetReadBuffer(request); err != nil {
		return 0, err
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	err = errors.Join(raw.Control(func(fd uintptr) {
		granted, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF)
	}), err)
	return granted / 2, err // Linux doubles what it grants, for its own needs
}
