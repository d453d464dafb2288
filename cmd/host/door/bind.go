package door

import (
	"github.com/tidelock/tidelock/cmd/host/bind"
	"github.com/tidelock/tidelock/netcode/kcplink"
)

// Bind opens the socket of a link at c.Addr. next tries the next free port if that one is in use; the link's
// Addr returns the result. The error is a *bind.Error if the address is at fault.
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
