// Package carrier carries the packets of netcode/kcplink over WebSocket binary messages and WebTransport datagrams, one
// packet each (W2.1, W2.2). The link stays the same: its gate, encryption, tokens and limits apply to these packets as to
// UDP's. A carrier only moves bytes, and nothing is trusted because it came by HTTP.
//
// A server accepts sessions in its HTTP handlers. Each Serve function blocks until its session has ended and leaves no
// goroutine behind:
//
//	web := &http.Server{ConnContext: carrier.ConnContext, …}
//	c, err := websocket.Accept(w, r, carrier.AcceptOptions(time.Now, origins))
//	err = carrier.ServeWebSocket(l, c, remote, carrier.Options{Context: r.Context(), Now: time.Now})
//
//	h3 := &http3.Server{QUICConfig: carrier.QUIC(), ConnContext: carrier.QUICConnContext, …}
//	s, err := wt.Upgrade(w, r)
//	err = carrier.ServeWebTransport(l, s, remote, carrier.Options{Context: ctx, Now: time.Now})
//
// A client dials a session and then the link's connection over the session's pipe:
//
//	s, err := carrier.Dial(l, carrier.Target{Via: carrier.WebTransport, Host: "example.org:7780", Now: time.Now})
//	c, err := l.Dial(kcplink.Dial{Pipe: s.Pipe()})
//
// A session has a bounded queue and one sending goroutine, because sending blocks in both libraries and a tick must
// not block. When the queue is full the newest packet is dropped. When a packet has waited 250 ms, all waiting
// packets are dropped: the link has retransmitted them by then, and newer packets serve the player better.
// limits.go has every bound.
//
// Either side ends a session with a status and one line, "code: text" of a link.Reason: in WebSocket's close frame
// and in WebTransport's close capsule. So the reason for a kick arrives even when the link's own goodbye is lost.
// An empty datagram carries no packet and is ignored.
//
// The package does not listen, check origins beyond AcceptOptions, limit sessions by address, or make certificates;
// the web listener does that. It does not resume sessions: a peer that returns opens a new one, and the link moves
// the connection to it. It uses no HTTP proxy. On js/wasm the package is empty: there the browser is the carrier.
//
// Guarantees: Never delays a tick; drops packets that are 250 ms old; leaves no goroutine behind.
package carrier
