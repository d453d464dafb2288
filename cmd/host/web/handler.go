package web

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/tidelock/tidelock/netcode/carrier"
)

// Join is the content of /join.json: how to reach the host, as package carrier reads it, and what the page
// shows while it prepares.
type Join struct {
	carrier.Info
	// Title is the server's name, Level the present level; empty if unknown.
	Title string `json:"title,omitempty"`
	Level string `json:"level,omitempty"`
	// Text is what the game shows to those who have not joined, such as its best players: lines, at most 1000 bytes.
	Text string `json:"text,omitempty"`
	// Files are the paths of the match's files, which the page fetches before it joins: the manifest, then its
	// batches (package bundle). Empty if everything is sent by the link.
	Files []string `json:"files,omitempty"`
	// Client describes the client's files.
	Client JoinClient `json:"client"`
}

// JoinClient describes the client's files in /join.json.
type JoinClient struct {
	// State is "building", "ready" or "failed": phase.
	State string `json:"state"`
	// Text is one line for people: the progress, or what is wrong and what to do.
	Text string `json:"text"`
	// Begun of Of packages are compiled or being compiled; both are 0 unless State is "building" and something is compiled.
	Begun int `json:"begun,omitempty"`
	Of    int `json:"of,omitempty"`
	// Seconds that the build has taken so far, or took.
	Seconds float64 `json:"seconds"`
	// Wasm and Exec are the paths of client.wasm and of wasm_exec.js, which belongs to it; empty unless State is "ready".
	Wasm string `json:"wasm,omitempty"`
	Exec string `json:"exec,omitempty"`
	// Size is that of client.wasm unpacked, in bytes; 0 unless State is "ready".
	Size int64 `json:"size,omitempty"`
}

// handle answers a request over TCP.
func (l *Listener) handle(w http.ResponseWriter, r *http.Request) {
	client, proxied := l.proxies.client(r)
	host, ok := l.begins(w, r, client.Addr(), proxied)
	if !ok {
		return
	}
	path, hosts, others := r.URL.EscapedPath(), l.hosts(), ""
	if path == "/" || path == l.site.worker { // a Worker has a policy of its own
		if others = connectTo(hosts.Pages); others != "" {
			r.Header.Del("If-None-Match") // a cached page would keep its policy, and so the list of back then
		}
	}
	setHeaders(w.Header(), r.Host, host, l.addr.Port(), others)
	if l.opt.Admin != nil && l.opt.Admin(w, r, client.Addr(), l.local(r, host, client.Addr(), proxied)) {
		return
	}
	if l.opt.Link == nil {
		refuse(w, http.StatusNotFound, "the inspector is at /inspect; players have another address")
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "only GET and HEAD are answered here")
		return
	}
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close") // the rest of the body is not read
		refuse(w, http.StatusBadRequest, "a request with a body is not answered here")
		return
	}
	// The request's deadline would otherwise cut a long answer. The request is complete: it has no body.
	if err := http.NewResponseController(w).SetReadDeadline(time.Time{}); err != nil {
		l.opt.Log.Debug("web: read deadline", "err", err)
	}
	if hosts.Shared && (path == carrier.InfoPath || strings.HasPrefix(path, contentRoot)) {
		forAll(w.Header())
	}
	switch {
	case path == "/":
		l.site.index.serve(w, r)
	case path == carrier.InfoPath:
		l.joinJSON(w, r, host, proxied)
	case path == HostsPath:
		l.hostsJSON(w, r)
	case path == carrier.WebSocketPath:
		l.webSocket(w, r, client)
	case strings.HasPrefix(path, "/p/"):
		l.serveFile(w, r, l.site.files[path])
	case strings.HasPrefix(path, contentRoot):
		l.serveFile(w, r, l.content.file(path, l.opt.File))
	case strings.HasPrefix(path, clientRoot):
		l.serveFile(w, r, l.opt.Client.file(path))
	default:
		notFound(w)
	}
}

// local reports whether a request comes from this machine: a loopback peer, a Host header that is loopback, and no header
// of a proxy (W2.4). Only then may it read without proof what is not for everybody.
func (l *Listener) local(r *http.Request, host string, client netip.Addr, proxied bool) bool {
	return client.IsLoopback() && loopbackHost(host) && !proxied && !forwarded(r.Header)
}

// begins checks the conditions of every request, and answers those that fail. host is that of the Host header.
func (l *Listener) begins(w http.ResponseWriter, r *http.Request, client netip.Addr, proxied bool) (host string, ok bool) {
	if !l.visitors.mayRequest(client) {
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, "too many requests from your address; wait a second")
		return "", false
	}
	host, _, ok = splitHost(r.Host)
	if !ok {
		refuse(w, http.StatusBadRequest, "the Host header is not a host name")
		return "", false
	}
	// A configured proxy on this machine may pass on any name. A page cannot forge the proxy's header where it
	// matters: browsers let no page set a header of an upgrade.
	if l.loopback && !loopbackHost(host) && (!proxied || !forwarded(r.Header)) {
		refuse(w, http.StatusMisdirectedRequest, "this host answers to localhost only; start it with an address for others to let them in")
		return "", false
	}
	return host, true
}

func (l *Listener) serveFile(w http.ResponseWriter, r *http.Request, a *asset) {
	if a == nil {
		notFound(w)
		return
	}
	a.serve(w, r)
}

func notFound(w http.ResponseWriter) {
	refuse(w, http.StatusNotFound, "there is nothing at this address")
}

// refuse answers with one line of text.
func refuse(w http.ResponseWriter, status int, line string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, line) // an error means that the client left
}

// setHeaders sets the security headers of an answer. header is the Host header, and host its name from
// splitHost; others are further sources of connections.
func setHeaders(h http.Header, header, host string, port uint16, others string) {
	h.Set("Content-Security-Policy", policy(header, host, port, others))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	// Isolates the page in its own process, with precise timers for a game and memory shared with its Worker.
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Embedder-Policy", "require-corp")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// policy returns the Content-Security-Policy: only content of this host, and no inline scripts.
func policy(header, host string, port uint16, others string) string {
	connect := "'self' blob:" // pictures within models are read as blobs
	// Browsers differ in whether 'self' includes WebSocket and WebTransport of the same host. The grammar of
	// sources does not allow an IPv6 address or an underscore; there only 'self' is possible.
	if !strings.ContainsAny(host, ":_") {
		header = strings.ToLower(header)
		connect += " ws://" + header + " wss://" + header + " https://" + header
		names := []string{host}
		if loopbackHost(host) {
			names = []string{"localhost", "127.0.0.1"}
		}
		for _, n := range names {
			if at := n + ":" + strconv.Itoa(int(port)); at != header {
				connect += " https://" + at // WebTransport, behind a proxy or by the other name of this machine
			}
		}
	}
	return "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src " + connect + others +
		"; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

func (l *Listener) joinJSON(w http.ResponseWriter, r *http.Request, host string, proxied bool) {
	key := l.opt.Link.PublicKey()
	j := Join{
		Info:   carrier.Info{Version: carrier.InfoVersion, Key: base64.StdEncoding.EncodeToString(key[:]), WS: carrier.WebSocketPath},
		Client: l.opt.Client.join(),
	}
	// A proxy forwards only HTTP over TCP, so WebTransport bypasses it and goes to the host's own port.
	if at := carrier.WebTransportPath; !proxied || !l.loopback {
		if proxied {
			if strings.Contains(host, ":") {
				host = "[" + host + "]"
			}
			at = "https://" + host + ":" + strconv.Itoa(int(l.addr.Port())) + at
		}
		j.WT = &carrier.WTInfo{URL: at}
		for _, hash := range l.certs.hashes() {
			j.WT.Hashes = append(j.WT.Hashes, base64.StdEncoding.EncodeToString(hash[:]))
		}
	}
	j.Files = l.filePaths()
	if l.opt.Title != nil {
		j.Title = l.opt.Title()
	}
	if l.opt.Level != nil {
		j.Level = l.opt.Level()
	}
	if l.opt.Text != nil {
		j.Text = l.opt.Text()
	}
	b, err := json.Marshal(j)
	if err != nil {
		panic("web: join.json: " + err.Error()) // strings and numbers only
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(b)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(b) // an error means that the client left
	}
}

// foreignAdmission is how long a session of another host's page may last before a player with a token is in (W2.4).
const foreignAdmission = 2 * time.Second

// mayOpen checks the conditions of a session of either carrier, and answers if they fail. Otherwise the caller
// must call closePipe and sessions.Done in the end. The options are those of the session.
func (l *Listener) mayOpen(w http.ResponseWriter, r *http.Request, client netip.Addr, anyPort bool) (o carrier.Options, ok bool) {
	o.Now = l.opt.Now
	same, page := origin(r, anyPort)
	if o.Foreign = !same && page && l.hosts().Shared; o.Foreign {
		o.Admission = foreignAdmission
	}
	switch {
	case !same && !o.Foreign:
		l.visitors.foreign()
		refuse(w, http.StatusForbidden, "only this host's own page may connect; a proxy must pass the Host header on as it came")
	case !l.visitors.openPipe(client):
		refuse(w, http.StatusServiceUnavailable, "too many sessions, or too many from your address; leave with another one")
	case !l.begin():
		l.visitors.closePipe(client)
		refuse(w, http.StatusServiceUnavailable, "the host is shutting down")
	default:
		return o, true
	}
	return o, false
}

func (l *Listener) webSocket(w http.ResponseWriter, r *http.Request, client netip.AddrPort) {
	if !l.visitors.mayUpgrade(client.Addr()) {
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, "too many sessions were opened from your address; wait a second")
		return
	}
	session, ok := l.mayOpen(w, r, client.Addr(), false)
	if !ok {
		return
	}
	defer l.sessions.Done()
	defer l.visitors.closePipe(client.Addr())
	o := carrier.AcceptOptions(l.opt.Now, nil)
	o.InsecureSkipVerify = true // origin is stricter, and knows the names of this machine
	c, err := websocket.Accept(w, r, o)
	if err != nil {
		l.opt.Log.Debug("WebSocket refused", "addr", client, "err", err)
		return
	}
	session.Context = r.Context()
	err = carrier.ServeWebSocket(l.opt.Link, c, client, session)
	l.ended(client, err)
}

// handleQUIC answers a request over HTTP/3: only WebTransport.
func (l *Listener) handleQUIC(w http.ResponseWriter, r *http.Request) {
	client, proxied := l.proxies.client(r)
	if _, ok := l.begins(w, r, client.Addr(), proxied); !ok {
		return
	}
	if r.URL.EscapedPath() != carrier.WebTransportPath {
		notFound(w)
		return
	}
	if r.Method != http.MethodConnect {
		refuse(w, http.StatusMethodNotAllowed, "only WebTransport sessions are answered here")
		return
	}
	// A page that came through a proxy has the proxy's port in its origin, and bypasses it here.
	session, ok := l.mayOpen(w, r, client.Addr(), l.proxies.any())
	if !ok {
		return
	}
	defer l.sessions.Done()
	defer l.visitors.closePipe(client.Addr())
	s, err := l.wt.Upgrade(w, r)
	if err != nil {
		refuse(w, http.StatusBadRequest, "this is not a request for a WebTransport session")
		l.opt.Log.Debug("WebTransport refused", "addr", client, "err", err)
		return
	}
	if timer, ok := r.Context().Value(pendingKey{}).(*time.Timer); ok {
		timer.Stop()
	}
	session.Context = l.ctx
	err = carrier.ServeWebTransport(l.opt.Link, s, client, session)
	l.ended(client, err)
}

// ended logs the end of a session, if its peer was at fault.
func (l *Listener) ended(client netip.AddrPort, err error) {
	if err != nil {
		l.opt.Log.Debug("session ended", "addr", client, "err", err)
	}
}
