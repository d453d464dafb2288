package kcplink

import "time"

// trial decides which of several paths leads to a peer (G14). An onlooker can repeat a peer's packets from its own address, and
// sooner than they come from the peer's; the newest authentic packet therefore only makes its path a candidate. The candidate
// and the path in use are sent a challenge each, and the session moves when the candidate answered and the path in use did not.
// The previous path is challenged for a while after that, and if it answers the session goes back.
//
// An onlooker that also hands the challenge on to the peer gets it answered. It does not get the session, since the peer
// answers the challenge of the path in use, too (RFC 9000, section 9.3.3). Rejected: to believe the path on which copies
// of a packet arrive second. Anyone who can write a foreign source address would then keep a session at an address that a NAT has
// given up.
//
// Invariant: to a candidate that has not answered go at most amplification times the bytes that came from it.
type trial struct {
	// fresh wants to become the path, now is the path while it does, home was the path before the last move.
	fresh, now, home asked
	since            time.Duration // when the candidate appeared, or the session moved
	next             time.Duration // when the challenges are repeated
	tries            int           // repetitions since then
	proved           bool          // fresh has answered
	move             time.Duration // then: when the session moves, if no other path answers before
	got, gave        int           // bytes from and to fresh, without UDP's
}

// asked is a path that is sent a challenge, while on is set.
type asked struct {
	on    bool
	path  path
	token [tokenSize]byte
	at    time.Duration // of the last challenge
}

// ask draws a challenge for a path. Without randomness the path stays off.
func (l *Link) ask(w path) (a asked) {
	a.path = w
	a.on = l.randomly(a.token[:])
	return a
}

// answers reports whether a token is the challenge of this path.
func (a *asked) answers(token []byte) bool { return a.on && string(token) == string(a.token[:]) }

// consider takes notice of an authentic packet of n bytes that came over another path than the one in use. newest: its number is the
// highest so far. An older packet, which somebody may have held back, makes no candidate.
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
			return // a session without a trial stays where it is
		}
		c.trial = t
		t.got, t.gave, t.proved = n, 0, false
		t.since, t.tries = l.now, 0
		l.count.PathsTried++
		c.askAll()
	}
}

// askAll sends all challenges and sets the time of the next.
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

// challenge asks a path.
func (c *Conn) challenge(a *asked) {
	t := c.trial
	if a == &t.fresh && !t.pays(challengePacket) {
		return
	}
	a.at = c.l.now
	o := c.l.newOut(a.path)
	c.sealOut(o, len(appendChallenge(o.b[headerSize:headerSize], frameChallenge, a.token[:])))
}

// pays reports whether n more bytes may go to the candidate, and counts them.
func (t *trial) pays(n int) bool {
	if !t.proved && t.gave+n > amplification*t.got {
		return false
	}
	t.gave += n
	return true
}

// mirror sends a copy of a sealed packet to the candidate, so that a peer whose address has changed misses less. What is left
// for challenges is not spent.
func (t *trial) mirror(c *Conn, o *outPacket, n int) {
	if !t.fresh.on || !t.proved && t.gave+n+2*challengePacket > amplification*t.got {
		return
	}
	t.gave += n
	m := c.l.newOut(t.fresh.path)
	c.l.queueOut(m, copy(m.b[:], o.b[:n]))
}

// answered takes the answer to a challenge. Over which path it came says nothing: an onlooker may have been quicker.
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

// stay ends the candidate: another path has shown that it still leads to the peer.
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

// serveTrial does what is due of it.
func (c *Conn) serveTrial() {
	l, t := c.l, c.trial
	switch {
	case t.fresh.on && t.proved && l.now >= t.move:
		if !t.home.on {
			t.home = t.now // with its challenge: an answer may be on its way
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

// nextDue is when serveTrial wants to be called.
func (t *trial) nextDue() time.Duration {
	switch {
	case !t.fresh.on:
		return min(t.next, t.since+homeMost)
	case t.proved:
		return min(t.next, t.move)
	}
	return min(t.next, t.since+trialMost)
}
