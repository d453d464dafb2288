package client

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/wire"
)

// download is a bundle that is being fetched. It holds only what has arrived.
type download struct {
	manifest wire.Hash
	entries  []bundle.Entry
	have     map[wire.Hash][]byte // whole files: those in use, and new ones
	coming   map[wire.Hash]bool   // files that were requested, or are pushed, and have not arrived
	pushes   []*push              // what is pushed of manifests that have not arrived
	lists    map[wire.Hash][]bundle.Entry
	part     wire.Chunk // the head of the current archive, and below the received part of it
	packed   []byte
	held     int // bytes of all received files, and of packed
	failed   string
	listed   bool // entries are those of manifest
	asked    bool // the missing files were requested
	on       bool
	rested   bool // there was a Send since the last archive arrived
}

// push is what a server sends without a request: a manifest, and some or all of its files.
type push struct {
	manifest wire.Hash
	files    []byte
	all      bool
}

const (
	// maxHeldFiles bounds the bytes of files that a server may make its client hold.
	maxHeldFiles = 64 << 20
	// maxHeldNames bounds their number: those in use, those of a reload, and some that wait.
	maxHeldNames = 4 * bundle.MaxFiles
	// maxLater bounds the bytes of messages that wait for a reload, each with its overhead in memory.
	maxLater, laterCost = 32 << 20, 64
	// maxPushes bounds the manifests that are announced and have not arrived: a server is reloaded less often while
	// one is in flight.
	maxPushes = 256
	// maxLists bounds the manifests that are cached as lists: others are read again.
	maxLists = 16
)

// begin starts to fetch a bundle. Files of earlier ones that are present or in flight are kept.
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

// promised records what the server pushes, so that it is not requested.
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

// here reports whether a file is present, perhaps in the cache.
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

// list returns the files of a manifest, if that is present.
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

// take adds a part of an archive.
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

// missing handles a file that the server does not have. If it belongs to an older manifest, it is requested again
// through the present one.
func (d *download) missing(m *wire.Chunk) {
	if m.Files == nil {
		if d.coming[m.Hash] && m.Hash == d.manifest {
			d.failed = fmt.Sprintf("the server does not have the manifest %x that it named", m.Hash[:6])
		}
		delete(d.coming, m.Hash)
		return
	}
	list, _ := d.list(m.Hash) // an unreadable manifest was never used
	for _, e := range bundle.Chosen(list, m.Files) {
		if d.coming[e.Hash] && m.Hash == d.manifest {
			d.failed = fmt.Sprintf("the server does not have the file %q that its manifest lists", e.Name)
		}
		delete(d.coming, e.Hash)
	}
	d.asked = false
}

// unpack extracts the files of the complete archive. An archive that is not needed, because the cache had its files
// first, is dropped.
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
		return // of a reload that completed from the cache, and so is the base of the difference
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
			b = slices.Clone(b) // keeping one file must not keep all others in memory
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
		if c.cfg.Cache != nil { // at once: an interrupted client continues from here
			c.cfg.Cache.Put(e.Hash, b)
		}
	}
}

// dictionary returns the dictionary that the received archive was compressed with.
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

// keepOnly forgets all files except those of the running bundle, which may be the base of the next one. What is in
// flight stays, because it belongs to the next one.
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

// advance continues loading, between two ticks.
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
		// Loading takes long, and the last chunks must be acknowledged before: otherwise all of them would be sent
		// again.
		d.rested = true
		return
	}
	if c.reload == nil {
		if h, ok := c.cfg.Host.(Preparer); ok && !h.Prepare(&c.welcome, files) {
			return // it continues in the next tick
		}
	}
	clear(d.coming) // chunks that still arrive belong to bundles that nobody needs any more
	if len(c.later) == 0 {
		d.keepOnly()
	} // otherwise another reload may wait there, and its files may have arrived already: they are not sent twice
	d.on, d.entries = false, nil
	if c.reload != nil {
		c.replace(files)
		return
	}
	c.enter(files)
}

// ask requests missing files, in one message. It returns false, and requests nothing, until it is known what is
// pushed.
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
