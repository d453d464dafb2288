package client

import (
	"fmt"
	"time"

	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// download is a bundle on its way. It holds no more than what came.
type download struct {
	manifest wire.Hash
	entries  []bundle.Entry
	have     map[wire.Hash][]byte // whole files: those that run, and new ones
	part     map[wire.Hash][]byte // begun
	held     int                  // bytes in both
	failed   string
	listed   bool
	on       bool
	since    time.Duration
}

const (
	// maxHeldFiles bounds the bytes of files that a server may make its client hold.
	maxHeldFiles = 64 << 20
	// maxHeldNames bounds their number: those that run, those of a reload, and some that wait behind.
	maxHeldNames = 4 * bundle.MaxFiles
	// maxLater bounds the bytes of messages that wait for a reload, each with what it costs to keep.
	maxLater, laterCost = 32 << 20, 64
	// maxAsked bounds the files asked for that have not come: a server throttles who asks for thousands at once.
	maxAsked = 256
	// askAgain is how long a client waits for a file that the server sends by itself before it asks.
	askAgain = 3 * time.Second
)

// begin starts to fetch a bundle. What is there of earlier ones is kept.
func (c *Client) begin(manifest wire.Hash) {
	d := &c.down
	if d.have == nil {
		d.have, d.part = map[wire.Hash][]byte{}, map[wire.Hash][]byte{}
	}
	d.manifest, d.entries, d.failed, d.listed, d.on, d.since = manifest, nil, "", false, true, c.now
	if manifest == (wire.Hash{}) {
		d.listed = true
		return
	}
	c.fetch(manifest)
}

// fetch takes a file from the cache or asks for it. After a reload the server sends by itself what is new.
func (c *Client) fetch(h wire.Hash) {
	d := &c.down
	if d.have[h] != nil || d.part[h] != nil {
		return
	}
	if c.cfg.Cache != nil {
		if b := c.cfg.Cache.Get(h); b != nil && wire.HashOf(b) == h {
			d.have[h] = b
			d.held += len(b)
			return
		}
	}
	d.part[h] = []byte{}
	if c.reload == nil {
		c.want(h)
	}
}

func (c *Client) want(h wire.Hash) {
	c.sendMessage(wire.AppendWant(c.scratch[:0], &wire.Want{Hash: h, Offset: len(c.down.part[h])}))
}

// take adds a piece of a file.
func (d *download) take(m *wire.Chunk) {
	p, begun := d.part[m.Hash]
	if d.have[m.Hash] != nil || m.Offset != len(p) || d.part == nil {
		return
	}
	if m.Total == 0 {
		if begun {
			d.failed = fmt.Sprintf("the server does not have the file %x that its manifest lists", m.Hash[:6])
		}
		return
	}
	if !begun && len(d.part)+len(d.have) >= maxHeldNames {
		d.failed = fmt.Sprintf("the server sent more than %d files", maxHeldNames)
		return
	}
	if d.held += len(m.Data); d.held > maxHeldFiles {
		d.failed = fmt.Sprintf("the server sent more than %d MB of files", maxHeldFiles>>20)
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

// keepOnly forgets all files but those of the bundle that runs now. Pieces under way stay: they are of the next.
func (d *download) keepOnly() {
	kept := map[wire.Hash][]byte{}
	d.held = 0
	for _, e := range d.entries {
		kept[e.Hash] = d.have[e.Hash]
		d.held += len(kept[e.Hash])
	}
	for _, p := range d.part {
		d.held += len(p)
	}
	d.have, d.on, d.entries = kept, false, nil
}

// advance goes on with loading, between two ticks.
func (c *Client) advance() {
	d := &c.down
	if d.failed != "" {
		c.fail("files", "%s", d.failed)
		return
	}
	if !d.on {
		return
	}
	if !d.listed {
		m := d.have[d.manifest]
		if m == nil {
			c.remind()
			return
		}
		entries, err := bundle.Read(m)
		if err != nil {
			c.fail("files", "the server's manifest cannot be read: %v", err)
			return
		}
		c.keep(d.manifest, m)
		d.entries, d.listed = entries, true
	}
	for _, e := range d.entries {
		if c.reload == nil && len(d.part) >= maxAsked {
			break
		}
		c.fetch(e.Hash)
	}
	files := make([]bundle.File, 0, len(d.entries))
	for _, e := range d.entries {
		b := d.have[e.Hash]
		if b == nil {
			c.remind()
			return
		}
		files = append(files, bundle.File{Name: e.Name, Data: b})
	}
	for _, e := range d.entries {
		c.keep(e.Hash, d.have[e.Hash])
	}
	if len(c.later) == 0 {
		d.keepOnly()
	} else { // another reload may wait there, and its files may be here already: nobody sends them twice
		d.on, d.entries = false, nil
	}
	if c.reload != nil {
		c.swap(files)
		return
	}
	c.enter(files)
}

// remind asks for files of which nothing came, once in a while.
func (c *Client) remind() {
	d := &c.down
	if c.reload == nil || c.now-d.since < askAgain {
		return
	}
	d.since = c.now
	for h, p := range d.part {
		if len(p) == 0 {
			c.want(h)
		}
	}
}

func (c *Client) keep(h wire.Hash, b []byte) {
	if c.cfg.Cache != nil {
		c.cfg.Cache.Put(h, b)
	}
}

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

// readyHeard reports whether the server knows which classes run here.
func (c *Client) readyHeard() bool {
	c.heard = c.heard || c.sess.PeerHas(c.sentFor)
	return c.heard
}

func (c *Client) ready() {
	c.sentFor = c.sendMessage(wire.AppendReady(c.scratch[:0], c.set.Epoch, c.sess.Next()))
	c.heard = false
}

// announced: the server has new classes; what comes in the reliable stream waits until they run here (R5.23).
func (c *Client) announced(m *wire.Classes) {
	if c.state == Connecting {
		c.fail("protocol", "the server announced new classes before it welcomed")
		return
	}
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
	c.set = schema.New(c.world.Classes, m.Epoch)
	if !c.sameTable(m.Table) {
		return
	}
	for i := range c.up { // under way in the old numbers: the server does not take it any more
		for _, it := range c.up[i] {
			c.upAgain(it)
		}
		c.up[i] = c.up[i][:0]
	}
	for _, ch := range c.nets {
		if ch.actor != nil && !ch.actor.Deleted() {
			ch.migrate(c.set)
			c.wantsAgain(ch)
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
		c.laterSize -= len(b) + laterCost
		c.process(b)
		if c.state == Closed {
			return
		}
	}
	c.finishCopies()
}
