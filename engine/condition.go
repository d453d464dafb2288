package engine

import (
	"sync"
	"sync/atomic"
)

// Condition is a replication condition, or one of looks, as package scriptvm/condition makes them (R5.5, R5.6). It is
// immutable, and may be evaluated by many goroutines while the world stands still.
type Condition interface {
	// Native reports whether Eval evaluates the condition. One that is not runs in the script VM (RuleSpec.Script).
	Native() bool
	// Eval evaluates the condition for an actor and a connection. An evaluation that would be an error in the VM is
	// false; the first in a world is kept for [World.TakeCondFault].
	Eval(a *Actor, in CondInput) bool
	// Upstream is set where it requires Role < ROLE_Authority (R5.16).
	Upstream() bool
	// Mask says on what of a connection the condition depends.
	Mask() CondMask
	// Props are the actor's own variables that it reads, Role and RemoteRole left out.
	Props() []*Property
	// ReadsOthers reports whether it reads anything beyond the actor's own variables: its state, another
	// actor, the world's time. Such a condition can change without any of Props being set.
	ReadsOthers() bool
}

// ScriptCondition is a condition that runs in the script VM, and may look at anything there; its value is
// [Condition.Upstream].
type ScriptCondition bool

// Native implements [Condition].
func (ScriptCondition) Native() bool { return false }

// Eval implements [Condition]; [Script.Condition] has the answer.
func (ScriptCondition) Eval(*Actor, CondInput) bool { return false }

// Upstream implements [Condition].
func (c ScriptCondition) Upstream() bool { return bool(c) }

// Mask implements [Condition].
func (ScriptCondition) Mask() CondMask { return ^CondMask(0) }

// Props implements [Condition].
func (ScriptCondition) Props() []*Property { return nil }

// ReadsOthers implements [Condition].
func (ScriptCondition) ReadsOthers() bool { return true }

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
		Role: in.Role(), RemoteRole: in.RemoteRole(),
	}
}

// Role is what the connection is told of Role.
func (in CondInput) Role() Role { return Role(in >> inRoleShift & 3) }

// RemoteRole is what the connection is told of RemoteRole.
func (in CondInput) RemoteRole() Role { return Role(in >> inRemoteShift) }

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
	first map[Condition]CondFault
	taken map[Condition]bool
}

// NoteCondFault keeps the first evaluation of a condition in the actor's world that ended in an error.
func (a *Actor) NoteCondFault(c Condition, text string) {
	if a.world != nil { // a class's template is in none
		a.world.condFaults.note(c, CondFault{a.id, text})
	}
}

func (l *condFaults) note(c Condition, f CondFault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.first[c]; known || l.taken[c] {
		return
	}
	if l.first == nil {
		l.first, l.taken = map[Condition]CondFault{}, map[Condition]bool{}
	}
	l.first[c] = f
	l.any.Store(true)
}

// TakeCondFault gives the first fault of a condition in this world, once; ok is false where there is none. It may be
// called by several goroutines at once.
func (w *World) TakeCondFault(c Condition) (f CondFault, ok bool) {
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
