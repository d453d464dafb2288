//go:build !js

package carrier

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"

	"github.com/tidelock/tidelock/netcode/link"
)

// Via names the carrier of a connection's packets.
type Via string

// The carriers. UDP is kcplink's own socket and does not use this package.
const (
	UDP          Via = "udp"
	WebTransport Via = "wt"
	WebSocket    Via = "ws"
)

// ParseVia reads one of the constants.
func ParseVia(s string) (Via, error) {
	switch v := Via(s); v {
	case UDP, WebTransport, WebSocket:
		return v, nil
	}
	return "", fmt.Errorf("%q carries no packets, expected %s (UDP), %s (WebTransport) or %s (WebSocket)", s, UDP, WebTransport, WebSocket)
}

// Target is where to dial.
type Target struct {
	// Via is WebTransport or WebSocket.
	Via Via
	// Host is the name or address of the host's web listener with a port, such as example.org:7780.
	Host string
	// TLS is set if the web listener uses https and wss, with a certificate that Roots trust.
	TLS bool
	// Roots are trusted instead of the system's roots; nil means those.
	Roots *x509.CertPool
	// Now is the wall clock; required.
	Now func() time.Time
	// Timeout bounds dialling, default 10 s.
	Timeout time.Duration
	// Idle is how long a session lasts that receives no packet, or cannot send one, default 15 s.
	Idle time.Duration
	// Counters to count in; nil means the session's own.
	Counters *Counters
}

// Dial begins to dial a session and returns at once with its pipe, over which the link can dial, too. Until the
// session is open only the newest packet is kept; the link repeats its HELLO. If dialling fails the pipe breaks
// with the reason "unreachable", whose text is one line with the URL and the cause. The error concerns the target
// or the link, never the network. The session ends by Close, by the link, or with the peer.
func Dial(l Link, t Target) (*Session, error) {
	switch t.Via {
	case WebTransport, WebSocket:
	case UDP:
		return nil, errors.New("carrier: udp needs no carrier: dial the address with the link itself")
	default:
		_, err := ParseVia(string(t.Via))
		return nil, fmt.Errorf("carrier: %w", err)
	}
	if _, port, err := net.SplitHostPort(t.Host); err != nil || port == "" {
		return nil, fmt.Errorf("carrier: %q is not a host with a port, such as example.org:7780", t.Host)
	}
	if _, err := url.Parse("http://" + t.Host + "/"); err != nil {
		return nil, fmt.Errorf("carrier: %q is not a host with a port, such as example.org:7780", t.Host)
	}
	if t.Timeout < 0 {
		return nil, fmt.Errorf("carrier: Target.Timeout is %v, it may not be negative", t.Timeout)
	}
	if t.Timeout == 0 {
		t.Timeout = defaultDial
	}
	o := Options{Now: t.Now, Idle: t.Idle, Counters: t.Counters}
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Admission = 0
	s := newSession(&o)
	remote, err := netip.ParseAddrPort(t.Host)
	if err != nil {
		remote = netip.AddrPort{} // a name, which the link does not resolve
	}
	if s.pipe, err = l.Pipe(remote, s); err != nil {
		return nil, fmt.Errorf("carrier: dial %s: %w", t.Host, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), t.Timeout)
	s.mu.Lock()
	s.stop = cancel
	if s.isEnding() { // the link was closed meanwhile
		cancel()
	}
	s.mu.Unlock()
	go s.dial(ctx, &t)
	return s, nil
}

// dial is the goroutine of a client's session: Dial starts it, the session's end stops it, and Done waits for it.
func (s *Session) dial(ctx context.Context, t *Target) {
	defer s.close()
	defer s.stop()
	var w wire
	var err error
	if t.Via == WebSocket {
		w, err = t.dialWebSocket(ctx)
	} else {
		w, err = t.dialWebTransport(ctx)
	}
	if err != nil {
		if ctx.Err() == context.DeadlineExceeded {
			err = fmt.Errorf("%w (no session within %v)", err, t.Timeout)
		}
		s.finish(ending{why: link.Reason{Code: "unreachable", Text: oneLine(err.Error())}, gone: true})
		return
	}
	defer w.cut()
	s.serve(context.Background(), w)
}

// url returns a URL of the web listener; scheme is the one without TLS.
func (t *Target) url(scheme, path string) *url.URL {
	if t.TLS {
		scheme += "s"
	}
	return &url.URL{Scheme: scheme, Host: t.Host, Path: path}
}

// client returns a client for one request, and its newest connection.
func (t *Target) client() (*http.Client, *atomic.Pointer[net.Conn]) {
	conn := new(atomic.Pointer[net.Conn])
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := new(net.Dialer).DialContext(ctx, network, addr)
			if err == nil {
				conn.Store(&c)
			}
			return c, err
		},
		TLSClientConfig:        &tls.Config{RootCAs: t.Roots},
		MaxResponseHeaderBytes: maxHeader,
	}}, conn
}

func (t *Target) dialWebSocket(ctx context.Context) (wire, error) {
	at := t.url("ws", WebSocketPath)
	client, conn := t.client()
	defer client.CloseIdleConnections()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	control := newControlFrames(t.Now)
	c, resp, err := websocket.Dial(ctx, at.String(), &websocket.DialOptions{
		HTTPClient: client, CompressionMode: websocket.CompressionDisabled, OnPingReceived: control.ping, OnPongReceived: control.pong,
	})
	switch {
	case err == nil:
		return newSocket(c, *conn.Load()), nil
	case resp != nil && resp.StatusCode != http.StatusSwitchingProtocols:
		return nil, fmt.Errorf("%s: the answer is %s, expected a WebSocket; is this the web address of a host?", at, resp.Status)
	}
	return nil, fmt.Errorf("%s: %w", at, causeOf(err))
}

func (t *Target) dialWebTransport(ctx context.Context) (wire, error) {
	info, from, err := t.fetch(ctx)
	if err != nil {
		return nil, err
	}
	base := t.url("http", InfoPath)
	at, hashes, err := info.locate(base)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", base, err)
	}
	w, err := t.dialSession(ctx, at, hashes, from)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, causeOf(err))
	}
	return w, nil
}

// dialSession dials the address from which join.json was read: of the several addresses of a name, the one that
// answers.
func (t *Target) dialSession(ctx context.Context, at *url.URL, hashes [][sha256.Size]byte, from net.Addr) (wire, error) {
	port := at.Port()
	if port == "" {
		port = "443"
	}
	addr := net.JoinHostPort(at.Hostname(), port)
	if tcp, ok := from.(*net.TCPAddr); ok {
		addr = net.JoinHostPort((&net.IPAddr{IP: tcp.IP, Zone: tcp.Zone}).String(), port)
	}
	conf := &tls.Config{RootCAs: t.Roots, ServerName: at.Hostname(), NextProtos: []string{http3.NextProtoH3}, MinVersion: tls.VersionTLS13}
	if len(hashes) > 0 {
		conf.InsecureSkipVerify = true // replaced by:
		conf.VerifyPeerCertificate = func(raw [][]byte, _ [][]*x509.Certificate) error { return checkHash(raw, hashes, t.Now()) }
	}
	quicConf := QUIC()
	quicConf.MaxIncomingStreams = -1 // servers open none
	conn, err := quic.DialAddr(ctx, addr, conf, quicConf)
	if err != nil {
		return nil, err
	}
	end := func() { _ = conn.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), "") }
	stop := context.AfterFunc(ctx, end) // reading the response ignores the context
	var tr webtransport.Transport
	c, err := tr.NewClientConn(conn)
	if err != nil {
		end()
		return nil, err
	}
	resp, s, err := c.Dial(ctx, at.String(), nil)
	switch {
	case err != nil && resp != nil:
		err = fmt.Errorf("the answer is status %d, expected a session of WebTransport", resp.StatusCode)
	case err == nil && !stop():
		err = ctx.Err()
	}
	if err != nil {
		end()
		<-conn.Context().Done()
		return nil, err
	}
	return newDatagrams(s, conn), nil
}

// checkHash accepts exactly the certificates that join.json announces, while they are valid.
func checkHash(raw [][]byte, hashes [][sha256.Size]byte, now time.Time) error {
	if len(raw) == 0 {
		return errors.New("the host has no certificate")
	}
	got := sha256.Sum256(raw[0])
	if !slices.Contains(hashes, got) {
		return fmt.Errorf("the certificate (SHA-256 %s) is none of those that the host's join.json announces: see that nothing else answers on that UDP port, or use ws", base64.StdEncoding.EncodeToString(got[:]))
	}
	c, err := x509.ParseCertificate(raw[0])
	if err != nil {
		return err
	}
	if now.Before(c.NotBefore) || now.After(c.NotAfter) {
		return fmt.Errorf("the certificate is valid from %s to %s, and here it is %s: set both clocks right", c.NotBefore.UTC().Format(time.RFC3339), c.NotAfter.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	return nil
}

// causeOf returns the innermost error of a library's error, without its repetitions of the URL.
func causeOf(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	var q *quic.TransportError
	if errors.As(err, &q) && q.ErrorCode.IsCryptoError() && !q.Remote {
		for _, inner := range q.Unwrap() {
			if inner != nil && !errors.Is(inner, net.ErrClosed) {
				return errors.New(strings.TrimPrefix(inner.Error(), "tls: "))
			}
		}
	}
	return err
}
