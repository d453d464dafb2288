package nats

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/tidelock/tidelock/engine/store"
)

const (
	// lookEvery is how often the store looks whether it still gets all messages.
	lookEvery = 10 * time.Second
	// collectEvery is how often chunks without a record are removed.
	collectEvery = time.Hour
	// headerSize has the length of a body that is not sent.
	headerSize = "Nats-Msg-Size"
)

// streamConfig is the part of a stream's configuration that matters here.
type streamConfig struct {
	Name          string   `json:"name"`
	Subjects      []string `json:"subjects"`
	Retention     string   `json:"retention"`
	Storage       string   `json:"storage"`
	Replicas      int      `json:"num_replicas"`
	MaxPerSubject int      `json:"max_msgs_per_subject"`
	MaxMsgs       int      `json:"max_msgs"`
	MaxBytes      int      `json:"max_bytes"`
	MaxConsumers  int      `json:"max_consumers"`
	Discard       string   `json:"discard"`
	DenyDelete    bool     `json:"deny_delete"`
	AllowTTL      bool     `json:"allow_msg_ttl"`
	AllowAtomic   bool     `json:"allow_atomic"`
}

type streamInfo struct {
	Config streamConfig `json:"config"`
	State  struct {
		LastSeq  uint64            `json:"last_seq"`
		Subjects map[string]uint64 `json:"subjects"`
	} `json:"state"`
	Total int       `json:"total"`
	Now   time.Time `json:"ts"`
}

// follow creates the streams, and then follows what all hosts write. Conn.Store starts it; Close ends and awaits it.
func (s *Store) follow() {
	defer s.work.Done()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.work.Go(func() { <-s.stop; cancel() })
	told := ""
	for attempt := 0; ; attempt++ {
		err := s.prepare(ctx)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		s.notYet = fmt.Errorf("the cluster's store cannot be used: %w", err)
		s.mu.Unlock()
		if s.conn.Err() == nil && err.Error() != told && attempt > 2 {
			told = err.Error()
			s.conn.opt.Log.Error("The cluster's store cannot be used yet: nothing is stored; the host goes on trying", "event", "store", "error", err.Error())
		}
		if wait(ctx, pause(attempt)) != nil {
			return
		}
	}
	s.ready.Store(true)
	for attempt := 0; ctx.Err() == nil; attempt++ {
		if err := s.watch(ctx); err != nil && ctx.Err() == nil {
			s.conn.opt.Log.Debug("The keys of the cluster's store are read again", "event", "store", "error", err.Error())
		}
		_ = wait(ctx, pause(attempt%5)) // the loop's condition says whether it ended
	}
}

// prepare creates the streams, or checks those that are there.
func (s *Store) prepare(ctx context.Context) error {
	if err := s.conn.Err(); err != nil {
		return err
	}
	if n := s.conn.nc.MaxPayload(); n < 2*chunkSize {
		return fmt.Errorf("the servers take messages of %d bytes; set max_payload to %d or more", n, 2*chunkSize)
	}
	base := streamConfig{
		Retention: "limits", Storage: "file", Replicas: s.conn.opt.Replicas, MaxPerSubject: 1, MaxMsgs: -1, MaxBytes: -1, MaxConsumers: -1,
		Discard: "new",
	}
	records, blobs := base, base
	records.Name, records.Subjects, records.AllowTTL, records.AllowAtomic, records.DenyDelete = s.stream(), []string{s.prefix + ">"}, true, true, true
	blobs.Name, blobs.Subjects = s.blobStream(), []string{s.blobSubject(">")}
	for _, c := range []streamConfig{records, blobs} {
		if err := s.create(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) create(ctx context.Context, c streamConfig) error {
	ctx, cancel := context.WithTimeout(ctx, s.conn.opt.Timeout)
	defer cancel()
	var info streamInfo
	err := s.api(ctx, "STREAM.INFO."+c.Name, struct{}{}, &info)
	if coded(err, codeNoStream) && s.opt.Existing {
		return ErrNoStore
	}
	if coded(err, codeNoStream) {
		err = s.api(ctx, "STREAM.CREATE."+c.Name, c, &info)
		if coded(err, codeExists) { // another host was first
			err = s.api(ctx, "STREAM.INFO."+c.Name, struct{}{}, &info)
		}
	}
	if err != nil {
		return err
	}
	got := info.Config
	switch {
	case c.AllowAtomic && !got.AllowAtomic || c.AllowTTL && !got.AllowTTL:
		return fmt.Errorf("stream %s: %w", c.Name, errTooOld)
	case got.MaxPerSubject != 1 || got.Retention != c.Retention || len(got.Subjects) != 1 || got.Subjects[0] != c.Subjects[0]:
		return fmt.Errorf("stream %s is there and is none of a host; remove it, or give another --cluster-name", c.Name)
	case got.Replicas != c.Replicas:
		s.conn.opt.Log.Warn("The cluster's store has another number of replicas", "event", "store", "stream", c.Name, "replicas", got.Replicas, "wanted", c.Replicas,
			"do", "nats stream edit "+c.Name+" --replicas "+strconv.Itoa(c.Replicas)+", or change --cluster-replicas")
	}
	return nil
}

// watch reads all keys and then what is written, until that ends by an error or the store does.
func (s *Store) watch(ctx context.Context) error {
	js, err := s.conn.nc.JetStream(natsgo.MaxWait(s.conn.opt.Timeout))
	if err != nil {
		return err
	}
	if err := s.conn.soon(); err != nil {
		return err
	}
	s.index.reset()
	sub, err := js.Subscribe(s.prefix+">", s.follows, natsgo.OrderedConsumer(), natsgo.HeadersOnly(), natsgo.DeliverLastPerSubject(), natsgo.BindStream(s.stream()), natsgo.Context(ctx))
	if err != nil {
		return clean(err)
	}
	defer sub.Unsubscribe() //nolint:errcheck // the connection or its end removes it
	if n, err := sub.InitialConsumerPending(); err == nil && n == 0 {
		s.readAll()
	}
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	collected := time.Time{}
	behind, ahead := uint64(0), 0
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		if !sub.IsValid() {
			return errors.New("the subscription ended")
		}
		one, cancel := s.request()
		var info streamInfo
		err := s.api(one, "STREAM.INFO."+s.stream(), struct{}{}, &info)
		cancel()
		if err != nil {
			continue // no server, no messages
		}
		at := s.index.position()
		if at <= info.State.LastSeq {
			ahead = 0
		} else if ahead++; ahead == 2 { // once, it was the answer of a server that was cut off
			s.conn.opt.Log.Error("The cluster's store was replaced by another one, or by an older state of it: what was stored since then is gone", "event", "store")
			return errors.New("another store")
		}
		if at < info.State.LastSeq && at == behind {
			return fmt.Errorf("message %d does not come after %d", info.State.LastSeq, at)
		}
		behind = 0
		if at < info.State.LastSeq {
			behind = at
		}
		if now := time.Now(); behind == 0 && now.Sub(collected) > collectEvery {
			one, cancel := context.WithTimeout(ctx, time.Minute)
			if s.collect(one) == nil { // otherwise at the next look
				collected = now
			}
			cancel()
		}
	}
}

// readAll says that all keys are known.
func (s *Store) readAll() {
	if s.index.load() {
		keys, bytes := s.index.sums()
		s.conn.opt.Log.Info("store", "cluster", s.conn.opt.Name, "keys", keys, "bytes", bytes, "event", "store")
	}
}

// follows takes the head of a message. Anything may have written it (C8).
func (s *Store) follows(m *natsgo.Msg) {
	meta, err := m.Metadata()
	if err != nil {
		return
	}
	e := entry{rev: store.Revision(meta.Sequence.Stream), dead: isRemoval(m.Header)}
	if e.blob, e.size = parseBlob(m.Header.Get(headerBlob)); e.blob == "" {
		n, _ := strconv.Atoi(m.Header.Get(headerSize)) // 0 without one
		e.size = min(max(n-recordHead, 0), inline)
	}
	if key, ok := keyOf(strings.TrimPrefix(m.Subject, s.prefix)); ok {
		s.index.note(key, e, true)
	} else {
		s.index.pass(meta.Sequence.Stream) // no record of a host: only its place counts
	}
	if meta.NumPending == 0 {
		s.readAll()
	}
}
