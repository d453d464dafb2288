package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/admin"
	"github.com/tidelock/tidelock/cmd/host/profiles"
	base "github.com/tidelock/tidelock/engine/store"
)

// remoteStore is the store of a running host.
type remoteStore struct {
	root, token string
	client      *http.Client
	lease       time.Duration
	tell        io.Writer
}

func dialStore(s *storeSource, tell io.Writer) (storeAccess, error) {
	u, err := url.Parse(s.At)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, usageError{fmt.Errorf("--at: %q is no address of a host for browsers; write http://localhost:7780", s.At)}
	}
	token, err := adminToken(s.TokenFile, u.Port())
	if err != nil {
		return nil, usageError{fmt.Errorf("--token-file: %w", err)}
	}
	// A host that redirects is none, and must not be handed the token.
	client := &http.Client{Timeout: s.Within, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &remoteStore{strings.TrimSuffix(s.At, "/"), token, client, s.HolderAfter, tell}, nil
}

// do sends a request and returns its answer, which the caller closes.
func (s *remoteStore) do(method, what string, query url.Values, body io.Reader) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(context.Background(), method, s.root+"/api/v1/store/"+what+"?"+query.Encode(), body)
	if err != nil {
		return nil, usageError{err}
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	a, err := s.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("no answer from %s: %w; is a host running there with a web listener?", s.root, errors.Unwrap(err))
	}
	if a.StatusCode == http.StatusOK {
		return a.Body, nil
	}
	defer a.Body.Close() //nolint:errcheck // it was only read
	var got admin.StoreHeld
	b, err := io.ReadAll(io.LimitReader(a.Body, maxAnswer))
	if err == nil {
		err = json.Unmarshal(b, &got)
	}
	if err != nil || got.Error == "" {
		return nil, fmt.Errorf("%s did not answer as a host with a store does (%s)", s.root, a.Status)
	}
	if got.Revision != 0 {
		return nil, &profiles.HeldError{ID: got.Player, Holder: got.Holder, Revision: base.Revision(got.Revision)}
	}
	return nil, errors.New(got.Error)
}

// read reads an answer in JSON.
func (s *remoteStore) read(what string, query url.Values, into any) error {
	b, err := s.do(http.MethodGet, what, query, nil)
	if err != nil {
		return err
	}
	return errors.Join(json.NewDecoder(b).Decode(into), b.Close())
}

func (s *remoteStore) list(prefix, after string) (keys []string, err error) {
	err = s.read("list", url.Values{"prefix": {prefix}, "after": {after}, "most": {fmt.Sprint(base.MaxList)}}, &keys)
	return keys, err
}

func (s *remoteStore) get(key string) (r base.Record, err error) {
	var got admin.StoreRecord
	if err := s.read("record", url.Values{"key": {key}}, &got); err != nil {
		return r, err
	}
	r.Revision = base.Revision(got.Revision)
	r.Value, err = base64.StdEncoding.DecodeString(got.Value)
	return r, err
}

// copyTo copies an answer.
func (s *remoteStore) copyTo(what string, w io.Writer) error {
	b, err := s.do(http.MethodGet, what, nil, nil)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%s ended its answer too early; its log says why", s.root)
	}
	return errors.Join(err, b.Close())
}

func (s *remoteStore) export(w io.Writer) error { return s.copyTo("export", w) }

func (s *remoteStore) backup(w io.Writer) error { return s.copyTo("backup", w) }

func (s *remoteStore) importFrom(r io.Reader, skip bool) (n admin.StoreImport, err error) {
	q := url.Values{}
	if skip {
		q.Set("skip", "1")
	}
	b, err := s.do(http.MethodPost, "import", q, io.NopCloser(r))
	if err != nil {
		return n, err
	}
	err = errors.Join(json.NewDecoder(b).Decode(&n), b.Close())
	return n, err
}

func (s *remoteStore) check() (r admin.StoreReport, err error) {
	err = s.read("check", nil, &r)
	return r, err
}

func (s *remoteStore) versions(player string) (list []admin.StoreVersion, err error) {
	err = s.read("versions", url.Values{"player": {player}}, &list)
	return list, err
}

func (s *remoteStore) restore(player string, version uint64) error {
	ask := func(dead base.Revision) error {
		body, err := json.Marshal(map[string]any{"player": player, "version": version, "dead": dead})
		if err != nil {
			return err
		}
		a, err := s.do(http.MethodPost, "restore", nil, bytes.NewReader(body))
		if err != nil {
			return err
		}
		return a.Close()
	}
	err := ask(0)
	var held *profiles.HeldError
	if errors.As(err, &held) {
		waitForHolder(s.tell, s.lease)
		err = ask(held.Revision)
	}
	return err
}

func (s *remoteStore) close() error { s.client.CloseIdleConnections(); return nil }
