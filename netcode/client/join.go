package client

import (
	"fmt"

	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// download is a bundle on its way. It holds no more than what came.
type download struct {
	manifest wire.Hash
	entries  []bundle.Entry
	have     map[wire.Hash][]byte
	part     map[wire.Hash][]byte
	failed   string
	listed   bool
	on       bool
}

// begin starts to fetch a bundle and gives what is to be asked for first.
func (c *Client) begin(manifest wire.Hash) {
	c.down = download{manifest: manifest, have: map[wire.Hash][]byte{}, part: map[wire.Hash][]byte{}, on: true}
	if manifest == (wire.Hash{}) {
		c.down.listed = true
		return
	}
	c.fetch(manifest)
}

// fetch takes a file from the cache or asks for it.
func (c *Client) fetch(h wire.Hash) {
	d := &c.down
	if d.have[h] != nil || d.part[h] != nil {
		return
	}
	if c.cfg.Cache != nil {
		if b := c.cfg.Cache.Get(h); b != nil && wire.HashOf(b) == h {
			d.have[h] = b
			return
		}
	}
	d.part[h] = []byte{}
	c.sendMessage(wire.AppendWant(c.scratch[:0], &wire.Want{Hash: h}))
}

// take adds a piece of a file.
func (d *download) take(m *wire.Chunk) {
	p, asked := d.part[m.Hash]
	if !asked || m.Offset != len(p) {
		return
	}
	if m.Total == 0 {
		d.failed = fmt.Sprintf("the server does not have the file %x that its manifest lists", m.Hash[:6])
		return
	}
	p = append(p, m.Data...)
	d.part[m.Hash] = p
	if len(p) < m.Total {
		return
	}
	delete(d.part, m.Hash)
	if wire.HashOf(p) != m.Hash {
		d.failed = fmt.Sprintf("the server sent a file whose hash is not %x", m.Hash[:6])
		return
	}
	d.have[m.Hash] = p
}

// advance goes on with loading, between two ticks.
func (c *Client) advance() {
	d := &c.down
	if !d.on {
		return
	}
	if d.failed != "" {
		c.fail("files", "%s", d.failed)
		return
	}
	if !d.listed {
		m := d.have[d.manifest]
		if m == nil {
			return
		}
		entries, err := bundle.Read(m)
		if err != nil {
			c.fail("files", "the server's manifest cannot be read: %v", err)
			return
		}
		c.keep(d.manifest, m)
		d.entries, d.listed = entries, true
		for _, e := range entries {
			c.fetch(e.Hash)
		}
	}
	files := make([]bundle.File, 0, len(d.entries))
	for _, e := range d.entries {
		b := d.have[e.Hash]
		if b == nil {
			return
		}
		files = append(files, bundle.File{Name: e.Name, Data: b})
	}
	for _, e := range d.entries {
		c.keep(e.Hash, d.have[e.Hash])
	}
	c.down = download{}
	if c.reload != nil {
		c.swap(files)
		return
	}
	c.enter(files)
}

func (c *Client) keep(h wire.Hash, b []byte) {
	if c.cfg.Cache != nil {
		c.cfg.Cache.Put(h, b)
	}
}

func (c *Client) welcomed(m *wire.Welcome) {
	if c.state != Connecting {
		c.fail("protocol", "the server welcomed twice")
		return
	}
	if m.Version != wire.Version {
		c.fail("version", "the server speaks protocol %d and this client %d; update the older of the two", m.Version, wire.Version)
		return
	}
	c.welcome, c.state = *m, Loading
	c.begin(m.Manifest)
}

// enter makes the world and says that the client is ready.
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

func (c *Client) ready() {
	c.sentFor = c.sendMessage(wire.AppendReady(c.scratch[:0], c.set.Epoch))
	c.readied = true
}

// announced: the server has new classes; what comes in the reliable stream waits until they run here (R5.23).
func (c *Client) announced(m *wire.Classes) {
	if c.state == Loading { // hear of it before the first are there: those are not needed any more
		c.welcome.Epoch, c.welcome.Table, c.welcome.Manifest = m.Epoch, m.Table, m.Manifest
		c.begin(m.Manifest)
		return
	}
	c.reload = m
	c.begin(m.Manifest)
}

// swap runs the new classes.
func (c *Client) swap(files []bundle.File) {
	m := c.reload
	if err := c.cfg.Host.Reload(files); err != nil {
		c.fail("scripts", "the server's new scripts cannot be run: %v", err)
		return
	}
	old := c.set
	c.set = schema.New(c.world.Classes, m.Epoch)
	if !c.sameTable(m.Table) {
		return
	}
	for _, ch := range c.channels {
		if ch != nil && ch.actor != nil {
			ch.migrate(old, c.set)
		}
	}
	c.held = nil // of the old numbers; the server sends it again
	c.calls, c.callN = c.calls[:0], 0
	c.reload = nil
	c.ready()
	later := c.later
	c.later = nil
	for i, b := range later {
		if c.reload != nil { // another one already
			c.later = append(c.later, later[i:]...)
			break
		}
		c.process(b)
		if c.state == Closed {
			return
		}
	}
	c.finishCopies()
}
