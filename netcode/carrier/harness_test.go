//go:build !js

package carrier

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"
	"go.uber.org/goleak"

	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
)

func TestMain(m *testing.M) {
	// kcp-go starts some goroutines when it is imported.
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

// must ends a test at the first error.
func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// patience is for what never comes, not for a busy machine.
const patience = time.Minute

// rig is links on loopback and on the wall clock, and a host that serves one of them by both carriers.
type rig struct {
	t     *testing.T
	start time.Time
	tick  *time.Ticker
	peers []*peer

	server *peer
	host   string // of the web listener
	opt    Options
	count  Counters
	slowed atomic.Int32 // connections that were to be read slowly

	mu   sync.Mutex
	info Info
	errs []error // of sessions that have ended
	live sync.WaitGroup
	over bool // guarded by mu
}

// slowable is a connection of a listener that can read slowly.
type slowable struct {
	*net.TCPConn
	n *atomic.Int32
}

func (s slowable) Slow() { s.n.Add(1) }

// peer is a link and what it has heard.
type peer struct {
	t         *testing.T
	l         *kcplink.Link
	echo      bool
	opened    []link.Conn
	closed    []link.Reason
	messages  []string
	datagrams []string
}

func (p *peer) Opened(c link.Conn) { p.opened = append(p.opened, c) }

func (p *peer) Message(c link.Conn, b []byte) {
	p.messages = append(p.messages, string(b))
	if p.echo {
		must(p.t, c.Send(b))
	}
}

func (p *peer) Datagram(c link.Conn, b []byte) {
	p.datagrams = append(p.datagrams, string(b))
	if p.echo {
		must(p.t, c.SendDatagram(b))
	}
}

func (p *peer) Closed(_ link.Conn, why link.Reason) { p.closed = append(p.closed, why) }

// certificate is one as hosts make them.
func certificate(t *testing.T, from time.Time) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: from, NotAfter: from.Add(13 * 24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	must(t, err)
	sum := sha256.Sum256(der)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, base64.StdEncoding.EncodeToString(sum[:])
}

func newRig(t *testing.T, o Options) *rig {
	return newRigWith(t, o, time.Now().Add(-time.Hour))
}

// newRigWith has a certificate that is valid from then.
func newRigWith(t *testing.T, o Options, valid time.Time) *rig {
	leaks := goleak.IgnoreCurrent()
	r := &rig{t: t, start: time.Now(), tick: time.NewTicker(time.Millisecond)}
	ctx, cancel := context.WithCancel(context.Background())
	o.Now, o.Counters = time.Now, &r.count
	r.opt = o
	many := kcplink.Limits{HandshakesPerAddress: 1000, HellosPerAddress: 1000}
	r.server = r.add(kcplink.Config{Server: &kcplink.Server{}, Limits: many})

	mux := http.NewServeMux()
	web := httptest.NewUnstartedServer(mux)
	web.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	web.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return ConnContext(ctx, slowable{c.(*net.TCPConn), &r.slowed})
	}
	web.Start()
	r.host = web.Listener.Addr().String()
	mux.HandleFunc(InfoPath, func(w http.ResponseWriter, _ *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		_ = json.NewEncoder(w).Encode(r.info) // or the client says so
	})
	mux.HandleFunc(WebSocketPath, func(w http.ResponseWriter, q *http.Request) {
		if !r.begin() {
			return
		}
		defer r.live.Done()
		c, err := websocket.Accept(w, q, AcceptOptions(time.Now, nil))
		if err != nil {
			return
		}
		o := r.opt
		o.Context = q.Context()
		r.ended(ServeWebSocket(r.server.l, c, netip.MustParseAddrPort(q.RemoteAddr), o))
	})

	cert, hash := certificate(t, valid)
	h3mux := http.NewServeMux()
	h3 := &http3.Server{
		TLSConfig: http3.ConfigureTLSConfig(&tls.Config{Certificates: []tls.Certificate{cert}}), Handler: h3mux,
		QUICConfig: QUIC(), ConnContext: QUICConnContext,
	}
	wt := &webtransport.Server{H3: h3}
	h3mux.HandleFunc(WebTransportPath, func(w http.ResponseWriter, q *http.Request) {
		if !r.begin() {
			return
		}
		defer r.live.Done()
		s, err := wt.Upgrade(w, q)
		if err != nil {
			t.Error(err)
			return
		}
		o := r.opt
		o.Context = ctx
		r.ended(ServeWebTransport(r.server.l, s, netip.MustParseAddrPort(q.RemoteAddr), o))
	})
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	r.info = Info{Version: InfoVersion, WS: WebSocketPath, WT: &WTInfo{URL: "https://" + udp.LocalAddr().String() + WebTransportPath, Hashes: []string{hash}}}

	var served sync.WaitGroup
	served.Go(func() { _ = wt.Serve(udp) })
	t.Cleanup(func() {
		r.tick.Stop()
		for _, p := range r.peers {
			if err := p.l.Close(); err != nil {
				t.Error(err)
			}
		}
		cancel()
		r.mu.Lock()
		r.over = true
		r.mu.Unlock()
		r.live.Wait()
		web.Close()
		_ = udp.Close()
		served.Wait() // before Close, which must not run while Serve begins
		_ = wt.Close()
		goleak.VerifyNone(t, leaks)
	})
	return r
}

// begin counts a session that a request begins; after the end of the test there are none.
func (r *rig) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.live.Add(1)
	}
	return !r.over
}

func (r *rig) ended(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errs = append(r.errs, err)
}

// sessions is how many have ended, and the last one's error.
func (r *rig) sessions() (n int, last error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n = len(r.errs); n > 0 {
		last = r.errs[n-1]
	}
	return n, last
}

func (r *rig) add(cfg kcplink.Config) *peer {
	r.t.Helper()
	cfg.Addr = "127.0.0.1:0"
	l, err := kcplink.New(cfg)
	must(r.t, err)
	p := &peer{t: r.t, l: l}
	r.peers = append(r.peers, p)
	return p
}

// dial opens a session to the host.
func (r *rig) dial(p *peer, via Via) *Session {
	r.t.Helper()
	s, err := Dial(p.l, Target{Via: via, Host: r.host, Now: time.Now})
	must(r.t, err)
	return s
}

// join dials the host by a new link.
func (r *rig) join(via Via) (*peer, *Session, *kcplink.Conn) {
	r.t.Helper()
	p := r.add(kcplink.Config{})
	s := r.dial(p, via)
	c, err := p.l.Dial(kcplink.Dial{Pipe: s.Pipe()})
	must(r.t, err)
	return p, s, c
}

func (r *rig) step() {
	<-r.tick.C
	for _, p := range r.peers {
		now := time.Since(r.start)
		p.l.Poll(now, p)
		p.l.Flush(now)
	}
}

func (r *rig) until(what string, ok func() bool) {
	r.t.Helper()
	for end := time.Now().Add(patience); !ok(); {
		if time.Now().After(end) {
			r.t.Fatalf("not within %v: %s", patience, what)
		}
		r.step()
	}
}

func isDone(s *Session) bool {
	select {
	case <-s.Done():
		return true
	default:
		return false
	}
}

// both runs a test once over each carrier.
func both(t *testing.T, f func(t *testing.T, via Via)) {
	for _, via := range []Via{WebSocket, WebTransport} {
		t.Run(string(via), func(t *testing.T) { f(t, via) })
	}
}
