//go:build !js

package carrier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/coder/websocket"

	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/throttle"
)

// connKey is the key of ConnContext's value.
type connKey struct{}

// ConnContext returns a value for http.Server.ConnContext: it lets ServeWebSocket reach the request's connection
// through Options.Context. Without it the kernel's send buffer is not bounded, so packets can be seconds old when
// they are sent, and a hostile peer can hold an ending session for ten seconds instead of one.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// AcceptOptions returns options for websocket.Accept: no compression, because packets are encrypted; few answers to
// pings, and few pings and pongs read at all; and origins, as in websocket.AcceptOptions.OriginPatterns, in
// addition to the request's own host. Call it for each request: the options hold its counters.
func AcceptOptions(now func() time.Time, origins []string) *websocket.AcceptOptions {
	c := newControlFrames(now)
	return &websocket.AcceptOptions{
		CompressionMode: websocket.CompressionDisabled, OriginPatterns: origins, OnPingReceived: c.ping, OnPongReceived: c.pong,
	}
}

// controlFrames bounds the cost of pings and pongs. Its methods are called on the reader's goroutine only.
type controlFrames struct {
	now            func() time.Time
	start          time.Time
	read, answered throttle.Bucket
}

func newControlFrames(now func() time.Time) *controlFrames {
	return &controlFrames{now: now, start: now()}
}

// ping reports whether a ping is answered.
func (c *controlFrames) ping(ctx context.Context, b []byte) bool {
	c.pong(ctx, b)
	return c.answered.Take(c.now().Sub(c.start), pongs, 2*pongs)
}

// pong delays the reader after too many pongs; ctx ends with the session.
func (c *controlFrames) pong(ctx context.Context, _ []byte) {
	if c.read.Take(c.now().Sub(c.start), controls, 2*controls) {
		return
	}
	rest, cancel := context.WithTimeout(ctx, controlRest)
	defer cancel()
	<-rest.Done()
}

// ServeWebSocket carries a link's packets over c until the session ends, and blocks until it has released
// everything; c is closed then. remote is the peer's real address, to which the link's limits apply. The error
// describes the peer's fault, or unusable options or link; nil when either side ended the session in an orderly way
// or the peer was lost.
func ServeWebSocket(l Link, c *websocket.Conn, remote netip.AddrPort, o Options) error {
	if err := o.check(); err != nil {
		return errors.Join(err, c.CloseNow())
	}
	conn, _ := o.Context.Value(connKey{}).(net.Conn)
	w := newSocket(c, conn)
	err := accept(l, w, remote, o)
	w.cancel()
	_ = c.CloseNow() // its errors are those of a connection that has ended
	return err
}

// accept serves a session over a server's wire.
func accept(l Link, w wire, remote netip.AddrPort, o Options) error {
	s := newSession(&o)
	var err error
	if s.pipe, err = l.Pipe(remote, s); err != nil {
		w.cut() // without a closing handshake, for which somebody would have to read
		return fmt.Errorf("carrier: session from %v: %w", remote, err)
	}
	if o.Foreign {
		s.pipe.Foreign()
	}
	s.serve(o.Context, w)
	s.close()
	if s.end.orderly() {
		return nil
	}
	return fmt.Errorf("carrier: session from %v ended: %w", remote, s.end.why)
}

// socket is the wire of a WebSocket.
//
// While a session ends somebody must read, because the library waits for the peer's close frame there. So the
// reader continues until it fails.
type socket struct {
	c *websocket.Conn
	// conn is the TCP connection, nil if it cannot be reached.
	conn net.Conn
	// rest is the remainder of a message that was too long.
	rest io.Reader
	// ctx is cancelled by cut, which makes the library close the connection.
	ctx    context.Context
	cancel context.CancelFunc
}

func newSocket(c *websocket.Conn, conn net.Conn) *socket {
	for {
		inner, ok := conn.(interface{ NetConn() net.Conn }) // TLS
		if !ok {
			break
		}
		conn = inner.NetConn()
	}
	if sc, ok := conn.(syscall.Conn); ok {
		bufferLittle(sc)
	}
	c.SetReadLimit(-1) // read has its own limit, with a specific reason
	ctx, cancel := context.WithCancel(context.Background())
	return &socket{c: c, conn: conn, ctx: ctx, cancel: cancel}
}

func (w *socket) read(buf []byte) (int, error) {
	if w.rest != nil {
		if _, err := io.Copy(io.Discard, w.rest); err != nil {
			return 0, err
		}
		w.rest = nil
	}
	typ, r, err := w.c.Reader(w.ctx)
	if err != nil {
		return 0, err
	}
	if typ != websocket.MessageBinary {
		w.rest = r
		return 0, &violation{ending{status: statusText, why: link.Reason{Code: "malformed", Text: "a text message came; packets are binary messages"}}}
	}
	n := 0
	for n < len(buf) && err == nil {
		var m int
		m, err = r.Read(buf[n:])
		n += m
	}
	switch {
	case err == nil:
		w.rest = r
		return 0, tooBig()
	case !errors.Is(err, io.EOF):
		return 0, err
	case n > link.MaxPacket:
		return 0, tooBig()
	}
	return n, nil
}

func tooBig() error {
	return &violation{ending{status: statusTooBig, why: link.Reason{Code: "malformed", Text: fmt.Sprintf("a message is longer than %d bytes, the maximum of a packet", link.MaxPacket)}}}
}

func (w *socket) write(b []byte) error { return w.c.Write(w.ctx, websocket.MessageBinary, b) }

// finish sends the close frame after everything else and waits for the peer's. If the peer is at fault, the
// listener's connection is asked to read slowly, if it can: otherwise the library would read everything that a
// flood still holds.
func (w *socket) finish(e ending) {
	if c, ok := w.conn.(interface{ Slow() }); ok && !e.orderly() {
		c.Slow()
	}
	_ = w.c.Close(websocket.StatusCode(e.status), e.line()) // the peer is gone, or knows the reason
}

func (w *socket) cut() {
	w.cancel()
	if w.conn != nil {
		_ = w.conn.Close()
	}
}
