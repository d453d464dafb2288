package door

import (
	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/netcode/kcplink"
)

// discarded are the counters of packets that were discarded before the game knew of them, with their labels.
var discarded = [...]struct {
	reason string
	count  func(*kcplink.Counters) uint64
}{
	{"malformed", func(c *kcplink.Counters) uint64 { return c.Malformed }},
	{"unknown_session", func(c *kcplink.Counters) uint64 { return c.UnknownSession }},
	{"replayed", func(c *kcplink.Counters) uint64 { return c.Replayed }},
	{"bad_seal", func(c *kcplink.Counters) uint64 { return c.BadSeals }},
	{"bad_cookie", func(c *kcplink.Counters) uint64 { return c.BadCookies }},
	{"bad_handshake", func(c *kcplink.Counters) uint64 { return c.BadHandshakes }},
	{"hello_throttled", func(c *kcplink.Counters) uint64 { return c.HellosThrottled }},
	{"throttled", func(c *kcplink.Counters) uint64 { return c.Throttled }},
	{"size", func(c *kcplink.Counters) uint64 { return c.DroppedShort + c.DroppedLong }},
	{"type", func(c *kcplink.Counters) uint64 { return c.DroppedType }},
	{"queue_full", func(c *kcplink.Counters) uint64 { return c.DroppedFull }},
}

// gated is the code of connections that are refused after the key exchange: a wrong password, or the player's key.
const gated = "refused"

// Figures fills in what monitoring shows of players and packets. classes adds up what is sent by class; the caller keeps it
// from call to call.
func (d *Door) Figures(f *metrics.Figures, classes *metrics.Classes) {
	f.Players, f.Connecting = d.Players()
	d.counters = d.link.Counters()
	c := &d.counters
	*f.Carrier(metrics.CarrierWeb) = metrics.CarrierFigures{
		PacketsIn: c.PipePacketsIn, BytesIn: c.PipeBytesIn, PacketsOut: c.PipePacketsOut, BytesOut: c.PipeBytesOut,
	}
	*f.Carrier(metrics.CarrierUDP) = metrics.CarrierFigures{
		PacketsIn: c.PacketsIn - c.PipePacketsIn, BytesIn: c.BytesIn - c.PipeBytesIn,
		PacketsOut: c.PacketsOut - c.PipePacketsOut, BytesOut: c.BytesOut - c.PipeBytesOut,
	}
	classes.Begin()
	d.server.SentByClass(classes.Add)
	f.Sent = classes.Append(f.Sent[:0])
	st := &d.server.Stats
	f.Relevant, f.LongestWait, f.Calls, f.CallsDropped = st.Relevant, st.LongestWait, st.Calls, st.CallsDropped
	f.Queries, f.QueriesDropped = c.Queries, c.QueriesDropped
	f.Refusals = f.Refusals[:0]
	for _, code := range refusals {
		f.Refusals = append(f.Refusals, metrics.Count{Name: code, N: c.DeniedBy(code)})
	}
	f.Refusals = append(f.Refusals, metrics.Count{Name: gated, N: c.Refused})
	f.Discarded = f.Discarded[:0]
	for i := range discarded {
		f.Discarded = append(f.Discarded, metrics.Count{Name: discarded[i].reason, N: discarded[i].count(c)})
	}
}
