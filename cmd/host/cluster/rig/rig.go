// Package rig runs real NATS servers for tests, and lets them fail: they are killed, cut off from each other, or run out of
// disk. Every line between two servers, and between a server and its clients, goes through a [Proxy].
//
// Guarantees: Not part of any program.
package rig

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cluster"
	"github.com/tidelock/tidelock/tests/port"
)

var (
	findOnce sync.Once
	program  string
	findErr  error
)

// Server returns the path of nats-server, and builds it the first time. Where it cannot be built the test is skipped, in CI it fails.
func Server(t testing.TB) string {
	t.Helper()
	findOnce.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
		defer cancel()
		program, findErr = cluster.FindServer(ctx, func(line string) { t.Log(line) })
	})
	if findErr != nil {
		if os.Getenv("CI") == "true" || os.Getenv("TIDELOCK_CI") != "" {
			t.Fatal(findErr)
		}
		t.Skip(findErr)
	}
	return program
}

// Rig is some NATS servers. Each has an address for clients and lines to the others, which can be cut.
type Rig struct {
	t     testing.TB
	Nodes []*Node
}

// Node is one server.
type Node struct {
	rig    *Rig
	conf   cluster.Node
	number int
	// Clients is the line to its clients, peers are those to the other servers, by number.
	Clients *Proxy
	peers   map[int]*Proxy

	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{}
	log  string // the file of its log
}

// Options of Start. The zero value is usable.
type Options struct {
	// Folder returns where a node stores, nil for temporary folders.
	Folder func(node int) string
	// More is added to the servers' configuration.
	More string
}

// Start starts so many servers; they are ended with the test.
func Start(t testing.TB, n int, o Options) *Rig {
	t.Helper()
	path := Server(t)
	r := &Rig{t: t}
	logs := t.TempDir()
	for i := range n {
		folder := ""
		if o.Folder != nil {
			folder = o.Folder(i)
		} else {
			folder = filepath.Join(t.TempDir(), "node")
		}
		r.Nodes = append(r.Nodes, &Node{rig: r, number: i, log: filepath.Join(logs, fmt.Sprintf("n%d.log", i+1)), peers: map[int]*Proxy{}, conf: cluster.Node{
			Name: fmt.Sprintf("n%d", i+1), Listen: port.Reserve(t, 1), Folder: folder, More: o.More,
		}})
	}
	if n > 1 {
		for _, a := range r.Nodes {
			a.conf.Cluster, a.conf.Peers = "rig", port.Reserve(t, 1)
		}
		for _, a := range r.Nodes {
			for _, b := range r.Nodes {
				if a != b {
					p := newProxy(t, b.conf.Peers)
					a.peers[b.number] = p
					a.conf.Routes = append(a.conf.Routes, p.Addr())
				}
			}
		}
	}
	t.Cleanup(func() {
		for _, a := range r.Nodes {
			a.Kill()
			if t.Failed() {
				t.Logf("the last lines of %s:\n%s", a.conf.Name, a.tail())
			}
			a.Clients.close()
			for _, p := range a.peers { // any order: each on its own
				p.close()
			}
		}
	})
	for _, a := range r.Nodes {
		a.Clients = newProxy(t, a.conf.Listen)
		a.run(path)
	}
	for _, a := range r.Nodes {
		a.awaitListener()
	}
	return r
}

// URL returns the addresses of all servers.
func (r *Rig) URL() string {
	var list []string
	for _, n := range r.Nodes {
		list = append(list, "nats://"+n.Clients.Addr())
	}
	return strings.Join(list, ",")
}

// Line is a client's own way to all servers, which can be cut without any other's.
type Line struct{ proxies []*Proxy }

// Line returns a new one; it ends with the test.
func (r *Rig) Line() *Line {
	r.t.Helper()
	l := &Line{}
	for _, n := range r.Nodes {
		l.proxies = append(l.proxies, newProxy(r.t, n.Clients.Addr()))
	}
	r.t.Cleanup(func() {
		for _, p := range l.proxies {
			p.close()
		}
	})
	return l
}

// URL returns the addresses of all servers by this line.
func (l *Line) URL() string {
	var list []string
	for _, p := range l.proxies {
		list = append(list, "nats://"+p.Addr())
	}
	return strings.Join(list, ",")
}

// Cut cuts the line, or makes it whole again.
func (l *Line) Cut(cut bool) {
	for _, p := range l.proxies {
		p.Cut(cut)
	}
}

// Name returns the server's name.
func (n *Node) Name() string { return n.conf.Name }

func (n *Node) run(path string) {
	n.rig.t.Helper()
	file, err := n.conf.Write()
	if err != nil {
		n.rig.t.Fatal(err)
	}
	log, err := os.OpenFile(n.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		n.rig.t.Fatal(err)
	}
	c := exec.Command(path, "-c", file) //nolint:gosec // ours
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		n.rig.t.Fatal(err)
	}
	done := make(chan struct{})
	n.mu.Lock()
	n.cmd, n.done = c, done
	n.mu.Unlock()
	go func() { // ends with the server, which Kill awaits
		_ = c.Wait() // it is killed
		_ = log.Close()
		close(done)
	}()
}

// Kill kills the server as kill -9 does.
func (n *Node) Kill() {
	n.mu.Lock()
	c, done := n.cmd, n.done
	n.cmd = nil
	n.mu.Unlock()
	if c == nil {
		return
	}
	_ = c.Process.Kill() // it may have ended by itself
	<-done
}

// awaitListener waits until the server takes connections.
func (n *Node) awaitListener() {
	n.rig.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if c, err := net.DialTimeout("tcp", n.conf.Listen, time.Second); err == nil {
			_ = c.Close() // nothing was sent
			return
		}
	}
	n.rig.t.Fatalf("%s does not listen on %s", n.conf.Name, n.conf.Listen)
}

// tail returns the last lines of the server's log.
func (n *Node) tail() string {
	b, err := os.ReadFile(n.log)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-4000):])
}

// Start starts the server again.
func (n *Node) Start() { n.run(program) }

// Cut cuts the server off from the other servers and, if that is wanted, from its clients: what is sent is neither delivered nor refused.
func (n *Node) Cut(clients bool) { n.cut(true, clients) }

// Join ends Cut.
func (n *Node) Join() { n.cut(false, false) }

func (n *Node) cut(peers, clients bool) {
	n.Clients.Cut(clients)
	for _, p := range n.peers { // any order: each on its own
		p.Cut(peers)
	}
	for _, o := range n.rig.Nodes {
		if p := o.peers[n.number]; p != nil {
			p.Cut(peers)
		}
	}
}
