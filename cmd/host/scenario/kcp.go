package scenario

import (
	"fmt"
	"net/netip"
	"runtime"
	"time"

	"github.com/tidelock/tidelock/netcode/carrier"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/simlink"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// kcpWay connects peers by sockets on 127.0.0.1, with a passage in front of each client that impairs packets.
// Time is real from its creation on, but never faster: if the machine cannot keep up, the scenario's clock
// waits for it, so that a second in a scenario takes at least a second. Packets leave at the time of the tick
// that sends them, and are available to the first tick that is not before their due time, however late this
// machine runs the goroutines that read sockets: only the scenario decides what a line does to a packet, and
// not the load of the machine.
type kcpWay struct {
	stage  *stage
	via    carrier.Via
	limits kcplink.Limits
	began  time.Time
	from   float64       // time of the stage at its creation
	sent   time.Duration // time of the previous tick, at which packets left
	server *kcpServer
	lines  []*kcpLine
	dials  int
	// passages are all that ever existed: an abandoned peer keeps sending until it notices.
	passages []passage
}

// passage is one client's impaired connection to the server. Packets stay in it as long as the line requires;
// work that does not need the scenario's clock may run on other goroutines.
type passage interface {
	// dial begins to connect over it.
	dial(l *kcplink.Link, options string) error
	// poll reads what links have sent, as sent now, and passes on due packets.
	poll(now time.Duration)
	setRules(up, down impair.Rule)
	// cut drops all further packets.
	cut()
	close() error
	// took is how many packets it has received from the client's and the server's link, gave how many it has
	// passed on to the server's and the client's.
	took() (up, down uint64)
	gave() (up, down uint64)
	String() string
}

// proxied is a passage through a proxy between UDP sockets.
type proxied struct{ *impair.Proxy }

func newProxied(to netip.AddrPort, up, down impair.Rule, seed uint64) (passage, error) {
	p, err := impair.NewProxy(to, up, down, seed)
	return proxied{p}, err
}

func (p proxied) dial(l *kcplink.Link, options string) error {
	_, err := l.Dial(kcplink.Dial{Addr: p.Addr(), Options: options})
	return err
}

func (p proxied) poll(now time.Duration)        { p.Poll(now) }
func (p proxied) setRules(up, down impair.Rule) { p.SetRules(up, down) }
func (p proxied) cut()                          { p.Cut() }
func (p proxied) close() error                  { return p.Close() }
func (p proxied) took() (up, down uint64)       { return p.Came() }

func (p proxied) gave() (up, down uint64) {
	s := p.Stats()
	return s.UpOut, s.DownOut
}

func (p proxied) String() string { return "through " + p.Addr().String() }

// kcpServer is the server's end, a new one after a restart, with the passages that lead to it.
type kcpServer struct {
	*kcplink.Link
	way      *kcpWay
	passages []passage
	closed   bool
	// Packets that the system lost, there and back.
	lostUp, lostDown uint64
}

// Close implements link.Link. Goodbyes are sent when it returns.
func (s *kcpServer) Close() error {
	err := s.Link.Close()
	s.way.settle(s.way.leftLinks)
	s.closed = true
	return err
}

func newKCPWay(s *stage, c *config) *kcpWay {
	w := &kcpWay{stage: s, via: s.c.suite.opt.Via, limits: kcplink.Limits{Silence: c.silence, Heartbeat: c.heartbeat()}, began: time.Now(), from: s.now}
	w.sent = virtual(w.from)
	return w
}

const loopback = "127.0.0.1:0"

func (w *kcpWay) listen() (link.Link, error) {
	l, err := kcplink.New(kcplink.Config{Addr: loopback, Server: &kcplink.Server{}, Limits: w.limits})
	if err != nil {
		return nil, err
	}
	w.server = &kcpServer{Link: l, way: w}
	w.stage.log = append(w.stage.log, fmt.Sprintf("server: listens on %s", l.Addr()))
	return w.server, nil
}

// now returns the time for which a tick was due, regardless of its delay: budgets and timeouts must not depend
// on the load of the machine.
func (w *kcpWay) now(at float64) time.Duration { return virtual(at) }

// clock returns the wall clock on the scenario's scale.
func (w *kcpWay) clock() time.Duration { return virtual(w.from) + time.Since(w.began) }

// late is the largest delay of a tick that is made up for.
const late = 10 * time.Millisecond

// wait moves packets until it is time.
func (w *kcpWay) wait(at float64) {
	w.settle(w.leftLinks)
	w.poll(w.sent)
	w.sent = virtual(at)
	if behind := w.clock() - w.sent; behind > late {
		w.began = w.began.Add(behind)
	}
	time.Sleep(w.sent - w.clock())
	w.poll(w.sent)
	w.settle(w.leftPassages)
}

func (w *kcpWay) poll(now time.Duration) {
	for _, k := range w.lines {
		k.passage.poll(now)
	}
}

// settle waits until no packet is between two sockets, each of which has delivered what it was sent. Packets
// lost by the system are given up: loss reports whether there are some, and resets the count if requested.
func (w *kcpWay) settle(loss func(forget bool) uint64) {
	const (
		patience = 400 // polls, so that on a busy machine the readers get to run in between
		nap      = 100 * time.Microsecond
	)
	for look := 0; loss(false) > 0; look++ {
		switch {
		case look < 10:
			runtime.Gosched()
		case look < patience:
			time.Sleep(nap)
		default:
			w.stage.log = append(w.stage.log, fmt.Sprintf("%d packets were lost between two sockets of this machine", loss(true)))
		}
	}
}

// leftLinks returns what links have sent and passages have not read.
func (w *kcpWay) leftLinks(forget bool) (left uint64) {
	for _, k := range w.lines {
		came, _ := k.passage.took()
		missing(k.Counters().PacketsOut, came, &k.lostUp, &left, forget)
	}
	if s := w.server; s != nil && !s.closed {
		var came uint64
		for _, p := range s.passages {
			_, down := p.took()
			came += down
		}
		missing(s.Counters().PacketsOut, came, &s.lostDown, &left, forget)
	}
	return left
}

// leftPassages returns what passages have sent and links have not read.
func (w *kcpWay) leftPassages(forget bool) (left uint64) {
	for _, k := range w.lines {
		_, down := k.passage.gave()
		missing(down, k.Arrived(), &k.lostDown, &left, forget)
	}
	if s := w.server; s != nil && !s.closed {
		var out uint64
		for _, p := range s.passages {
			up, _ := p.gave()
			out += up
		}
		missing(out, s.Arrived(), &s.lostUp, &left, forget)
	}
	return left
}

// missing adds to left the packets that were sent, did not arrive and are not known to be lost; with forget
// they are known from now on.
func missing(sent, came uint64, lost, left *uint64, forget bool) {
	if came+*lost >= sent {
		return
	}
	n := sent - came - *lost
	*left += n
	if forget {
		*lost += n
	}
}

// passage creates a client's connection to the server.
func (w *kcpWay) passage(up, down impair.Rule, seed uint64) (passage, error) {
	if w.via == carrier.UDP {
		return newProxied(w.server.Addr(), up, down, seed)
	}
	return newCarried(w.via, w.server.Link, up, down, seed)
}

func (w *kcpWay) dial(c *client) (line, error) {
	key, err := kcplink.KeyFromPrivate(identityOf(c.opt.Name))
	if err != nil {
		return nil, err
	}
	w.dials++
	tag := fmt.Sprintf("dial %d", w.dials)
	up, down := rulesOf(c.link)
	p, err := w.passage(up, down, seedOf(w.stage.seed, w.dials))
	if err != nil {
		return nil, err
	}
	l, err := kcplink.New(kcplink.Config{Addr: loopback, PipesOnly: w.via != carrier.UDP, Key: key, Limits: w.limits})
	if err == nil {
		err = p.dial(l, tag)
	}
	if err != nil {
		if l != nil {
			_ = l.Close() // the first error counts
		}
		_ = p.close()
		return nil, err
	}
	k := &kcpLine{Link: l, passage: p, way: w, tag: tag}
	w.lines, w.passages, w.server.passages = append(w.lines, k), append(w.passages, p), append(w.server.passages, p)
	where := p.String()
	if a := l.Addr(); a.IsValid() {
		where = fmt.Sprintf("on %s, %s", a, where)
	}
	w.stage.log = append(w.stage.log, c.Name()+": "+where)
	return k, nil
}

// audit compares what was counted with what was handed over; the overhead of real packets is not counted
// separately.
func (w *kcpWay) audit(metered []*meter) []string {
	var out []string
	for _, m := range metered {
		out = append(out, m.audit()...)
	}
	return out
}

func (w *kcpWay) close() {
	for len(w.lines) > 0 {
		_ = w.lines[0].Close() // the run is over; there is nobody to tell
	}
	for _, p := range w.passages {
		_ = p.close() // sockets of our own on loopback
	}
}

// kcpLine is a client's end of one connection.
type kcpLine struct {
	*kcplink.Link
	passage passage
	way     *kcpWay
	tag     string
	// Packets that the system lost, there and back.
	lostUp, lostDown uint64
}

func (k *kcpLine) impair(l script.LinkOptions) { k.passage.setRules(rulesOf(l)) }

// kill cuts the line first, so that the goodbye is not received.
func (k *kcpLine) kill() {
	k.passage.cut()
	_ = k.Close() // there is nobody to tell
}

// Close says goodbye without waiting for an answer.
func (k *kcpLine) Close() error {
	for i, o := range k.way.lines {
		if o == k {
			k.way.lines = append(k.way.lines[:i], k.way.lines[i+1:]...)
			break
		}
	}
	k.passage.cut()
	return k.Link.Close()
}

func (k *kcpLine) leadsTo(c link.Conn) bool {
	id := c.Identity()
	return id.Key == k.PublicKey() && id.Options == k.tag // the tag distinguishes it from an earlier one of the client's
}

func (k *kcpLine) introduce(link.Conn) {}

// rulesOf is both directions of a link.
func rulesOf(l script.LinkOptions) (up, down impair.Rule) {
	p := pathOf(l)
	rule := func(i simlink.Impairment) impair.Rule {
		return impair.Rule{Lag: i.Lag, Jitter: i.Jitter, Loss: i.Loss, Burst: i.Burst, Dup: i.Dup, Reorder: i.Reorder, Rate: i.Rate}
	}
	return rule(p.Up), rule(p.Down)
}
