package directory

import (
	"bytes"
	"cmp"
	"log/slog"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tidelock/tidelock/engine/bus"
)

// Options for [New].
type Options struct {
	// Bus is this host's end of the bus.
	Bus *bus.Client
	// Self returns this host's own entry; its Host is replaced by the bus's. It is called at most four times a second, by Tick, and
	// must not change slices and maps that it returned.
	Self func() Entry
	// Log gets a line about announcements that cannot be used, at most once a minute.
	Log *slog.Logger
}

// Directory is the list of hosts. It belongs to the goroutine of its bus client.
type Directory struct {
	o      Options
	cancel []func()

	now     time.Duration
	begun   bool
	asked   bool // all others were asked since the network is there
	wanted  bool // somebody wants this host to announce itself
	self    Entry
	valid   bool          // self can be announced
	polled  time.Duration // when Self was called
	said    Entry         // the last announcement
	saidAt  time.Duration
	silent  bool // nothing was announced yet
	others  map[string]*other
	list    []Entry // nil if it must be made
	changed uint64

	bad     int // since the last line about them
	badLast error
	badFrom string
	badAt   time.Duration
	badSaid bool
}

// other is another host.
type other struct {
	entry Entry
	body  []byte // of the last announcement
	heard time.Duration
	fresh bool // it announced itself after the last tick
}

// New begins to listen. Nothing is announced before the first Tick.
func New(o Options) (*Directory, error) {
	d := &Directory{o: o, others: map[string]*other{}, silent: true}
	for _, s := range [...]struct {
		subject string
		fn      func(bus.In)
	}{{subject, d.hear}, {subjectAsk, d.hearAsk}} {
		cancel, err := o.Bus.Subscribe(s.subject, "", s.fn)
		if err != nil {
			d.stop()
			return nil, err
		}
		d.cancel = append(d.cancel, cancel)
	}
	return d, nil
}

func (d *Directory) stop() {
	for _, cancel := range d.cancel {
		cancel()
	}
	d.cancel = nil
}

// Close says goodbye: others remove this host at once. Nothing is received after it.
func (d *Directory) Close() {
	if d.cancel == nil {
		return
	}
	d.stop()
	if d.silent {
		return
	}
	if err := d.o.Bus.Publish(subject, nil); err != nil {
		d.o.Log.Debug("Other hosts list this one for some seconds more: "+err.Error(), "event", "directory")
	}
}

// Tick announces this host when it is due, and removes hosts that have been silent for [Expiry]. now is the time since any beginning;
// it must not go back. Call it often, after [bus.Client.Deliver]; after Close it does nothing.
func (d *Directory) Tick(now time.Duration) {
	if d.cancel == nil {
		return
	}
	d.now = now
	if !d.begun || now >= d.polled+Soonest {
		d.poll()
	}
	d.expire()
	d.ask()
	d.announce()
	d.tellBad()
}

// poll looks at this host.
func (d *Directory) poll() {
	d.begun, d.polled = true, d.now
	e := d.o.Self()
	e.Host = d.o.Bus.Host
	e.Load = math.Round(e.Load*100) / 100 // what is measured always varies a little
	if d.valid && e.equal(&d.self, true) {
		return
	}
	if err := e.Check(); err != nil {
		d.fault(err)
		return
	}
	d.self, d.valid = e, true
	d.touch()
}

// fault takes this host off the list: what it says of itself cannot be announced. Others remove it when it has been silent.
func (d *Directory) fault(err error) {
	if d.valid {
		d.valid = false
		d.touch()
	}
	d.refuse(d.o.Bus.Host, err)
}

// expire judges silence by the clock of Tick. What arrived while this process stood still counts as heard now: otherwise a host
// that hung would remove all others.
func (d *Directory) expire() {
	for id, o := range d.others { // any order: each by itself
		if o.fresh {
			o.fresh, o.heard = false, d.now
		} else if d.now >= o.heard+Expiry {
			delete(d.others, id)
			d.touch()
		}
	}
}

// ask asks all others, once each time that the network is there.
func (d *Directory) ask() {
	if d.o.Bus.Bus.Err() != nil {
		d.asked = false
		return
	}
	if !d.asked {
		d.asked = d.o.Bus.Publish(subjectAsk, nil) == nil // otherwise the next tick asks
	}
}

func (d *Directory) announce() {
	if !d.valid {
		return
	}
	since := d.now - d.saidAt
	due := d.silent || since >= Every || since >= Soonest && (d.wanted || !d.self.equal(&d.said, false))
	if !due {
		return
	}
	body, err := encode(&d.self)
	if err != nil {
		d.fault(err)
		return
	}
	if d.o.Bus.Publish(subject, body) != nil {
		return // without a network; a later tick tries again
	}
	d.silent, d.wanted, d.said, d.saidAt = false, false, d.self, d.now
}

func (d *Directory) hearAsk(in bus.In) {
	if in.From != d.o.Bus.Host {
		d.wanted = true
	}
}

// hear receives an announcement or a goodbye.
func (d *Directory) hear(in bus.In) {
	if in.From == d.o.Bus.Host {
		return
	}
	o := d.others[in.From]
	if len(in.Body) == 0 {
		if o != nil {
			delete(d.others, in.From)
			d.touch()
		}
		return
	}
	if o != nil && bytes.Equal(o.body, in.Body) {
		o.fresh = true
		return
	}
	e, err := decode(in.From, in.Body)
	if err != nil {
		d.refuse(in.From, err)
		return
	}
	if o == nil {
		if len(d.others) >= MaxHosts-1 {
			d.refuse(in.From, errFull)
			return
		}
		o = &other{}
		d.others[in.From] = o
	}
	if !o.entry.equal(&e, true) {
		d.touch()
	}
	o.entry, o.body, o.fresh = e, in.Body, true
}

func (d *Directory) touch() {
	d.list = nil
	d.changed++
}

// Host returns the id of this host.
func (d *Directory) Host() string { return d.o.Bus.Host }

// Changed counts changes of the list.
func (d *Directory) Changed() uint64 { return d.changed }

// List returns all hosts, this one included, sorted by name, then id. The caller must not change it; it stays as it is while the
// directory goes on.
func (d *Directory) List() []Entry {
	if d.list == nil {
		d.list = make([]Entry, 0, len(d.others)+1)
		if d.valid {
			d.list = append(d.list, d.self)
		}
		for _, o := range d.others { // any order: it is sorted below
			d.list = append(d.list, o.entry)
		}
		slices.SortFunc(d.list, func(a, b Entry) int {
			return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Host, b.Host))
		})
	}
	return d.list
}

// Find returns the hosts that [Find] finds in the list, this one included.
func (d *Directory) Find(nameOrLabel string) []Entry { return Find(d.List(), nameOrLabel) }
