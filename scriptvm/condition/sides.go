package condition

import "github.com/tidelock/tidelock/engine"

// Which side of a connection a condition can hold on (R5.16): every node knows what its value may be where the roles are
// known and the rest of the actor is unknown.
//
// On the server Role is Authority and RemoteRole is what the client gets, SimulatedProxy or
// AutonomousProxy (an actor whose RemoteRole is None is never replicated). On a client it is the other way round, and
// bNetInitial, bNetOwner and bNetDirty are false.

// side is one of the pairs of roles that are tried.
type side struct {
	client       bool
	role, remote engine.Role
}

var sides = [...]side{
	{false, engine.RoleAuthority, engine.RoleSimulatedProxy},
	{false, engine.RoleAuthority, engine.RoleAutonomousProxy},
	{true, engine.RoleSimulatedProxy, engine.RoleAuthority},
	{true, engine.RoleAutonomousProxy, engine.RoleAuthority},
}

// guess is what may be known of a value on one side.
type guess struct {
	known             *value
	canTrue, canFalse bool // the truths it may have
	mentions          bool // Role or HasAuthority was looked at on the way to it
	looks             bool // anything but literals was
}

// guesses are by side.
type guesses [len(sides)]guess

var anything = guess{canTrue: true, canFalse: true}

func everySide(g guess) guesses { return guesses{g, g, g, g} }

// eachSide is what is known of something that is looked at, on each side; f gives nil where that is nothing.
func eachSide(g guess, f func(s side) *value) (out guesses) {
	g.looks = true
	for i, s := range sides {
		out[i] = g
		if v := f(s); v != nil {
			out[i] = guessOf(g, true, func() value { return *v })
		}
	}
	return out
}

// flags is anything, found by way of values.
func flags(of ...guess) guess {
	g := anything
	for _, o := range of {
		g.mentions, g.looks = g.mentions || o.mentions, g.looks || o.looks
	}
	return g
}

// guessOf is the result of an operation, with the flags of g: known where its operands are, unless it is an error.
func guessOf(g guess, known bool, f func() value) guess {
	if !known {
		return g
	}
	v := f()
	if t := v.truth(); t != fault {
		g.known, g.canTrue, g.canFalse = &v, t == yes, t == no
	}
	return g
}

// by is the guess, found by way of others.
func (g guess) by(of ...guess) guess {
	f := flags(append(of, g)...)
	g.mentions, g.looks = f.mentions, f.looks
	return g
}

func either(a, b guess) guess {
	g := flags(a, b)
	if a.known != nil && b.known != nil && same(*a.known, *b.known) {
		g.known = a.known
	}
	g.canTrue, g.canFalse = a.canTrue || b.canTrue, a.canFalse || b.canFalse
	return g
}

func guessLogic(l, r guess, goOn verdict) guess {
	goes, stops := l.canTrue, l.canFalse
	if goOn == no {
		goes, stops = stops, goes
	}
	if !goes {
		return l // the right side is never looked at, though it may name Role
	}
	r = r.by(l)
	if stops { // the left side's value, or the right side's
		r.known = nil
		r.canTrue, r.canFalse = r.canTrue || goOn == no, r.canFalse || goOn == yes
	}
	return r
}

func guessBranch(test, then, other guess) guess {
	g := either(then, other)
	switch {
	case !test.canFalse:
		g = then
	case !test.canTrue:
		g = other
	}
	return g.by(test)
}

// judge says where a condition can hold: whether it is one of clients, and what is wrong with it.
func (n *node) judge() (upstream bool, issues []Issue) {
	g := &n.guess
	server, client := either(g[0], g[1]), either(g[2], g[3])
	all := flags(server, client)
	issue := func(k IssueKind, text string) { issues = append(issues, Issue{Kind: k, Text: text}) }
	switch {
	case all.mentions && server.canTrue && client.canTrue:
		issue(IssueSides, "it could hold on both sides: on the server, and on a client, which would send the variable upwards; "+
			"a rule is for one side: add self.Role == ROLE_Authority and …, or self.Role < ROLE_Authority and …")
	case all.mentions && !server.canTrue && client.canTrue:
		upstream = true
	case !server.canTrue:
		issue(IssueConstant, "it never holds, so the variables never cross; use COND_Never or take the rule out if that is meant")
	case !server.canFalse && all.looks:
		issue(IssueConstant, "it always holds on the server; leave when out: a variable is sent whenever it changed")
	}
	return upstream, issues
}
