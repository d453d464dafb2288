package nats

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	natsgo "github.com/nats-io/nats.go"

	disk "github.com/tidelock/tidelock/cmd/host/store"
	"github.com/tidelock/tidelock/engine/store"
)

const (
	// inline is how long a value in the message of its record may be, in bytes; longer ones are in chunks.
	inline = chunkSize
	// chunkSize is how long the chunks of a long value are, in bytes. Servers take messages of 1 MB unless they are told otherwise.
	chunkSize = 256 << 10
	// atOnce is how many jobs a service does at the same time.
	atOnce = 256
	// tombstone is how long the server remembers that a record was removed.
	tombstone = "24h"
)

var errTooOld = errors.New("the cluster's servers cannot store several records at once; nats-server 2.12 or newer is needed")

// StoreOptions are those of [Conn.Store]. The zero value is usable.
type StoreOptions struct {
	// Quota is that of every namespace, Quotas those of some. What several hosts write at the same moment may exceed them.
	Quota  disk.Quota
	Quotas map[string]disk.Quota
	// Existing makes it an error that the cluster has no store, instead of creating one.
	Existing bool
}

// Store is a [store.Backend] on JetStream. Unlike others its methods are for any goroutine, and [disk.Service] uses many at once.
type Store struct {
	conn   *Conn
	opt    StoreOptions
	prefix string // of the subjects of records
	// orphanAfter is orphanAge, but in tests.
	orphanAfter time.Duration
	index       index
	quota       atomic.Pointer[disk.Quota] // of SetQuota; nil is that of opt

	ready   atomic.Bool
	stop    chan struct{}
	work    sync.WaitGroup
	mu      sync.Mutex
	notYet  error // why it is not ready
	ended   bool
	commits atomic.Int64
}

// Store begins to use the cluster's store, and creates it if there is none. It does not wait: until the servers have answered, reads and
// writes fail and say so. Close of the store comes before that of the connection; a service closes its backend.
func (c *Conn) Store(o StoreOptions) *Store {
	s := &Store{
		conn: c, opt: o, prefix: "$KV." + c.opt.Name + ".", stop: make(chan struct{}), orphanAfter: orphanAge,
		notYet: errors.New("the cluster's store is not there yet"),
	}
	s.work.Add(1)
	go s.follow()
	return s
}

func (s *Store) stream() string { return "KV_" + s.conn.opt.Name }

// Parallel implements [disk.Parallel].
func (s *Store) Parallel() int { return atOnce }

// Close ends what the store does by itself. It is safe already what was committed.
func (s *Store) Close() error {
	s.mu.Lock()
	ended := s.ended
	s.ended = true
	s.mu.Unlock()
	if !ended {
		close(s.stop)
	}
	s.work.Wait()
	return nil
}

// Await waits until records can be read and written, or the context ends: then it says why not.
func (s *Store) Await(ctx context.Context) error {
	for {
		err := s.usable()
		if err == nil || wait(ctx, 20*time.Millisecond) != nil {
			return err
		}
	}
}

// ErrNoStore means that a cluster has no store, and StoreOptions.Existing does not create one.
var ErrNoStore = errors.New("there is no store: no host was started in that cluster; check its name")

// AwaitKeys waits until all keys are known, too, so that List can answer, or the context ends: then it says why not. ErrNoStore is said at
// once.
func (s *Store) AwaitKeys(ctx context.Context) error {
	for {
		err := s.usable()
		if err == nil && !s.index.isLoaded() {
			err = errNotRead
		}
		if err == nil || errors.Is(err, ErrNoStore) || wait(ctx, 20*time.Millisecond) != nil {
			return err
		}
	}
}

var errNotRead = errors.New("the keys of the cluster's store are being read; try again")

// usable returns an error while there is no store.
func (s *Store) usable() error {
	if err := s.conn.soon(); err != nil {
		return err
	}
	if s.ready.Load() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.notYet
}

// request returns the context of one request.
func (s *Store) request() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), s.conn.opt.Timeout)
}

// message is a stored message, as the API has it.
type message struct {
	Message struct {
		Subject string    `json:"subject"`
		Seq     uint64    `json:"seq"`
		Header  []byte    `json:"hdrs"`
		Data    []byte    `json:"data"`
		Time    time.Time `json:"time"`
	} `json:"message"`
}

// last returns the last message of a subject, with sequence 0 if there is none. The leader of the stream answers. One that was cut off
// from the others and does not know it yet can return an older message.
func (s *Store) last(ctx context.Context, stream, subject string) (message, error) {
	var m message
	err := s.api(ctx, "STREAM.MSG.GET."+stream, map[string]string{"last_by_subj": subject}, &m)
	switch {
	case coded(err, codeNoMessage):
		return message{}, nil
	case err != nil:
		return message{}, err
	case m.Message.Subject != subject || m.Message.Seq == 0:
		return message{}, errors.New("the cluster's store gave an answer to something else")
	}
	return m, nil
}

// removed reports whether a message says that its record was removed.
func (m *message) removed() bool {
	h, err := natsgo.DecodeHeadersMsg(m.Message.Header)
	return err == nil && isRemoval(h)
}

func isRemoval(h natsgo.Header) bool {
	op := h.Get(headerOperation)
	return op == opDelete || op == "PURGE" // PURGE by hand
}

// Get implements [store.Backend]. It never returns a record that is older than one that this host knows of.
func (s *Store) Get(key string) (store.Record, error) {
	if err := cmp.Or(s.usable(), store.CheckFull(key)); err != nil {
		return store.Record{}, err
	}
	ctx, cancel := s.request()
	defer cancel()
	for {
		r, at, err := s.read(ctx, key)
		if err == nil && at != nil {
			r.Value, err = s.readChunks(key, at)
			if errors.Is(err, errNoChunk) { // replaced meanwhile, or damaged
				if _, now, failed := s.read(ctx, key); failed == nil && now != nil && now.id == at.id {
					err = &DamagedError{key, err.Error()}
				} else if failed == nil {
					continue
				}
			}
		}
		if err != nil {
			return store.Record{}, err
		}
		return r, nil
	}
}

// read reads the message of a record. at tells where its value is if it is not in the message.
func (s *Store) read(ctx context.Context, key string) (r store.Record, at *pointer, err error) {
	for {
		m, err := s.last(ctx, s.stream(), s.prefix+subjectOf(key))
		if err != nil {
			return r, nil, err
		}
		if s.index.stale(key, store.Revision(m.Message.Seq)) {
			if wait(ctx, againAfter) != nil {
				return r, nil, fmt.Errorf("%s: the server that answers does not know yet what this host does; it may be cut off from the others", key)
			}
			continue
		}
		if m.Message.Seq == 0 || m.removed() {
			return store.Record{}, nil, nil
		}
		value, at, err := parseRecord(key, m.Message.Data)
		if err != nil {
			return r, nil, err
		}
		return store.Record{Value: value, Revision: store.Revision(m.Message.Seq)}, at, nil
	}
}

// List implements [store.Backend]. It knows of this host's own writes at once, and of others' as soon as they arrive.
func (s *Store) List(prefix, after string, most int) ([]string, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if !s.index.isLoaded() {
		return nil, errNotRead
	}
	return s.index.list(prefix, after, min(most, store.MaxList)), nil
}

// Figures returns how much the store has, as far as this host knows; Commits are its own.
func (s *Store) Figures() disk.Figures {
	keys, bytes := s.index.sums()
	return disk.Figures{Keys: keys, Bytes: bytes, Commits: s.commits.Load()}
}

// Commit implements [store.Backend].
func (s *Store) Commit(writes []store.Write) ([]store.Revision, error) {
	if err := s.usable(); err != nil {
		return nil, fmt.Errorf("%w; nothing was stored", err)
	}
	if len(writes) == 0 {
		return nil, nil
	}
	if err := s.check(writes); err != nil {
		return nil, err
	}
	bodies := make([][]byte, len(writes))
	blobs := make([]string, len(writes))
	for i := range writes {
		w := &writes[i]
		switch {
		case w.Value == nil:
		case len(w.Value) > inline:
			p, err := s.writeChunks(w.Value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w; nothing was stored", w.Key, err)
			}
			bodies[i], blobs[i] = appendRecord(w.Key, kindPointer, p.bytes()), hex.EncodeToString(p.id[:])
		default:
			bodies[i] = appendRecord(w.Key, kindValue, w.Value)
		}
	}
	revisions, err := s.commit(writes, bodies, blobs)
	if err != nil {
		if !store.Unsure(err) {
			for _, id := range blobs {
				s.dropLater(id)
			}
		}
		return nil, err
	}
	s.commits.Add(1)
	return revisions, nil
}

// check refuses writes that no store takes, or that exceed a quota.
func (s *Store) check(writes []store.Write) error {
	if len(writes) > store.MaxTx {
		return fmt.Errorf("%d writes in one transaction, at most %d are allowed; nothing was stored", len(writes), store.MaxTx)
	}
	seen := make(map[string]bool, len(writes))
	for i := range writes {
		w := &writes[i]
		if err := store.CheckFull(w.Key); err != nil {
			return err
		}
		if most := mostOf(w.Key); len(w.Value) > most {
			return fmt.Errorf("%s: the value has %d bytes, at most %d are allowed; nothing was stored", w.Key, len(w.Value), most)
		}
		if seen[w.Key] {
			return fmt.Errorf("%s is written twice in one transaction; nothing was stored", w.Key)
		}
		seen[w.Key] = true
	}
	o := s.opt
	if q := s.quota.Load(); q != nil {
		o.Quota = *q
	}
	return s.index.room(writes, &o)
}

// SetQuota changes StoreOptions.Quota, for commits from now on; 0 means the default. Other hosts have their own.
func (s *Store) SetQuota(q disk.Quota) { s.quota.Store(&q) }

// commit sends prepared writes.
func (s *Store) commit(writes []store.Write, bodies [][]byte, blobs []string) ([]store.Revision, error) {
	ctx, cancel := s.request()
	defer cancel()
	tombstones := make([]uint64, len(writes)) // of records that were removed
	replaced := s.index.blobsOf(writes)
	for try := 0; ; try++ {
		list := make([]*natsgo.Msg, len(writes))
		for i := range writes {
			list[i] = s.messageOf(&writes[i], bodies[i], blobs[i], tombstones[i])
		}
		if len(list) > 1 {
			batch(list)
		}
		a, err := s.publish(ctx, s.stream(), list)
		if errors.Is(err, store.ErrConflict) && try == 0 {
			again, failed := s.findTombstones(ctx, writes, tombstones)
			if failed == nil && again {
				continue
			}
		}
		if err != nil {
			if !store.Unsure(err) && !errors.Is(err, store.ErrConflict) {
				err = fmt.Errorf("%w; nothing was stored", err)
			}
			return nil, fmt.Errorf("%s: %w", writes[0].Key, err)
		}
		first := a.Seq - uint64(len(list)) + 1 // a batch has one sequence after another
		out := make([]store.Revision, len(writes))
		for i := range writes {
			rev := store.Revision(first + uint64(i)) //nolint:gosec // a small index
			if writes[i].Value != nil {
				out[i] = rev
			}
			s.index.note(writes[i].Key, entry{rev: rev, size: len(writes[i].Value), dead: writes[i].Value == nil, blob: blobs[i]}, false)
			s.dropLater(replaced[i])
		}
		return out, nil
	}
}

// findTombstones finds the messages of removed records where writes want none to be there; again says that there are some.
func (s *Store) findTombstones(ctx context.Context, writes []store.Write, into []uint64) (again bool, err error) {
	for i := range writes {
		if writes[i].If != 0 {
			continue
		}
		m, err := s.last(ctx, s.stream(), s.prefix+subjectOf(writes[i].Key))
		if err != nil {
			return false, err
		}
		if m.Message.Seq > 0 && m.removed() {
			into[i], again = m.Message.Seq, true
		}
	}
	return again, nil
}

// messageOf makes the message of a write.
func (s *Store) messageOf(w *store.Write, body []byte, blob string, tombstoneAt uint64) *natsgo.Msg {
	m := &natsgo.Msg{Subject: s.prefix + subjectOf(w.Key), Data: body, Header: natsgo.Header{}}
	if w.If != store.Any {
		m.Header.Set(headerExpected, strconv.FormatUint(max(uint64(w.If), tombstoneAt), 10))
	}
	if w.Value == nil {
		m.Header.Set(headerOperation, opDelete)
		m.Header.Set(headerTTL, tombstone)
	}
	if blob != "" {
		m.Header.Set(headerBlob, blobHeader(blob, len(w.Value)))
	}
	return m
}

// batch gives messages the headers of an atomic batch.
func batch(list []*natsgo.Msg) {
	var id [12]byte
	_, _ = rand.Read(id[:]) // never fails
	for i, m := range list {
		m.Header.Set(headerBatch, hex.EncodeToString(id[:]))
		m.Header.Set(headerBatchSeq, strconv.Itoa(i+1))
	}
	list[len(list)-1].Header.Set(headerBatchEnd, "1")
}
