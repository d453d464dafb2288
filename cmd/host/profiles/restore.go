package profiles

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/engine/store"
)

// Version is a state of a profile that is kept: what it was when a host took it with a higher fence.
type Version struct {
	Record
	// Bytes is the size of the data with its head, as it is stored.
	Bytes int
	// Damage says why it cannot be read; "" if it can.
	Damage string
}

// HeldError means that a host holds a profile, so that nobody else may write it.
type HeldError struct {
	ID, Holder string
	// Revision is that of the record. If it is still the same after [Expiry], the holder has died.
	Revision store.Revision
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("the profile of %s is held by host %s: the player is in, or that host ended without giving it back; let them leave, or stop the host, and try again", e.ID, e.Holder)
}

// HeldAt returns the revision.
func (e *HeldError) HeldAt() store.Revision { return e.Revision }

// Reader is what Kept needs of a store.
type Reader interface {
	Get(key string) (store.Record, error)
}

// Kept returns the present state of a profile, nil if there is none, and the older ones that are kept, the newest first and damaged ones
// at the end.
func Kept(b Reader, id string) (now *Version, older []Version, err error) {
	if now, err = versionAt(b, Key(id)); err != nil {
		return nil, nil, err
	}
	for n := range uint64(Versions) {
		v, err := versionAt(b, VersionKey(id, n))
		if err != nil {
			return nil, nil, err
		}
		if v != nil {
			older = append(older, *v)
		}
	}
	slices.SortStableFunc(older, func(a, b Version) int { return cmp.Compare(b.Fence, a.Fence) })
	return now, older, nil
}

// versionAt reads a state at a key, nil if there is none.
func versionAt(b Reader, key string) (*Version, error) {
	r, err := b.Get(key)
	var damaged interface{ DamagedKey() string }
	switch {
	case errors.As(err, &damaged):
		return &Version{Damage: err.Error()}, nil
	case err != nil:
		return nil, err
	case r.Revision == 0:
		return nil, nil //nolint:nilnil // there is none
	}
	rec, err := Decode(r.Value)
	if err != nil {
		return &Version{Damage: key + ": " + err.Error()}, nil
	}
	return &Version{Record: rec, Bytes: len(r.Value)}, nil
}

// Restore makes the version with a fence the present state of a profile again, with a fence above all others. What the profile is now
// is kept as a version. A profile that a host holds is not written: the error is a [HeldError]. dead is the revision of a record whose
// holder has died; it is not 0 only after somebody saw no other for [Expiry]. With alone no host uses the store, and there are no
// holders.
func Restore(b store.Backend, id string, fence uint64, dead store.Revision, alone bool) (now Record, err error) {
	key := VersionKey(id, fence)
	r, err := b.Get(key)
	if err != nil {
		return now, err
	}
	var old Record
	if r.Revision != 0 {
		if old, err = Decode(r.Value); err != nil {
			return now, fmt.Errorf("%s: %w", key, err)
		}
	}
	if r.Revision == 0 || old.Fence != fence {
		return now, fmt.Errorf("of the profile of %s no version %d is kept; host store versions lists them", id, fence)
	}
	return old, replace(b, id, &old, dead, alone)
}

// Put stores a profile or a version of one that comes from another store, as [Restore] does. Other keys are no profiles: any value replaces
// what is there.
func Put(b store.Backend, key string, value []byte, dead store.Revision, alone bool) error {
	if space, name := store.Split(key); space != store.Profiles || strings.Contains(name, "~") {
		_, err := b.Commit([]store.Write{{Key: key, Value: value, If: store.Any}})
		return err
	}
	rec, err := Decode(value)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return replace(b, ID(key), &rec, dead, alone)
}

// replace writes data of an older record as the present one, by a compare-and-swap on the record that it has judged.
func replace(b store.Backend, id string, old *Record, dead store.Revision, alone bool) error {
	key := Key(id)
	r, err := b.Get(key)
	if err != nil {
		return err
	}
	next := Record{Fence: old.Fence + 1, Data: old.Data}
	writes := []store.Write{{Key: key, If: r.Revision}}
	if r.Revision != 0 {
		now, err := Decode(r.Value)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", key, err)
		case now.Holder != "" && !alone && r.Revision != dead:
			return &HeldError{id, now.Holder, r.Revision}
		}
		next.Fence = max(next.Fence, now.Fence+1)
		kept, err := Encode(&Record{Fence: now.Fence, Data: now.Data})
		if err != nil {
			return err
		}
		writes = append(writes, store.Write{Key: VersionKey(id, now.Fence), Value: kept, If: store.Any})
	}
	if writes[0].Value, err = Encode(&next); err != nil {
		return err
	}
	_, err = b.Commit(writes)
	if errors.Is(err, store.ErrConflict) {
		err = fmt.Errorf("the profile of %s was taken or written by a host meanwhile; nothing was changed; try again: %w", id, err)
	}
	return err
}
