package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/tidelock/tidelock/engine/bus"
)

const (
	// DefaultName is the name of a cluster that was given none.
	DefaultName = "tidelock"
	maxName     = 32 // bytes of a cluster's name
	maxServers  = 16

	// pingEvery and pingsOut decide how soon a dead line is found: after at most three intervals.
	pingEvery = 2 * time.Second
	pingsOut  = 2
	// writeWithin ends a write to a server that does not read.
	writeWithin = 5 * time.Second
	dialWithin  = 2 * time.Second
	// tellAfter is how long a connection may be gone before the log is told.
	tellAfter = time.Second
	// shortest and longest pause between two attempts to connect.
	shortestPause = 100 * time.Millisecond
	longestPause  = 2 * time.Second
)

// Options of Dial. Servers and Log are required.
type Options struct {
	// Servers are addresses with commas between them: nats://host:4222, tls://host. They have neither names nor passwords, which
	// would be seen in lists of processes.
	Servers string
	// Credentials is the name of a file that NATS calls credentials, which proves the host to the servers; "" for none.
	Credentials string
	// Name is the cluster's, with which its subjects and streams begin: letters, digits, - and _; "" is DefaultName.
	Name string
	// Host names this process to the servers' operators.
	Host string
	// Replicas is how many servers keep each record: 1, 3 or 5; 0 means 1.
	Replicas int
	// Timeout bounds a request to the store, 0 means 5 s. Elections take up to 9 s: requests that begin early in one fail.
	Timeout time.Duration
	// OnlyThese keeps to Servers: others that these tell of are not used. Tests need it, whose servers are behind proxies.
	OnlyThese bool
	Log       *slog.Logger
}

// check completes options, or says what is wrong with them.
func (o *Options) check() error {
	o.Name, o.Replicas, o.Timeout = cmp.Or(o.Name, DefaultName), cmp.Or(o.Replicas, 1), cmp.Or(o.Timeout, 5*time.Second)
	if err := CheckName(o.Name); err != nil {
		return err
	}
	if o.Replicas != 1 && o.Replicas != 3 && o.Replicas != 5 {
		return fmt.Errorf("%d replicas; expected 1, 3 or 5", o.Replicas)
	}
	if err := checkServers(o.Servers); err != nil {
		return err
	}
	if o.Credentials != "" {
		f, err := os.Open(o.Credentials)
		if err != nil {
			return fmt.Errorf("the credentials file cannot be read: %w", err)
		}
		return f.Close()
	}
	return nil
}

// CheckName returns an error for what is no name of a cluster.
func CheckName(name string) error {
	if name == "" || len(name) > maxName {
		return fmt.Errorf("the name of a cluster has 1 to %d bytes; this one has %d", maxName, len(name))
	}
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return fmt.Errorf("the name of a cluster is %q; expected letters, digits, - and _", name)
		}
	}
	return nil
}

// checkServers returns an error for what is no list of addresses. It does not repeat it: it may have a password in it by mistake.
func checkServers(list string) error {
	n := 0
	for s := range strings.SplitSeq(list, ",") {
		n++
		u, err := url.Parse(strings.TrimSpace(s))
		if err != nil || u.Host == "" || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) {
			return fmt.Errorf("address %d of the cluster's servers is none; expected for example nats://10.0.0.1:4222", n)
		}
		if u.User != nil {
			return fmt.Errorf("address %d of the cluster's servers has a name or password in it; give a credentials file instead (--cluster-credentials)", n)
		}
	}
	if n > maxServers {
		return fmt.Errorf("%d servers; at most %d", n, maxServers)
	}
	return nil
}

// Conn is a connection to the servers of a cluster. Its methods are for any goroutine. Close ends it.
type Conn struct {
	opt  Options
	nc   *natsgo.Conn
	bus  *Bus
	stop chan struct{}
	work sync.WaitGroup

	mu   sync.Mutex
	err  error // why there is no connection, nil while there is one
	told bool  // the log knows
	// lost is when the last connection broke; line is its context, which ends then.
	lost time.Time
	line context.Context
	cut  context.CancelFunc

	connects atomic.Uint64
}

// Dial begins to connect and does not wait for it: while no server answers it goes on trying forever. An error is one of the options.
func Dial(o Options) (*Conn, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	c := &Conn{opt: o, stop: make(chan struct{}), err: errors.New("no server has answered yet")}
	c.bus = newBus(c)
	list := []natsgo.Option{
		natsgo.Name(cmp.Or(o.Host, "tidelock")),
		natsgo.RetryOnFailedConnect(true), natsgo.MaxReconnects(-1), natsgo.IgnoreAuthErrorAbort(), natsgo.CustomReconnectDelay(pause),
		natsgo.Timeout(dialWithin), natsgo.PingInterval(pingEvery), natsgo.MaxPingsOutstanding(pingsOut), natsgo.FlusherTimeout(writeWithin),
		// Nothing is kept for later while there is no connection: it would be sent when nobody expects it any more.
		natsgo.ReconnectBufSize(-1),
		natsgo.ConnectHandler(c.connected), natsgo.ReconnectHandler(c.connected), natsgo.DisconnectErrHandler(c.disconnected),
		natsgo.ReconnectErrHandler(func(_ *natsgo.Conn, err error) { c.failing(err) }), natsgo.ErrorHandler(c.failed),
	}
	if o.Credentials != "" {
		list = append(list, natsgo.UserCredentials(o.Credentials)) // read again at every attempt
	}
	if o.OnlyThese {
		list = append(list, natsgo.IgnoreDiscoveredServers())
	}
	nc, err := natsgo.Connect(o.Servers, list...)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", clean(err))
	}
	c.mu.Lock()
	c.nc = nc
	c.mu.Unlock()
	c.tellAfter(dialWithin + tellAfter)
	c.bus.start()
	return c, nil
}

// pause is how long to wait after all servers were tried so many times. Random, so that hosts do not all come at once when a
// server is back.
func pause(attempts int) time.Duration {
	p := min(shortestPause<<min(attempts, 10), longestPause)
	return p/2 + rand.N(p) //nolint:gosec // no secret
}

// tellAfter tells the log that there is no connection if there is none after a time. Its goroutine ends then, or by Close.
func (c *Conn) tellAfter(d time.Duration) {
	c.work.Go(func() {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-c.stop:
		case <-t.C:
			c.tell()
		}
	})
}

// tell has the log know once that there is no connection.
func (c *Conn) tell() {
	c.mu.Lock()
	err, tell := c.err, c.err != nil && !c.told
	c.told = c.told || tell
	c.mu.Unlock()
	if tell {
		c.opt.Log.Error("The cluster cannot be reached: nothing is stored, no messages are sent; the host goes on trying", "event", "cluster_away", "error", err.Error())
	}
}

func (c *Conn) connected(nc *natsgo.Conn) {
	line, cut := context.WithCancel(context.Background())
	c.mu.Lock()
	c.err, c.told, c.line, c.cut = nil, false, line, cut
	c.mu.Unlock()
	c.connects.Add(1)
	c.opt.Log.Info("Connected to the cluster", "event", "cluster", "cluster", c.opt.Name, "server", nc.ConnectedServerName(), "addr", nc.ConnectedAddr())
}

func (c *Conn) disconnected(_ *natsgo.Conn, err error) {
	c.mu.Lock()
	c.lost = time.Now()
	if c.cut != nil {
		c.cut()
	}
	c.mu.Unlock()
	select {
	case <-c.stop:
		return
	default:
	}
	c.failing(cmp.Or(err, errors.New("the server closed the connection")))
	c.tellAfter(tellAfter) // mostly another server is there at once
}

// failing keeps why there is no connection.
func (c *Conn) failing(err error) {
	c.mu.Lock()
	nc := c.nc
	c.mu.Unlock()
	if nc != nil && nc.IsConnected() { // it may wait for a write
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = clean(err)
}

// failed gets errors of no one call: of subscriptions that lose messages, and of what the servers do not permit.
func (c *Conn) failed(_ *natsgo.Conn, sub *natsgo.Subscription, err error) {
	if sub != nil && errors.Is(err, natsgo.ErrSlowConsumer) {
		c.bus.slow(sub)
		return
	}
	if errors.Is(err, natsgo.ErrPermissionViolation) {
		c.opt.Log.Error("The cluster's servers do not permit this host what it needs", "event", "cluster_denied", "error", clean(err).Error())
		return
	}
	c.opt.Log.Debug("The connection to the cluster goes on after an error", "event", "cluster", "error", clean(err).Error())
}

// clean makes one line of an error of NATS, without its prefix. NATS does not repeat credentials in errors.
func clean(err error) error {
	if err == nil {
		return nil
	}
	text := strings.TrimPrefix(strings.Join(strings.Fields(err.Error()), " "), "nats: ")
	if text == err.Error() {
		return err
	}
	return &cleanError{text, err}
}

type cleanError struct {
	text string
	err  error
}

func (e *cleanError) Error() string { return e.text }

func (e *cleanError) Unwrap() error { return e.err }

// Err says why there is no connection, nil while there is one. It does not wait for the network.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", bus.ErrOffline, c.err)
}

// soon is Err, but waits a moment for another server if the connection broke just now.
func (c *Conn) soon() error {
	for {
		err := c.Err()
		c.mu.Lock()
		briefly := c.err == nil || !c.lost.IsZero() && time.Since(c.lost) < tellAfter
		c.mu.Unlock()
		if err == nil || !briefly {
			return err
		}
		select {
		case <-c.stop:
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// during returns a context that ends with another one, or when the connection breaks: then no answer comes any more.
func (c *Conn) during(ctx context.Context) (context.Context, context.CancelFunc) {
	c.mu.Lock()
	line := c.line
	c.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	if line == nil {
		return ctx, cancel
	}
	stop := context.AfterFunc(line, cancel)
	return ctx, func() { stop(); cancel() }
}

// Connects returns how often a connection was made.
func (c *Conn) Connects() uint64 { return c.connects.Load() }

// Bus returns the bus of this connection.
func (c *Conn) Bus() *Bus { return c.bus }

// Close sends what was published, within the context's time, and ends the connection.
func (c *Conn) Close(ctx context.Context) error {
	close(c.stop)
	c.bus.end(ctx)
	var err error
	if c.nc.IsConnected() {
		err = c.nc.FlushWithContext(ctx)
	}
	c.nc.Close()
	c.work.Wait()
	if err != nil {
		return fmt.Errorf("cluster: the last messages may not have been sent: %w", clean(err))
	}
	return nil
}

// Await waits until there is a connection, or the context ends: then it says why there is none.
func (c *Conn) Await(ctx context.Context) error {
	for c.Err() != nil {
		if wait(ctx, 20*time.Millisecond) != nil {
			return c.Err()
		}
	}
	return nil
}
