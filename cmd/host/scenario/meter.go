package scenario

import (
	"fmt"
	"time"

	"github.com/tidelock/tidelock/netcode/link"
	netserver "github.com/tidelock/tidelock/netcode/server"
)

// probe is a server's link that counts what is handed to it, by connection.
type probe struct {
	link.Link
	net   *network
	conns map[link.Conn]*meter
	h     link.Handler
}

// Poll implements link.Link.
func (t *probe) Poll(now time.Duration, h link.Handler) {
	t.h = h
	t.Link.Poll(now, t)
}

// Opened implements link.Handler.
func (t *probe) Opened(c link.Conn) {
	m := &meter{Conn: c, net: t.net.server}
	t.conns[c] = m
	t.net.metered = append(t.net.metered, m)
	var of guest
	for _, k := range t.net.guests {
		if k.at.line != nil && k.at.line.leadsTo(c) {
			of = k
			k.at.line.introduce(c)
		}
	}
	t.h.Opened(m)
	m.conn, _ = m.user.(*netserver.Conn)
	if of.at != nil {
		of.at.conn = m
		of.c.budget()
	}
}

// Message implements link.Handler.
func (t *probe) Message(c link.Conn, b []byte) { t.h.Message(t.conns[c], b) }

// Datagram implements link.Handler.
func (t *probe) Datagram(c link.Conn, b []byte) { t.h.Datagram(t.conns[c], b) }

// Closed implements link.Handler.
func (t *probe) Closed(c link.Conn, why link.Reason) {
	m := t.conns[c]
	m.closed = true
	delete(t.conns, c)
	t.h.Closed(m, why)
}

// meter is a connection of a server that counts the payload handed to it.
type meter struct {
	link.Conn
	net                 *netserver.Server
	conn                *netserver.Conn
	user                any
	messages, datagrams uint64
	closed              bool
}

// Send implements link.Conn.
func (m *meter) Send(b []byte) error {
	err := m.Conn.Send(b)
	if err == nil {
		m.messages += uint64(len(b))
	}
	return err
}

// SendDatagram implements link.Conn.
func (m *meter) SendDatagram(b []byte) error {
	err := m.Conn.SendDatagram(b)
	if err == nil {
		m.datagrams += uint64(len(b))
	}
	return err
}

// Close implements link.Conn.
func (m *meter) Close(why link.Reason) {
	m.closed = true
	m.Conn.Close(why)
}

// SetUser and User implement link.Conn.
func (m *meter) SetUser(v any) { m.user = v }

// User is what SetUser kept.
func (m *meter) User() any { return m.user }

// audit compares what was counted by variable, function and class with what was handed over, and that with what
// the link says it carried (R13.1).
func (m *meter) audit() []string {
	var out []string
	differ := func(what string, have, want uint64, of string) {
		if have != want {
			out = append(out, fmt.Sprintf("R13.1: %s: %s are %d bytes, but %s are %d", m.conn, what, have, of, want))
		}
	}
	st := m.Stats()
	differ("variables, functions and the rest, added up,", m.conn.Traffic.Payload(), m.messages+m.datagrams, "what was handed to the link")
	differ("datagrams that the link counts", st.DatagramBytesOut, m.datagrams, "those handed to it")
	switch {
	case st.MessageBytesOut > m.messages:
		differ("messages that the link counts", st.MessageBytesOut, m.messages, "those handed to it")
	case !m.closed && st.Unacked == 0: // otherwise some may wait, or never go
		differ("messages that the link counts", st.MessageBytesOut, m.messages, "those handed to it")
	}
	return out
}
