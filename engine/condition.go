package engine

import (
	"sync"
	"sync/atomic"
)

// Condition is a compiled replication condition (R5.5, R5.6). It is immutable, and may be evaluated
// by many goroutines while the world stands still.
type Condition struct {
	// Upstream is set where it requires Role < ROLE_Authority (R5.16).
	Upstream bool

	test    func(a *Actor, in CondInput) bool
	try     func(a *Actor, in CondInput) (bool, string) // where it may fail
	mask    CondMask
	props   []*Property
	others  bool
	outcome CondOutcome
}

// ConnBits is what a condition may know about one connection. The zero value is a connection that has
// been served before, owns nothing and sees the actor's own roles.
type ConnBits struct {
	Initial  bool // bNetInitial: the initial variables have not all been acknowledged
	Owner    bool // bNetOwner: the actor's top owner is this connection's PlayerController
	Dirty    bool // bNetDirty: a replicated variable was set and this connection not served since
	IsPlayer bool // bIsPlayer: the actor is a player's
	// Role and RemoteRole are what the connection is to be told; RoleNone means the actor's own. The owner of
	// an actor sees RemoteRole AutonomousProxy where others see SimulatedProxy (R2.2).
	Role, RemoteRole Role
}

// CondInput is [ConnBits] packed into eight bits, roles filled in: all that can differ between two
// connections. A net update can evaluate a condition once for each value that occurs.
type CondInput uint8

// ORDER: condition input. Bit n of CondMask is the bit n of CondInput; the roles take two each.
const (
	inInitial CondInput = 1 << iota
	inOwner
	inDirty
	inPlayer
	inRoleShift   = 4
	inRemoteShift = 6
)

// CondMask says which bits of a CondInput a condition depends on. Two inputs that agree on these give
// the same answer for the same actor.
type CondMask uint8

// The parts of a mask.
const (
	MaskInitial    = CondMask(inInitial)
	MaskOwner      = CondMask(inOwner)
	MaskDirty      = CondMask(inDirty)
	MaskIsPlayer   = CondMask(inPlayer)
	MaskRole       = CondMask(3 << inRoleShift)
	MaskRemoteRole = CondMask(3 << inRemoteShift)
)

// Input packs what a connection is to an actor.
func (b ConnBits) Input(a *Actor) CondInput {
	o := a
	if a.Outer != nil {
		o = a.Outer
	}
	role, remote := b.Role, b.RemoteRole
	if role == RoleNone {
		role = o.Role
	}
	if remote == RoleNone {
		remote = o.RemoteRole
	}
	in := CondInput(role)<<inRoleShift | CondInput(remote)<<inRemoteShift
	if b.Initial {
		in |= inInitial
	}
	if b.Owner {
		in |= inOwner
	}
	if b.Dirty {
		in |= inDirty
	}
	if b.IsPlayer {
		in |= inPlayer
	}
	return in
}

// Bits undoes [ConnBits.Input].
func (in CondInput) Bits() ConnBits {
	return ConnBits{
		Initial: in&inInitial != 0, Owner: in&inOwner != 0, Dirty: in&inDirty != 0, IsPlayer: in&inPlayer != 0,
		Role: Role(in >> inRoleShift & 3), RemoteRole: Role(in >> inRemoteShift),
	}
}

// CondOutcome says what is known of a condition's answer without evaluating it.
type CondOutcome uint8

// The outcomes.
const (
	CondSometimes CondOutcome = iota
	CondAlways
	CondNeverTrue
)

// CondFault is the first evaluation of a condition in a world that ended in an error.
type CondFault struct {
	Actor ActorID
	Text  string
}

// condFaults are those of a world: conditions are shared by all worlds of a process. Net updates evaluate conditions on
// several goroutines, so it has a lock, which is taken where something is wrong and nowhere else.
type condFaults struct {
	any   atomic.Bool // some fault was not taken yet
	mu    sync.Mutex
	first map[*Condition]CondFault
	taken map[*Condition]bool
}

// Native reports whether the condition is evaluated here. One that is not has to run in the script VM
// (RuleSpec.Script), and Eval must not be called.
func (c *Condition) Native() bool { return c.test != nil }

// Mask says on what of a connection the condition depends. It is exact for native conditions and
// everything for those of the VM.
func (c *Condition) Mask() CondMask { return c.mask }

// Props are the actor's own variables that it reads, Role and RemoteRole left out.
func (c *Condition) Props() []*Property { return c.props }

// ReadsOthers reports whether it reads anything beyond the actor's own variables: its state, another
// actor, the world's time. Such a condition can change without any of Props being set.
func (c *Condition) ReadsOthers() bool { return c.others }

// Outcome says whether it can hold at all, and whether it can fail to.
func (c *Condition) Outcome() CondOutcome { return c.outcome }

// Eval evaluates the condition for an actor and a connection. An evaluation that would be an error in
// the VM is false; the first in a world is kept for [World.TakeCondFault].
func (c *Condition) Eval(a *Actor, bits ConnBits) bool { return c.EvalInput(a, bits.Input(a)) }

// EvalInput is Eval with the connection already packed.
func (c *Condition) EvalInput(a *Actor, in CondInput) bool {
	if c.try == nil {
		return c.test(a, in)
	}
	holds, bad := c.try(a, in)
	if bad != "" {
		if a.world != nil { // a class's template is in none
			a.world.condFaults.note(c, CondFault{a.id, bad})
		}
		return false
	}
	return holds
}

func (l *condFaults) note(c *Condition, f CondFault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.first[c]; known || l.taken[c] {
		return
	}
	if l.first == nil {
		l.first, l.taken = map[*Condition]CondFault{}, map[*Condition]bool{}
	}
	l.first[c] = f
	l.any.Store(true)
}

// TakeCondFault gives the first fault of a condition in this world, once; ok is false where there is none. It may be
// called by several goroutines at once.
func (w *World) TakeCondFault(c *Condition) (f CondFault, ok bool) {
	l := &w.condFaults
	if !l.any.Load() {
		return f, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if f, ok = l.first[c]; ok {
		delete(l.first, c)
		l.taken[c] = true
		l.any.Store(len(l.first) > 0)
	}
	return f, ok
}

// forget lets go of what was said of conditions that are no more, after a reload.
func (l *condFaults) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.first, l.taken = nil, nil
	l.any.Store(false)
}
