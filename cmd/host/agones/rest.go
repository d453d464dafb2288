package agones

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// maxAnswer bounds an answer, and one element of the stream, in bytes. A GameServer has some kilobytes.
	maxAnswer = 1 << 20
	// maxShown bounds how much of an answer an error shows, in bytes.
	maxShown = 120
	// watchPath is the stream of the GameServer.
	watchPath = "/watch/gameserver"
)

// post makes a POST request whose answer says nothing.
func (s *Sidecar) post(ctx context.Context, within time.Duration, path string, body any) error {
	if body == nil {
		body = struct{}{} // the gateway expects an object
	}
	return s.send(ctx, within, http.MethodPost, path, body)
}

// send makes a request whose answer says nothing.
func (s *Sidecar) send(ctx context.Context, within time.Duration, method, path string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	r, err := s.open(ctx, method, path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(r.Body, maxAnswer)) // so that the connection can be used again
	if e := r.Body.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// open makes a request; the caller closes the answer's body. Another status than 200 is an error.
func (s *Sidecar) open(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, method, s.base+path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		q.Header.Set("Content-Type", "application/json")
	}
	r, err := s.http.Do(q)
	if err != nil {
		return nil, err // it names method and URL
	}
	if r.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(r.Body, maxShown)) // what is there
		_ = r.Body.Close()                                      // nothing more is read
		return nil, fmt.Errorf("%s %s: status %d, %q", method, path, r.StatusCode, text)
	}
	return r, nil
}

// get reads the GameServer.
func (s *Sidecar) get(ctx context.Context, take func(*gameServer)) error {
	ctx, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	r, err := s.open(ctx, http.MethodGet, "/gameserver", nil)
	if err != nil {
		return err
	}
	defer r.Body.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(r.Body, maxAnswer+1))
	var g gameServer
	switch {
	case err != nil:
	case len(text) > maxAnswer:
		err = fmt.Errorf("more than %d bytes", maxAnswer)
	default:
		err = json.Unmarshal(text, &g)
	}
	if err != nil {
		return fmt.Errorf("GET /gameserver: %w", err)
	}
	take(&g)
	return nil
}

// follow reads the stream of the GameServer until it ends; the error is never nil.
func (s *Sidecar) follow(ctx context.Context, take func(*gameServer)) error {
	ctx, cancel := context.WithCancel(ctx) // no time: nothing comes while nothing changes
	defer cancel()
	r, err := s.open(ctx, http.MethodGet, watchPath, nil)
	if err != nil {
		return err
	}
	defer r.Body.Close() //nolint:errcheck // it was only read
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(make([]byte, 0, 8<<10), maxAnswer)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var m message
		err := json.Unmarshal(lines.Bytes(), &m)
		if err == nil && m.Result == nil {
			err = fmt.Errorf("no GameServer, but %.*q", maxShown, lines.Bytes())
		}
		if err != nil {
			return fmt.Errorf("GET %s: %w", watchPath, err)
		}
		_ = s.result(ctx, watchPath, nil)
		take(m.Result)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("GET %s: an element of more than %d bytes", watchPath, maxAnswer)
	}
	return errStream
}
