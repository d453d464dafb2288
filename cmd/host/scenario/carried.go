package scenario

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"

	"github.com/tidelock/tidelock/netcode/carrier"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

// carried is a passage over a WebSocket or a session of WebTransport on 127.0.0.1. The simulated line is
// between the links and the carrier at both ends, so that even a WebSocket loses packets.
type carried struct {
	via      carrier.Via
	up, down *ferry
	session  *carrier.Session

	web   *http.Server
	wt    *webtransport.Server
	tcp   net.Listener
	udp   net.PacketConn
	stop  context.CancelFunc
	ctx   context.Context
	serve sync.WaitGroup // the servers
	live  sync.WaitGroup // their sessions
}

// ferry is one direction: it is between a link and its carrier.
type ferry struct {
	link *kcplink.Link

	mu      sync.Mutex
	inner   kcplink.Carrier // nil before there is a session
	line    *impair.Line[[]byte]
	waiting [][]byte // taken since the last poll
	ending  *link.Reason
	cut     bool
	took    uint64
	gave    uint64
}

var (
	_ carrier.Link    = (*ferry)(nil)
	_ kcplink.Carrier = (*ferry)(nil)
)

// Pipe implements carrier.Link.
func (f *ferry) Pipe(remote netip.AddrPort, c kcplink.Carrier) (*kcplink.Pipe, error) {
	f.mu.Lock()
	f.inner = c
	f.mu.Unlock()
	return f.link.Pipe(remote, f)
}

// Send implements kcplink.Carrier.
func (f *ferry) Send(b []byte) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = append(f.waiting, bytes.Clone(b))
	f.took++
	return true
}

// Close implements kcplink.Carrier: the session ends when the line has passed on everything sent before.
func (f *ferry) Close(why link.Reason) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ending == nil {
		f.ending = &why
	}
}

func (f *ferry) poll(now time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, b := range f.waiting {
		f.waiting[i] = nil
		f.line.Put(now, b, len(b))
	}
	f.waiting = f.waiting[:0]
	for b, ok := f.line.Get(now); ok; b, ok = f.line.Get(now) {
		if !f.cut && f.inner != nil && f.inner.Send(b) {
			f.gave++
		}
	}
	if f.ending != nil && f.inner != nil && f.line.Travelling() == 0 {
		f.inner.Close(*f.ending)
	}
}

func (f *ferry) setRule(r impair.Rule) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.line.SetRule(r)
}

func (f *ferry) stopAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cut = true
}

func (f *ferry) counts() (took, gave uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.took, f.gave
}

// newCarried listens for one client's session with a server.
func newCarried(via carrier.Via, server *kcplink.Link, up, down impair.Rule, seed uint64) (passage, error) {
	c := &carried{
		via: via, up: &ferry{line: impair.NewLine[[]byte](up, seed)},
		down: &ferry{link: server, line: impair.NewLine[[]byte](down, seed+1)},
	}
	c.ctx, c.stop = context.WithCancel(context.Background())
	if err := c.listen(); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *carried) listen() error {
	var err error
	if c.tcp, err = net.Listen("tcp", loopback); err != nil {
		return err
	}
	mux := http.NewServeMux()
	info := carrier.Info{Version: carrier.InfoVersion}
	if c.via == carrier.WebSocket {
		info.WS = carrier.WebSocketPath
		mux.HandleFunc(carrier.WebSocketPath, c.webSocket)
	} else {
		if info.WT, err = c.listenQUIC(); err != nil {
			return err
		}
	}
	said, err := json.Marshal(info)
	if err != nil {
		return err
	}
	mux.HandleFunc(carrier.InfoPath, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(said) }) // the client may have left
	c.web = &http.Server{Handler: mux, ConnContext: carrier.ConnContext, BaseContext: func(net.Listener) context.Context { return c.ctx }}
	c.serve.Go(func() { _ = c.web.Serve(c.tcp) }) // ends by close, awaited there
	return nil
}

// listenQUIC begins to serve WebTransport with a certificate of its own.
func (c *carried) listenQUIC() (*carrier.WTInfo, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	t := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	if c.udp, err = net.ListenPacket("udp", loopback); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	conf := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS13}
	c.wt = &webtransport.Server{H3: &http3.Server{
		TLSConfig: http3.ConfigureTLSConfig(conf), Handler: mux, QUICConfig: carrier.QUIC(), ConnContext: carrier.QUICConnContext,
	}}
	mux.HandleFunc(carrier.WebTransportPath, c.webTransport)
	c.serve.Go(func() { _ = c.wt.Serve(c.udp) }) // ends by close, awaited there
	sum := sha256.Sum256(der)
	return &carrier.WTInfo{
		URL: "https://" + c.udp.LocalAddr().String() + carrier.WebTransportPath, Hashes: []string{base64.StdEncoding.EncodeToString(sum[:])},
	}, nil
}

func (c *carried) webSocket(w http.ResponseWriter, r *http.Request) {
	c.live.Add(1)
	defer c.live.Done()
	s, err := websocket.Accept(w, r, carrier.AcceptOptions(time.Now, nil))
	if err != nil {
		return // the client receives the error
	}
	_ = carrier.ServeWebSocket(c.down, s, remoteOf(r), c.options(r.Context())) // the links report losses
}

func (c *carried) webTransport(w http.ResponseWriter, r *http.Request) {
	c.live.Add(1)
	defer c.live.Done()
	s, err := c.wt.Upgrade(w, r)
	if err != nil {
		return // the client receives the error
	}
	_ = carrier.ServeWebTransport(c.down, s, remoteOf(r), c.options(c.ctx)) // the links report losses
}

// options leave the timeout of silent peers to the links, where scenarios set it.
func (c *carried) options(ctx context.Context) carrier.Options {
	return carrier.Options{Context: ctx, Now: time.Now, Admission: time.Hour, Idle: time.Hour}
}

func remoteOf(r *http.Request) netip.AddrPort {
	a, _ := netip.ParseAddrPort(r.RemoteAddr) // both servers use this form
	return a
}

func (c *carried) dial(l *kcplink.Link, options string) error {
	c.up.link = l
	var err error
	c.session, err = carrier.Dial(c.up, carrier.Target{Via: c.via, Host: c.tcp.Addr().String(), Now: time.Now, Timeout: time.Minute, Idle: time.Hour})
	if err != nil {
		return err
	}
	// What is sent before the session exists would be lost, but only the line may lose packets.
	for look := time.NewTicker(time.Millisecond); c.session.Counters().Sessions.Load() == 0; {
		select {
		case <-look.C:
			continue
		case <-c.session.Done():
			return fmt.Errorf("no session by %s to %s of this machine", c.via, c.tcp.Addr())
		}
	}
	_, err = l.Dial(kcplink.Dial{Pipe: c.session.Pipe(), Options: options})
	return err
}

func (c *carried) poll(now time.Duration) {
	c.up.poll(now)
	c.down.poll(now)
}

func (c *carried) setRules(up, down impair.Rule) {
	c.up.setRule(up)
	c.down.setRule(down)
}

func (c *carried) cut() {
	c.up.stopAll()
	c.down.stopAll()
}

func (c *carried) took() (up, down uint64) {
	up, _ = c.up.counts()
	down, _ = c.down.counts()
	return up, down
}

func (c *carried) gave() (up, down uint64) {
	_, up = c.up.counts()
	_, down = c.down.counts()
	return up, down
}

func (c *carried) String() string { return fmt.Sprintf("by %s, to %s", c.via, c.tcp.Addr()) }

// close ends the rest of the session and the servers, and waits for that.
func (c *carried) close() error {
	if c.session != nil {
		c.session.Close(link.Reason{Code: "closed", Text: "the run is over"})
		<-c.session.Done()
	}
	c.stop()
	c.live.Wait()
	var err error
	if c.web != nil {
		err = c.web.Close()
	} else if c.tcp != nil {
		err = c.tcp.Close()
	}
	if c.udp != nil {
		err = errors.Join(err, c.udp.Close())
	}
	c.serve.Wait()
	if c.wt != nil {
		err = errors.Join(err, c.wt.Close())
	}
	return err
}
