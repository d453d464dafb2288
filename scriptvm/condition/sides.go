package condition

import "github.com/tidelock/tidelock/engine"

// On which side of a connection a condition can hold (R5.16): every node knows its possible values if the roles are
// known and everything else about the actor is unknown.
//
// On the server Role is Authority and RemoteRole is the client's role, SimulatedProxy or AutonomousProxy (an actor
// whose RemoteRole is None is never replicated). On a client the two are swapped, and bNetInitial, bNetOwner and
// bNetDirty are false.

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

// guess is what is known of a value on one side.
type guess struct {
	known             *value
	canTrue, canFalse bool // its possible truth values
	mentions          bool // it was derived from Role or HasAuthority
	looks             bool // it was derived from anything except literals
}

// guesses is indexed by side.
type guesses [len(sides)]guess

var anything = guess{canTrue: true, canFalse: true}

func everySide(g guess) guesses { return guesses{g, g, g, g} }

// eachSide returns what is known of something on each side; f returns nil if that is nothing.
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

// flags returns an unknown value, derived from others.
func flags(of ...guess) guess {
	g := anything
	for _, o := range of {
		g.mentions, g.looks = g.mentions || o.mentions, g.looks || o.looks
	}
	return g
}

// guessOf returns the result of an operation, with the flags of g: known if its operands are, unless it is an
// error.
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

// by returns the guess, derived from others.
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
		return l // the right side is never evaluated, though it may refer to Role
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

// judge returns where a condition can hold: whether it is one of clients, and its issues.
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
