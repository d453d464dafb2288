package profiles

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/engine/store"
)

func (b *Book) capture(p *profile) {
	if p.state != Held || b.opt.Capture == nil {
		return
	}
	if data := b.opt.Capture(p.id); data != nil {
		p.record.Data = data
	}
}

// group returns a profile with those that are saved together with it, in a fixed order.
func group(p *profile) []*profile {
	if len(p.with) == 0 {
		return []*profile{p}
	}
	list := make([]*profile, 0, len(p.with))
	for o := range p.with { // any order: sorted below
		list = append(list, o)
	}
	slices.SortFunc(list, func(x, y *profile) int { return cmp.Compare(x.id, y.id) })
	return list
}

// save writes a profile, and those that belong to it, if there is something to write.
func (b *Book) save(p *profile) {
	list := group(p)
	for _, o := range list {
		if o.asking || o.undo != "" {
			return // the write on its way ends first
		}
	}
	writes := make([]store.Write, len(list))
	changed := false
	for i, o := range list {
		b.capture(o)
		r := o.record
		if o.holds == 0 {
			r.Holder = ""
		}
		value, err := Encode(&r)
		if err != nil {
			for _, x := range list { // they wait for it, since they are saved together
				x.at = b.now + b.opt.Interval
			}
			b.unsaved(o, fmt.Errorf("it cannot be stored: %w", err))
			return
		}
		changed = changed || !bytes.Equal(value, o.stored)
		writes[i] = store.Write{Key: Key(o.id), Value: value, If: o.rev}
	}
	if !changed && (b.opt.Exclusive || b.now-p.savedAt < Beat) {
		for _, o := range list {
			o.with = nil
			b.saved(o)
		}
		return
	}
	f := flight{list: list, writes: writes}
	b.goOn(&f, sent)
	for _, o := range list {
		o.asking, o.saveNow, o.with = true, false, nil
		b.become(o, o.state, o.holds == 0)
		f.done = append(f.done, o.done...)
		o.done = nil
	}
	b.opt.Store.Commit(writes, func(revs []store.Revision, err error) {
		for _, o := range list {
			o.asking = false
		}
		switch {
		case err == nil:
			b.landed(&f, func(i int) store.Revision { return revs[i] })
		case errors.Is(err, store.ErrConflict) || store.Unsure(err):
			b.look(&f)
			return
		default:
			b.resend(&f, err)
		}
		b.stepAll(list)
	})
}

// flight is a save on its way.
type flight struct {
	list   []*profile
	writes []store.Write
	done   []func(error)
	at     stage
}

// stage is how far a save is (docs/cluster.md, "Who holds a profile").
type stage uint8

const (
	due    stage = iota // something is to be written
	sent                // it is on its way
	unsure              // what is stored is read: the answer was lost, or another host has the profile
	kept                // it is stored
	undone              // another host has a profile: nothing of it is stored
)

func (s stage) String() string { return [...]string{"due", "sent", "unsure", "kept", "undone"}[s] }

// goOn changes the stage of a save.
func (b *Book) goOn(f *flight, s stage) {
	if b.trace != nil {
		b.trace("save", f.at.String(), s.String())
	}
	f.at = s
}

func (f *flight) tell(err error) {
	for _, done := range f.done {
		done(err)
	}
}

func (b *Book) stepAll(list []*profile) {
	for _, o := range list {
		b.step(o)
	}
}

// landed ends a save that is stored.
func (b *Book) landed(f *flight, rev func(i int) store.Revision) {
	b.goOn(f, kept)
	for i, o := range f.list {
		o.rev, o.stored, o.told, o.savedAt = rev(i), f.writes[i].Value, false, b.now
	}
	f.tell(nil)
	for _, o := range f.list {
		if o.leaving {
			b.givenBack(o)
		}
	}
}

// resend saves again later.
func (b *Book) resend(f *flight, err error) {
	b.goOn(f, due)
	if len(f.list) > 1 {
		all := together(f.list) // with what was joined meanwhile
		for o := range all {    // any order: a set
			o.with = all
		}
	}
	for _, o := range f.list {
		o.saveNow = true
		b.become(o, o.state, false)
		if err != nil {
			b.retry(o, err)
		}
	}
	f.list[0].done = append(f.done, f.list[0].done...)
}

// look finds out by what is stored what became of a save: the answer was lost, or another host has taken a profile.
func (b *Book) look(f *flight) {
	b.goOn(f, unsure)
	left := len(f.list)
	found := make([]store.Record, len(f.list))
	var failed error
	for i, o := range f.list {
		o.asking = true
		b.opt.Store.Read(f.writes[i].Key, func(r store.Record, err error) {
			found[i] = r
			if err != nil {
				failed = err
			}
			if left--; left > 0 {
				return
			}
			for _, o := range f.list {
				o.asking = false
			}
			if failed != nil {
				b.resend(f, failed)
			} else {
				b.compare(f, found)
			}
			b.stepAll(f.list)
		})
	}
}

// compare decides by what is stored what became of a save.
func (b *Book) compare(f *flight, found []store.Record) {
	stored := true
	for i := range f.list {
		stored = stored && bytes.Equal(found[i].Value, f.writes[i].Value)
	}
	if stored {
		b.landed(f, func(i int) store.Revision { return found[i].Revision })
		return
	}
	var lost []*profile
	for i, o := range f.list {
		r, err := Decode(found[i].Value)
		if err == nil && r.Holder == b.opt.Host && r.Fence == o.record.Fence {
			o.rev, o.stored = found[i].Revision, found[i].Value // nothing was stored
			continue
		}
		lost = append(lost, o)
	}
	if len(lost) == 0 {
		b.resend(f, nil)
		return
	}
	b.goOn(f, undone)
	// A transaction that could not be saved for one is undone for all, with those that built on it.
	for o := range together(f.list) { // any order: each on its own
		if slices.Contains(lost, o) {
			continue
		}
		o.with = nil
		if len(f.list) > 1 || !slices.Contains(f.list, o) {
			o.undo = "a transaction with a player whose profile another host has taken was undone"
		}
		o.saveNow = o.saveNow || o.holds == 0
		b.become(o, o.state, false)
	}
	for _, o := range lost {
		b.lose(o)
	}
	f.tell(fmt.Errorf("another host holds the profile of %q; what was not saved is discarded", lost[0].id))
}

// back lets the data of a profile go back to what is stored.
func (b *Book) back(p *profile) {
	text := p.undo
	p.undo = ""
	for o := range p.with { // any order: each on its own
		o.with = nil
		if o != p {
			o.undo = text // a save that failed meanwhile was of both
		}
	}
	r, err := Decode(p.stored)
	if err != nil {
		b.fail(p, err)
		return
	}
	p.record.Data = r.Data
	done := p.done
	p.done = nil
	for _, f := range done {
		f(errors.New(text))
	}
	b.opt.Log.Warn(text, "event", "profile_undone", "player", p.id)
	if b.opt.Reset != nil {
		b.opt.Reset(p.id, text)
	}
}

// saved ends a save that had nothing to write.
func (b *Book) saved(p *profile) {
	p.savedAt, p.saveNow = b.now, false
	done := p.done
	p.done = nil
	for _, f := range done {
		f(nil)
	}
}

// givenBack ends a profile that names nobody any more; somebody may want it again by now.
func (b *Book) givenBack(p *profile) {
	p.saveNow = false
	if p.holds > 0 {
		p.at = b.now
		b.become(p, Loading, false)
		return
	}
	b.forget(p)
}

// unsaved says that a profile cannot be stored as it is, and goes on with it.
func (b *Book) unsaved(p *profile, err error) {
	done := p.done
	p.done = nil
	p.saveNow, p.at = false, b.now+b.opt.Interval
	b.opt.Log.Error("a profile was not saved", "event", "profile_unsaved", "player", p.id, "error", err.Error())
	for _, f := range done {
		f(err)
	}
	if p.holds == 0 {
		b.forget(p)
	}
}

// lose ends a profile that another host has taken.
func (b *Book) lose(p *profile) {
	const text = "another host has taken this player's profile; what was not saved here is discarded"
	b.discarded++
	b.opt.Log.Error(text, "event", "profile_lost", "player", p.id)
	p.err, p.with, p.saveNow, p.undo = errors.New(text), nil, false, ""
	b.become(p, Failed, false)
	done := p.done
	p.done = nil
	for _, f := range done {
		f(p.err)
	}
	if b.opt.Lost != nil && p.holds > 0 {
		b.opt.Lost(p.id, text)
	}
}
