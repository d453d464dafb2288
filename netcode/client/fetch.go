package client

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/wire"
)

// download is a bundle on its way. It holds no more than what came.
type download struct {
	manifest wire.Hash
	entries  []bundle.Entry
	have     map[wire.Hash][]byte // whole files: those that run, and new ones
	coming   map[wire.Hash]bool   // files that were requested, or come by themselves, and are not here yet
	pushes   []*push              // what comes by itself of manifests that are not here yet
	lists    map[wire.Hash][]bundle.Entry
	part     wire.Chunk // the head of the parcel that is under way, and below as much of it as came
	packed   []byte
	held     int // bytes of all files that are here, and of packed
	failed   string
	listed   bool // entries are manifest's
	asked    bool // what lacks of them was requested
	on       bool
	rested   bool // a Send was since the last parcel came
}

// push is what a server sends by itself: a manifest, and files of it, or all.
type push struct {
	manifest wire.Hash
	files    []byte
	all      bool
}

const (
	// maxHeldFiles bounds the bytes of files that a server may make its client hold.
	maxHeldFiles = 64 << 20
	// maxHeldNames bounds their number: those that run, those of a reload, and some that wait behind.
	maxHeldNames = 4 * bundle.MaxFiles
	// maxLater bounds the bytes of messages that wait for a reload, each with what it costs to keep.
	maxLater, laterCost = 32 << 20, 64
	// maxPushes bounds the manifests that are announced and not here: a server is reloaded less often while one waits.
	maxPushes = 256
	// maxLists bounds the manifests that are kept as lists: one beyond makes them be read again.
	maxLists = 16
)

// begin starts to fetch a bundle. What is there, or on its way, of earlier ones is kept.
func (c *Client) begin(manifest wire.Hash) {
	d := &c.down
	d.init()
	d.manifest, d.entries, d.listed, d.asked, d.on, d.rested = manifest, nil, false, false, true, true
	if manifest == (wire.Hash{}) {
		d.listed = true
		return
	}
	if !c.here(manifest) && !d.coming[manifest] {
		d.coming[manifest] = true
		c.want(&wire.Want{Hash: manifest})
	}
}

func (d *download) init() {
	if d.have == nil {
		d.have, d.coming, d.lists = map[wire.Hash][]byte{}, map[wire.Hash]bool{}, map[wire.Hash][]bundle.Entry{}
	}
}

// promised notes what the server sends by itself, so that it is not requested.
func (c *Client) promised(p *push) {
	d := &c.down
	d.init()
	if d.have[p.manifest] == nil {
		d.coming[p.manifest] = true
	}
	if d.pushes = append(d.pushes, p); len(d.pushes) > maxPushes {
		d.failed = fmt.Sprintf("the server announced more than %d manifests and sent none", maxPushes)
	}
}

// here reports whether a file is there, perhaps in the cache.
func (c *Client) here(h wire.Hash) bool {
	d := &c.down
	if d.have[h] != nil {
		return true
	}
	if c.cfg.Cache == nil {
		return false
	}
	b := c.cfg.Cache.Get(h)
	if b == nil || wire.HashOf(b) != h {
		return false
	}
	d.have[h] = b
	d.held += len(b)
	delete(d.coming, h)
	return true
}

func (c *Client) want(m *wire.Want) { c.sendMessage(wire.AppendWant(c.scratch[:0], m)) }

// list is what a manifest lists, where that is here.
func (d *download) list(manifest wire.Hash) ([]bundle.Entry, error) {
	if l, ok := d.lists[manifest]; ok {
		return l, nil
	}
	b := d.have[manifest]
	if b == nil {
		return nil, nil
	}
	l, err := bundle.Read(b)
	if err != nil {
		return nil, err
	}
	if len(d.lists) >= maxLists {
		clear(d.lists)
	}
	d.lists[manifest] = l
	return l, nil
}

// take adds a piece of a parcel.
func (c *Client) take(m *wire.Chunk) {
	d := &c.down
	d.init()
	if m.Packed == 0 {
		d.missing(m)
		return
	}
	p := &d.part
	if m.Offset == 0 {
		d.held -= len(d.packed)
		*p, d.packed = *m, nil
		p.Files, p.Data = slices.Clone(m.Files), nil
	} else if m.Hash != p.Hash || m.Size != p.Size || m.Packed != p.Packed || m.Offset != len(d.packed) {
		d.failed = "the server sent the pieces of its files in no order"
		return
	}
	if d.held += len(m.Data); d.held > maxHeldFiles {
		d.tooMuch()
		return
	}
	if d.packed = append(d.packed, m.Data...); len(d.packed) == p.Packed {
		c.unpack()
		d.held -= len(d.packed)
		*p, d.packed = wire.Chunk{}, nil
	}
}

func (d *download) tooMuch() {
	d.failed = fmt.Sprintf("the server sent more than %d MB of files", maxHeldFiles>>20)
}

// missing: the server does not have the requested file. Of an older manifest, that is requested again by the present one.
func (d *download) missing(m *wire.Chunk) {
	if m.Files == nil {
		if d.coming[m.Hash] && m.Hash == d.manifest {
			d.failed = fmt.Sprintf("the server does not have the manifest %x that it named", m.Hash[:6])
		}
		delete(d.coming, m.Hash)
		return
	}
	list, _ := d.list(m.Hash) // one that cannot be read was never used
	for _, e := range bundle.Chosen(list, m.Files) {
		if d.coming[e.Hash] && m.Hash == d.manifest {
			d.failed = fmt.Sprintf("the server does not have the file %q that its manifest lists", e.Name)
		}
		delete(d.coming, e.Hash)
	}
	d.asked = false
}

// unpack takes the files out of the parcel that is here whole. One of which nothing is needed, since the cache had it first,
// is let go.
func (c *Client) unpack() {
	d := &c.down
	p := &d.part
	files := []bundle.Entry{{Size: p.Size, Hash: p.Hash}}
	if p.Files != nil {
		list, err := d.list(p.Hash)
		if err != nil {
			d.failed = fmt.Sprintf("the server's manifest cannot be read: %v", err)
			return
		}
		files = bundle.Chosen(list, p.Files)
	}
	d.rested = false
	size, needed, expected := 0, false, false
	for i := range files {
		size += files[i].Size
		needed = needed || d.have[files[i].Hash] == nil
		expected = expected || d.coming[files[i].Hash]
	}
	if !needed {
		return
	}
	if size != p.Size {
		d.failed = "the server sent files of another size than its manifest says"
		return
	}
	if d.held+size > maxHeldFiles {
		d.tooMuch()
		return
	}
	dict, err := d.dictionary(files)
	if errors.Is(err, bundle.ErrBase) && !expected {
		return // of a reload that is over since the cache had it, and so is what it was told as a difference to
	}
	if err != nil {
		d.failed = "the server sent " + err.Error()
		return
	}
	plain, err := bundle.Inflate(d.packed, size, dict)
	if err != nil {
		d.failed = "the server sent " + err.Error()
		return
	}
	for i := range files {
		e := &files[i]
		b := plain[:e.Size:e.Size]
		plain = plain[e.Size:]
		if len(files) > 1 {
			b = slices.Clone(b) // one that is kept is not to keep all others
		}
		if wire.HashOf(b) != e.Hash {
			d.failed = fmt.Sprintf("the server sent a file whose hash is not %x", e.Hash[:6])
			return
		}
		delete(d.coming, e.Hash)
		if d.have[e.Hash] != nil {
			continue
		}
		if len(d.have) >= maxHeldNames {
			d.failed = fmt.Sprintf("the server sent more than %d files", maxHeldNames)
			return
		}
		d.have[e.Hash] = b
		d.held += len(b)
		if c.cfg.Cache != nil { // at once: who is cut off goes on from here
			c.cfg.Cache.Put(e.Hash, b)
		}
	}
}

// dictionary is what the parcel that is here was compressed against.
func (d *download) dictionary(files []bundle.Entry) ([]byte, error) {
	base := d.part.Base
	if base == (wire.Hash{}) {
		return nil, nil
	}
	if d.part.Files == nil {
		if b := d.have[base]; b != nil {
			return bundle.Tail(b), nil
		}
		return nil, bundle.ErrBase
	}
	list, err := d.list(base)
	if err != nil {
		return nil, err
	}
	if list == nil {
		return nil, bundle.ErrBase
	}
	return bundle.Dictionary(files, list, func(h wire.Hash) []byte { return d.have[h] })
}

// keepOnly forgets all files but those of the bundle that runs now, which the next may be told as a difference to. What is
// under way stays: it is of the next.
func (d *download) keepOnly() {
	kept := map[wire.Hash][]byte{}
	d.held = len(d.packed)
	if m := d.have[d.manifest]; m != nil {
		kept[d.manifest] = m
		d.held += len(m)
	}
	for _, e := range d.entries {
		if kept[e.Hash] == nil {
			kept[e.Hash] = d.have[e.Hash]
			d.held += len(kept[e.Hash])
		}
	}
	d.have = kept
	clear(d.lists)
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
		entries, err := d.list(d.manifest)
		if err != nil {
			c.fail("files", "the server's manifest cannot be read: %v", err)
			return
		}
		if d.have[d.manifest] == nil {
			return
		}
		d.entries, d.listed = entries, true
	}
	if !c.ask() {
		return
	}
	files := make([]bundle.File, 0, len(d.entries))
	for _, e := range d.entries {
		b := d.have[e.Hash]
		if b == nil {
			return
		}
		files = append(files, bundle.File{Name: e.Name, Data: b})
	}
	if c.reload == nil && !d.rested {
		// To load takes long, and what came last is to be acknowledged before: else all of it would be sent again.
		d.rested = true
		return
	}
	if c.reload == nil {
		if h, ok := c.cfg.Host.(Preparer); ok && !h.Prepare(&c.welcome, files) {
			return // it goes on in the next tick
		}
	}
	clear(d.coming) // what still comes was of bundles that nobody needs any more
	if len(c.later) == 0 {
		d.keepOnly()
	} // else another reload may wait there, and its files may be here already: nobody sends them twice
	d.on, d.entries = false, nil
	if c.reload != nil {
		c.replace(files)
		return
	}
	c.enter(files)
}

// ask requests what lacks, in one message. Nothing is requested before it is known what comes by itself (false).
func (c *Client) ask() bool {
	d := &c.down
	if d.asked {
		return true
	}
	kept := d.pushes[:0]
	for _, p := range d.pushes {
		if d.have[p.manifest] == nil {
			kept = append(kept, p)
			continue
		}
		list, err := d.list(p.manifest)
		if err != nil {
			c.fail("files", "the server's manifest cannot be read: %v", err)
			return false
		}
		for i, e := range list {
			if (p.all || bundle.Has(p.files, i)) && d.have[e.Hash] == nil {
				d.coming[e.Hash] = true
			}
		}
	}
	clear(d.pushes[len(kept):])
	if d.pushes = kept; len(kept) > 0 {
		return false
	}
	if len(d.coming) > maxHeldNames {
		c.fail("files", "the server announced more than %d files", maxHeldNames)
		return false
	}
	var files []byte
	for i, e := range d.entries {
		if !c.here(e.Hash) && !d.coming[e.Hash] {
			d.coming[e.Hash] = true
			files = bundle.Set(files, i)
		}
	}
	if files != nil {
		c.want(&wire.Want{Hash: d.manifest, Files: files})
	}
	d.asked = true
	return true
}
