package schema

import "github.com/tidelock/tidelock/engine"

// NamedMask returns the bits of a connection on which a named condition depends (R5.7).
func NamedMask(c engine.NetCondition) engine.CondMask {
	switch c {
	case engine.CondInitialOnly:
		return engine.MaskInitial
	case engine.CondOwnerOnly, engine.CondSkipOwner, engine.CondReplayOrOwner:
		return engine.MaskOwner
	case engine.CondInitialOrOwner:
		return engine.MaskInitial | engine.MaskOwner
	case engine.CondSimulatedOnly, engine.CondAutonomousOnly, engine.CondSimulatedOrPhysics,
		engine.CondSimulatedOnlyNoReplay, engine.CondSimulatedOrPhysicsNoReplay:
		return engine.MaskRemoteRole
	default:
		return 0
	}
}

// Named evaluates a named condition for a connection, except COND_Custom, COND_Dynamic and COND_NetGroup. There is
// no replay connection: conditions that require one are false, those that exclude one are true.
func Named(c engine.NetCondition, a *engine.Actor, in engine.CondInput) bool {
	b := in.Bits()
	switch c {
	case engine.CondInitialOnly:
		return b.Initial
	case engine.CondOwnerOnly, engine.CondReplayOrOwner:
		return b.Owner
	case engine.CondSkipOwner:
		return !b.Owner
	case engine.CondInitialOrOwner:
		return b.Initial || b.Owner
	case engine.CondSimulatedOnly, engine.CondSimulatedOnlyNoReplay:
		return b.RemoteRole == engine.RoleSimulatedProxy
	case engine.CondAutonomousOnly:
		return b.RemoteRole == engine.RoleAutonomousProxy
	case engine.CondSimulatedOrPhysics, engine.CondSimulatedOrPhysicsNoReplay:
		return b.RemoteRole == engine.RoleSimulatedProxy || a.Physics == engine.PhysRigidBody
	case engine.CondReplayOnly, engine.CondNever:
		return false
	default:
		return true
	}
}
