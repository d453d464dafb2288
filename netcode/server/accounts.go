package server

import (
	"fmt"
)

// Accounts of reliable calls (R6.5, G10). Each connection has a token bucket for every class, and one for every
// mod: it refills at the host's default budget in bytes per second and holds one second's worth. A reliable call is
// charged when a script makes it, to all connections that may receive it. If any of them has no tokens left, the
// call raises an error in the script and is sent to nobody. The author of a class that calls too much sees that,
// and no connection's queue grows without bound.
//
// The client does not influence this: a client that is slow to acknowledge cannot make script calls fail. It is
// disconnected once its queue is overfull (Limits.ReliableCalls) and its oldest call is overdue.
//
// Invariant: Conn.pending is the number of calls that are charged but neither acknowledged nor refunded.

const (
	// callOverhead is charged for a reliable call in addition to its own bytes: its length field and its share of a
	// packet's headers.
	callOverhead = 8
	// crowdedSeconds of budget, or crowdedCalls calls, are waiting: from then on only accounts whose bucket is at
	// least half full may call, so that a class that floods a connection does not keep the others from calling.
	crowdedSeconds, crowdedCalls = 1.0, 1024
	// fullSeconds of budget, or fullCalls calls, are waiting: nobody may call. The largest call takes 3.3 s of the
	// default budget, and a link's queue holds 4 096 messages.
	fullSeconds, fullCalls = 8.0, 2048
	// ackPatience is how many seconds the oldest reliable call may be overdue on an overfull queue before the
	// client is disconnected.
	ackPatience = 2.0
)

// account is a token bucket. One call may overdraw it, so that even the largest call is possible.
type account struct {
	tokens, at float64 // bytes, as of the time at in seconds
}

// accountKey names an account: one per class, and, if a mod's script calls another's class, one for that class and
// that mod, so that no mod can use up the account of a core class. With class "" it is the mod's overall account.
type accountKey struct{ class, mod string }

// accountNumbers assigns each existing account its index, the same on every connection.
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

// charge is the cost of one call on each connection that receives it. The zero charge is that of a free call.
type charge struct {
	cost  float64 // bytes
	class int32   // account of the class
	mod   int32   // account of the mod, −1 for none
	joins uint64  // Server.joins when it was made: connections that joined later were not charged
}

// charge returns the cost of a call of that size, of a class and by a mod, "" for none.
func (n *accountNumbers) charge(class, by string, bytes int) charge {
	ch := charge{cost: float64(bytes + callOverhead), class: n.number(accountKey{class, by}), mod: -1}
	if by != "" {
		ch.mod = n.number(accountKey{"", by})
	}
	return ch
}

// callOut is a reliable call that was sent and is not yet known to be processed.
type callOut struct {
	n   uint16  // number of its message
	due float64 // seconds: when everything up to it has been sent at the host's default budget
}

// account returns the connection's account with a number, refilled up to now.
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

// refusal returns why a connection cannot be charged for a call, "" if it can.
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

// bill charges a call to the accounts.
func (c *Conn) bill(ch *charge) {
	c.drained = max(c.s.now.Seconds(), c.drained)
	c.book(ch, 1)
}

// unbill refunds a call that is not sent after all.
func (c *Conn) unbill(ch *charge) {
	if ch.cost != 0 {
		c.book(ch, -1)
	}
}

// book adds a call to the accounts, or takes it off again.
func (c *Conn) book(ch *charge, calls int) {
	cost := float64(calls) * ch.cost
	c.account(ch.class).tokens -= cost
	if ch.mod >= 0 {
		c.account(ch.mod).tokens -= cost
	}
	c.drained += cost / float64(c.s.cfg.Limits.Budget)
	c.pending += calls
}

// PendingCalls returns how many reliable calls to the client are charged and not acknowledged.
func (c *Conn) PendingCalls() int { return c.pending }
