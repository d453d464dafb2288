package rig

import (
	"time"

	"github.com/tidelock/tidelock/netcode/link"
)

// Tap receives everything that the server passes to its links: conn is the connection's number in its link, b is
// valid during the call. It runs on the sending goroutine.
type Tap func(conn uint64, reliable bool, b []byte)

// tapped is a link whose connections report what is sent.
type tapped struct {
	link.Link
	tap Tap
}

// tappedConn is one of its connections.
type tappedConn struct {
	link.Conn
	tap Tap
}

// Poll implements link.Link.
func (t tapped) Poll(now time.Duration, h link.Handler) {
	t.Link.Poll(now, &tappedHandler{h, t.tap, nil})
}

// tappedHandler passes the wrapped connections to the server. The link stores the server's value for a connection
// in the connection itself; the wrapper has no other state, so a new one is as good as the first.
type tappedHandler struct {
	link.Handler
	tap  Tap
	conn *tappedConn
}

func (h *tappedHandler) wrap(c link.Conn) link.Conn {
	if h.conn == nil || h.conn.Conn != c {
		h.conn = &tappedConn{c, h.tap}
	}
	return h.conn
}

// Opened implements link.Handler.
func (h *tappedHandler) Opened(c link.Conn) { h.Handler.Opened(h.wrap(c)) }

// Message implements link.Handler.
func (h *tappedHandler) Message(c link.Conn, b []byte) { h.Handler.Message(h.wrap(c), b) }

// Datagram implements link.Handler.
func (h *tappedHandler) Datagram(c link.Conn, b []byte) { h.Handler.Datagram(h.wrap(c), b) }

// Closed implements link.Handler.
func (h *tappedHandler) Closed(c link.Conn, why link.Reason) { h.Handler.Closed(h.wrap(c), why) }

// Send implements link.Conn.
func (c *tappedConn) Send(b []byte) error {
	c.tap(c.ID(), true, b)
	return c.Conn.Send(b)
}

// SendDatagram implements link.Conn.
func (c *tappedConn) SendDatagram(b []byte) error {
	c.tap(c.ID(), false, b)
	return c.Conn.SendDatagram(b)
}
