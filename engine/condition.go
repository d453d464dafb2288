package engine

import (
	"sync"
	"sync/atomic"
)

// Condition is a replication condition, or one of looks, compiled by package scriptvm/condition (R5.5, R5.6).
// It is immutable, and many goroutines may evaluate it while the world stands still.
type Condition interface {
	// Native reports whether Eval evaluates the condition. Other conditions run in the script VM
	// (RuleSpec.Script).
	Native() bool
	// Eval evaluates the condition for an actor and a connection. An evaluation that would be an error in the
	// VM is false; the first in a world is kept for [World.TakeCondFault].
	Eval(a *Actor, in CondInput) bool
	// Upstream reports whether the condition requires Role < ROLE_Authority (R5.16).
	Upstream() bool
	// Mask returns the inputs of a connection on which the condition depends.
	Mask() CondMask
	// Props returns the actor's own variables that it reads, except Role and RemoteRole.
	Props() []*Property
	// ReadsOthers reports whether it reads anything beyond the actor's own variables: its state, another actor,
	// the world's time. Such a condition can change without any of Props being set.
	ReadsOthers() bool
}

// ScriptCondition is a condition that runs in the script VM, and may read anything there; its value is
// [Condition.Upstream].
type ScriptCondition bool

// Native implements [Condition].
func (ScriptCondition) Native() bool { return false }

// Eval implements [Condition]; [Script.Condition] evaluates it.
func (ScriptCondition) Eval(*Actor, CondInput) bool { return false }

// Upstream implements [Condition].
func (c ScriptCondition) Upstream() bool { return bool(c) }

// Mask implements [Condition].
func (ScriptCondition) Mask() CondMask { return ^CondMask(0) }

// Props implements [Condition].
func (ScriptCondition) Props() []*Property { return nil }

// ReadsOthers implements [Condition].
func (ScriptCondition) ReadsOthers() bool { return true }

// ConnBits is what a condition may know about one connection. The zero value is a connection that was served
// before, owns nothing and sees the actor's own roles.
type ConnBits struct {
	Initial  bool // bNetInitial: the initial variables have not all been acknowledged
	Owner    bool // bNetOwner: the actor's top owner is this connection's PlayerController
	Dirty    bool // bNetDirty: a replicated variable was set since this connection was served
	IsPlayer bool // bIsPlayer: the actor belongs to a player
	// Role and RemoteRole are the roles sent to the connection; RoleNone means the actor's own. The owner of an
	// actor sees RemoteRole AutonomousProxy where others see SimulatedProxy (R2.2).
	Role, RemoteRole Role
}

// CondInput is [ConnBits] packed into eight bits, with the roles resolved: all that can differ between two
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

// Input packs the relation of a connection to an actor.
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

// Bits reverses [ConnBits.Input].
func (in CondInput) Bits() ConnBits {
	return ConnBits{
		Initial: in&inInitial != 0, Owner: in&inOwner != 0, Dirty: in&inDirty != 0, IsPlayer: in&inPlayer != 0,
		Role: in.Role(), RemoteRole: in.RemoteRole(),
	}
}

// Role returns the Role sent to the connection.
func (in CondInput) Role() Role { return Role(in >> inRoleShift & 3) }

// RemoteRole returns the RemoteRole sent to the connection.
func (in CondInput) RemoteRole() Role { return Role(in >> inRemoteShift) }

// CondFault is the first evaluation of a condition in a world that ended in an error.
type CondFault struct {
	Actor ActorID
	Text  string
}

// condFaults holds the faults of a world: conditions are shared by all worlds of a process. Net updates
// evaluate conditions on several goroutines, so it has a lock, which is taken only when something is wrong.
type condFaults struct {
	any   atomic.Bool // a fault was not taken yet
	mu    sync.Mutex
	first map[Condition]CondFault
	taken map[Condition]bool
}

// NoteCondFault keeps the first evaluation of a condition in the actor's world that ended in an error.
func (a *Actor) NoteCondFault(c Condition, text string) {
	if a.world != nil { // a class's template is in no world
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

// TakeCondFault returns the first fault of a condition in this world, once; ok is false if there is none.
// Several goroutines may call it at once.
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

// forget drops the faults of conditions that no longer exist after a reload.
func (l *condFaults) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.first, l.taken = nil, nil
	l.any.Store(false)
}
