// Package admin is the API below /api/v1, and the inspector's page at /inspect, which uses it. Operators and designers
// ask a running host over HTTP here, and so do monitoring and profilers.
//
// A read must come from this machine ([Visitor].Local) or prove a role. A change always needs a role. A role is proved by a
// secret in the header Authorization: the admin token, or one that [Handler.Claim] handed to a browser. No
// cookie is ever read, so another site's page cannot act for anybody, and no answer allows one to read it. Every command of
// the registry is a POST of its own.
//
// It deliberately does not: listen (package web does, with its limits and its check of the Host header), decide what a
// command needs (package command), or keep anything beyond the process but the token's file.
//
// Guarantees: Nothing changes without a role proved by a header; reads without one are for this machine. The state is
// read once for all streams, and not at all without one.
package admin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/control"
	"github.com/tidelock/tidelock/cmd/host/store"
	"github.com/tidelock/tidelock/cmd/host/versions"
	"github.com/tidelock/tidelock/netcode/throttle"
)

// Options of New. Commands, Host, Turns, Log and Now are needed.
type Options struct {
	Commands *command.Registry
	Host     control.Host
	Turns    control.Turns
	// Token is the admin token, until SetToken; anyone who has it is the owner. "" admits nobody by it.
	Token string
	// Version and Rate, in ticks a second, are shown.
	Version string
	Rate    int
	// Reads are further paths with the conditions of a read of the API: /metrics, /healthz, /readyz.
	Reads map[string]http.Handler
	// Grant makes a player's key the owner, the one that a browser with a code plays with; nil if keys have no roles.
	Grant func(key string) error
	// Notes returns lines about what runs and is not in the files, outside of a turn; it may be nil.
	Notes func() []string
	// Source returns a file of the scripts that run, and Save makes one have another text, outside of a turn (serve.Turn); both may be nil.
	Source func(path string) (versions.Source, error)
	Save   func(ctx context.Context, path, sum, text string) ([]string, error)
	// Reloads describes the history of the scripts, outside of a turn; it may be nil.
	Reloads func() versions.Report
	// Store is the host's store; nil without one.
	Store *store.Service
	// Hosts returns the list of hosts in JSON, outside of a turn; nil lists none.
	Hosts func() json.RawMessage
	// Client is the page of the browser client, whose renderer the inspector uses; without it there is no 3D view.
	Client fs.FS
	Log    *slog.Logger
	Now    func() time.Time
	// BodyWithin is how long a body may take to arrive; 0 means 10 s.
	BodyWithin time.Duration
}

// Visitor is who sends a request, as package web found out.
type Visitor struct {
	// Addr is the address that limits count.
	Addr netip.Addr
	// Local says that the request comes from this machine: a loopback peer, a Host header that is loopback, and no
	// header of a proxy (W2.4).
	Local bool
}

const (
	// maxBody bounds the body of a request, in bytes: a command line in JSON.
	maxBody = 64 << 10
	// turnWithin is how long a request waits for its turn with the world, and for what it does there.
	turnWithin = 30 * time.Second
)

// Handler answers requests. Its methods are for any goroutine.
type Handler struct {
	opt    Options
	page   map[string]*file
	routes map[string]http.HandlerFunc
	feed   feed

	mu      sync.Mutex
	start   time.Time
	guesses throttle.Guesses
	claims  claims

	token      string            // opt.Token, or the one that SetToken gave
	browserKey [sha256.Size]byte // of it
}

// New makes a handler.
func New(o Options) (*Handler, error) {
	if o.Commands == nil || o.Host == nil || o.Turns == nil || o.Log == nil || o.Now == nil {
		return nil, errors.New("admin: Options need Commands, Host, Turns, Log and Now")
	}
	h := &Handler{opt: o, start: o.Now(), token: o.Token, browserKey: browserKeyOf(o.Token)}
	var err error
	if h.page, err = readPage(o.Client); err != nil {
		return nil, fmt.Errorf("admin: %w", err)
	}
	h.routes = h.reads()
	h.feed.init(h)
	return h, nil
}

// SetToken makes a token the admin token from the next request on, and reports whether it is another. Anyone who has the one before is a
// stranger then, and so are the browsers that codes made owners under it. Any goroutine may call it.
func (h *Handler) SetToken(token string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if token == h.token {
		return false
	}
	h.token, h.browserKey = token, browserKeyOf(token)
	return true
}

// Close ends the streams.
func (h *Handler) Close() { h.feed.close() }

// apiRoot is the root of the API.
const apiRoot = "/api/v1/"

// profileRoot is the root of the profiles of package net/http/pprof, which are for the owner: they show memory.
const profileRoot = "/debug/pprof/"

// Takes reports whether a path belongs to this handler.
func (h *Handler) Takes(path string) bool {
	return path == "/inspect" || strings.HasPrefix(path, "/inspect/") || strings.HasPrefix(path, apiRoot) || strings.HasPrefix(path, profileRoot) ||
		h.opt.Reads[path] != nil
}

// Serve answers a request whose path it takes. Security headers are those of package web.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, v Visitor) {
	path := r.URL.Path
	if path == "/inspect" || strings.HasPrefix(path, "/inspect/") {
		h.servePage(w, r, path)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Vary", "Authorization")
	who, ok := h.identify(w, r, v)
	if !ok {
		return
	}
	name := strings.TrimPrefix(path, apiRoot)
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if r.ContentLength != 0 {
			fail(w, http.StatusBadRequest, "a GET has no body")
			return
		}
		if strings.HasPrefix(path, profileRoot) {
			if who.Role < access.Owner {
				h.unproved(w, "profiles are for the owner; send the admin token")
				return
			}
			profile(w, r)
			return
		}
		if !v.Local && who.Role == access.None {
			h.unproved(w, "only this machine may look without a token")
			return
		}
		if first(name) == storeRoot {
			h.readStore(w, r, who, name)
			return
		}
		if p := h.opt.Reads[path]; p != nil {
			p.ServeHTTP(w, r)
			return
		}
		f := h.routes[first(name)]
		if f == nil {
			fail(w, http.StatusNotFound, "there is nothing to read at "+path+"; "+apiRoot+"openapi.json lists everything")
			return
		}
		f(w, r)
	case http.MethodPost:
		h.post(w, r, v, who, name)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		fail(w, http.StatusMethodNotAllowed, "only GET, HEAD and POST are answered here")
	}
}

// profile answers with a profile of the process.
func profile(w http.ResponseWriter, r *http.Request) {
	switch strings.TrimPrefix(r.URL.Path, profileRoot) {
	case "cmdline":
		pprof.Cmdline(w, r)
	case "profile":
		pprof.Profile(w, r)
	case "symbol":
		pprof.Symbol(w, r)
	case "trace":
		pprof.Trace(w, r)
	default:
		pprof.Index(w, r)
	}
}

// first returns a path's first part: actors of actors/12.
func first(path string) string {
	name, _, _ := strings.Cut(path, "/")
	return name
}

// identify finds out who sends a request. A wrong secret is answered here: it is an error even where none is needed, and
// an address that guesses waits (G16).
func (h *Handler) identify(w http.ResponseWriter, r *http.Request, v Visitor) (who command.Caller, ok bool) {
	who = command.Caller{Name: v.Addr.String(), Via: "api"}
	values := r.Header.Values("Authorization")
	if len(values) == 0 {
		return who, true
	}
	secret, bearer := strings.CutPrefix(values[0], "Bearer ")
	if len(values) > 1 || !bearer {
		h.unproved(w, "expected one header Authorization: Bearer TOKEN")
		return who, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.opt.Now().Sub(h.start)
	if wait := h.guesses.Wait(v.Addr, now); wait > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(int(wait/time.Second)+1))
		fail(w, http.StatusTooManyRequests, fmt.Sprintf("too many wrong tokens from your address; wait %.0f s", wait.Seconds()+1))
		return who, false
	}
	sum := sha256.Sum256([]byte(secret))
	if h.token != "" && secret != "" {
		if want := sha256.Sum256([]byte(h.token)); subtle.ConstantTimeCompare(sum[:], want[:]) == 1 {
			who.Name, who.Role = "admin token, "+who.Name, access.Owner
			return who, true
		}
	}
	if h.isBrowser(secret) {
		who.Name, who.Role, who.Via = "inspector, "+who.Name, access.Owner, "page"
		return who, true
	}
	count, wait := h.guesses.Wrong(v.Addr, now)
	h.opt.Log.Warn("wrong admin token", "event", "admin_token", "addr", v.Addr.String(), "count", count, "seconds", wait.Seconds())
	h.unproved(w, "this token is not valid here; the host's banner says where the right one is")
	return who, false
}

func (h *Handler) unproved(w http.ResponseWriter, line string) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="tidelock"`)
	fail(w, http.StatusUnauthorized, line)
}

// answer is the body of an answer to a command.
type answer struct {
	// Answer are lines for people.
	Answer []string `json:"answer"`
}

// fault is the body of every error.
type fault struct {
	Error string `json:"error"`
}

func fail(w http.ResponseWriter, status int, line string) { reply(w, status, fault{line}) }

// reply sends a value as JSON.
func reply(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil { // a number that JSON has no form for
		status, b = http.StatusInternalServerError, []byte(`{"error":"the answer has a value that JSON cannot express"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // an error means that the client left
}

// mayPost checks what protects a change beside the role: the request is no other site's form or page.
func mayPost(w http.ResponseWriter, r *http.Request) bool {
	if t, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(t), "application/json") {
		fail(w, http.StatusUnsupportedMediaType, "expected a body of Content-Type: application/json")
		return false
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		fail(w, http.StatusForbidden, "only this host's own pages may change something")
		return false
	}
	for _, o := range r.Header.Values("Origin") {
		if u, err := url.Parse(o); err != nil || !strings.EqualFold(u.Host, r.Host) {
			fail(w, http.StatusForbidden, "only this host's own pages may change something")
			return false
		}
	}
	return true
}

// readBody reads a body of JSON into a value; unknown fields are errors.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request, into any) bool {
	return h.readBodyOf(w, r, into, maxBody)
}

// readBodyOf is readBody for one of another size.
func (h *Handler) readBodyOf(w http.ResponseWriter, r *http.Request, into any, most int64) bool {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(cmp.Or(h.opt.BodyWithin, 10*time.Second))) // a test's writer has none
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, most))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil && d.More() {
		err = errors.New("more than one value")
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		fail(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("a body may have %d bytes", most))
	case errors.Is(err, io.EOF):
		fail(w, http.StatusBadRequest, "the body is empty; expected an object")
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		fail(w, http.StatusRequestTimeout, "the body did not arrive in time")
	case err != nil:
		fail(w, http.StatusBadRequest, "the body is not what was expected: "+err.Error())
	}
	return err == nil
}

// refusedBy returns the status for the error of a command.
func refusedBy(err error) int {
	switch {
	case errors.As(err, new(*command.UsageError)):
		return http.StatusBadRequest
	case errors.As(err, new(*command.RoleError)):
		return http.StatusForbidden
	case errors.Is(err, fs.ErrNotExist):
		return http.StatusNotFound
	}
	return http.StatusConflict
}
