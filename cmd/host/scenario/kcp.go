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

// kcpWay is sockets on 127.0.0.1, with a passage before each client that impairs what passes. Time is real from when
// it is made, but never faster: where the machine does not keep up, the scenario's clock waits for it, so that what takes a
// second in a scenario takes at least a second. Packets leave at the time of the tick that sends them, and are there for the
// first tick that is not before they are due, however late this machine runs the goroutines that read sockets: what a
// line does to a packet is up to the scenario, and not to what else there is to do.
type kcpWay struct {
	stage  *stage
	via    carrier.Via
	limits kcplink.Limits
	began  time.Time
	from   float64       // time of the stage then
	sent   time.Duration // time of the tick before, at which packets left
	server *kcpServer
	lines  []*kcpLine
	dials  int
	// passages are all that there were: who was left talks on until they notice.
	passages []passage
}

// passage is one client's way to the server, as bad as its line is. Packets stay in it for as long as the line wants; what
// it does not need the scenario's clock for may run on other goroutines.
type passage interface {
	// dial begins to connect over it.
	dial(l *kcplink.Link, options string) error
	// poll takes what links have sent, as sent now, and passes on what is due.
	poll(now time.Duration)
	setRules(up, down impair.Rule)
	// cut lets nothing through any more.
	cut()
	close() error
	// took is how many packets of the client's and of the server's link it has taken, gave how many it has passed on to the
	// server's and the client's.
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

// kcpServer is the server's end, another one after a restart, with the passages that lead to it.
type kcpServer struct {
	*kcplink.Link
	way      *kcpWay
	passages []passage
	closed   bool
	// Packets that the system lost, there and back.
	lostUp, lostDown uint64
}

// Close implements link.Link. Goodbyes are on their way when it returns.
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

// now is the time for which a tick was due, whatever its delay: budgets and time-outs are not to depend on how busy the
// machine is.
func (w *kcpWay) now(at float64) time.Duration { return virtual(at) }

// clock is where the wall clock is on the scenario's.
func (w *kcpWay) clock() time.Duration { return virtual(w.from) + time.Since(w.began) }

// late is how far behind its time a tick may be made up for.
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

// settle waits until nothing is between two sockets any more, each of which has handed over what it was sent. What the
// system loses is given up: loss tells whether there is some, and forgets it where it is told to.
func (w *kcpWay) settle(loss func(forget bool) uint64) {
	const (
		patience = 400 // looks, so that on a busy machine the readers had their turns between them
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

// leftLinks is what links have sent and passages have not read.
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

// leftPassages is what passages have sent on and links have not read.
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

// missing adds to left what was sent and neither came nor is known to be lost; where forget is set it is known from now on.
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

// passage makes a client's way to the server.
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

// audit holds what was counted to what was handed over; what real packets add nobody counts piece by piece.
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

// kill cuts the line first, so that nobody hears the goodbye.
func (k *kcpLine) kill() {
	k.passage.cut()
	_ = k.Close() // there is nobody to tell
}

// Close says goodbye, and waits for nobody to hear it.
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
	return id.Key == k.PublicKey() && id.Options == k.tag // the tag tells it from an earlier one of the client's
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
