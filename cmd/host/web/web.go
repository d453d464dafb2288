// Package web is the listener for players with a browser: page, client, certificates, sessions (W2.3, W2.4, W5). It
// describes at /join.json how to join, and accepts the sessions that carry the packets of a kcplink.Link.
//
// One [Listener] is TCP for HTTP/1.1 and UDP for HTTP/3 on the same port. It serves
//
//	/                       the page, always revalidated
//	/p/<hash>/…             the page's files, cached forever
//	/client/<hash>/…        client.wasm and wasm_exec.js, cached forever, once a [Builder] has them
//	/files/<hash>           files of the match, cached forever (W2.5)
//	/join.json              [Join]
//	/hosts.json             the list of hosts, which pages of any origin may read
//	/ws, /wt                sessions of package carrier, WebSocket over TCP and WebTransport over QUIC
//
// and nothing else but what Options.Admin takes. All of it is public and in memory: no request reaches a file system, and a request by HTTP
// proves nothing; the link's gate decides who plays. Requests, connections and sessions are bounded by
// [Limits]. Headers tell browsers to keep other hosts' pages out, and requests to upgrade must come from a page
// of the same host. A listener on a loopback address accepts only names of loopback, so that a foreign name
// that resolves to 127.0.0.1 (DNS rebinding) reaches nothing.
//
//	b := web.NewBuilder(web.BuilderOptions{Source: web.Source{Checkout: "."}, Now: time.Now})
//	defer b.Close()
//	l, err := web.Listen(web.Options{Addr: "127.0.0.1:7780", Link: link, Client: b, Log: log, Now: time.Now})
//	defer l.Close()
//	fmt.Println(l.Addrs())
//
// It deliberately does not: decide who may play or administer, redirect, list folders, compress by Brotli what was not compressed before, read the header Forwarded (proxies
// must send X-Forwarded-For and pass the Host header on), or keep its own certificates over a restart.
//
// Guarantees: Everything it serves is public and in memory; nothing is trusted because it came by HTTP.
package web

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"

	"github.com/tidelock/tidelock/cmd/host/bind"
	"github.com/tidelock/tidelock/netcode/carrier"
	"github.com/tidelock/tidelock/netcode/kcplink"
)

// Options of Listen.
type Options struct {
	// Addr is the address to bind, host:port. An empty host means all addresses of the machine; port 0 a free
	// one.
	Addr string
	// Next tries the next free port if that of Addr is in use, for a port that nobody chose.
	Next bool
	// Link receives the sessions' packets. The listener does not close it, and must be closed before it. Nil makes a listener
	// that has no players: TCP alone, which serves what Admin takes.
	Link *kcplink.Link
	// Cert and Key are PEM files, both or neither. With them TCP is HTTPS, and they are read again when they
	// change. Without them TCP is plain HTTP, and QUIC uses certificates that the host makes.
	Cert, Key string
	// TrustedProxy are addresses whose X-Forwarded-For is trusted. Proxies that add none need not be listed.
	TrustedProxy []netip.Prefix
	// Title returns the name of the server for the page, Level the name of the present level, and Text what the game shows to those who have
	// not joined; nil means "".
	// They are called on any goroutine.
	Title, Level, Text func() string
	// File returns the file of the match with a hash (SHA-256), or nil: the scripts, levels, sounds, models and
	// pictures that a browser may fetch (W2.5). It is called on any goroutine. It may be nil.
	File func(hash [sha256.Size]byte) []byte
	// Files returns the hashes of what a page fetches before it joins: the manifest, then its batches (package
	// bundle). It is called on any goroutine. If it is nil, the page gets everything by the link, after it is
	// admitted.
	Files func() [][sha256.Size]byte
	// Hosts returns the list of hosts, nil for none. It is called on any goroutine. It may be nil.
	Hosts func() *Hosts
	// Admin answers the requests that it takes, about the host itself, and reports whether it took one; client is the
	// address that limits count, and local says that the request comes from this machine (W2.4). Nil takes none.
	Admin func(w http.ResponseWriter, r *http.Request, client netip.Addr, local bool) bool
	// Client provides the client's files; if it is nil the page says that there are none.
	Client *Builder
	// Log receives events that an operator can do something about; required. Errors of strangers are logged
	// only at debug level, so that they cannot fill a log.
	Log *slog.Logger
	// Now is the wall clock; required.
	Now func() time.Time
	// Limits that differ from the defaults.
	Limits Limits
}

// Listener serves players' browsers. Its methods are for any goroutine.
type Listener struct {
	opt      Options
	limits   Limits
	proxies  proxies
	visitors *visitors
	certs    certificates
	site     *site
	content  contentFiles
	// loopback says that the address is a loopback address.
	loopback bool
	addr     netip.AddrPort

	http      *http.Server
	udp       *net.UDPConn
	packets   *packets
	transport *quic.Transport
	wt        *webtransport.Server

	// ctx ends the sessions and the accept loops.
	ctx    context.Context
	cancel context.CancelFunc
	// sessions are handlers that carry packets, loops the two accept loops and one goroutine for each QUIC connection, conns
	// the goroutines of TCP connections. Close awaits them in this order.
	sessions, loops, conns sync.WaitGroup
	// mu orders the start of a session and the end of the listener.
	mu     sync.Mutex
	closed bool
}

// Listen binds both sockets and starts to serve. The error is a *bind.Error if the address is at fault, and a
// *CertificateError if a file is.
func Listen(o Options) (*Listener, error) {
	switch {
	case o.Link == nil && o.Admin == nil || o.Log == nil || o.Now == nil:
		return nil, errors.New("web: Options need Link or Admin, Log and Now")
	case (o.Cert == "") != (o.Key == ""):
		return nil, errors.New("a TLS certificate needs both files, the certificate's and the key's; give both or neither")
	}
	limits, err := o.Limits.withDefaults()
	if err != nil {
		return nil, err
	}
	files, err := Page()
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	l := &Listener{opt: o, limits: limits, visitors: newVisitors(limits, o.Now)}
	l.proxies.set(o.TrustedProxy)
	if l.site, err = newSite(files); err != nil {
		return nil, err
	}
	if o.Cert != "" {
		l.certs, err = newFromFiles(o.Cert, o.Key, o.Now, o.Log)
	} else {
		l.certs, err = newSelfMade(o.Now)
	}
	if err != nil {
		return nil, err
	}
	var tcp *net.TCPListener
	var udp *net.UDPConn
	err = bind.Listen("TCP", o.Addr, o.Next, func(at string) (err error) {
		if tcp, err = bindTCP(at); err == nil && o.Link != nil {
			udp, err = bindUDP(tcp)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	l.addr = addrPort(tcp.Addr())
	l.loopback = l.addr.Addr().IsLoopback()
	l.ctx, l.cancel = context.WithCancel(context.Background())
	if udp != nil {
		l.udp, l.packets = udp, newPackets(udp, limits, o.Now)
		if err := l.serveQUIC(); err != nil {
			l.cancel()
			return nil, errors.Join(err, tcp.Close(), udp.Close())
		}
	}
	l.serveTCP(tcp)
	return l, nil
}

func bindTCP(at string) (*net.TCPListener, error) {
	ln, err := net.Listen("tcp", at)
	if err != nil {
		return nil, &bind.Error{Network: "TCP", Addr: at, Err: err}
	}
	return ln.(*net.TCPListener), nil
}

// bindUDP opens UDP on the port of a TCP listener, which it closes if that fails.
func bindUDP(tcp *net.TCPListener) (*net.UDPConn, error) {
	got := tcp.Addr().(*net.TCPAddr)
	network := "udp"
	if got.IP.IsUnspecified() && got.IP.To4() != nil {
		network = "udp4" // otherwise it would listen on IPv6, too, unlike TCP
	}
	udp, err := net.ListenUDP(network, &net.UDPAddr{IP: got.IP, Port: got.Port, Zone: got.Zone})
	if err != nil {
		return nil, errors.Join(&bind.Error{Network: "UDP", Addr: got.String(), Err: err}, tcp.Close())
	}
	return udp, nil
}

// Addr returns the address that the listener is bound to.
func (l *Listener) Addr() netip.AddrPort { return l.addr }

// Addrs returns URLs to open, the one for this machine first; if all addresses are bound, those of the
// machine's networks follow.
func (l *Listener) Addrs() []string {
	scheme := "http://"
	if l.opt.Cert != "" {
		scheme = "https://"
	}
	port := strconv.Itoa(int(l.addr.Port()))
	at := func(host string) string { return scheme + net.JoinHostPort(host, port) }
	ip := l.addr.Addr()
	switch {
	case ip == netip.AddrFrom4([4]byte{127, 0, 0, 1}):
		return []string{at("localhost")}
	case !ip.IsUnspecified():
		return []string{at(ip.String())}
	}
	urls := []string{at("localhost")}
	list, err := net.InterfaceAddrs()
	if err != nil {
		return urls // those found so far
	}
	for _, a := range list {
		n, ok := a.(*net.IPNet)
		if ok && n.IP.IsGlobalUnicast() && (n.IP.To4() != nil || !ip.Is4()) {
			urls = append(urls, at(n.IP.String()))
		}
	}
	return urls
}

// Hashes returns the SHA-256 hashes of the certificates of WebTransport that a browser may accept; none if they are from files.
func (l *Listener) Hashes() [][32]byte { return l.certs.hashes() }

// Counts returns how many sessions and connections are open, and what was refused since Listen.
func (l *Listener) Counts() (sessions, conns int, refused Refused) {
	sessions, conns, refused = l.visitors.counts()
	if l.packets != nil {
		refused.Packets = l.packets.refused.Load()
	}
	return sessions, conns, refused
}

// serveTCP starts the goroutine that accepts TCP connections.
func (l *Listener) serveTCP(tcp *net.TCPListener) {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true) // WebSocket needs it, and fewer protocols are fewer risks
	l.http = &http.Server{
		Handler: http.HandlerFunc(l.handle), Protocols: protocols, DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout: l.limits.ReadHeader, ReadTimeout: l.limits.ReadHeader, WriteTimeout: l.limits.Write, IdleTimeout: l.limits.Idle,
		MaxHeaderBytes: l.limits.HeaderBytes - headerSlack,
		ConnState:      l.count, ConnContext: carrier.ConnContext, BaseContext: func(net.Listener) context.Context { return l.ctx },
		ErrorLog: slog.NewLogLogger(l.opt.Log.Handler(), slog.LevelDebug),
	}
	var ln net.Listener = &door{TCPListener: tcp, visitors: l.visitors, proxies: &l.proxies, tls: l.opt.Cert != ""}
	if l.opt.Cert != "" {
		ln = tls.NewListener(ln, &tls.Config{
			MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return l.certs.current() },
		})
	}
	l.loops.Go(func() {
		if err := l.http.Serve(ln); l.ctx.Err() == nil {
			l.opt.Log.Error("web listener ended: " + err.Error() + "; restart the host")
		}
	})
}

// door accepts TCP connections and closes surplus ones.
type door struct {
	*net.TCPListener
	visitors *visitors
	proxies  *proxies
	tls      bool
}

// Accept waits for a connection that is admitted.
func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.AcceptTCP()
		if err != nil {
			return nil, err
		}
		a := addrPort(c.RemoteAddr()).Addr()
		proxy := d.proxies.trusts(a)
		if d.visitors.connect(a, proxy, d.tls) {
			return &conn{TCPConn: c, release: sync.OnceFunc(func() { d.visitors.disconnect(a, proxy) })}, nil
		}
		// A reset instead of a close: nothing remains in the kernel.
		_ = c.SetLinger(0)
		_ = c.Close()
	}
}

// conn is a connection that counts until it closes.
type conn struct {
	*net.TCPConn
	release func()
	slow    atomic.Bool
}

// The reading rate of a connection after Slow: at most slowBytes every slowEvery.
const (
	slowBytes = 64
	slowEvery = 10 * time.Millisecond
)

// Slow limits the rate at which the rest is read. Package carrier calls it for a session that ends by its
// peer's fault: the library keeps reading until the peer has answered the close frame, regardless of what comes
// before that.
func (c *conn) Slow() { c.slow.Store(true) }

// Read reads received data.
func (c *conn) Read(b []byte) (int, error) {
	if c.slow.Load() {
		time.Sleep(slowEvery)
		b = b[:min(len(b), slowBytes)]
	}
	return c.TCPConn.Read(b)
}

// Close closes the connection and stops counting it.
func (c *conn) Close() error {
	c.release()
	return c.TCPConn.Close()
}

// quietQUIC disables a message of quic-go about the kernel's buffers, which it writes to standard error.
const quietQUIC = "QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING"

// serveQUIC starts the goroutine that accepts QUIC connections.
func (l *Listener) serveQUIC() error {
	if os.Getenv(quietQUIC) == "" {
		if err := os.Setenv(quietQUIC, "true"); err != nil {
			return fmt.Errorf("web: %w", err)
		}
	}
	config := &tls.Config{
		MinVersion:     tls.VersionTLS13,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return l.certs.current() },
		// A resumed session would outlive the certificate whose hash admitted it.
		SessionTicketsDisabled: true,
	}
	l.transport = &quic.Transport{
		Conn: l.packets,
		// Always: a counted address must really be the sender's, otherwise strangers could lock others out by
		// forging theirs.
		VerifySourceAddress: func(net.Addr) bool { return true },
		ConnContext:         l.admitQUIC,
	}
	ln, err := l.transport.ListenEarly(http3.ConfigureTLSConfig(config), carrier.QUIC())
	if err != nil {
		return errors.Join(fmt.Errorf("web: QUIC: %w", err), l.transport.Close())
	}
	l.wt = &webtransport.Server{
		H3: &http3.Server{
			Handler: http.HandlerFunc(l.handleQUIC), MaxHeaderBytes: l.limits.HeaderBytes, IdleTimeout: l.limits.Idle,
			ConnContext: l.pend, Logger: slog.New(slog.DiscardHandler),
		},
		ReorderingTimeout: l.limits.ReadHeader,
		CheckOrigin:       func(*http.Request) bool { return true }, // handleQUIC has checked it
	}
	l.loops.Go(func() {
		for {
			c, err := ln.Accept(l.ctx)
			if err != nil {
				if l.ctx.Err() == nil {
					l.opt.Log.Error("web listener no longer accepts WebTransport:  " + err.Error() + "; restart the host")
				}
				_ = ln.Close() // the transport's Close reports errors
				return
			}
			l.loops.Go(func() { l.serveConn(c) })
		}
	})
	return nil
}

// SetTrustedProxy makes a list that of all requests from now on, as [Options].TrustedProxy. Any goroutine may call it.
func (l *Listener) SetTrustedProxy(list []netip.Prefix) { l.proxies.set(list) }

// errRefused makes quic-go refuse a connection.
var errRefused = errors.New("web: too many connections")

// admitQUIC counts a QUIC connection before it costs anything except the check of its address.
func (l *Listener) admitQUIC(ctx context.Context, info *quic.ClientInfo) (context.Context, error) {
	a := addrPort(info.RemoteAddr).Addr()
	proxy := l.proxies.trusts(a)
	if !l.visitors.mayUpgrade(a) || !l.visitors.connect(a, proxy, true) {
		return nil, errRefused
	}
	// quic-go ends ctx when the connection or its handshake has ended.
	context.AfterFunc(ctx, func() { l.visitors.disconnect(a, proxy) })
	return ctx, nil
}

// pendingKey is the key, in a QUIC connection's context, of the timer that ends it.
type pendingKey struct{}

// pend is the http3.Server's ConnContext. It closes a connection on which no session starts in time: HTTP/3 has
// no timeout of its own for a missing request.
func (l *Listener) pend(ctx context.Context, c *quic.Conn) context.Context {
	timer := time.AfterFunc(l.limits.ReadHeader, func() {
		_ = c.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeExcessiveLoad), "no session was requested")
	})
	context.AfterFunc(c.Context(), func() { timer.Stop() })
	return context.WithValue(carrier.QUICConnContext(ctx, c), pendingKey{}, timer)
}

// serveConn serves a QUIC connection until it has ended.
func (l *Listener) serveConn(c *quic.Conn) {
	if err := l.wt.ServeQUICConn(c); err != nil {
		_ = c.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeInternalError), "")
	}
}

// begin counts a session that starts, and reports whether it may start; l.sessions.Done ends it.
func (l *Listener) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.sessions.Add(1)
	return true
}

// Close ends all sessions, which are notified, and all connections, and waits for their goroutines, at most
// about a second. Later calls do nothing.
func (l *Listener) Close() error {
	l.mu.Lock()
	closed := l.closed
	l.closed = true
	l.mu.Unlock()
	if closed {
		return nil
	}
	l.cancel()
	l.sessions.Wait()
	var err error
	if l.wt != nil {
		err = l.wt.Close()
	}
	err = errors.Join(err, l.http.Close())
	if l.udp != nil {
		err = errors.Join(err, l.transport.Close(), l.udp.Close())
	}
	l.loops.Wait()
	l.conns.Wait()
	if _, _, no := l.Counts(); no != (Refused{}) {
		l.opt.Log.Info("web listener refused what was too much or came from other pages", "connections", no.Connections, "handshakes", no.Handshakes,
			"requests", no.Requests, "upgrades", no.Upgrades, "sessions", no.Pipes, "origins", no.Origins, "packets", no.Packets)
	}
	return err
}

// count is the http.Server's ConnState: it lets Close wait for the goroutines of connections. An upgraded
// connection counts as a session from then on.
func (l *Listener) count(_ net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew:
		l.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		l.conns.Done()
	case http.StateActive, http.StateIdle:
	}
}
