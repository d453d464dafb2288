package nats

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	natsgo "github.com/nats-io/nats.go"
)

const (
	// headerBlob is the header of a record whose value is in chunks: the id of these.
	headerBlob = "Tidelock-Blob"
	// chunksAtOnce is how many chunks are on their way at the same time.
	chunksAtOnce = 8
	// dropAfter is how long chunks are kept that were replaced: somebody may be reading them.
	dropAfter = time.Minute
	// orphanAfter is how old chunks are at least that belong to no record and are removed: their host died before it wrote the record.
	orphanAfter = time.Hour
)

var errNoChunk = errors.New("a part of its value is missing")

func (s *Store) blobStream() string { return s.conn.opt.Name + "_blobs" }

func (s *Store) blobSubject(id string) string { return s.conn.opt.Name + ".blob." + id }

// newBlobID makes an id that begins with the time, in seconds.
func newBlobID(now time.Time) (id [16]byte) {
	_, _ = rand.Read(id[:])                               // never fails
	binary.BigEndian.PutUint64(id[:], uint64(now.Unix())) //nolint:gosec // after 1970
	return id
}

// bornAt returns when an id was made.
func bornAt(id string) (time.Time, bool) {
	b, err := hex.DecodeString(id)
	if err != nil || len(b) != 16 {
		return time.Time{}, false
	}
	return time.Unix(int64(binary.BigEndian.Uint64(b)), 0), true //nolint:gosec // any time
}

// writeChunks stores a long value. Nothing refers to it yet.
func (s *Store) writeChunks(value []byte) (*pointer, error) {
	p := &pointer{
		id: newBlobID(time.Now()), chunks: uint32((len(value) + chunkSize - 1) / chunkSize), size: uint64(len(value)), //nolint:gosec // bounded
		sum: sha256.Sum256(value),
	}
	subject := s.blobSubject(hex.EncodeToString(p.id[:]))
	err := each(int(p.chunks), func(i int) error {
		ctx, cancel := s.request()
		defer cancel()
		m := &natsgo.Msg{Subject: subject + "." + strconv.Itoa(i), Data: value[i*chunkSize : min((i+1)*chunkSize, len(value))]}
		_, err := s.publish(ctx, s.blobStream(), []*natsgo.Msg{m})
		return err
	})
	if err != nil {
		s.dropLater(hex.EncodeToString(p.id[:]))
		return nil, fmt.Errorf("its value was not written: %s", err.Error()) // that a chunk may be stored is of no interest
	}
	return p, nil
}

// readChunks reads a long value.
func (s *Store) readChunks(key string, p *pointer) ([]byte, error) {
	value := make([]byte, p.size)
	subject := s.blobSubject(hex.EncodeToString(p.id[:]))
	err := each(int(p.chunks), func(i int) error {
		ctx, cancel := s.request()
		defer cancel()
		m, err := s.last(ctx, s.blobStream(), subject+"."+strconv.Itoa(i))
		if err != nil {
			return err
		}
		if part := value[i*chunkSize : min((i+1)*chunkSize, len(value))]; len(part) != len(m.Message.Data) {
			return errNoChunk
		} else {
			copy(part, m.Message.Data)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if sha256.Sum256(value) != p.sum {
		return nil, &DamagedError{key, "the checksum of its value is wrong"}
	}
	return value, nil
}

// each calls f with 0 to n-1, several at the same time, until one fails, and waits for all.
func each(n int, f func(i int) error) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	next := 0
	var failed error
	for range min(n, chunksAtOnce) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				stop := i >= n || failed != nil
				mu.Unlock()
				if stop {
					return
				}
				if err := f(i); err != nil {
					mu.Lock()
					if failed == nil {
						failed = err
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return failed
}

// dropLater removes chunks that nothing refers to any more, when nobody reads them; "" for none. If the host ends before, another one
// does it as orphans.
func (s *Store) dropLater(id string) {
	if id == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.work.Add(1)
	go func() { // ends after a minute or by Close, which awaits it
		defer s.work.Done()
		t := time.NewTimer(dropAfter)
		defer t.Stop()
		select {
		case <-s.stop:
		case <-t.C:
			if err := s.drop(id); err != nil {
				s.conn.opt.Log.Warn("A replaced value was not removed; it is tried again within two hours", "event", "store", "error", err.Error())
			}
		}
	}()
}

func (s *Store) drop(id string) error {
	ctx, cancel := s.request()
	defer cancel()
	return s.api(ctx, "STREAM.PURGE."+s.blobStream(), map[string]string{"filter": s.blobSubject(id) + ".>"}, nil)
}

// collect removes chunks that belong to no record.
func (s *Store) collect(ctx context.Context, now time.Time) error {
	// First the chunks, then the records: those of a younger record are not among them.
	found := map[string]bool{}
	for offset := 0; ; {
		var info streamInfo
		err := s.api(ctx, "STREAM.INFO."+s.blobStream(), map[string]any{"subjects_filter": s.blobSubject(">"), "offset": offset}, &info)
		if err != nil {
			return err
		}
		for subject := range info.State.Subjects { // any order: a set
			id, _, _ := strings.Cut(strings.TrimPrefix(subject, s.blobSubject("")), ".")
			if at, ok := bornAt(id); ok && now.Sub(at) > orphanAfter {
				found[id] = true
			}
		}
		if offset += len(info.State.Subjects); len(info.State.Subjects) == 0 || offset >= info.Total {
			break
		}
	}
	if len(found) == 0 {
		return nil
	}
	var info streamInfo
	if err := s.api(ctx, "STREAM.INFO."+s.stream(), struct{}{}, &info); err != nil {
		return err
	}
	if !s.index.caughtUp(info.State.LastSeq) {
		return errors.New("the keys are not up to date")
	}
	for id := range s.index.blobs() { // any order: a set
		delete(found, id)
	}
	for id := range found { // any order: each on its own
		if err := s.drop(id); err != nil {
			return err
		}
	}
	return nil
}
