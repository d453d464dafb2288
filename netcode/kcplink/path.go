package kcplink

import "time"

// trial decides which of several paths leads to a peer (G14). An eavesdropper can replay a peer's packets from its
// own address, and sooner than they arrive from the peer; the newest authentic packet therefore only makes its path
// a candidate. The candidate and the path in use are each sent a challenge, and the session moves if the candidate
// answered and the path in use did not. The previous path is challenged for a while after that, and if it answers
// the session returns to it.
//
// An eavesdropper that also forwards the challenge to the peer gets it answered. It does not get the session,
// because the peer answers the challenge of the path in use, too (RFC 9000, section 9.3.3). Rejected: trusting the
// path on which copies of a packet arrive second. A sender with a forged source address could then hold a session
// at an address that a NAT has given up.
//
// Invariant: a candidate that has not answered is sent at most amplification times the bytes received from it.
type trial struct {
	// fresh is the candidate, now the path in use, home the path before the last move.
	fresh, now, home asked
	since            time.Duration // when the candidate appeared, or the session moved
	next             time.Duration // when the challenges are repeated
	tries            int           // repetitions since then
	proved           bool          // fresh has answered
	move             time.Duration // if proved: when the session moves, unless another path answers before
	got, gave        int           // bytes received from and sent to fresh, without UDP headers
}

// asked is a path that is sent challenges while on is set.
type asked struct {
	on    bool
	path  path
	token [tokenSize]byte
	at    time.Duration // of the last challenge
}

// ask creates a challenge for a path. Without randomness the path stays off.
func (l *Link) ask(w path) (a asked) {
	a.path = w
	a.on = l.randomly(a.token[:])
	return a
}

// answers reports whether a token is the challenge of this path.
func (a *asked) answers(token []byte) bool { return a.on && string(token) == string(a.token[:]) }

// consider handles an authentic packet of n bytes that arrived over another path than the one in use. newest: its
// number is the highest so far. An older packet, which somebody may have delayed, does not create a candidate.
func (c *Conn) consider(w path, n int, newest bool) {
	l, t := c.l, c.trial
	switch {
	case t != nil && t.fresh.on && t.fresh.path == w:
		t.got += n
	case !newest || t != nil && t.fresh.on || l.now < c.steady:
	case t != nil && t.home.on && t.home.path == w:
		if l.now-t.home.at >= firstAgain {
			c.challenge(&t.home)
		}
	default:
		if t == nil {
			t = &trial{}
		}
		t.fresh, t.now = l.ask(w), l.ask(c.path)
		if !t.fresh.on || !t.now.on {
			return // without a trial, a session keeps its path
		}
		c.trial = t
		t.got, t.gave, t.proved = n, 0, false
		t.since, t.tries = l.now, 0
		l.count.PathsTried++
		c.askAll()
	}
}

// askAll sends all challenges and schedules the next ones.
func (c *Conn) askAll() {
	t := c.trial
	for _, a := range []*asked{&t.fresh, &t.now, &t.home} {
		if a.on && !(a == &t.fresh && t.proved) {
			c.challenge(a)
		}
	}
	t.next = c.l.now + firstAgain<<min(t.tries/2, 4)
	t.tries++
}

// challenge sends a challenge over a path.
func (c *Conn) challenge(a *asked) {
	t := c.trial
	if a == &t.fresh && !t.pays(challengePacket) {
		return
	}
	a.at = c.l.now
	o := c.l.newOut(a.path)
	c.sealOut(o, len(appendChallenge(o.b[headerSize:headerSize], frameChallenge, a.token[:])))
}

// pays reports whether n more bytes may be sent to the candidate, and counts them.
func (t *trial) pays(n int) bool {
	if !t.proved && t.gave+n > amplification*t.got {
		return false
	}
	t.gave += n
	return true
}

// mirror sends a copy of a sealed packet to the candidate, so that a peer whose address has changed misses less. It
// leaves enough bytes for challenges.
func (t *trial) mirror(c *Conn, o *outPacket, n int) {
	if !t.fresh.on || !t.proved && t.gave+n+2*challengePacket > amplification*t.got {
		return
	}
	t.gave += n
	m := c.l.newOut(t.fresh.path)
	c.queueOut(m, copy(m.b[:], o.b[:n]))
}

// answered processes the answer to a challenge. The path it arrived over does not matter: an eavesdropper may have
// been faster.
func (c *Conn) answered(token []byte) {
	l, t := c.l, c.trial
	switch {
	case t == nil:
	case t.home.answers(token):
		if c.path != t.home.path {
			c.usePath(t.home.path)
			l.count.Moved++
		}
		c.stay()
		c.trial = nil
	case t.now.answers(token):
		c.stay()
	case t.fresh.answers(token) && !t.proved:
		t.proved = true
		t.move = max(l.now+holdOff, t.since+c.stats.RTT+holdOff)
	}
}

// stay drops the candidate: another path has proved that it still leads to the peer.
func (c *Conn) stay() {
	t := c.trial
	if t.fresh.on {
		c.l.count.PathsFailed++
	}
	c.steady = c.l.now + trialPause
	c.dropCandidate()
}

func (c *Conn) dropCandidate() {
	t := c.trial
	if t.fresh, t.now = (asked{}), (asked{}); !t.home.on {
		c.trial = nil
	}
}

// serveTrial does what is due in the trial.
func (c *Conn) serveTrial() {
	l, t := c.l, c.trial
	switch {
	case t.fresh.on && t.proved && l.now >= t.move:
		if !t.home.on {
			t.home = t.now // with its challenge: an answer may be in flight
		}
		c.usePath(t.fresh.path)
		l.count.Moved++
		t.fresh, t.now = asked{}, asked{}
		t.since, t.tries, t.next = l.now, 0, l.now
	case t.fresh.on && !t.proved && l.now-t.since >= trialMost:
		l.count.PathsFailed++
		c.dropCandidate()
	case !t.fresh.on && l.now-t.since >= homeMost:
		c.trial = nil
	}
	if c.trial != nil && l.now >= t.next {
		c.askAll()
	}
}

// nextDue returns when serveTrial is to be called.
func (t *trial) nextDue() time.Duration {
	switch {
	case !t.fresh.on:
		return min(t.next, t.since+homeMost)
	case t.proved:
		return min(t.next, t.move)
	}
	return min(t.next, t.since+trialMost)
}
