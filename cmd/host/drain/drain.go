package drain

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tidelock/tidelock/cmd/host/teleport/place"
	"github.com/tidelock/tidelock/netcode/link"
)

const (
	// ReadFor is how many seconds the last message is shown before players are disconnected.
	ReadFor = 3
	// GoodbyeFor is how many seconds the network runs after that: a goodbye is repeated while datagrams get lost.
	GoodbyeFor = 1
	// StoreFor is how many seconds the store has for what players and scripts have earned.
	StoreFor = 30
	// WarnAt is how many seconds before the end of the time players are told again.
	WarnAt = 60
	// Usual is how long a drain waits for the end of the round, if nobody says otherwise.
	Usual = 10 * time.Minute
	// Most bounds the time of a drain.
	Most = 168 * time.Hour
)

// Phase is where a drain is (docs/cluster.md draws its ways). Invariant: it only advances, except that calling it off leads back from
// Draining and Leaving to InService.
type Phase uint8

// The phases of a drain.
const (
	InService Phase = iota
	Draining        // the round goes on, without new players
	Leaving         // players have been told that they will be disconnected
	Storing         // everybody is gone, the world stands still, the store works
	Drained         // the loop may end
)

func (p Phase) String() string {
	return [...]string{"in service", "draining", "leaving", "storing", "drained"}[p]
}

// What players are told.
const (
	RefusedText = "the server is draining: it takes no new players and ends after this round; join another server"
	RoundOver   = "the round is over, and this server goes out of service"
	NobodyHere  = "this server goes out of service"
	TimeOver    = "the time is over, and this server goes out of service"
)

// refused is why a new player is refused.
var refused = link.Reason{Code: "draining", Text: RefusedText}

// ErrGone is the answer to [Drain.Stop] after the players were disconnected.
var ErrGone = errors.New("drain off: the players are gone already, and the host ends")

// Options of New. All but Trace are needed.
type Options struct {
	Host Host
	Log  *slog.Logger
	// Usual is how long a drain waits for the round's end, if nobody says otherwise; 0 is as long as the round takes.
	Usual time.Duration
	// Trace is told of every change, for tests; nil tells nobody.
	Trace func(from, to Phase)
}

// Drain is the state of one host's drain. The loop's goroutine owns what is not said to be for any.
type Drain struct {
	host  Host
	log   *slog.Logger
	trace func(from, to Phase)
	usual float64 // seconds, 0 for as long as the round takes
	// over gets the drain's result once: nil, or why not everything was stored.
	over chan error

	phase   Phase
	left    float64 // seconds until the round is cut short, +Inf for never
	clock   float64 // seconds since the phase began
	looked  float64 // clock at which the game was last asked who may return
	waits   bool    // its answer: somebody may
	warned  bool
	quiet   float64 // seconds for which nobody was on the way while players leave
	sent    bool    // somebody was
	again   bool    // and those who came back were sent on
	goodbye float64 // how many seconds of storing the network needs
	why     string  // what players are told as they are disconnected
	travel  string  // where the match would have travelled

	asked atomic.Int64           // a request from another goroutine: 0 none, or one of the constants below, or seconds + 1
	line  atomic.Pointer[string] // for the status; nil in service
}

// What other goroutines may request.
const (
	askedOff   = -1
	askedUsual = -2
)

// New returns the drain of a host that is in service.
func New(o Options) *Drain {
	return &Drain{host: o.Host, log: o.Log, trace: o.Trace, usual: o.Usual.Seconds(), over: make(chan error, 1)}
}

// SetUsual changes Options.Usual for drains that begin from now on.
func (d *Drain) SetUsual(t time.Duration) { d.usual = t.Seconds() }

// Usual returns Options.Usual as it is now.
func (d *Drain) Usual() time.Duration { return time.Duration(d.usual * float64(time.Second)) }

// Ask requests a drain of the usual time with the next step. Any goroutine may call it, as often as it likes.
func (d *Drain) Ask() { d.asked.Store(askedUsual) }

// AskWithin is Ask with a time in place of the usual one, rounded up to whole seconds and at most [Most]; 0 waits for the end of the
// round however long it takes.
func (d *Drain) AskWithin(t time.Duration) {
	d.asked.Store(int64(math.Ceil(min(max(t, 0), Most).Seconds())) + 1)
}

// AskOff requests that the drain is called off with the next step. Any goroutine may call it.
func (d *Drain) AskOff() { d.asked.Store(askedOff) }

// Over gets the drain's result once: nil, or why not everything was stored. Any goroutine may wait for it.
func (d *Drain) Over() <-chan error { return d.over }

// Phase returns where the drain is.
func (d *Drain) Phase() Phase { return d.phase }

// Since returns the seconds since the phase began.
func (d *Drain) Since() float64 { return d.clock }

// Left returns the seconds until the round is cut short, +Inf for never. It is meaningless in service.
func (d *Drain) Left() float64 { return d.left }

// Held returns where the match would have travelled, "" for nowhere.
func (d *Drain) Held() string { return d.travel }

// Active reports whether the host is not, or not fully, in service.
func (d *Drain) Active() bool { return d.phase != InService }

// Still reports whether the world stands still: nobody is in it, and what it would still request from the store would never end.
func (d *Drain) Still() bool { return d.phase >= Storing }

// Notes returns the line for the status. Any goroutine may call it.
func (d *Drain) Notes() []string {
	if l := d.line.Load(); l != nil {
		return []string{*l}
	}
	return nil
}

// Describe says where the drain is.
func (d *Drain) Describe() string {
	switch {
	case d.phase == InService:
		return "the host is in service"
	case d.phase >= Storing:
		return "draining: the players are gone, the store finishes"
	case d.phase == Leaving:
		return "draining: the players are leaving"
	case math.IsInf(d.left, 1):
		return "draining: no new players; the host ends after this round"
	}
	return fmt.Sprintf("draining: no new players; the host ends after this round, in %v at the latest", time.Duration(max(math.Ceil(d.left), 0))*time.Second)
}

// Refuses returns why a player with a key, "" for one without, cannot come in, nil if the drain lets them. Those have a place whom the
// game remembers, those who are in already, and those who were on the way when the drain began. From the end of the round on, who comes
// from another host stays there, or goes back.
func (d *Drain) Refuses(key string) *link.Reason {
	if !d.Active() || !d.Still() && d.hasPlace(key) {
		return nil
	}
	why := refused
	return &why
}

func (d *Drain) hasPlace(key string) bool {
	switch d.host.Standing(key) {
	case Inside, Returning:
		return true
	case Coming:
		return d.phase == Draining
	case Stranger:
	}
	return key != "" && d.host.MayReturn(key)
}

// Start begins a drain that cuts the round short after so many seconds, 0 for never; nil means the usual time. While one runs, only a
// time that is given changes anything. It returns a line that says what is so now.
func (d *Drain) Start(seconds *float64) string {
	limit := d.usual
	if seconds != nil {
		limit = *seconds
	}
	if limit == 0 {
		limit = math.Inf(1)
	}
	switch d.phase {
	case InService:
		d.enter(Draining)
		d.looked, d.waits, d.warned, d.travel = math.Inf(-1), false, limit <= WarnAt, ""
		d.left = limit
		d.host.TurnAway(refused)
		d.host.Changed(true)
		d.log.Info("Draining: no new players come in", "event", "drain", "seconds", seconds0(limit), "players", d.host.Players())
		d.host.Announce("This server goes out of service after this round" + latest(limit) + ".")
	case Draining:
		if seconds != nil {
			d.left, d.warned = limit, limit <= WarnAt
			d.log.Info("Draining: another time", "event", "drain", "seconds", seconds0(limit))
		}
	case Leaving, Storing, Drained: // it cannot be sooner
	}
	d.show()
	return d.Describe()
}

// seconds0 returns a limit for the log: 0 for none.
func seconds0(limit float64) float64 {
	if math.IsInf(limit, 1) {
		return 0
	}
	return limit
}

// latest says in players' words how long a round may still last.
func latest(limit float64) string {
	switch {
	case math.IsInf(limit, 1):
		return ""
	case limit >= 120:
		return fmt.Sprintf(", in %.0f minutes at the latest", limit/60)
	}
	return fmt.Sprintf(", in %.0f seconds at the latest", limit)
}

// Stop calls a drain off: new players come in again. A travel that the drain has held back follows. The error is ErrGone; without a
// drain nothing happens. It returns a line that says what is so now.
func (d *Drain) Stop() (string, error) {
	switch d.phase {
	case InService:
		return d.Describe(), nil
	case Storing, Drained:
		return "", ErrGone
	case Draining, Leaving:
	}
	url := d.travel
	d.travel = ""
	d.enter(InService)
	d.host.Changed(false)
	d.log.Info("Drain called off: new players may come in", "event", "drain_off")
	d.host.Announce("This server stays in service.")
	d.show()
	if url != "" {
		d.host.Travel(url)
	}
	return "the host is in service again", nil
}

// show renews the line of the status.
func (d *Drain) show() {
	if !d.Active() {
		d.line.Store(nil)
		return
	}
	if text := d.Describe(); d.line.Load() == nil || *d.line.Load() != text {
		d.line.Store(&text)
	}
}

// EndsRound is asked when the match is about to travel, which is how its rounds end. It reports whether the drain keeps it from that.
func (d *Drain) EndsRound(url string) bool {
	switch d.phase {
	case InService:
		return false
	case Draining:
		d.letGo(RoundOver)
	case Leaving, Storing, Drained:
	}
	d.travel = url
	return true
}

// Step does what is due; dt is how many seconds of the loop have passed since the last time.
func (d *Drain) Step(dt float64) {
	switch n := d.asked.Swap(0); {
	case n == askedUsual:
		d.Start(nil)
	case n == askedOff:
		if _, err := d.Stop(); err != nil {
			d.log.Warn(err.Error(), "event", "drain")
		}
	case n > 0:
		seconds := float64(n - 1)
		d.Start(&seconds)
	}
	if !d.Active() {
		return
	}
	d.clock += dt
	d.left -= dt
	switch d.phase {
	case Draining:
		switch {
		case d.deserted():
			d.log.Info("Draining: nobody is here", "event", "drain")
			d.disconnect(NobodyHere)
		case d.left <= 0:
			d.letGo(TimeOver)
		case !d.warned && d.left <= WarnAt:
			d.warned = true
			d.host.Announce("This server goes out of service in one minute.")
		}
	case Leaving:
		d.leave(dt)
	case Storing:
		d.finish()
	case InService, Drained:
	}
	d.show()
}

// enter begins a phase.
func (d *Drain) enter(p Phase) {
	if d.trace != nil {
		d.trace(d.phase, p)
	}
	d.phase, d.clock = p, 0
}

// letGo lets the players go at the end of a drain: it tells them why, and sends them to another host of the cluster that plays the same
// game and has room. Step disconnects the others when they had time to read it, and nobody is on the way any more.
func (d *Drain) letGo(why string) {
	d.why, d.quiet, d.sent, d.again = why, 0, false, false
	d.log.Info("Draining: the players are let go", "event", "drain", "why", why, "players", d.host.Players())
	d.enter(Leaving)
	d.host.Announce(strings.ToUpper(why[:1]) + why[1:] + ".")
	d.host.TurnAway(refused)
	d.host.Evacuate()
}

// leave waits for those who are on the way to other hosts. A player who comes back, because that host died, is sent on once more, and has time to
// read why they cannot stay.
func (d *Drain) leave(dt float64) {
	away, in := d.host.OnTheWay(), d.host.Players()
	if d.quiet += dt; away > 0 {
		d.quiet, d.sent = 0, true
	}
	if away == 0 && in > 0 && d.sent && !d.again {
		d.again = true
		d.host.Evacuate()
		return
	}
	done := away == 0 && d.clock >= ReadFor && (in == 0 || d.quiet >= ReadFor)
	if done || d.clock >= place.Offered.Seconds() {
		d.disconnect(d.why)
	}
}

// disconnect ends all connections, and has everything stored. From here on nothing leads back.
func (d *Drain) disconnect(why string) {
	d.enter(Storing)
	d.goodbye = 0
	if d.host.Disconnect(link.Reason{Code: "stopping", Text: why}) {
		d.goodbye = GoodbyeFor
	}
}

// finish ends the drain when everything is stored and everybody was told.
func (d *Drain) finish() {
	switch {
	case d.clock >= d.goodbye && d.host.Stored():
		d.log.Info("Drained: everything is stored", "event", "drained")
		d.over <- nil
	case d.clock >= StoreFor:
		d.over <- fmt.Errorf("drained, but the store has not finished within %d s: what players have earned last may be lost; the log says what is wrong with the store", StoreFor)
	default:
		return
	}
	d.enter(Drained)
}

// deserted reports whether nobody plays, is connecting, is on the way here or may return. The game is asked at most once a second.
func (d *Drain) deserted() bool {
	if !d.host.Empty() || d.host.Arriving() > 0 || d.host.OnTheWay() > 0 {
		return false
	}
	if d.clock-d.looked >= 1 {
		d.looked, d.waits = d.clock, d.host.MayReturn("")
	}
	return !d.waits
}
