//go:build unix

package hostile

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cache"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// udp opens a socket of a stranger.
func udp() (*net.UDPConn, error) {
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 6, 6, 6)})
	if err != nil {
		c, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	}
	return c, err
}

// perSecond is how many packets a flood sends a second.
const perSecond = 20_000

// shower sends packets until ctx ends.
func shower(ctx context.Context, o *order, next func(rng *rand.Rand) []byte) error {
	conn, err := udp()
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // it has sent what it had to
	to, err := netip.ParseAddrPort(o.Addr)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(o.Hostile.Seed, 7))
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	sent := 0
	for {
		select {
		case <-ctx.Done():
			fmt.Printf("%d packets sent\n", sent)
			return nil
		case <-tick.C:
		}
		for range perSecond / 200 {
			if _, err := conn.WriteToUDPAddrPort(next(rng), to); err == nil { // a full socket loses
				sent++
			}
		}
	}
}

// garbage sends packets of all kinds that no client sends (docs/transport.md).
func garbage(ctx context.Context, o *order) error {
	return shower(ctx, o, func(rng *rand.Rand) []byte {
		b := make([]byte, rng.IntN(1400))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		if len(b) > 0 {
			b[0] = byte(rng.IntN(9))
		}
		return b
	})
}

// hellos begins handshakes without end, right and wrong ones, with cookies of chance.
func hellos(ctx context.Context, o *order) error {
	return shower(ctx, o, func(rng *rand.Rand) []byte {
		switch rng.IntN(3) {
		case 0:
			b := make([]byte, 1000)
			copy(b, "\x02TIDE\x01")
			return b
		case 1:
			b := make([]byte, 1000)
			copy(b, "\x02EDIT\x63")
			return b
		}
		b := make([]byte, 200)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		copy(b, "\x04\x01\x00")
		binary.BigEndian.PutUint32(b[7:], uint32(rng.IntN(6)))
		return b
	})
}

// amplification is how many times the bytes that an attacker sent may go to it before its path answered a challenge (RFC 9000,
// section 8).
const amplification = 3

// shareTaken is the part of what a player is sent, as 1 in so many, up to which an onlooker was sent challenges and not the stream.
const shareTaken = 4

// takeover is an onlooker on the path of a player, who sends each of that player's packets from an address of its own, sooner than
// the player's own arrives. The player must stay in, and what the host sends to the onlooker is bounded.
func takeover(ctx context.Context, o *order) error {
	front, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return err
	}
	host, err := net.ResolveUDPAddr("udp4", o.Addr)
	if err != nil {
		return err
	}
	back, err := net.DialUDP("udp4", nil, host)
	if err != nil {
		return err
	}
	thief, err := udp()
	if err != nil {
		return err
	}
	var wait sync.WaitGroup
	var toThief, fromThief, toPlayer atomic.Int64
	var player atomic.Pointer[netip.AddrPort]
	var stealing atomic.Bool
	relay := func(c *net.UDPConn, do func(b []byte, from netip.AddrPort)) {
		wait.Go(func() { // ends when the socket closes
			b := make([]byte, 2048)
			for {
				n, from, err := c.ReadFromUDPAddrPort(b)
				if err != nil {
					return
				}
				do(b[:n], from)
			}
		})
	}
	relay(front, func(b []byte, from netip.AddrPort) {
		player.Store(&from)
		if stealing.Load() {
			if k, err := thief.WriteToUDPAddrPort(b, host.AddrPort()); err == nil {
				fromThief.Add(int64(k))
			}
		}
		_, _ = back.Write(b) // a line may lose
	})
	relay(back, func(b []byte, _ netip.AddrPort) {
		if to := player.Load(); to != nil {
			if stealing.Load() {
				toPlayer.Add(int64(len(b)))
			}
			_, _ = front.WriteToUDPAddrPort(b, *to) // a line may lose
		}
	})
	relay(thief, func(b []byte, _ netip.AddrPort) { toThief.Add(int64(len(b))) })
	defer func() {
		_ = front.Close() // sockets of our own
		_ = back.Close()
		_ = thief.Close()
		wait.Wait()
	}()

	e, err := newEvil(o, o.Hostile.Seed, nil, &cache.Memory{}, classfile.NewCache(scriptvm.Natives()), front.LocalAddr().String())
	if err != nil {
		return err
	}
	defer func() { _ = e.close() }() // nobody needs it any more
	short, stop := context.WithTimeout(ctx, 5*time.Second)
	why, in := e.drive(short)
	stop()
	if !in {
		return fmt.Errorf("the player did not come in: %s: %s", why.Code, why.Text)
	}
	stealing.Store(true)
	why, _ = e.drive(ctx)
	fmt.Printf("the onlooker sent %d bytes and was sent %d; the player was sent %d\n", fromThief.Load(), toThief.Load(), toPlayer.Load())
	if e.client.State() == client.Closed {
		return fmt.Errorf("the player was lost: %s: %s", why.Code, why.Text)
	}
	if toThief.Load() > amplification*fromThief.Load() {
		return fmt.Errorf("the onlooker was sent %d bytes for %d of its own; at most %d times as many are allowed", toThief.Load(), fromThief.Load(), amplification)
	}
	if taken := toThief.Load(); taken*shareTaken > toPlayer.Load() {
		return fmt.Errorf("the onlooker was sent %d bytes, the player %d: it took the stream", taken, toPlayer.Load())
	}
	return nil
}

// dialWeb opens a TCP connection to the web listener as a stranger.
func dialWeb(o *order) (net.Conn, error) {
	d := net.Dialer{Timeout: 5 * time.Second, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 6, 6, 6)}}
	c, err := d.Dial("tcp", o.Web)
	if err != nil {
		d.LocalAddr = nil
		c, err = d.Dial("tcp", o.Web)
	}
	return c, err
}

// upgrade is a request for a WebSocket.
const upgrade = "GET /ws HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"

// frames sends WebSocket frames that no page sends: too long, of other kinds, unmasked, garbage.
func frames(ctx context.Context, o *order) error {
	rng := rand.New(rand.NewPCG(o.Hostile.Seed, 3))
	return often(ctx, o, func(c net.Conn) {
		_, _ = fmt.Fprintf(c, upgrade, o.Web) // it may be refused
		for range 200 {
			n := rng.IntN(1300)
			b := make([]byte, n+14)
			for i := range b {
				b[i] = byte(rng.Uint32())
			}
			if rng.IntN(3) > 0 { // a masked binary frame of that length
				b[0], b[1] = 0x82, 0xfe
				binary.BigEndian.PutUint16(b[2:], uint16(n))
			}
			if _, err := c.Write(b); err != nil {
				return
			}
		}
	})
}

// requests sends HTTP that no browser sends.
func requests(ctx context.Context, o *order) error {
	rng := rand.New(rand.NewPCG(o.Hostile.Seed, 4))
	lines := []string{
		"GET /../../etc/passwd HTTP/1.1\r\nHost: " + o.Web, "GET /p/%2e%2e/%2e%2e/host.toml HTTP/1.1\r\nHost: " + o.Web,
		"GET / HTTP/1.1\r\nHost: evil.example", "POST /join.json HTTP/1.1\r\nHost: " + o.Web + "\r\nContent-Length: 99999999",
		"GET /" + strings.Repeat("x", 1<<16) + " HTTP/1.1\r\nHost: " + o.Web, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
		"GET / HTTP/1.1\r\nHost: " + o.Web + "\r\nX-Long: " + strings.Repeat("y", 1<<18), "GET /join.json HTTP/1.1\r\nHost: " + o.Web,
	}
	return often(ctx, o, func(c net.Conn) {
		_, _ = io.WriteString(c, lines[rng.IntN(len(lines))]+"\r\n\r\n") // it may be refused before it is whole
		_, _ = io.Copy(io.Discard, io.LimitReader(c, 1<<20))             // what it answers is tested elsewhere (tests/web)
	})
}

// idleSockets opens connections that say nothing, or half a header, and holds them.
func idleSockets(ctx context.Context, o *order) error {
	return often(ctx, o, func(c net.Conn) {
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: loc") // it may be closed already
		<-ctx.Done()
	})
}

// often opens connections, so many at once, and does something on each, until ctx ends.
func often(ctx context.Context, o *order, do func(net.Conn)) error {
	var wait sync.WaitGroup
	var opened, refused atomic.Int64
	var last atomic.Pointer[error]
	for range o.Hostile.Clients {
		wait.Go(func() { // ends with ctx
			for ctx.Err() == nil {
				c, err := dialWeb(o)
				if err != nil {
					refused.Add(1)
					last.Store(&err)
					select {
					case <-ctx.Done():
					case <-time.After(50 * time.Millisecond):
					}
					continue
				}
				opened.Add(1)
				stop := context.AfterFunc(ctx, func() { _ = c.Close() }) // ends what waits on it
				_ = c.SetDeadline(time.Now().Add(10 * time.Second))      // of an open connection it cannot fail
				do(c)
				stop()
				_ = c.Close() // it may be closed already
			}
		})
	}
	wait.Wait()
	fmt.Printf("%d connections, %d refused\n", opened.Load(), refused.Load())
	if opened.Load() == 0 {
		var err error = errors.New("none was tried")
		if e := last.Load(); e != nil {
			err = *e
		}
		return fmt.Errorf("no connection was accepted at all: %w", err)
	}
	return nil
}
