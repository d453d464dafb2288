package doctor

import (
	"net"
	"runtime"
	"time"
)

// ThisMachine returns the machine of this process, as far as its system shows it.
func ThisMachine() Machine {
	m := Machine{Listen: listen, Now: time.Now, Sleep: time.Sleep, CPUs: runtime.NumCPU()}
	m.system()
	return m
}

// listen opens and closes a socket.
func listen(network, addr string) error {
	if network == "udp" {
		c, err := net.ListenPacket(network, addr)
		if err != nil {
			return err
		}
		return c.Close()
	}
	l, err := net.Listen(network, addr)
	if err != nil {
		return err
	}
	return l.Close()
}
