//go:build !js

package carrier

import (
	"time"

	"github.com/quic-go/quic-go"
)

// Bounds of one session.
const (
	// queuePackets that wait to be sent, 77 KB at most. Beyond: the newest is dropped and counted.
	queuePackets = 64
	// staleAfter is how long a packet may wait. When the oldest has waited longer, all waiting packets are dropped
	// and counted.
	staleAfter = 250 * time.Millisecond
	// notSent, bytes that the kernel may hold unsent for a WebSocket (TCP_NOTSENT_LOWAT): a quarter of a second at
	// 64 KB/s. More would be a second queue, without the rule about stale packets.
	notSent = 16 << 10
	// defaultAdmission and defaultIdle are Options' defaults, defaultDial is Target's.
	defaultAdmission, defaultIdle, defaultDial = 15 * time.Second, 15 * time.Second, 10 * time.Second
	// closeGrace is how long an ending session may take to send waiting packets and the reason. Then it is cut.
	closeGrace = time.Second
	// packetsIn per second, bursts of twice as many: twice what the link accepts from one connection. Beyond: the
	// session ends with "flood".
	packetsIn = 2000
	// pongs per second, bursts of twice as many. Beyond: pings are not answered (RFC 6455, 5.5.3 permits one pong
	// for several pings).
	pongs = 4
	// controls, pings and pongs read per second, bursts of twice as many. Beyond: nothing is read for controlRest.
	// The library spends ten times as much on one as it costs to send.
	controls    = 50
	controlRest = time.Second
	// maxReason, bytes of a reason in a close frame: 125 minus the status (RFC 6455, 5.5).
	maxReason = 123
	// maxCode and maxText, bytes of the two halves of a peer's reason. Longer ones are cut.
	maxCode, maxText = 32, 256
	// quicQueue is quic-go's queue of datagrams to send; SendDatagram blocks beyond it.
	quicQueue = 32
)

// Bounds of the client's HTTP requests.
const (
	// maxInfo, bytes of join.json, and maxHeader of any response's header. Beyond: an error.
	maxInfo, maxHeader = 64 << 10, 16 << 10
	// maxRedirects of join.json, on the same host only.
	maxRedirects = 3
)

// packetSize is the UDP payload of QUIC packets, in bytes: 1 200 for the link's packet, 5 for the frames around it, at most
// 41 for QUIC's header and tag, and some for acknowledgements. Chromium uses the same, which leaves 1 215 for a datagram.
const packetSize = 1250

// QUIC is the configuration of QUIC for WebTransport; the web listener's http3.Server needs it. Each call returns a
// new one.
//
// A peer may open one bidirectional stream, which is the WebTransport session, and the three unidirectional ones that
// HTTP/3 needs (RFC 9114, 6.2), with windows of 16 KB. Packets have a constant size: a larger one gains nothing, because
// each carries one datagram. There is no keep-alive: the link's heartbeat is sent every 3 s, well within the idle timeout
// of 15 s, and a keep-alive would hold the connection of a stranger that has no session.
func QUIC() *quic.Config {
	const window = 16 << 10
	return &quic.Config{
		HandshakeIdleTimeout:             5 * time.Second,
		MaxIdleTimeout:                   15 * time.Second,
		InitialStreamReceiveWindow:       window,
		MaxStreamReceiveWindow:           window,
		InitialConnectionReceiveWindow:   4 * window,
		MaxConnectionReceiveWindow:       4 * window,
		MaxIncomingStreams:               1,
		MaxIncomingUniStreams:            3,
		InitialPacketSize:                packetSize,
		DisablePathMTUDiscovery:          true,
		EnableDatagrams:                  true,
		EnableStreamResetPartialDelivery: true,
	}
}
