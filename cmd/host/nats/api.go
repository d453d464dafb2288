package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/tidelock/tidelock/engine/store"
)

// JetStream is spoken by plain requests: the few that are needed have headers that the client library does not know, and each
// of their errors must be told apart from a lost answer.

// Headers and error codes of JetStream.
const (
	headerExpected  = "Nats-Expected-Last-Subject-Sequence"
	headerTTL       = "Nats-TTL"
	headerBatch     = "Nats-Batch-Id"
	headerBatchSeq  = "Nats-Batch-Sequence"
	headerBatchEnd  = "Nats-Batch-Commit"
	headerOperation = "KV-Operation"
	opDelete        = "DEL"

	codeNoMessage     = 10037
	codeNoStream      = 10059
	codeWrongSequence = 10071
	codeInProcess     = 10164 // another write of the subject is being replicated
	codeTooMany       = 10210 // batches at once
	codeNoLeader      = 10008
	codeExists        = 10058
	codeIncomplete    = 10176 // a batch that came in part
	codeOldServer     = 10185
	codeDisabled      = 10174
)

// againAfter is how long to wait before a request is sent again for which there was no leader.
const againAfter = 150 * time.Millisecond

// brokenPause is how long to wait after a connection broke: it takes that long to be told of the next one.
const brokenPause = 10 * time.Millisecond

// apiError is an error that a server answered with.
type apiError struct {
	Code        int    `json:"code"`
	ErrCode     int    `json:"err_code"`
	Description string `json:"description"`
}

func (e *apiError) Error() string { return fmt.Sprintf("%s (%d)", e.Description, e.ErrCode) }

// coded reports whether an error is one of a server with one of the codes.
func coded(err error, codes ...int) bool {
	var e *apiError
	if !errors.As(err, &e) {
		return false
	}
	for _, c := range codes {
		if e.ErrCode == c {
			return true
		}
	}
	return false
}

// api sends a request to JetStream's API and decodes its answer. It may be sent twice, so it must be one that can be.
func (s *Store) api(ctx context.Context, what string, request, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	for {
		if err := s.conn.soon(); err != nil {
			return err
		}
		// While there is no leader nobody answers.
		line, over := s.conn.during(ctx)
		one, cancel := context.WithTimeout(line, s.conn.opt.Timeout/2)
		m, err := s.conn.nc.RequestWithContext(one, "$JS.API."+what, body)
		cancel()
		broke := line.Err() != nil
		over()
		switch {
		case err == nil:
			err = decode(m.Data, answer)
			if !coded(err, codeNoLeader) || wait(ctx, againAfter) != nil {
				return err
			}
		case ctx.Err() != nil:
			return s.unanswered(err)
		case errors.Is(err, natsgo.ErrNoResponders):
			if wait(ctx, againAfter) != nil {
				return errors.New("JetStream is not there: no server answers; it may be electing a leader, or be turned off")
			}
		case broke || !s.conn.nc.IsConnected():
			_ = wait(ctx, brokenPause) // then the connection says whether there is another one
		case !errors.Is(err, context.DeadlineExceeded):
			return clean(err)
		}
	}
}

// unanswered says why a request has no answer.
func (s *Store) unanswered(err error) error {
	if off := s.conn.Err(); off != nil {
		return off
	}
	if errors.Is(err, context.Canceled) {
		return errors.New("the connection to the cluster broke before the answer came")
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the cluster gave no answer within %v; it may be electing a leader", s.conn.opt.Timeout)
	}
	return clean(err)
}

// wait waits, unless the context ends before.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// decode decodes an answer of the API, which may be an error.
func decode(b []byte, answer any) error {
	var e struct {
		Error *apiError `json:"error"`
	}
	if err := json.Unmarshal(b, &e); err != nil {
		return errors.New("the answer is none of JetStream")
	}
	if e.Error != nil {
		return e.Error
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(b, answer); err != nil {
		return errors.New("the answer is none of JetStream")
	}
	return nil
}

// ack is the answer to a message that was stored, the last one of a batch.
type ack struct {
	Stream string `json:"stream"`
	Seq    uint64 `json:"seq"`
	Batch  string `json:"batch"`
	Count  uint64 `json:"count"`
}

// publish sends messages, which are stored together, and waits until they are. Several are an atomic batch and have its headers. An
// error is [store.ErrConflict], one that leaves it open ([store.Unsure]), or one after which nothing is stored.
func (s *Store) publish(ctx context.Context, stream string, list []*natsgo.Msg) (ack, error) {
	for {
		a, err := s.publishOnce(ctx, stream, list)
		// These were not stored for sure, so they can be sent again.
		if again := errors.Is(err, natsgo.ErrNoResponders) || coded(err, codeTooMany); !again || wait(ctx, againAfter) != nil {
			switch {
			case errors.Is(err, natsgo.ErrNoResponders):
				err = errors.New("the cluster's store has no leader at present")
			case coded(err, codeWrongSequence, codeInProcess):
				err = store.ErrConflict
			case coded(err, codeOldServer, codeDisabled):
				err = errTooOld
			}
			return a, err
		}
		if len(list) > 1 {
			batch(list) // of a new id
		}
	}
}

func (s *Store) publishOnce(ctx context.Context, stream string, list []*natsgo.Msg) (a ack, err error) {
	if err := s.conn.soon(); err != nil {
		return a, err
	}
	ctx, cancel := s.conn.during(ctx)
	defer cancel()
	for _, m := range list[:len(list)-1] {
		if err := s.conn.nc.PublishMsg(m); err != nil {
			return a, s.unanswered(err) // without its end a batch is nothing
		}
	}
	if !s.conn.nc.IsConnected() {
		return a, s.unanswered(natsgo.ErrConnectionReconnecting)
	}
	m, err := s.conn.nc.RequestMsgWithContext(ctx, list[len(list)-1])
	switch {
	case errors.Is(err, natsgo.ErrNoResponders):
		return a, err
	case errors.Is(err, natsgo.ErrReconnectBufExceeded), errors.Is(err, natsgo.ErrMaxPayload), errors.Is(err, natsgo.ErrConnectionClosed):
		return a, s.unanswered(err) // it was not sent
	case err != nil:
		return a, &store.UnsureError{Err: s.unanswered(err)}
	}
	if err = decode(m.Data, &a); err != nil {
		if !coded(err, codeWrongSequence, codeInProcess, codeTooMany, codeIncomplete, codeOldServer, codeDisabled) {
			err = &store.UnsureError{Err: fmt.Errorf("the cluster's store: %w", err)} // such as a full disk of one server
		}
		return ack{}, err
	}
	if a.Stream != stream || a.Seq == 0 || len(list) > 1 && a.Count != uint64(len(list)) {
		return ack{}, &store.UnsureError{Err: errors.New("the cluster's store gave an answer to something else")}
	}
	return a, nil
}
