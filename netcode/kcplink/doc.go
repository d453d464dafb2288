// Package kcplink is a link.Link over UDP, WebTransport and WebSocket: reliable messages by KCP's state machine,
// unreliable datagrams beside them, all of it encrypted, behind a gate that spends nothing on strangers.
//
// One [Link] is one UDP socket, any number of pipes and any number of connections, dialled or accepted. It owns the
// socket, one goroutine that reads it into a bounded queue, and the table of connections; everything else happens inside
// Poll and Flush on the caller's goroutine, which is also the only one that may touch a [Conn]. There is no
// goroutine, no timer and no lock for a player.
//
// The gate: HELLO (padded) gets a cookie that costs the server no memory; CONNECT with that cookie starts a
// Noise XX exchange, with a connect token's secret mixed in where the operator issues tokens; CONFIRM proves
// both static keys. Only then is there a connection. docs/transport.md draws every packet and state, and
// limits.go holds every bound with its reason.
//
// It uses kcp.NewKCP, Input, Update, Send and Recv of kcp-go and never its sessions, which make 268 KiB and
// a goroutine of any 12 bytes and let a spoofed packet close a live connection. KCP's clock is the process's;
// everything decided here goes by the now of Poll and Flush.
//
// It does not know what messages mean, does not resolve names, does not fragment datagrams, does not control
// congestion beyond a window, [Conn.SetStreamRate] and [Conn.Allow], and does not know what carries a [Pipe]'s packets
// (netcode/carrier does, and in a browser the page). For js/wasm, where there are no sockets, it has pipes alone.
//
//	l, err := kcplink.New(kcplink.Config{Addr: ":7777", Server: &kcplink.Server{}})
//	for range ticks {
//		l.Poll(now, handler)
//		step()
//		l.Flush(now)
//	}
package kcplink
