package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/tidelock/tidelock/engine/store"
)

const (
	// lockWithin is how long to wait for a file that another process uses.
	lockWithin = time.Second
	// mapped is how much address space a file gets at first, in bytes. While a backup is read, the file cannot be mapped again, so a
	// commit that lets it grow beyond this waits for the backup.
	mapped = 1 << 30
	// growBy is by how much a file grows, in bytes.
	growBy = 1 << 20
)

// Quota bounds a namespace.
type Quota struct {
	// Bytes of keys and values; 0 means 256 MB.
	Bytes int64
	// Keys; 0 means 1 000 000.
	Keys int64
}

// Defaults of Quota.
const (
	defaultBytes = 256 << 20
	defaultKeys  = 1_000_000
)

// Options of Open. The zero value is usable.
type Options struct {
	// Quota is that of every namespace, Quotas those of some.
	Quota  Quota
	Quotas map[string]Quota
	// Log is told once when the file breaks; nil for nowhere.
	Log *slog.Logger

	readOnly bool
	// panicking is called inside of each transaction that writes, in tests.
	panicking func()
}

// Bolt is a [store.Backend] on a file. Get, List, Commit, Group, Import and Close are for one goroutine; the other methods for any.
type Bolt struct {
	path  string
	opt   Options
	quota atomic.Pointer[Quota] // Options.Quota, or what SetQuota has made of it
	file  *os.File
	db    *bbolt.DB

	broken     atomic.Pointer[BrokenError]
	salvage    *Snapshot // what reads when broken; nil until then
	committing bool      // a transaction is being written
	stuck      bool      // bbolt had a panic: it is not called again

	keys, bytes, commits atomic.Int64
}

// BrokenError means that a file is no longer written: what was found could let a write destroy more.
type BrokenError struct {
	File  string
	Cause error
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("store %s is damaged and is no longer written: %v; host store check lists what is damaged, host store export --damaged-ok saves the rest", e.File, e.Cause)
}

func (e *BrokenError) Unwrap() error { return e.Cause }

// LockedError means that another process uses the file.
type LockedError struct{ File string }

func (e *LockedError) Error() string {
	return fmt.Sprintf("store %s is used by another process, probably a running host; use that one: host store … --at http://localhost:7780, or stop it", e.File)
}

// ErrNoStore means that a file is not one of this package.
var ErrNoStore = errors.New("is no store of a host")

// Open opens a file, and creates it with mode 0600 if it does not exist. A file of another kind or of a newer format is left as
// it is. A damaged one is opened for reading: [Bolt.Broken] says why, and every commit fails.
func Open(path string, o Options) (*Bolt, error) {
	o.Quota = o.Quota.or(Quota{defaultBytes, defaultKeys})
	b := &Bolt{path: path, opt: o}
	b.quota.Store(&o.Quota)
	err := b.open()
	if err != nil {
		_ = b.release() // nothing was written
		return nil, err
	}
	return b, nil
}

// SetQuota changes Options.Quota, for commits from now on; 0 means the default. What a namespace has beyond it stays, and no write makes it more.
func (b *Bolt) SetQuota(q Quota) {
	q = q.or(Quota{defaultBytes, defaultKeys})
	b.quota.Store(&q)
}

func (q Quota) or(d Quota) Quota {
	return Quota{cmp.Or(q.Bytes, d.Bytes), cmp.Or(q.Keys, d.Keys)}
}

func (b *Bolt) open() error {
	st, err := os.Stat(b.path)
	fresh := errors.Is(err, fs.ErrNotExist) || err == nil && st.Size() == 0
	switch {
	case fresh && b.opt.readOnly:
		return fmt.Errorf("store %s: there is none, or it is empty; name the file of a host", b.path)
	case fresh:
	case err != nil:
		return fmt.Errorf("store %s: %w", b.path, reason(err))
	case !st.Mode().IsRegular():
		return fmt.Errorf("store %s: %w; it is no file", b.path, ErrNoStore)
	default:
		if err := b.inspect(); err != nil {
			return err
		}
	}
	var failed error
	if p := guard(func() { b.db, failed = bbolt.Open(b.path, 0o600, b.options()) }); p != nil {
		b.stuck = true
		return b.readOnly(p)
	}
	switch {
	case errors.Is(failed, berrors.ErrTimeout):
		return &LockedError{b.path}
	case failed != nil && b.file == nil:
		return fmt.Errorf("store %s: %w; name a file in a folder that can be written", b.path, reason(failed))
	case failed != nil:
		return b.readOnly(failed)
	}
	if b.opt.readOnly {
		return nil
	}
	b.db.AllocSize = growBy
	if fresh {
		if err := syncFolder(filepath.Dir(b.path)); err != nil {
			return fmt.Errorf("store %s: its folder cannot be written to disk: %w", b.path, reason(err))
		}
	}
	s, err := b.last()
	if err != nil {
		return err
	}
	if err := listDamage(s.file); err != nil {
		return b.readOnly(err)
	}
	if wrong := s.file.Links(); len(wrong) > 0 {
		return b.readOnly(wrong[0])
	}
	if s.file.Headers < 2 {
		return b.readOnly(fmt.Errorf("one of its two header pages is damaged, so the last commit may be missing (transaction %d is the newest that is readable)", s.file.Tx))
	}
	return b.begin()
}

// options are those of bbolt. Its file is kept, because bbolt cannot be closed after a panic.
func (b *Bolt) options() *bbolt.Options {
	o := &bbolt.Options{
		Timeout: lockWithin, ReadOnly: b.opt.readOnly, FreelistType: bbolt.FreelistMapType,
		OpenFile: func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
			b.file, err = os.OpenFile(name, flag, mode)
			return b.file, err
		},
	}
	if runtime.GOOS != "windows" && ^uint(0)>>32 != 0 { // elsewhere the file would get that size, or addresses are scarce
		o.InitialMmapSize = mapped
	}
	return o
}

// inspect refuses what is not to be written, before anything is.
func (b *Bolt) inspect() error {
	f, err := os.Open(b.path)
	if err != nil {
		return fmt.Errorf("store %s: %w", b.path, reason(err))
	}
	defer f.Close() //nolint:errcheck // it was only read
	st, err := f.Stat()
	if err != nil {
		return err
	}
	s, err := snapshot(f, st.Size(), b.path)
	if err != nil {
		return err
	}
	if !s.file.HasFreelist() && !b.opt.readOnly {
		return fmt.Errorf("%s %w: another program wrote it", b.path, ErrNoStore)
	}
	ours := slices.ContainsFunc(buckets[:], func(name string) bool { return slices.Contains(s.file.Buckets, name) })
	switch n, _ := numberAt(s.file, keyFormat); {
	case len(s.file.Buckets) > 0 && !ours:
		return fmt.Errorf("%s %w: it is a bbolt file of another program", b.path, ErrNoStore)
	case n > format:
		return fmt.Errorf("store %s has format %d, this host knows formats up to %d; use a newer host", b.path, n, format)
	}
	return nil // if it is damaged, open finds that with the lock
}

// readOnly makes a file that cannot be written safely one that is only read.
func (b *Bolt) readOnly(why error) error {
	if _, err := b.file.Stat(); errors.Is(err, os.ErrClosed) { // bbolt closes what it cannot open
		if b.file, err = os.Open(b.path); err != nil {
			return fmt.Errorf("store %s: %w", b.path, reason(err))
		}
	}
	if b.opt.readOnly {
		return nil // it is read by pages anyway
	}
	b.Break(why)
	_, err := b.reader()
	return err
}

// begin prepares a file for writing: the buckets, and the sums of all namespaces.
func (b *Bolt) begin() error {
	var keys, bytes, highest uint64
	var failed error
	p := guard(func() {
		failed = b.db.View(func(tx *bbolt.Tx) error {
			meta := tx.Bucket([]byte(bucketStore))
			if meta == nil {
				return nil
			}
			if v := meta.Get([]byte(keyFormat)); !numbersOf(v, new(uint64)) {
				return errors.New("the version of its format is not readable")
			}
			if !numbersOf(meta.Get([]byte(keyRevision)), &highest) {
				return errors.New("its highest revision is not readable")
			}
			return tx.Bucket([]byte(bucketNamespaces)).ForEach(func(name, v []byte) error {
				var k, n uint64
				if !numbersOf(v, &k, &n) {
					return fmt.Errorf("the numbers of namespace %q are not readable", name)
				}
				keys, bytes = keys+k, bytes+n
				return nil
			})
		})
	})
	if err := cmp.Or(asError(p), failed); err != nil {
		b.stuck = p != nil
		return b.readOnly(err)
	}
	b.keys.Store(int64(keys))   //nolint:gosec // counted
	b.bytes.Store(int64(bytes)) //nolint:gosec // counted
	if highest > 0 {
		return nil
	}
	failed = b.db.Update(func(tx *bbolt.Tx) error {
		for _, name := range buckets {
			if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
				return err
			}
		}
		meta := tx.Bucket([]byte(bucketStore))
		if err := meta.Put([]byte(keyRevision), number(0)); err != nil {
			return err
		}
		return meta.Put([]byte(keyFormat), number(format))
	})
	if failed != nil {
		return fmt.Errorf("store %s cannot be written: %w", b.path, reason(failed))
	}
	return nil
}

// asError is a panic as an error, nil for none.
func asError(p *PanicError) error {
	if p == nil {
		return nil
	}
	return p
}

// Path returns the file's name.
func (b *Bolt) Path() string { return b.path }

// Break ends all writing, for a reason. Reads go on without bbolt, which may hold its locks forever after a panic. It belongs
// to the goroutine of Commit.
func (b *Bolt) Break(why error) {
	e := &BrokenError{b.path, why}
	if !b.broken.CompareAndSwap(nil, e) {
		return
	}
	if b.opt.Log != nil {
		b.opt.Log.Error(e.Error(), "event", "store")
	}
}

// Broken returns why the file is no longer written, nil if it is.
func (b *Bolt) Broken() error {
	if e := b.broken.Load(); e != nil {
		return e
	}
	return nil
}

// last reads the last state of the file.
func (b *Bolt) last() (*Snapshot, error) {
	st, err := b.file.Stat()
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", b.path, reason(err))
	}
	return snapshot(b.file, st.Size(), b.path)
}

// reader returns what reads a broken file.
func (b *Bolt) reader() (s *Snapshot, err error) {
	if b.salvage == nil {
		b.salvage, err = b.last()
	}
	return b.salvage, err
}

// Snapshot returns the present state. Until it is closed no page of it is reused, so the file grows with every commit. It is for any
// goroutine.
func (b *Bolt) Snapshot() (*Snapshot, error) {
	if b.Broken() != nil || b.opt.readOnly {
		return b.last()
	}
	for range 10 {
		var tx *bbolt.Tx
		var err error
		if p := guard(func() { tx, err = b.db.Begin(false) }); p != nil || err != nil {
			return nil, &DamagedError{File: b.path, What: cmp.Or(asError(p), err).Error()}
		}
		s, err := b.last()
		if err == nil && s.file.Tx == uint64(tx.ID()) { //nolint:gosec // counted
			s.released = func() { _ = tx.Rollback() } // of a transaction that only reads: no error
			return s, nil
		}
		_ = tx.Rollback() // as above
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("store %s is written too often to be read at one moment; try again", b.path)
}

// Figures are how much a file has.
type Figures struct {
	// Keys and Bytes are what quotas count; Commits are transactions since it was opened; File is the size of the file, in bytes.
	Keys, Bytes, Commits, File int64
}

// Figures returns how much the file has.
func (b *Bolt) Figures() Figures {
	f := Figures{Keys: b.keys.Load(), Bytes: b.bytes.Load(), Commits: b.commits.Load()}
	if st, err := b.file.Stat(); err == nil {
		f.File = st.Size()
	}
	return f
}

// Close closes the file and lets others use it.
func (b *Bolt) Close() error { return b.release() }

func (b *Bolt) release() error {
	if b.db != nil && !b.stuck {
		var err error
		if p := guard(func() { err = b.db.Close() }); p == nil {
			return err
		}
	}
	if b.file == nil {
		return nil
	}
	// After a panic bbolt may hold its locks forever. Its mapping stays until the process ends and keeps the file locked, unless
	// the lock is given back.
	err := errors.Join(unlock(b.file), b.file.Close())
	if errors.Is(err, os.ErrClosed) {
		return nil // bbolt closes it when it fails to open
	}
	return err
}

var _ store.Backend = (*Bolt)(nil)
