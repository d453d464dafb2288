package kcplink

import (
	"encoding/binary"
	"fmt"
)

// A query asks a server to describe itself, without joining. It needs a cookie, so the answer goes only where the asker
// receives; and it is as long as the longest answer, so that no answer of the gate is longer than its question.
//
//	query     9 | nonce 8 | cookie 20 | zeros to 1000
//	info      10 | nonce 8 | text, at most 991
const (
	querySize  = helloSize
	infoHeader = 1 + 8
	// MaxInfo is how long a description may be, in bytes.
	MaxInfo = querySize - infoHeader
	// queriesPerAddress and queriesMost, per second: answered queries, with bursts of twice and once that number.
	// Beyond: dropped. All answers together are at most 200 kB/s.
	queriesPerAddress, queriesMost = 5, 200
)

// SetInfo sets the description that queries are answered with, at most MaxInfo bytes; nil answers none, as at first. It
// is copied. Only a link with a Server answers.
func (l *Link) SetInfo(text []byte) error {
	if len(text) > MaxInfo {
		return fmt.Errorf("kcplink: a description of %d bytes; at most %d fit an answer to a query", len(text), MaxInfo)
	}
	l.info = append(l.info[:0], text...)
	return nil
}

// onQuery answers a query. Nothing is remembered but counters and buckets of fixed size.
func (l *Link) onQuery(p *packet) {
	if !serves || l.server == nil || p.n < querySize {
		l.count.Malformed++
		return
	}
	if !l.cookies.valid(p.b[infoHeader:][:rawCookie], p.from.AddrPort, l.now) {
		l.count.BadCookies++
		return
	}
	if len(l.info) == 0 || !l.queries.take(p.from.Addr(), l.now, queriesPerAddress, queriesMost) {
		l.count.QueriesDropped++
		return
	}
	o := l.newOut(p.from)
	b := append(o.b[:0], typeInfo)
	b = append(b, p.b[1:infoHeader]...)
	b = append(b, l.info...)
	l.queueOut(o, len(b))
	l.count.Queries++
}

// Query is one question to a server, as packets; sockets and time are the caller's.
//
//	q := kcplink.Query{Nonce: random}
//	send q.Hello(); on a packet b of the server: if answer := q.Receive(b); answer != nil, send it
//	until q.Info() is not nil
//
// Repeat the last packet sent while no packet comes.
type Query struct {
	// Nonce recognizes the answer to this question; it should be random.
	Nonce uint64
	info  []byte
}

// Hello returns the first packet: it requests a cookie.
func (q *Query) Hello() []byte {
	b := make([]byte, helloSize)
	b[0] = typeHello
	n := 1 + copy(b[1:], magic)
	b[n] = Version
	return b
}

// Receive takes a packet from the server's address. It returns the packet to send next: the question itself, after a
// cookie; nil for none. Other packets are ignored.
func (q *Query) Receive(p []byte) (send []byte) {
	switch {
	case q.info != nil:
	case len(p) == cookieSize && p[0] == typeCookie:
		b := make([]byte, querySize)
		b[0] = typeQuery
		binary.BigEndian.PutUint64(b[1:], q.Nonce)
		copy(b[infoHeader:], p[1:])
		return b
	case len(p) > infoHeader && len(p) <= querySize && p[0] == typeInfo && binary.BigEndian.Uint64(p[1:]) == q.Nonce:
		q.info = append([]byte(nil), p[infoHeader:]...)
	}
	return nil
}

// Info returns the server's description, nil before the answer. It is a stranger's text.
func (q *Query) Info() []byte { return q.info }
