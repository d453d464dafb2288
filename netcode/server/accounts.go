package server

import (
	"fmt"
)

// Accounts of reliable calls (R6.5, G10). Each connection has a token bucket for every class, and one for every mod: the
// host's default budget in bytes a second, with a burst of one second. A reliable call is charged when a script makes it, to all
// connections that may receive it. Where one of them has no tokens left the call raises in the script and goes to nobody, so that
// a class that calls too much learns of it, and no connection's queue grows without end.
//
// What a client does plays no part in that: one that is slow to acknowledge cannot make calls of scripts fail. It is closed
// once its queue is overfull (Limits.ReliableCalls) and its oldest call is overdue.
//
// Invariant: Conn.pending is the number of calls that are charged and neither acknowledged nor refunded.

const (
	// callOverhead is what a reliable call is charged beside its own bytes: its length and its part of a packet's headers.
	callOverhead = 8
	// crowdedSeconds of the budget are waiting in reliable calls, or crowdedCalls of them: then only those may call whose bucket
	// is at least half full, so that what floods a connection does not keep the others from calling.
	crowdedSeconds, crowdedCalls = 1.0, 1024
	// fullSeconds or fullCalls are waiting: nobody may call. The largest call takes 3.3 s of the default budget, and a link's
	// queue holds 4 096 messages.
	fullSeconds, fullCalls = 8.0, 2048
	// ackPatience is how many seconds the oldest reliable call may be overdue on an overfull queue before the client is closed.
	ackPatience = 2.0
)

// account is a token bucket. It may be overdrawn by one call, so that the largest one can be made, too.
type account struct {
	tokens, at float64 // bytes, as of so many seconds
}

// accountKey names an account: of a class, and where a mod's script calls another's class, of that class and that mod, so
// that no mod can use up what a class of core has; with class "" that of a mod altogether.
type accountKey struct{ class, mod string }

// accountNumbers gives the accounts that there are on every connection their places.
type accountNumbers struct {
	of map[accountKey]int32
}

func (n *accountNumbers) number(k accountKey) int32 {
	i, ok := n.of[k]
	if !ok {
		if n.of == nil {
			n.of = map[accountKey]int32{}
		}
		i = int32(len(n.of))
		n.of[k] = i
	}
	return i
}

// charge is what one call costs on each connection that receives it. The zero charge is of a call that costs nothing.
type charge struct {
	cost  float64 // bytes
	class int32   // account of the class
	mod   int32   // account of the mod, −1 for none
	joins uint64  // Server.joins when it was made: connections that came later were not charged
}

// charge is what a call of so many bytes costs, of a class and by a mod, "" for none.
func (n *accountNumbers) charge(class, by string, bytes int) charge {
	ch := charge{cost: float64(bytes + callOverhead), class: n.number(accountKey{class, by}), mod: -1}
	if by != "" {
		ch.mod = n.number(accountKey{"", by})
	}
	return ch
}

// callOut is a reliable call that was sent and is not known to be processed.
type callOut struct {
	n   uint16  // of its message
	due float64 // seconds: when all up to it has gone out at the host's default budget
}

// account is the connection's account of a number, with the tokens that it has now.
func (c *Conn) account(n int32) *account {
	now, budget := c.s.now.Seconds(), float64(c.s.cfg.Limits.Budget)
	for int(n) >= len(c.accounts) {
		c.accounts = append(c.accounts, account{tokens: budget, at: now})
	}
	a := &c.accounts[n]
	if now > a.at {
		a.tokens = min(budget, a.tokens+budget*(now-a.at))
	}
	a.at = now
	return a
}

// refusal says why a connection cannot be charged for a call, "" where it can.
func (c *Conn) refusal(ch *charge, by string) string {
	budget := c.s.cfg.Limits.Budget
	least := c.account(ch.class).tokens
	if least <= 0 {
		return fmt.Sprintf("reliable calls of this class have used up their %d bytes a second", budget)
	}
	if ch.mod >= 0 {
		t := c.account(ch.mod).tokens
		if t <= 0 {
			return fmt.Sprintf("reliable calls of mod %s have used up their %d bytes a second", by, budget)
		}
		least = min(least, t)
	}
	waiting := max(0, c.drained-c.s.now.Seconds())
	switch {
	case waiting > fullSeconds || c.pending >= fullCalls:
	case (waiting > crowdedSeconds || c.pending >= crowdedCalls) && least < float64(budget)/2:
	default:
		return ""
	}
	return fmt.Sprintf("%d reliable calls wait there, %.1f s of its %d bytes a second", c.pending, waiting, budget)
}

// bill takes a call off the accounts.
func (c *Conn) bill(ch *charge) {
	c.drained = max(c.s.now.Seconds(), c.drained)
	c.book(ch, 1)
}

// unbill gives back what a call cost that is not sent after all.
func (c *Conn) unbill(ch *charge) {
	if ch.cost != 0 {
		c.book(ch, -1)
	}
}

// book enters a call into the accounts, or takes it out of them.
func (c *Conn) book(ch *charge, calls int) {
	cost := float64(calls) * ch.cost
	c.account(ch.class).tokens -= cost
	if ch.mod >= 0 {
		c.account(ch.mod).tokens -= cost
	}
	c.drained += cost / float64(c.s.cfg.Limits.Budget)
	c.pending += calls
}

// PendingCalls is how many reliable calls to the client are charged and not acknowledged.
func (c *Conn) PendingCalls() int { return c.pending }
