//go:build !js

package impair

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Proxy forwards datagrams between clients and one server over two lines per client. It has no clock of its own:
// Poll moves what is due, and Run calls it at every tick of a clock that the caller provides.
type Proxy struct {
	front  *net.UDPConn
	target netip.AddrPort
	up     Rule
	down   Rule
	seed   uint64

	in   chan arrival
	done chan struct{}
	cut  bool // guarded by mu

	// came counts what sockets have read, updated last: from clients, and from the server.
	came [2]atomic.Uint64
	wg   sync.WaitGroup
	once sync.Once

	mu    sync.Mutex
	flows map[netip.AddrPort]*flow
	// stats is what was forwarded.
	stats Stats
}

// Stats counts datagrams and their bytes, 28 for each included: received from clients, passed to the server,
// received from the server, passed to clients. Overrun arrived faster than the proxy was polled.
type Stats struct {
	UpIn, UpOut, DownIn, DownOut                     uint64
	UpInBytes, UpOutBytes, DownInBytes, DownOutBytes uint64
	Overrun                                          uint64
}

// maxFlows bounds the clients; maxArrivals what may wait for Poll.
const maxFlows, maxArrivals = 4096, 16384

type flow struct {
	client netip.AddrPort
	back   *net.UDPConn
	up     *Line[[]byte]
	down   *Line[[]byte]
}

type arrival struct {
	from netip.AddrPort // of a client; not valid if from the server
	flow *flow
	b    []byte
}

// NewProxy listens on a free port of 127.0.0.1 for clients of the server at target. up is the path to it, down the
// path back; flows get their lines in order of arrival, from seed.
func NewProxy(target netip.AddrPort, up, down Rule, seed uint64) (*Proxy, error) {
	front, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, fmt.Errorf("impair: %w", err)
	}
	_ = front.SetReadBuffer(4 << 20)
	p := &Proxy{
		front: front, target: target, up: up, down: down, seed: seed,
		in: make(chan arrival, maxArrivals), done: make(chan struct{}), flows: make(map[netip.AddrPort]*flow),
	}
	p.read(front, nil)
	return p, nil
}

// Addr returns where clients connect.
func (p *Proxy) Addr() netip.AddrPort { return p.front.LocalAddr().(*net.UDPAddr).AddrPort() }

// read starts the goroutine of one socket; it ends when the socket is closed, and Close awaits it.
func (p *Proxy) read(c *net.UDPConn, f *flow) {
	p.wg.Go(func() {
		buf := make([]byte, 2048)
		for {
			n, from, err := c.ReadFromUDPAddrPort(buf)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				continue
			}
			a, came := arrival{flow: f, b: append([]byte(nil), buf[:n]...)}, &p.came[1]
			if f == nil {
				a.from, came = from, &p.came[0]
			}
			select {
			case p.in <- a:
			case <-p.done:
				return
			default:
				p.mu.Lock()
				p.stats.Overrun++
				p.mu.Unlock()
			}
			came.Add(1)
		}
	})
}

// Poll accepts arrived datagrams and sends what is due at now, which counts from any origin and never decreases.
func (p *Proxy) Poll(now time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range len(p.in) {
		p.arrive(now, <-p.in)
	}
	if p.cut {
		return
	}
	for _, f := range p.flows { // any order: each is a client of its own, on real sockets
		for b, ok := f.up.Get(now); ok; b, ok = f.up.Get(now) {
			if _, err := f.back.WriteToUDPAddrPort(b, p.target); err == nil {
				p.stats.UpOut++
				p.stats.UpOutBytes += uint64(len(b)) + 28
			}
		}
		for b, ok := f.down.Get(now); ok; b, ok = f.down.Get(now) {
			if _, err := p.front.WriteToUDPAddrPort(b, f.client); err == nil {
				p.stats.DownOut++
				p.stats.DownOutBytes += uint64(len(b)) + 28
			}
		}
	}
}

func (p *Proxy) arrive(now time.Duration, a arrival) {
	if a.flow != nil {
		p.stats.DownIn++
		p.stats.DownInBytes += uint64(len(a.b)) + 28
		a.flow.down.Put(now, a.b, len(a.b))
		return
	}
	f := p.flows[a.from]
	if f == nil {
		if len(p.flows) >= maxFlows {
			return
		}
		n := uint64(len(p.flows))
		f = &flow{client: a.from, up: NewLine[[]byte](p.up, p.seed+2*n), down: NewLine[[]byte](p.down, p.seed+2*n+1)}
		if !p.connect(f) {
			return
		}
		p.flows[a.from] = f
	}
	p.stats.UpIn++
	p.stats.UpInBytes += uint64(len(a.b)) + 28
	f.up.Put(now, a.b, len(a.b))
}

func (p *Proxy) connect(f *flow) bool {
	back, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return false
	}
	f.back = back
	p.read(back, f)
	return true
}

// SetRules changes both lines of all clients, present and future.
func (p *Proxy) SetRules(up, down Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.up, p.down = up, down
	for _, f := range p.flows { // any order: each on its own
		f.up.SetRule(up)
		f.down.SetRule(down)
	}
}

// Cut drops all datagrams from now on, including those in flight, like a pulled cable. Received ones are still
// counted.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
}

// Came returns how many datagrams were read from clients and from the server: the next Poll sees them. A caller
// that has both ends can use it to check that nothing is left in between.
func (p *Proxy) Came() (up, down uint64) { return p.came[0].Load(), p.came[1].Load() }

// Stats returns the counters.
func (p *Proxy) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

// Run polls at every tick until Close or until ticks is closed; ticks is a time.Ticker's channel, with a period of
// a millisecond if lines are to be that precise.
func (p *Proxy) Run(ticks <-chan time.Time) {
	var first time.Time
	for {
		select {
		case t, ok := <-ticks:
			if !ok {
				return
			}
			if first.IsZero() {
				first = t
			}
			p.Poll(t.Sub(first))
		case <-p.done:
			return
		}
	}
}

// Close closes the sockets and waits for their readers. Datagrams in flight are lost.
func (p *Proxy) Close() error {
	var err error
	p.once.Do(func() {
		close(p.done)
		p.mu.Lock()
		err = p.front.Close()
		for _, f := range p.flows { // any order: each has a socket of its own
			_ = f.back.Close()
		}
		p.mu.Unlock()
		p.wg.Wait()
	})
	return err
}
