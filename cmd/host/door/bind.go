package door

import (
	"github.com/tidelock/tidelock/cmd/host/bind"
	"github.com/tidelock/tidelock/netcode/kcplink"
)

// Bind opens the socket of a link at c.Addr. next takes the next free port where that one is in use; the link's Addr
// tells which. The error is a *bind.Error where the address is at fault.
func Bind(c kcplink.Config, next bool) (l *kcplink.Link, err error) {
	err = bind.Listen("UDP", c.Addr, next, func(at string) error {
		c.Addr = at
		l, err = kcplink.New(c)
		return err
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}
