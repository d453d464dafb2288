package teleport

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/tidelock/tidelock/cmd/host/histogram"
	"github.com/tidelock/tidelock/engine/bus"
)

// Options of New. All are needed but Random.
type Options struct {
	Bus *bus.Client
	// Find returns the ids of hosts that a name or label means, the best first; the error says why there is none.
	Find func(target string) ([]string, error)
	// Reserve, at the target, reserves a place and issues a token, or says why not. Its Host is set here.
	Reserve func(t *Traveller, until time.Duration) (Place, error)
	// Offer, at the source, tells the player to go there.
	Offer func(id string, p *Place) error
	// Take, at the source, ends the player there because another host has them, and returns the state that they take along. It is
	// false if they left meanwhile.
	Take func(id string, to *Place) (state []byte, ok bool)
	// End, at the source, ends a player who is elsewhere by now.
	End func(id string, to *Place)
	Log *slog.Logger
	// Random makes the names of hops; nil means crypto/rand.
	Random io.Reader
}

// Service is a host's end of the protocol: source for some players, target for others.
type Service struct {
	opt      Options
	now      time.Duration
	leaving  map[string]*departure // by hop
	arriving map[string]*arrival   // by the player's id
	order    []*departure
	queue    []*arrival
	// Stats count since New.
	Stats Stats
}

// Stats of a service. Sent players left this host and arrived, Arrived ones came; Failed hops of this host's players ended here, Returned
// of them after they had left. Begun hops of this host's players found a host to ask. Took is how long hops took from Send until this host
// heard that the player arrived.
type Stats struct {
	Begun, Sent, Arrived, Failed, Returned, Bad int
	Took                                        histogram.Histogram
}

type progress uint8

const (
	reserving progress = iota
	offered            // the player knows, and plays on
	left               // the target has the state
	arrived            // the target has the player
	returned           // the player came back here
	failed
)

// departure is a player on their way from here.
type departure struct {
	hop    string
	who    Traveller
	to     Place
	at     progress
	state  []byte
	begun  time.Duration
	until  time.Duration
	done   func(error)
	places []string // other hosts to try
}

// arrival is a player on their way to here.
type arrival struct {
	hop    string
	from   string // the source
	who    Traveller
	until  time.Duration
	begun  bool // the player is here and waits
	asking bool
	next   time.Duration // when to ask, or to tell, again
	heard  time.Duration // when the source answered last
	ready  bool
	why    string // a refusal
	in     bool
	told   bool
}

// New starts a service.
func New(o Options) (*Service, error) {
	if o.Random == nil {
		o.Random = rand.Reader
	}
	s := &Service{opt: o, leaving: map[string]*departure{}, arriving: map[string]*arrival{}, Stats: Stats{Took: histogram.New(histogram.Hops())}}
	for kind, handle := range map[string]func(bus.In){"reserve": s.reserve, "handover": s.handover, "arrived": s.arrived} { // any order
		if _, err := o.Bus.Subscribe(subject(o.Bus.Host, kind), "", handle); err != nil {
			return nil, fmt.Errorf("teleport: %w", err)
		}
	}
	return s, nil
}

func subject(host, kind string) string { return "host." + host + "." + kind }

// Send begins to send a player to a host by name or label. done is called once: with nil when the player is there, with an error,
// which is a line for people, if they stay here.
func (s *Service) Send(who Traveller, target string, done func(error)) {
	for _, d := range s.order {
		if d.who.ID == who.ID && d.at <= left {
			done(errors.New("the player is already on the way to " + cmp.Or(d.to.Name, "another host")))
			return
		}
	}
	if len(s.order) >= MaxHops {
		done(fmt.Errorf("%d players are on their way already", MaxHops))
		return
	}
	hosts, err := s.opt.Find(target)
	if err != nil {
		done(err)
		return
	}
	var b [12]byte
	if _, err := io.ReadFull(s.opt.Random, b[:]); err != nil {
		done(err)
		return
	}
	d := &departure{hop: hex.EncodeToString(b[:]), who: who, begun: s.now, until: s.now + Offered, done: done, places: hosts}
	s.leaving[d.hop] = d
	s.order = append(s.order, d)
	s.Stats.Begun++
	s.try(d, errors.New("no host has that name or label"))
}

// try asks the next host for a place.
func (s *Service) try(d *departure, last error) {
	if len(d.places) == 0 || s.now >= d.until {
		s.fail(d, last)
		return
	}
	host := d.places[0]
	d.places = d.places[1:]
	err := s.opt.Bus.Request(subject(host, "reserve"), encode(&reserve{d.hop, d.who}), reserveWithin, func(in bus.In, err error) {
		if d.at != reserving {
			return
		}
		var p Place
		if err == nil {
			if err = parse(in.Body, &p); err == nil {
				err = p.Check()
			}
			if err == nil && (in.From != host || p.Host != host) {
				err = errFrame
			}
		}
		if err == nil {
			d.to, d.at, d.until = p, offered, s.now+Offered
			err = s.opt.Offer(d.who.ID, &d.to)
			if err != nil {
				s.fail(d, err)
			}
			return
		}
		s.try(d, fmt.Errorf("host %s: %w", host, err))
	})
	if err != nil {
		s.fail(d, err)
	}
}

func (s *Service) fail(d *departure, err error) {
	s.Stats.Failed++
	d.at, d.state = failed, nil
	d.until = s.now + Keep // a late handover is told
	d.finish(err)
}

func (d *departure) finish(err error) {
	if d.done != nil {
		done := d.done
		d.done = nil
		done(err)
	}
}

// reserve handles the request of a source.
func (s *Service) reserve(in bus.In) {
	var r reserve
	err := parse(in.Body, &r)
	if err == nil {
		err = r.check()
	}
	if err != nil {
		s.Stats.Bad++
		return
	}
	old := s.arriving[r.ID]
	if old != nil && (old.in || old.begun) && old.hop != r.Hop {
		s.answer(in, nil, "the player is arriving from another host")
		return
	}
	if old == nil && len(s.arriving) >= MaxHops {
		s.answer(in, nil, "too many players are on their way")
		return
	}
	p, err := s.opt.Reserve(&r.Traveller, s.now+Offered)
	if err != nil {
		s.answer(in, nil, err.Error())
		return
	}
	p.Host = s.opt.Bus.Host
	a := &arrival{hop: r.Hop, from: in.From, who: r.Traveller, until: s.now + Offered}
	if old != nil {
		s.queue = slices.DeleteFunc(s.queue, func(x *arrival) bool { return x == old })
	}
	s.arriving[r.ID] = a
	s.queue = append(s.queue, a)
	s.answer(in, encode(&p), "")
}

func (s *Service) answer(in bus.In, body []byte, text string) {
	if err := s.opt.Bus.Answer(in, body, text); err != nil {
		s.opt.Log.Debug("an answer of the teleport protocol was not sent", "to", in.From, "error", err.Error(), "event", "teleport")
	}
}

// Reserved returns for how many players places are kept who are not in yet.
func (s *Service) Reserved() int {
	n := 0
	for _, a := range s.queue {
		if !a.in {
			n++
		}
	}
	return n
}

// Expected reports whether a player is on their way to this host, or may come back to it.
func (s *Service) Expected(id string) bool {
	return s.Coming(id) || s.Returning(id)
}

// Coming reports whether a player is on their way to this host, and not in yet.
func (s *Service) Coming(id string) bool { return s.awaited(id) != nil }

// Returning reports whether a player left this host for another one and has not arrived there: they may come back.
func (s *Service) Returning(id string) bool { return s.back(id) != nil }

func (s *Service) awaited(id string) *arrival {
	if a := s.arriving[id]; a != nil && !a.in {
		return a
	}
	return nil
}

// back returns the hop of a player who left this host and did not arrive.
func (s *Service) back(id string) *departure {
	for i := len(s.order) - 1; i >= 0; i-- {
		if d := s.order[i]; d.who.ID == id {
			if d.at == left {
				return d
			}
			return nil
		}
	}
	return nil
}

// Prepare is called again and again for a player who is Expected and has loaded, until ready. refused says why they cannot come in;
// else text says what they wait for.
func (s *Service) Prepare(id string) (ready bool, text, refused string) {
	a := s.awaited(id)
	if a == nil {
		return true, "", "" // who comes back needs nobody's permission
	}
	if !a.begun {
		a.begun, a.heard, a.until = true, s.now, s.now+Keep
	}
	if a.why != "" {
		return false, "", a.why
	}
	return a.ready, "the host where you were did not let you go in time", ""
}

// State returns what an expected player brings along; back says that they come back to this host. It is for admission, once.
func (s *Service) State(id string) (state, data []byte, from string, back bool) {
	if a := s.awaited(id); a != nil {
		return a.who.State, a.who.Data, a.from, false
	}
	if d := s.back(id); d != nil {
		return d.state, nil, "", true
	}
	return nil, nil, "", false
}

// In is told that an expected player is in the match.
func (s *Service) In(id string) {
	if a := s.awaited(id); a != nil {
		s.Stats.Arrived++
		a.in, a.until, a.next = true, s.now+tellFor, s.now
		return
	}
	if d := s.back(id); d != nil {
		s.Stats.Returned++
		s.Stats.Failed++
		d.at, d.state, d.until = returned, nil, s.now+Keep
		d.finish(errors.New("the player came back"))
	}
}

// Away is told that an expected player is gone before they were in: their place is free.
func (s *Service) Away(id string) {
	if a := s.awaited(id); a != nil && a.begun {
		s.drop(a)
	}
}

func (s *Service) drop(a *arrival) {
	if s.arriving[a.who.ID] == a {
		delete(s.arriving, a.who.ID)
	}
	s.queue = slices.DeleteFunc(s.queue, func(x *arrival) bool { return x == a })
}

// ask requests the handover.
func (s *Service) ask(a *arrival) {
	a.asking, a.next = true, s.now+askEvery
	err := s.opt.Bus.Request(subject(a.from, "handover"), encode(&hopOnly{a.hop, a.who.ID}), 2*askEvery, func(in bus.In, err error) {
		a.asking = false
		if s.arriving[a.who.ID] != a || a.ready || a.in || err != nil {
			return
		}
		var h handed
		if parse(in.Body, &h) != nil || h.check() != nil || in.From != a.from {
			s.Stats.Bad++
			return
		}
		a.heard = s.now
		switch h.Status {
		case gone:
			a.ready = true
			if h.State != nil {
				a.who.State = h.State
			}
		case cancelled:
			a.why = cmp.Or(h.Text, "the host where you were keeps you")
		}
	})
	if err != nil {
		a.asking = false
	}
}

// handover handles the request of a target that has the player.
func (s *Service) handover(in bus.In) {
	var h hopOnly
	if parse(in.Body, &h) != nil || h.check() != nil {
		s.Stats.Bad++
		return
	}
	d := s.leaving[h.Hop]
	say := func(x handed) { s.answer(in, encode(&x), "") }
	if d == nil || d.who.ID != h.ID || in.From != d.to.Host {
		say(handed{Status: cancelled, Text: "the host where you were does not know of your journey"})
		return
	}
	switch d.at {
	case offered:
		state, ok := s.opt.Take(h.ID, &d.to)
		if !ok {
			state = d.who.State // they left; nothing is here that could be given
		}
		d.at, d.state, d.until = left, state, s.now+Keep
	case left, arrived:
	case reserving, returned, failed:
		say(handed{Status: cancelled, Text: "the host where you were keeps you"})
		return
	}
	say(handed{Status: gone, State: d.state})
}

// arrived handles the news that a player is in the target's match.
func (s *Service) arrived(in bus.In) {
	var h hopOnly
	if parse(in.Body, &h) != nil || h.check() != nil {
		s.Stats.Bad++
		return
	}
	d := s.leaving[h.Hop]
	if d == nil || d.who.ID != h.ID || in.From != d.to.Host {
		s.answer(in, []byte("{}"), "") // long forgotten
		return
	}
	if d.at != arrived {
		if d.at == offered || d.at == returned { // this host was taken for dead
			s.opt.End(d.who.ID, &d.to)
		}
		s.Stats.Sent++
		s.Stats.Took.Add((s.now - d.begun).Seconds())
		d.at, d.state, d.until = arrived, nil, s.now+Keep
		d.finish(nil)
	}
	s.answer(in, []byte("{}"), "")
}

// tell tells the source that the player arrived.
func (s *Service) tell(a *arrival) {
	a.next = s.now + tellEvery
	err := s.opt.Bus.Request(subject(a.from, "arrived"), encode(&hopOnly{a.hop, a.who.ID}), tellEvery, func(in bus.In, err error) {
		if err == nil && in.From == a.from {
			a.told = true
		}
	})
	if err != nil {
		s.opt.Log.Debug("an arrival was not told", "to", a.from, "error", err.Error(), "event", "teleport")
	}
}

// Tick does what is due, between two ticks of the world, after the bus has delivered. now must not go back.
func (s *Service) Tick(now time.Duration) {
	s.now = now
	for _, d := range s.order {
		if now < d.until {
			continue
		}
		switch d.at {
		case reserving, offered:
			s.fail(d, fmt.Errorf("%s did not have the player within %g s", cmp.Or(d.to.Name, "no host"), Offered.Seconds()))
		case left: // the target never said that they arrived
			s.Stats.Failed++
			d.at = failed
			delete(s.leaving, d.hop)
			d.finish(fmt.Errorf("the player left for %s and was not heard of", d.to.Name))
		case arrived, returned, failed:
			delete(s.leaving, d.hop)
		}
	}
	s.order = slices.DeleteFunc(s.order, func(d *departure) bool { return s.leaving[d.hop] != d })
	for _, a := range slices.Clone(s.queue) {
		switch {
		case now >= a.until || a.in && a.told:
			s.drop(a)
		case a.in && now >= a.next:
			s.tell(a)
		case a.begun && !a.in && !a.ready && a.why == "":
			if now-a.heard >= Silence {
				a.ready = true // with the state of the reservation
				s.opt.Log.Warn("the host that a player comes from does not answer; it is taken for dead", "player", a.who.ID, "host", a.from, "event", "teleport")
			} else if !a.asking && now >= a.next {
				s.ask(a)
			}
		}
	}
}

// Leaving returns how many players are on their way from here.
func (s *Service) Leaving() int {
	n := 0
	for _, d := range s.order {
		if d.at <= left {
			n++
		}
	}
	return n
}

// Idle reports whether nobody is on the way.
func (s *Service) Idle() bool { return len(s.order) == 0 && len(s.queue) == 0 }
