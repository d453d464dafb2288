package client

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/wire"
)

// travel leaves the world for another (R8.7). The connection stays; a welcome follows that describes the new world,
// and the client loads it like the first one. Datagrams of the old world are recognised by their numbers.
func (c *Client) travel(m *wire.Travel) {
	switch {
	case c.state == Connecting:
		c.fail("protocol", "the server sent its client elsewhere before it welcomed")
		return
	case !m.Seamless && c.cfg.Elsewhere != nil && c.state == Playing:
		c.cfg.Elsewhere(m.URL)
		return
	case !m.Seamless:
		c.fail("travel", "the server sends its players to %q, and this client does not go to other servers", m.URL)
		return
	}
	if c.world != nil {
		c.world.SetRemote(nil)
	}
	c.state, c.travels, c.from = Loading, true, c.sess.Number(m.From)
	c.world, c.set = nil, nil
	c.channels, c.nets, c.byActor = nil, map[uint32]*channel{}, map[engine.ActorID]*channel{}
	c.refs, c.refsMost, c.letGo, c.opening, c.held = map[uint32][]want{}, 0, 0, nil, nil
	c.calls, c.callN, c.notes = c.calls[:0], 0, nil
	c.up, c.upDue = [256][]upItem{}, nil
	c.lastAsk, c.offset, c.bestRTT, c.bestAt, c.bestTime = 0, 0, 0, 0, 0
	c.nameBuf = names{}
}
