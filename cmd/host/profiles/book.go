package profiles

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/tidelock/tidelock/engine/store"
)

// Options of a Book. Store, Host and Log are required.
type Options struct {
	Store *store.Client
	// Host names this process, and no other one ever: its name and what tells its runs apart.
	Host string
	// Exclusive says that no other process uses the store now: a profile that names a holder was left behind.
	Exclusive bool
	// Interval is how often changed data is saved; 0 means the constant.
	Interval time.Duration
	// Expiry is after how long without a new revision a profile is taken from another host; 0 means the constant. Short of
	// [Beat] takes it from living hosts, which loses time and progress that is not saved, and nothing else.
	Expiry time.Duration
	Log    *slog.Logger
	// Capture returns the present data of a player who is in a world, nil for one who is not: then the latest stays.
	Capture func(id string) *store.Table
	// Reset is called when the data of a player who is in a world went back to what is stored. Text says why.
	Reset func(id, text string)
	// Lost is called when another host took a profile: what was not saved is discarded. Text says so to the player.
	Lost func(id, text string)
}

// State is how far a profile is.
type State uint8

// States of a profile (docs/cluster.md, "Who holds a profile").
const (
	None    State = iota // nobody wants it
	Loading              // being read and taken
	Waiting              // another host holds it
	Held                 // this host's
	Failed               // it cannot be had, see Book.Error
)

func (s State) String() string { return [...]string{"none", "loading", "waiting", "held", "failed"}[s] }

// Book is a host's profiles. One goroutine owns it, that of the world.
type Book struct {
	opt  Options
	now  time.Duration
	list map[string]*profile
	work []*profile // in the order in which they came, so that a run repeats
	// trace, if not nil, is told of every change of a state, of a profile or of a save, for tests.
	trace func(of, from, to string)
	// discarded counts profiles that another host took.
	discarded uint64
}

// Figures count profiles by their state, and those that another host took since New.
type Figures struct {
	Loading, Waiting, Held, Failed int
	Discarded                      uint64
}

// Figures returns the counts.
func (b *Book) Figures() Figures {
	f := Figures{Discarded: b.discarded}
	for _, p := range b.work {
		switch p.state {
		case Loading:
			f.Loading++
		case Waiting:
			f.Waiting++
		case Held:
			f.Held++
		case Failed:
			f.Failed++
		case None:
		}
	}
	return f
}

type profile struct {
	id     string
	state  State
	holds  int // who wants it
	record Record
	rev    store.Revision
	err    error

	stored []byte // what is stored of record
	asking bool   // a request is on its way
	at     time.Duration
	looked time.Duration // when it was read last
	hurry  time.Duration // how long after that it is read again while somebody hurries; 0 before
	// seen is the revision of another holder, and since when.
	seen    store.Revision
	since   time.Duration
	told    bool // the log knows of an error
	savedAt time.Duration
	saveNow bool
	leaving bool          // a write that gives it back is on its way
	done    []func(error) // of the save to come
	// with are those that a transaction changed together with it since the last save: they are saved together. It is shared by all of
	// them, and nil for none.
	with      map[*profile]bool
	undo      string // why its data goes back to what is stored, once no write is on its way; "" for nothing
	forgotten bool
}

// become changes the state of a profile. leaving says that a write that gives it back is on its way.
func (b *Book) become(p *profile, s State, leaving bool) {
	from := p.name()
	p.state, p.leaving = s, leaving
	if to := p.name(); b.trace != nil && to != from {
		b.trace("profile", from, to)
	}
}

// name is the state's, in the documents.
func (p *profile) name() string {
	if p.leaving {
		return "leaving"
	}
	return p.state.String()
}

// New makes a Book.
func New(o Options) *Book {
	if o.Interval <= 0 {
		o.Interval = Interval
	}
	if o.Expiry <= 0 {
		o.Expiry = Expiry
	}
	return &Book{opt: o, list: map[string]*profile{}}
}

// Share ends Options.Exclusive: others use the store from now on.
func (b *Book) Share() { b.opt.Exclusive = false }

// Hold requests a profile, once more. Each Hold needs a Let.
func (b *Book) Hold(id string) {
	p := b.list[id]
	if p == nil {
		p = &profile{id: id}
		b.become(p, Loading, false)
		b.list[id] = p
		b.work = append(b.work, p)
	}
	if p.holds++; p.state == Failed {
		p.err, p.at = nil, b.now
		b.become(p, Loading, false)
	}
	b.step(p)
}

// Hurry looks sooner than usual at a profile that another host holds and is about to give back. It may be called in every tick.
func (b *Book) Hurry(id string) {
	if p := b.list[id]; p != nil && p.state == Waiting && !p.asking {
		p.hurry = max(p.hurry, hurried)
		p.at = min(p.at, p.looked+p.hurry)
		b.step(p)
	}
}

// Let ends a Hold. With the last one the profile is saved and given back.
func (b *Book) Let(id string) {
	p := b.list[id]
	if p == nil || p.holds == 0 {
		return
	}
	if p.holds--; p.holds == 0 {
		b.capture(p)
		p.saveNow = true
		b.step(p)
	}
}

// State returns how far a profile is.
func (b *Book) State(id string) State {
	p := b.list[id]
	switch {
	case p == nil:
		return None
	case p.leaving:
		return Loading
	}
	return p.state
}

// Error says why a profile cannot be had, or what it waits for; nil otherwise.
func (b *Book) Error(id string) error {
	if p := b.list[id]; p != nil {
		return p.err
	}
	return nil
}

// Data returns the data of a profile that is held. It must not be changed.
func (b *Book) Data(id string) *store.Table {
	if p := b.list[id]; p != nil && p.state == Held && !p.leaving {
		return p.record.Data
	}
	return nil
}

// Put replaces the data of a profile that is held; it is saved with the next save.
func (b *Book) Put(id string, data *store.Table) {
	if p := b.list[id]; p != nil && p.state == Held {
		p.record.Data = data
	}
}

// Fits returns why data cannot be stored as that of a profile that is held: it is too large.
func (b *Book) Fits(id string, data *store.Table) error {
	p := b.list[id]
	if p == nil || data == nil {
		return nil
	}
	r := p.record
	r.Data = data
	_, err := Encode(&r)
	return err
}

// Save saves a profile as soon as it can; done may be nil, and is called when that is safe, or will not be.
func (b *Book) Save(id string, done func(error)) {
	p := b.list[id]
	if p == nil || p.state != Held {
		if done != nil {
			done(fmt.Errorf("the profile of %q is not held", id))
		}
		return
	}
	p.saveNow = true
	if done != nil {
		p.done = append(p.done, done)
	}
	b.step(p)
}

// Join makes profiles that a transaction changed be saved together, all or none, until that has happened (C2).
func (b *Book) Join(ids []string) error {
	list := make([]*profile, len(ids))
	for i, id := range ids {
		p := b.list[id]
		if p == nil || p.state != Held || p.leaving || p.undo != "" {
			return fmt.Errorf("the profile of %q is not held by this host", id)
		}
		list[i] = p
	}
	all := together(list)
	if len(all) > store.MaxTx {
		return fmt.Errorf("%d profiles would have to be saved at once; at most %d", len(all), store.MaxTx)
	}
	for p := range all { // any order: a set
		p.with = all
	}
	return nil
}

// together returns profiles and those that are saved together with them.
func together(list []*profile) map[*profile]bool {
	all := map[*profile]bool{}
	for _, p := range list {
		all[p] = true
		for o := range p.with { // any order: a set
			all[o] = true
		}
	}
	return all
}

// SaveAll saves all that is held, and gives it back if that is wanted; Idle reports when that is done.
func (b *Book) SaveAll(giveBack bool) {
	for _, p := range slices.Clone(b.work) {
		if giveBack {
			b.capture(p)
			p.holds = 0
		}
		p.saveNow = true
		b.step(p)
	}
}

// Idle reports whether nothing is on its way.
func (b *Book) Idle() bool {
	for _, p := range b.work {
		if !p.forgotten && (p.asking || p.saveNow) {
			return false
		}
	}
	return true
}

// Tick does what is due. now is the time since any moment, by a clock that never goes back.
func (b *Book) Tick(now time.Duration) {
	b.now = now
	for i := 0; i < len(b.work); i++ {
		b.step(b.work[i])
	}
	b.work = slices.DeleteFunc(b.work, func(p *profile) bool { return p.forgotten })
}

// step does what is due for a profile.
func (b *Book) step(p *profile) {
	if p.undo != "" && !p.asking {
		b.back(p)
	}
	if p.asking || b.now < p.at || p.forgotten {
		return
	}
	switch p.state {
	case Loading, Waiting:
		if p.holds == 0 {
			b.forget(p)
			return
		}
		b.read(p)
	case Held:
		due := p.saveNow || b.now-p.savedAt >= b.opt.Interval
		if due || !b.opt.Exclusive && b.now-p.savedAt >= Beat {
			b.save(p)
		}
	case Failed:
		if p.holds == 0 {
			b.forget(p)
		}
	case None:
	}
}

func (b *Book) forget(p *profile) {
	p.forgotten = true
	b.become(p, None, false)
	if b.list[p.id] == p {
		delete(b.list, p.id)
	}
}

// read looks at a profile in order to take it.
func (b *Book) read(p *profile) {
	p.asking, p.looked, p.hurry = true, b.now, min(2*p.hurry, hurriedMost)
	b.opt.Store.Read(Key(p.id), func(r store.Record, err error) {
		p.asking = false
		if err != nil {
			b.retry(p, fmt.Errorf("profiles cannot be read now: %w", err))
			return
		}
		if r.Revision == 0 {
			b.take(p, Record{}, 0)
			return
		}
		rec, err := Decode(r.Value)
		if err != nil {
			b.fail(p, fmt.Errorf("the profile is damaged (%w); an older version can be restored", err))
			return
		}
		switch {
		case rec.Holder == "" || rec.Holder == b.opt.Host || b.opt.Exclusive:
			b.take(p, rec, r.Revision)
		case p.seen != r.Revision:
			p.seen, p.since = r.Revision, b.now
			b.wait(p, rec)
		case b.now-p.since >= b.opt.Expiry:
			b.opt.Log.Warn("a profile is taken from a host that does not write it any more", "event", "profile_taken", "player", p.id, "host", rec.Holder)
			b.take(p, rec, r.Revision)
		default:
			b.wait(p, rec)
		}
	})
}

func (b *Book) wait(p *profile, rec Record) {
	p.at = b.now + look
	b.become(p, Waiting, false)
	p.err = fmt.Errorf("the profile is still held by host %s", rec.Holder)
}

// retry tries again later.
func (b *Book) retry(p *profile, err error) {
	p.err, p.at = err, b.now+again
	if !p.told {
		p.told = true
		b.opt.Log.Error("a profile waits for the store", "event", "profile_waits", "player", p.id, "error", err.Error())
	}
}

func (b *Book) fail(p *profile, err error) {
	p.err = err
	b.become(p, Failed, false)
	b.opt.Log.Error("a profile cannot be used", "event", "profile_failed", "player", p.id, "error", err.Error())
}

// take takes a profile at the revision that was seen.
func (b *Book) take(p *profile, rec Record, rev store.Revision) {
	next := Record{Holder: b.opt.Host, Fence: rec.Fence + 1, Data: rec.Data}
	if next.Data == nil {
		next.Data = &store.Table{}
	}
	value, err := Encode(&next)
	if err != nil {
		b.fail(p, err)
		return
	}
	writes := []store.Write{{Key: Key(p.id), Value: value, If: rev}}
	if rev != 0 {
		old, err := Encode(&Record{Fence: rec.Fence, Data: rec.Data})
		if err != nil {
			b.fail(p, err)
			return
		}
		writes = append(writes, store.Write{Key: VersionKey(p.id, rec.Fence), Value: old, If: store.Any})
	}
	p.asking = true
	b.opt.Store.Commit(writes, func(revs []store.Revision, err error) {
		p.asking = false
		switch {
		case err == nil:
			p.record, p.rev, p.stored = next, revs[0], value
			p.err, p.told, p.savedAt = nil, false, b.now
			b.become(p, Held, false)
		case errors.Is(err, store.ErrConflict):
			p.seen, p.at = 0, b.now // somebody was faster: look again
		default:
			b.retry(p, fmt.Errorf("profiles cannot be written now: %w", err)) // if it was stored, the record names this host
		}
		b.step(p)
	})
}
