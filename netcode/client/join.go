package client

import (
	"maps"
	"slices"

	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

func (c *Client) welcomed(m *wire.Welcome) {
	if c.state != Connecting && !c.travels {
		c.fail("protocol", "the server welcomed twice")
		return
	}
	if m.Version != wire.Version {
		c.fail("version", "the server speaks protocol %d and this client %d; update the older of the two", m.Version, wire.Version)
		return
	}
	c.welcome, c.state, c.travels = *m, Loading, false
	if c.cold { // everything that the first welcome names is pushed
		c.cold = false
		c.promised(&push{manifest: m.Manifest, all: true})
	}
	c.begin(m.Manifest)
}

// enter creates the world and reports to the server that the client is ready.
func (c *Client) enter(files []bundle.File) {
	w, err := c.cfg.Host.Open(&c.welcome, files)
	if err != nil {
		c.fail("scripts", "the server's match cannot be loaded: %v", err)
		return
	}
	c.world = w
	c.set = schema.New(w.Classes, c.welcome.Epoch)
	if !c.sameTable(c.welcome.Table) {
		return
	}
	w.SetRemote(c)
	c.offset = float64(c.welcome.Time)/1e6 - w.Time
	if c.pace.Paused() {
		c.offset = c.pace.time - w.Time
	}
	w.SetServerTime(c.offset)
	c.state = Playing
	c.ready()
}

func (c *Client) sameTable(want wire.Hash) bool {
	if c.set.Hash == want {
		return true
	}
	c.fail("table", "the class table of the server is %x and this client's %x, though the scripts are the same: the programs differ", want[:6], c.set.Hash[:6])
	return false
}

// readyHeard reports whether the server knows which classes run here.
func (c *Client) readyHeard() bool {
	c.heard = c.heard || c.sess.PeerHas(c.sentFor)
	return c.heard
}

func (c *Client) ready() {
	c.sentFor = c.sendMessage(wire.AppendReady(c.scratch[:0], c.set.Epoch, c.sess.Next()))
	c.heard = false
}

// announced handles new classes of the server; the reliable stream waits until they run here (R5.23).
func (c *Client) announced(m *wire.Classes) {
	if c.state == Connecting {
		c.fail("protocol", "the server announced new classes before it welcomed")
		return
	}
	c.promised(&push{manifest: m.Manifest, files: slices.Clone(m.Files)})
	if c.state == Loading { // received before the first ones are complete: files that changed are not needed any more
		c.welcome.Epoch, c.welcome.Table, c.welcome.Manifest = m.Epoch, m.Table, m.Manifest
		c.begin(m.Manifest)
		return
	}
	c.reload = m
	c.begin(m.Manifest)
}

// replace switches to the new classes.
func (c *Client) replace(files []bundle.File) {
	m := c.reload
	c.finishCopies() // copies that arrived before the new classes get their PostNetBeginPlay before them
	var called newCalls
	c.swapping = &called
	err := c.cfg.Host.Reload(files)
	c.swapping = nil
	if err != nil {
		c.fail("scripts", "the server's new scripts cannot be run: %v", err)
		return
	}
	c.set = schema.New(c.world.Classes, m.Epoch)
	if !c.sameTable(m.Table) {
		return
	}
	var let []*channel
	same := map[*schema.Class]bool{}
	for i := range c.up { // in flight with the old numbers: the server does not accept it any more
		for _, it := range c.up[i] {
			c.upAgain(it)
		}
		clear(c.up[i][:cap(c.up[i])]) // entries of destroyed actors would keep their old classes alive
		c.up[i] = c.up[i][:0]
	}
	// Copies that the server closed and that still wait for an actor (R5.13) are in no other list.
	found := map[*channel]bool{}
	for _, net := range slices.Sorted(maps.Keys(c.refs)) {
		for _, w := range c.refs[net] {
			if w.live(net) && c.nets[w.ch.net] != w.ch && !found[w.ch] {
				found[w.ch] = true
				let = append(let, w.ch)
			}
		}
	}
	// The others use old numbers of variables, or belong to destroyed actors, which would keep the old classes
	// alive.
	clear(c.refs)
	for _, net := range slices.Sorted(maps.Keys(c.nets)) { // the order of notifies follows from this one
		if ch := c.nets[net]; ch.actor != nil && !ch.actor.Deleted() {
			ch.migrate(c.set, same)
			c.wantsAgain(ch)
		}
	}
	for _, ch := range let {
		ch.migrate(c.set, same)
		c.wantsAgain(ch)
	}
	c.held = nil // it uses the old numbers; the server sends it again
	c.calls, c.callN = c.calls[:0], 0
	c.reload = nil
	c.ready()
	called.send(c)
	c.tellFollowed()
	later := c.later
	c.later = nil
	for i, b := range later {
		if c.reload != nil { // another one already
			c.later = append(c.later, later[i:]...)
			break
		}
		c.laterSize -= len(b) + laterCost
		c.process(b)
		if c.state == Closed {
			return
		}
	}
	c.finishCopies()
}
