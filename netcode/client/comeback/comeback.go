// Package comeback decides what a player's program does when its connection ends: whether it may return, when it
// dials again, and when it gives up (R8.8, W1.4). `host join`, `host bots` and the browser's Worker use the same
// Machine.
//
//	m := comeback.New(comeback.Options{Seed: seed})
//	if m.Due(now) { dial() }          // once for every dial, the first included
//	m.Joined(now)                     // the game let the player in
//	again := m.Ended(now, reason)     // the connection, or the dial, ended
//
// It has no clock, no socket and no goroutine: times are parameters, and decisions are returned. A client that
// returns dials with the same key, so that the host gives the player what they had.
//
// Guarantees: Times and events in, decisions out: no clock, no socket.
package comeback

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidelock/tidelock/netcode/link"
)

const (
	// firstWait and mostWait are the pauses before the first and before later dials, which double. Each is
	// multiplied by a random factor from 0.5 to 1.5, so that the players of a restarted host do not all return at
	// once. A dial lasts longer than the longest pause, so a host that runs again is found within it.
	firstWait = time.Second
	mostWait  = 2 * time.Second
	// doubt is how long a host may be silent before the player sees a message. It is longer than a heartbeat of an
	// idle host.
	doubt = 4 * time.Second
	// DefaultWithin is how long to try: a host's grace time of 120 s, the 10 s of silence before it starts, and the
	// time of a dial before and after it.
	DefaultWithin = 150 * time.Second
	// settled is how long a player must have been in for the waits, and the time to try, to start over. So a host
	// that sends everybody away as soon as they are in is not dialled forever.
	settled = 10 * time.Second
)

// State is the state of a Machine.
type State uint8

// The states. docs/states.md describes their transitions.
const (
	// Joining is the state before the player was in for the first time: a failure then is not retried.
	Joining State = iota
	// In is while the player is in.
	In
	// Doubting: the player is in and the host is silent. The connection is open, and nothing is dialled except what
	// the transport tries in addition.
	Doubting
	// Waiting: the connection was lost, and the next dial is not due.
	Waiting
	// Returning: a dial after the first is in progress.
	Returning
	// Over is the end.
	Over
)

// States lists all of them.
var States = []State{Joining, In, Doubting, Waiting, Returning, Over}

func (s State) String() string {
	return [...]string{"joining", "in", "doubting", "waiting", "returning", "over"}[s]
}

// Options of New. The zero value does not return to a host that announced that it stops.
type Options struct {
	// Seed of the waits: the same seed gives the same waits.
	Seed uint64
	// Within is how long to try after a loss; 0 means DefaultWithin, a negative value never tries.
	Within time.Duration
	// Stopped also returns to a host that announced that it stops or restarts.
	Stopped bool
}

// Machine decides for one player. Times passed to it count from any origin and never decrease.
type Machine struct {
	opt   Options
	state State
	rng   uint64
	dial  bool          // the dial of Joining or Waiting is still to be made
	at    time.Duration // of the next dial
	wait  time.Duration
	lost  time.Duration // when the connection was lost to which the player returns
	since time.Duration // when the player was let in last
	tries int           // dials since lost
	times int           // returns that succeeded
	line  string
}

// New returns a machine before its first dial, which is due at once.
func New(o Options) *Machine {
	if o.Within == 0 {
		o.Within = DefaultWithin
	}
	return &Machine{opt: o, rng: o.Seed, dial: true, wait: firstWait}
}

// State returns the present state.
func (m *Machine) State() State { return m.state }

// Times returns how often the player has returned.
func (m *Machine) Times() int { return m.times }

// Tries returns how many dials were started since the connection was lost.
func (m *Machine) Tries() int { return m.tries }

// Line returns the present situation as text for a waiting player; "" if there is nothing to say.
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

// Joined records that the game admitted the player; it reports whether they had been in before and Line says that
// they are back. Repeated calls while they are in do nothing.
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

// Silent records for how long nothing arrived from the host; it reports whether Line is new. It only has an effect
// while the player is in.
func (m *Machine) Silent(now, silence time.Duration) (told bool) {
	switch {
	case m.state == In && silence >= doubt:
		m.state = Doubting
		m.line = fmt.Sprintf("nothing heard from the host for %s", seconds(silence))
		return true
	case m.state == Doubting && silence < doubt:
		m.state = In
		m.line = "the host answers again"
		return true
	}
	return false
}

// Ended records that the connection, or the dial, ended, and why; it reports whether another dial follows, which
// Line announces. If none follows, the machine is over.
func (m *Machine) Ended(now time.Duration, why link.Reason) (again bool) {
	restarted := false // and the next connection exists, or can be opened at once
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

// Leave ends it: the player wants to leave.
func (m *Machine) Leave() { m.state, m.dial, m.line = Over, false, "" }

// may reports whether a retry can succeed after a reason. A decision of a host or a person is final; while a return
// is in progress, temporary reasons are not, because the host may not have noticed yet that the player is gone.
func (m *Machine) may(code string, returning bool) bool {
	switch code {
	case "timeout", "unreachable", "carrier", "lost", "socket", "send", "teleported", link.Restarted:
		return true
	case "stopping", "closed", "restart":
		return m.opt.Stopped
	case "full", "busy", "address", "password_wait":
		return returning
	}
	return false
}

// jittered returns the next wait.
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

// seconds formats a duration for people, with one decimal.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
