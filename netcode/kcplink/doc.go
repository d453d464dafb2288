// Package kcplink is the encrypted transport over UDP, WebTransport and WebSocket, a link.Link. It has reliable
// messages through KCP's state machine, unreliable datagrams, and a gate that spends no memory on unknown peers.
//
// One [Link] is one UDP socket, any number of pipes and any number of connections, dialled or accepted. It owns the
// socket, one goroutine that reads it into a bounded queue, and the table of connections; everything else happens
// inside Poll and Flush on the caller's goroutine, the only one that may touch a [Conn]. A player needs no
// goroutine, timer or lock.
//
// The gate: HELLO (padded) is answered with a cookie that costs the server no memory; CONNECT with that cookie
// starts a Noise XX exchange, with a connect token's secret mixed in if the operator issues tokens; CONFIRM proves
// both static keys. Only then is there a connection. docs/transport.md draws every packet and state, and limits.go
// holds every bound with its reason.
//
// It uses kcp.NewKCP, Input, Update, Send and Recv of kcp-go but not its sessions, which allocate 268 KiB and a
// goroutine for any 12 bytes and let a spoofed packet close a live connection. KCP's clock is the process's; every
// decision here uses the now of Poll and Flush.
//
// It does not know the meaning of messages, does not resolve names, does not fragment datagrams, and does not
// control congestion beyond a window, [Conn.SetStreamRate] and [Conn.Allow]. It does not know what carries a
// [Pipe]'s packets (netcode/carrier does, in a browser the page). In js/wasm, which has no sockets, it only has
// pipes.
//
//	l, err := kcplink.New(kcplink.Config{Addr: ":7777", Server: &kcplink.Server{}})
//	for range ticks {
//		l.Poll(now, handler)
//		step()
//		l.Flush(now)
//	}
//
// Guarantees: The only package that imports kcp-go; unused/ replaces two modules that kcp-go needs to compile and the
// link does not use.
package kcplink
