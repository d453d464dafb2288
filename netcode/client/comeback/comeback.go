// Package comeback decides what a player's end does when its connection ends: whether it may come back, when it tries again,
// and when it gives up (R8.8, W1.4). `host join`, `host bots` and the browser's Worker follow the same Machine.
//
//	m := comeback.New(comeback.Options{Seed: seed})
//	if m.Due(now) { dial() }          // once for every dial, the first included
//	m.Joined(now)                     // the game let the player in
//	again := m.Ended(now, reason)     // the connection, or the dial, ended
//
// It has no clock, no socket and no goroutine: times are given, and decisions returned. A client that returns dials with the same key,
// so that the host gives the player what they had.
package comeback

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidelock/tidelock/netcode/link"
)

const (
	// firstWait and mostWait are the pauses before the first and before the later dials, which double. Each is multiplied by
	// something from 0.5 to 1.5, so that the players of a host that returns do not all come at once. A dial lasts longer than
	// the longest, so a host that runs again is found within it.
	firstWait = time.Second
	mostWait  = 2 * time.Second
	// doubt is how long a host may be silent before the player is told. It is longer than a heartbeat of an idle host.
	doubt = 4 * time.Second
	// DefaultWithin is how long to try: a host's grace time of 120 s, the 10 s of silence after which that begins, and as
	// long again as a dial takes on both sides of it.
	DefaultWithin = 150 * time.Second
	// settled is how long a player must have been in for the waits, and the time to try, to begin again. A host that sends
	// everybody away as soon as they are in is not dialled forever.
	settled = 10 * time.Second
)

// State is where a Machine is.
type State uint8

// The states. docs/states.md has the ways between them.
const (
	// Joining is before the player was in for the first time: what ends then is not tried again.
	Joining State = iota
	// In is while the player is in.
	In
	// Doubting is while the player is in and the host is silent: the connection lives, and nothing is dialled but what the transport
	// tries beside it.
	Doubting
	// Waiting is after a connection was lost, before the next dial.
	Waiting
	// Returning is while a dial after the first is on its way in.
	Returning
	// Over is the end.
	Over
)

// States are all of them.
var States = []State{Joining, In, Doubting, Waiting, Returning, Over}

func (s State) String() string {
	return [...]string{"joining", "in", "doubting", "waiting", "returning", "over"}[s]
}

// Options of New. The zero value never tries again after a host that said that it stops.
type Options struct {
	// Seed of the waits: the same seed waits the same way.
	Seed uint64
	// Within is how long to try after a loss; 0 stands for DefaultWithin, a negative one never tries.
	Within time.Duration
	// Stopped says to come back to a host, too, that said that it stops or restarts.
	Stopped bool
}

// Machine decides for one player. Times given to it count from any origin and never go back.
type Machine struct {
	opt   Options
	state State
	rng   uint64
	dial  bool          // the dial of Joining or Waiting is still to be made
	at    time.Duration // of the next dial
	wait  time.Duration
	lost  time.Duration // when the connection was lost that is being returned to
	since time.Duration // when the player was let in last
	tries int           // dials since lost
	times int           // returns that succeeded
	line  string
}

// New is a machine before its first dial, which is due at once.
func New(o Options) *Machine {
	if o.Within == 0 {
		o.Within = DefaultWithin
	}
	return &Machine{opt: o, rng: o.Seed, dial: true, wait: firstWait}
}

// State is where it is.
func (m *Machine) State() State { return m.state }

// Times is how often the player came back.
func (m *Machine) Times() int { return m.times }

// Tries is how many dials were begun since the connection was lost.
func (m *Machine) Tries() int { return m.tries }

// Line says what is going on, for the person who waits; "" where nothing is.
func (m *Machine) Line() string { return m.line }

// Due reports once for every dial that it is to be made now.
func (m *Machine) Due(now time.Duration) bool {
	if !m.dial || now < m.at {
		return false
	}
	m.dial = false
	if m.state == Waiting {
		m.state = Returning
		m.tries++
	}
	return true
}

// Joined says that the game let the player in; it reports whether they had been in before and Line says that they are back.
// Said again while they are in, it does nothing.
func (m *Machine) Joined(now time.Duration) (back bool) {
	switch m.state {
	case Returning:
		m.times++
		m.line = fmt.Sprintf("connected again after %s", seconds(now-m.lost))
		back = true
	case Joining:
		m.lost = now
	case In, Doubting, Waiting, Over:
		return false
	}
	m.state, m.since = In, now
	return back
}

// Silent says for how long nothing came from the host; it reports whether Line is new. Only a player who is in doubts.
func (m *Machine) Silent(now, silence time.Duration) (told bool) {
	switch {
	case m.state == In && silence >= doubt:
		m.state = Doubting
		m.line = fmt.Sprintf("nothing heard from the host for %s", seconds(silence))
		return true
	case m.state == Doubting && silence < doubt:
		m.state = In
		m.line = "the host is heard again"
		return true
	}
	return false
}

// Ended says that the connection, or the dial, ended, and why; it reports whether another dial follows, which Line
// announces. Where none does the machine is over.
func (m *Machine) Ended(now time.Duration, why link.Reason) (again bool) {
	restarted := false // and the next connection is there, or can be had at once
	switch m.state {
	case Waiting, Over:
		return m.state == Waiting
	case In, Doubting:
		if now-m.since >= settled || m.times == 0 {
			m.lost, m.wait, m.tries = now, firstWait, 0
			restarted = why.Code == link.Restarted
		}
	case Joining, Returning:
	}
	returning := m.state == Returning
	if m.state == Joining || m.opt.Within < 0 || !m.may(why.Code, returning) {
		m.Leave()
		return false
	}
	wait := m.jittered()
	if restarted {
		wait = 0
	}
	if now+wait-m.lost > m.opt.Within {
		m.Leave()
		m.line = fmt.Sprintf("gave up after %s", seconds(now-m.lost))
		return false
	}
	m.state, m.dial, m.at = Waiting, true, now+wait
	m.wait = min(mostWait, 2*m.wait)
	what := "connection lost"
	if returning {
		what = "not back yet"
	}
	m.line = fmt.Sprintf("%s (%s); trying again in %s", what, word(why), seconds(wait))
	if restarted {
		m.line = fmt.Sprintf("%s (%s); coming back", what, word(why))
	}
	return true
}

// Leave ends it: the player wants to go.
func (m *Machine) Leave() { m.state, m.dial, m.line = Over, false, "" }

// may reports whether a reason leaves hope. What a host or a person decided does not; while a return is under way, what
// passes by itself does too: the host may not yet have noticed that the player is gone.
func (m *Machine) may(code string, returning bool) bool {
	switch code {
	case "timeout", "unreachable", "carrier", "lost", "socket", "send", link.Restarted:
		return true
	case "stopping", "closed", "restart":
		return m.opt.Stopped
	case "full", "busy", "address", "password_wait":
		return returning
	}
	return false
}

// jittered is the next wait.
func (m *Machine) jittered() time.Duration {
	m.rng += 0x9e3779b97f4a7c15 // splitmix64
	z := m.rng
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return m.wait/2 + time.Duration(float64(m.wait)*float64(z>>11)/(1<<53))
}

func word(why link.Reason) string {
	if why.Text == "" {
		return why.Code
	}
	return strings.TrimSuffix(why.Text, ".")
}

// seconds is a duration for people, of one digit behind the point.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
