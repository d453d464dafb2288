//go:build !js

package carrier

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"

	"github.com/tidelock/tidelock/netcode/link"
)

// quicKey is the key of QUICConnContext's value.
type quicKey struct{}

// QUICConnContext returns a value for http3.Server.ConnContext that ServeWebTransport needs: a session's QUIC
// connection must end with the session, or a peer could keep it.
func QUICConnContext(ctx context.Context, c *quic.Conn) context.Context {
	return context.WithValue(ctx, quicKey{}, c)
}

// ServeWebTransport is ServeWebSocket for a session of WebTransport. The session's QUIC connection ends with it,
// and the HTTP/3 server must have been created with QUIC and QUICConnContext.
func ServeWebTransport(l Link, s *webtransport.Session, remote netip.AddrPort, o Options) error {
	conn, ok := s.Context().Value(quicKey{}).(*quic.Conn)
	err := o.check()
	if !ok {
		err = errors.Join(err, errors.New("carrier: the QUIC connection cannot be reached: set http3.Server.ConnContext to carrier.QUICConnContext"))
	}
	if err != nil {
		return errors.Join(err, s.CloseWithError(statusAway, "the server is not set up"))
	}
	w := newDatagrams(s, conn)
	defer w.cut()
	return accept(l, w, remote, o)
}

// datagrams is the wire of WebTransport.
type datagrams struct {
	s    *webtransport.Session
	conn *quic.Conn
	// ctx is cancelled by cut.
	ctx    context.Context
	cancel context.CancelFunc
}

func newDatagrams(s *webtransport.Session, conn *quic.Conn) *datagrams {
	ctx, cancel := context.WithCancel(context.Background())
	return &datagrams{s: s, conn: conn, ctx: ctx, cancel: cancel}
}

// read ignores empty datagrams, which finish sends.
func (w *datagrams) read(buf []byte) (int, error) {
	b, err := w.s.ReceiveDatagram(w.ctx)
	if err != nil {
		return 0, w.cause(err)
	}
	if len(b) > link.MaxPacket {
		return 0, tooBig()
	}
	return copy(buf, b), nil
}

// cause returns the reason that the peer gave when it ended the session, which only the streams' errors contain, or
// else err.
func (w *datagrams) cause(err error) error {
	select {
	case <-w.s.Context().Done():
	case <-w.ctx.Done():
	case <-w.conn.Context().Done():
	}
	now, cancel := context.WithCancel(context.Background())
	cancel()
	var said *webtransport.SessionError
	if _, closed := w.s.AcceptStream(now); errors.As(closed, &said) && said.Remote {
		return said
	}
	return err
}

func (w *datagrams) write(b []byte) error {
	err := w.s.SendDatagram(b)
	var large *quic.DatagramTooLargeError
	if errors.As(err, &large) {
		return &violation{ending{status: statusPolicy, why: link.Reason{
			Code: "malformed", Text: fmt.Sprintf("the other side takes datagrams of at most %d bytes, and packets have up to %d", large.MaxDatagramPayloadSize, link.MaxPacket),
		}}}
	}
	return err
}

// finish waits until quic-go has sent what was written, because the close capsule would overtake it: SendDatagram
// blocks while quicQueue datagrams wait, so after as many empty ones nothing else can be waiting. Then the peer
// closes the connection, which confirms the end.
func (w *datagrams) finish(e ending) {
	for range quicQueue {
		if w.s.SendDatagram(nil) != nil {
			return
		}
	}
	_ = w.s.CloseWithError(webtransport.SessionErrorCode(e.status), e.line()) // never fails
	select {
	case <-w.conn.Context().Done():
	case <-w.ctx.Done():
	}
}

func (w *datagrams) cut() {
	w.cancel()
	_ = w.conn.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), "")
}
