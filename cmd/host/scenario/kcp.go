package scenario

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/simlink"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// kcpWay is sockets on 127.0.0.1, with a proxy before each client that impairs what passes. Time is real from when
// it is made, but never faster: where the machine does not keep up, the scenario's clock waits for it, so that what takes a
// second in a scenario takes at least a second, and packets have the time that they need.
type kcpWay struct {
	stage  *stage
	limits kcplink.Limits
	began  time.Time
	from   float64       // time of the stage then
	last   time.Duration // up to which packets have moved
	server netip.AddrPort
	lines  []*kcpLine
	dials  int
}

func newKCPWay(s *stage, c *config) *kcpWay {
	return &kcpWay{stage: s, limits: kcplink.Limits{Silence: c.silence, Heartbeat: c.heartbeat()}, began: time.Now(), from: s.now}
}

const loopback = "127.0.0.1:0"

func (w *kcpWay) listen() (link.Link, error) {
	l, err := kcplink.New(kcplink.Config{Addr: loopback, Server: &kcplink.Server{}, Limits: w.limits})
	if err != nil {
		return nil, err
	}
	w.server = l.Addr()
	w.stage.log = append(w.stage.log, fmt.Sprintf("server: listens on %s", w.server))
	return l, nil
}

// now is the time for which a tick was due, whatever its delay: budgets and time-outs are not to depend on how busy the
// machine is.
func (w *kcpWay) now(at float64) time.Duration { return virtual(at) }

// clock is where the wall clock is on the scenario's.
func (w *kcpWay) clock() time.Duration { return virtual(w.from) + time.Since(w.began) }

const (
	// poll is how often packets under way are looked at.
	poll = time.Millisecond
	// late is how far behind its time a tick may be made up for.
	late = 10 * time.Millisecond
)

// wait moves packets until it is time.
func (w *kcpWay) wait(at float64) {
	if behind := w.clock() - virtual(at); behind > late {
		w.began = w.began.Add(behind)
	}
	for {
		w.last = max(w.last, w.clock()) // which may have been put back
		for _, k := range w.lines {
			k.proxy.Poll(w.last)
		}
		left := virtual(at) - w.clock()
		if left <= 0 {
			return
		}
		time.Sleep(min(left, poll))
	}
}

func (w *kcpWay) dial(c *client) (line, error) {
	key, err := kcplink.KeyFromPrivate(identityOf(c.opt.Name))
	if err != nil {
		return nil, err
	}
	w.dials++
	tag := fmt.Sprintf("dial %d", w.dials)
	up, down := rulesOf(c.link)
	p, err := impair.NewProxy(w.server, up, down, seedOf(w.stage.seed, w.dials))
	if err != nil {
		return nil, err
	}
	l, err := kcplink.New(kcplink.Config{Addr: loopback, Key: key, Limits: w.limits})
	if err == nil {
		_, err = l.Dial(kcplink.Dial{Addr: p.Addr(), Options: tag})
	}
	if err != nil {
		if l != nil {
			_ = l.Close() // the first error counts
		}
		_ = p.Close()
		return nil, err
	}
	k := &kcpLine{Link: l, proxy: p, way: w, tag: tag}
	w.lines = append(w.lines, k)
	w.stage.log = append(w.stage.log, fmt.Sprintf("%s: on %s, through %s", c.Name(), l.Addr(), p.Addr()))
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
}

// kcpLine is a client's end of one connection.
type kcpLine struct {
	*kcplink.Link
	proxy *impair.Proxy
	way   *kcpWay
	tag   string
}

func (k *kcpLine) impair(l script.LinkOptions) { k.proxy.SetRules(rulesOf(l)) }

// kill cuts the line first, so that nobody hears the goodbye.
func (k *kcpLine) kill() {
	_ = k.proxy.Close() // sockets of our own on loopback
	_ = k.Close()
}

// Close says goodbye, and waits for nobody to hear it.
func (k *kcpLine) Close() error {
	for i, o := range k.way.lines {
		if o == k {
			k.way.lines = append(k.way.lines[:i], k.way.lines[i+1:]...)
			break
		}
	}
	return errors.Join(k.Link.Close(), k.proxy.Close())
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
