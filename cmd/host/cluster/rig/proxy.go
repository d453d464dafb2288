package rig

import (
	"net"
	"sync"
	"testing"
	"time"
)

// Proxy is a TCP line that can be cut. While it is cut, connections stay open and nothing passes, as on a network that loses all
// packets; new ones are accepted and nothing comes of them.
type Proxy struct {
	to string
	l  net.Listener

	mu    sync.Mutex
	open  chan struct{} // closed while the line is whole
	conns map[net.Conn]bool
	ended bool
	work  sync.WaitGroup
}

func newProxy(t testing.TB, to string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{to: to, l: l, open: make(chan struct{}), conns: map[net.Conn]bool{}}
	close(p.open)
	p.work.Go(p.accept)
	return p
}

// Addr is where to connect.
func (p *Proxy) Addr() string { return p.l.Addr().String() }

// Cut cuts the line, or makes it whole again. Connections that were open when it was cut go on then, late.
func (p *Proxy) Cut(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.open:
		if cut {
			p.open = make(chan struct{})
		}
	default:
		if !cut {
			close(p.open)
		}
	}
}

func (p *Proxy) whole() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open
}

func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		_ = c.Close()
		return false
	}
	p.conns[c] = true
	return true
}

func (p *Proxy) drop(c net.Conn) {
	p.mu.Lock()
	delete(p.conns, c)
	p.mu.Unlock()
	_ = c.Close()
}

func (p *Proxy) accept() {
	for {
		in, err := p.l.Accept()
		if err != nil {
			return
		}
		if !p.keep(in) {
			return
		}
		p.work.Go(func() { p.carry(in) })
	}
}

func (p *Proxy) carry(in net.Conn) {
	defer p.drop(in)
	<-p.whole()
	out, err := net.DialTimeout("tcp", p.to, 2*time.Second)
	if err != nil || !p.keep(out) {
		return
	}
	defer p.drop(out)
	var both sync.WaitGroup
	pass := func(to, from net.Conn) {
		b := make([]byte, 64<<10)
		for {
			n, err := from.Read(b)
			<-p.whole()
			if n > 0 {
				if _, failed := to.Write(b[:n]); failed != nil {
					err = failed
				}
			}
			if err != nil {
				_ = to.Close()
				_ = from.Close()
				return
			}
		}
	}
	both.Go(func() { pass(out, in) })
	both.Go(func() { pass(in, out) })
	both.Wait()
}

func (p *Proxy) close() {
	if p == nil {
		return
	}
	p.Cut(false)
	_ = p.l.Close()
	p.mu.Lock()
	p.ended = true
	for c := range p.conns { // any order: each on its own
		_ = c.Close()
	}
	p.mu.Unlock()
	p.work.Wait()
}
