package engine

import (
	"math"

	"github.com/tidelock/tidelock/engine/geom"
)

// NativeProperties is the table of the engine's own variables, in the order of docs.
func NativeProperties() []*NativeProperty { return nativeProperties }

const (
	onActor = 1 << NativeActor
	onBoth  = 1<<NativeActor | 1<<NativeComponent
)

// ORDER: native property ids are indices of this table.
var nativeProperties = makeNativeProperties()

func makeNativeProperties() []*NativeProperty {
	var (
		tBool    = &Type{Kind: KindBool}
		tFloat   = &Type{Kind: KindFloat}
		tPos     = &Type{Kind: KindFloat, Ranged: true, Min: 0, Max: 1e6}
		tVector  = &Type{Kind: KindVector}
		tRotator = &Type{Kind: KindRotator}
		tString  = &Type{Kind: KindString}
		tActor   = &Type{Kind: KindRef, Class: "Actor"}
		tPawn    = &Type{Kind: KindRef, Class: "Pawn"}
		tAny     = &Type{Kind: KindRef}
	)
	rangeOf := func(n int) *Type { return &Type{Kind: KindInt, Ranged: true, Max: float64(n - 1)} }
	var list []*NativeProperty
	add := func(n NativeProperty) *NativeProperty {
		n.ID = len(list)
		n.Type.Layout()
		p := &n
		if p.word == nil && p.vec == nil && p.text == nil {
			get := p.get
			p.word = func(a *Actor) uint64 { // numbers and references; the other types set their own
				v := get(a)
				switch p.Type.Kind {
				case KindRef:
					return uint64(v.Ref)
				case KindInt:
					return uint64(int64(v.Num))
				case KindFloat:
					return math.Float64bits(v.Num)
				default:
				}
				return uint64(v.Num)
			}
		}
		list = append(list, p)
		return p
	}
	vector := func(name, doc string, f func(*Actor) *vec, set func(*Actor, Value) error) {
		add(NativeProperty{
			Name: name, Type: tVector, Doc: doc, roots: onActor,
			get: func(a *Actor) Value { return Vec(*f(a)) }, vec: f,
			put: func(a *Actor, v Value) { *f(a) = v.Vec }, set: set,
		})
	}
	float := func(name, doc string, t *Type, f func(*Actor) *float64) {
		add(NativeProperty{
			Name: name, Type: t, Doc: doc, roots: onActor,
			get: func(a *Actor) Value { return Float(*f(a)) }, word: func(a *Actor) uint64 { return math.Float64bits(*f(a)) },
			put: func(a *Actor, v Value) { *f(a) = v.Num }, real: f,
		})
	}
	boolean := func(name, doc string, f func(*Actor) *bool) *NativeProperty {
		return add(NativeProperty{
			Name: name, Type: tBool, Doc: doc, roots: onActor,
			get: func(a *Actor) Value { return Bool(*f(a)) },
			word: func(a *Actor) uint64 {
				if *f(a) {
					return 1
				}
				return 0
			},
			put: func(a *Actor, v Value) { *f(a) = v.Num != 0 }, flag: f,
		})
	}
	text := func(name, doc string, f func(*Actor) *string) {
		add(NativeProperty{
			Name: name, Type: tString, Doc: doc, roots: onActor,
			get: func(a *Actor) Value { return String(*f(a)) }, text: func(a *Actor) string { return *f(a) },
			put: func(a *Actor, v Value) { *f(a) = v.Str },
		})
	}
	ref := func(name, doc string, t *Type, f func(*Actor) *ActorID, set func(*Actor, Value) error) *NativeProperty {
		return add(NativeProperty{
			Name: name, Type: t, Doc: doc, roots: onActor,
			get: func(a *Actor) Value { return Value{Kind: KindRef, Ref: *f(a)} }, word: func(a *Actor) uint64 { return uint64(*f(a)) },
			put: func(a *Actor, v Value) { *f(a) = v.Ref }, set: set,
		})
	}

	vector("Location", "Where the actor's centre is, in uu. Setting it teleports.", func(a *Actor) *vec { return &a.Location },
		func(a *Actor, v Value) error { a.SetLocation(v.Vec); return nil })
	add(NativeProperty{
		Name: "Rotation", Type: tRotator, Doc: "Which way the actor faces, in rotator units (65536 = one turn).", roots: onActor,
		get: func(a *Actor) Value { return Rotation(a.Rotation) }, word: func(a *Actor) uint64 { return a.Rotation.Pack() },
		put: func(a *Actor, v Value) { a.Rotation = v.Rot },
		set: func(a *Actor, v Value) error { a.SetRotation(v.Rot); return nil },
	})
	vector("Velocity", "Speed and direction, in uu/s.", func(a *Actor) *vec { return &a.Velocity }, nil)
	vector("Acceleration", "What the actor or its player wants to gain, in uu/s²; walking and flying follow it.", func(a *Actor) *vec { return &a.Acceleration }, nil)
	add(NativeProperty{
		Name: "Physics", Type: rangeOf(int(numPhysics)), Doc: "How the actor moves by itself: PHYS_None, PHYS_Walking, …", roots: onActor,
		get: func(a *Actor) Value { return Int(int(a.Physics)) }, word: func(a *Actor) uint64 { return uint64(a.Physics) },
		put: func(a *Actor, v Value) { a.Physics = Physics(v.Num) },
		set: func(a *Actor, v Value) error { a.SetPhysics(Physics(v.Num)); return nil },
	})
	add(NativeProperty{
		Name: "Role", Type: rangeOf(int(numRoles)), Doc: "What this peer's copy is: ROLE_Authority, ROLE_AutonomousProxy, ROLE_SimulatedProxy (R2.1).", roots: onBoth, readOnly: true,
		get: func(a *Actor) Value { return Int(int(a.role())) }, word: func(a *Actor) uint64 { return uint64(a.role()) },
		put: func(a *Actor, v Value) { a.Role = Role(v.Num) },
	})
	add(NativeProperty{
		Name: "RemoteRole", Type: rangeOf(int(numRoles)), Doc: "What the copy at the other end is; ROLE_None is never replicated (R2.2).", roots: onBoth,
		get: func(a *Actor) Value {
			if a.Outer != nil {
				return Int(int(a.Outer.RemoteRole))
			}
			return Int(int(a.RemoteRole))
		},
		put: func(a *Actor, v Value) { a.RemoteRole = Role(v.Num) },
		set: func(a *Actor, v Value) error { a.setRemoteRole(Role(v.Num)); return nil },
	})
	owner := ref("Owner", "The owner of the actor; the end of the chain decides its connection. Of a component: its actor.", tActor, func(a *Actor) *ActorID { return &a.Owner },
		func(a *Actor, v Value) error { return a.SetOwner(a.world.Actor(v.Ref)) })
	owner.roots = onBoth
	owner.get = func(a *Actor) Value {
		if a.Outer != nil {
			return Ref(a.Outer)
		}
		return Value{Kind: KindRef, Ref: a.Owner}
	}
	owner.word = func(a *Actor) uint64 {
		if a.Outer != nil {
			return uint64(a.Outer.id)
		}
		return uint64(a.Owner)
	}
	ref("Instigator", "The pawn that caused this: who gets the credit.", tPawn, func(a *Actor) *ActorID { return &a.Instigator },
		func(a *Actor, v Value) error { a.SetInstigator(a.world.Actor(v.Ref)); return nil })
	ref("Base", "What the actor stands on or hangs from, and moves with.", tActor, func(a *Actor) *ActorID { return &a.Base },
		func(a *Actor, v Value) error { return a.SetBase(a.world.Actor(v.Ref), false) })
	boolean("bAttached", "Hangs on its Base and turns with it, instead of standing on it: SetBase(base, true).", func(a *Actor) *bool { return &a.BAttached }).readOnly = true
	nowhere := new(vec) // for actors that are not attached; never written
	at := func(a *Actor) *vec {
		if a.body.hang == nil {
			return nowhere
		}
		return &a.body.hang.at
	}
	add(NativeProperty{
		Name: "RelativeLocation", Type: tVector, Doc: "Of an attached actor: where it hangs, in uu from its Base and turning with its yaw.", roots: onActor, readOnly: true,
		get: func(a *Actor) Value { return Vec(*at(a)) }, vec: at, put: func(a *Actor, v Value) { a.hangMade().at = v.Vec },
	})
	turned := func(a *Actor) geom.Rotator {
		if a.body.hang == nil {
			return geom.Rotator{}
		}
		return geom.Rotator{Yaw: a.body.hang.yaw}
	}
	add(NativeProperty{
		Name: "RelativeRotation", Type: tRotator, Doc: "Of an attached actor: its yaw less that of its Base.", roots: onActor, readOnly: true,
		get: func(a *Actor) Value { return Rotation(turned(a)) }, word: func(a *Actor) uint64 { return turned(a).Pack() },
		put: func(a *Actor, v Value) { a.hangMade().yaw = v.Rot.Yaw },
	})
	boolean("bHidden", "Not drawn; with no collision and no sound also not relevant (R3.7).", func(a *Actor) *bool { return &a.BHidden })
	boolean("bTearOff", "Set once: clients keep their copies as their own (R5.18).", func(a *Actor) *bool { return &a.BTearOff })
	boolean("bNetTemporary", "Sent once, then left to the clients (R5.17).", func(a *Actor) *bool { return &a.BNetTemporary })
	boolean("bAlwaysRelevant", "Every connection is told about it (R3.2).", func(a *Actor) *bool { return &a.BAlwaysRelevant })
	boolean("bOnlyRelevantToOwner", "Only the owning connection is told about it (R3.4).", func(a *Actor) *bool { return &a.BOnlyRelevantToOwner })
	boolean("bNetUseOwnerRelevancy", "As relevant as its Owner (R3.3).", func(a *Actor) *bool { return &a.BNetUseOwnerRelevancy })
	boolean("bReplicates", "Clients may get it at all (R3.1).", func(a *Actor) *bool { return &a.BReplicates })
	float("NetPriority", "Share of a full connection's bandwidth, by ratio (R4.2).", tPos, func(a *Actor) *float64 { return &a.NetPriority })
	float("NetUpdateFrequency", "At most so many net updates a second (R4.5).", tPos, func(a *Actor) *float64 { return &a.NetUpdateFrequency })
	float("MinNetUpdateFrequency", "So many net updates a second while nothing changes (R4.5).", tPos, func(a *Actor) *float64 { return &a.MinNetUpdateFrequency })
	float("NetCullDistance", "Not relevant farther from the viewer than this, in uu; 0 = never culled (R3.8).", tPos, func(a *Actor) *float64 { return &a.NetCullDistance })
	add(NativeProperty{
		Name: "NetDormancy", Type: rangeOf(int(numDormancies)), Doc: "DORM_Awake, DORM_Never, DORM_DormantAll, DORM_Initial (R4.7).", roots: onActor,
		get: func(a *Actor) Value { return Int(int(a.NetDormancy)) }, word: func(a *Actor) uint64 { return uint64(a.NetDormancy) },
		put: func(a *Actor, v Value) { a.NetDormancy = Dormancy(v.Num) },
	})
	rehash := func(n *NativeProperty) {
		put := n.put
		n.set = func(a *Actor, v Value) error {
			put(a, v)
			a.touchNative(n.Name)
			a.collisionChanged()
			return nil
		}
	}
	rehash(boolean("bCollideActors", "Touches and is touched.", func(a *Actor) *bool { return &a.BCollideActors }))
	rehash(boolean("bCollideWorld", "The level's brushes stop it.", func(a *Actor) *bool { return &a.BCollideWorld }))
	rehash(boolean("bBlockPlayers", "Pawns cannot pass through it.", func(a *Actor) *bool { return &a.BBlockPlayers }))
	rehash(boolean("bBlockActors", "Actors other than pawns cannot pass through it.", func(a *Actor) *bool { return &a.BBlockActors }))
	size := func(name, doc string, f func(*Actor) *float64) {
		n := add(NativeProperty{
			Name: name, Type: &Type{Kind: KindFloat, Ranged: true, Min: 0, Max: 10000}, Doc: doc, roots: onActor,
			get: func(a *Actor) Value { return Float(*f(a)) }, word: func(a *Actor) uint64 { return math.Float64bits(*f(a)) },
			put: func(a *Actor, v Value) { *f(a) = v.Num }, real: f,
		})
		rehash(n)
	}
	size("CollisionRadius", "Radius of the upright body, in uu.", func(a *Actor) *float64 { return &a.CollisionRadius })
	size("CollisionHeight", "Half the height of the upright body, in uu.", func(a *Actor) *float64 { return &a.CollisionHeight })
	text("AmbientSound", "A sound the actor makes all the time; heard within SoundRadius.", func(a *Actor) *string { return &a.AmbientSound })
	float("SoundRadius", "How far AmbientSound is heard, in uu.", tPos, func(a *Actor) *float64 { return &a.SoundRadius })
	float("DrawScale", "Size at which the actor is shown, 1 = as made.", tPos, func(a *Actor) *float64 { return &a.DrawScale })
	boolean("bNetInitialRotation", "Rotation crosses with the opening (R5.1).", func(a *Actor) *bool { return &a.BNetInitialRotation })
	boolean("bUpdateSimulatedPosition", "Location and Velocity keep crossing to simulated proxies (R10.4).", func(a *Actor) *bool { return &a.BUpdateSimulatedPosition })
	boolean("bReplicateMovementToOwner", "Location and Velocity cross to the player who controls it, too, whose copy follows the server; without it, that player's machine moves it by itself (R9).", func(a *Actor) *bool { return &a.BReplicateMovementToOwner })
	add(NativeProperty{
		Name: "TeleportCount", Type: rangeOf(256), Doc: "How often a script set the Location of the actor, round and round: a copy whose count changes is shown there at once, without smoothing (R10.6).", roots: onActor, readOnly: true,
		get: func(a *Actor) Value { return Int(int(a.body.ports & 255)) }, word: func(a *Actor) uint64 { return uint64(a.body.ports & 255) },
		put: func(a *Actor, v Value) { a.body.ports = uint32(v.Num) },
	})
	boolean("bReplicateInstigator", "Instigator crosses (R5.19).", func(a *Actor) *bool { return &a.BReplicateInstigator })
	boolean("bSkipActorPropertyReplication", "Actor's own variables do not cross (R5.19).", func(a *Actor) *bool { return &a.BSkipActorPropertyReplication })
	boolean("bOnlyDirtyReplication", "Looked at only when a variable was set (R5.19).", func(a *Actor) *bool { return &a.BOnlyDirtyReplication })
	boolean("bStatic", "Part of the level: never ticks, never moves, never goes (R1.4).", func(a *Actor) *bool { return &a.BStatic })
	boolean("bNoDelete", "A client keeps its own from the level (R1.4).", func(a *Actor) *bool { return &a.BNoDelete })
	boolean("bSimulateGravity", "A proxy of it falls between updates (R10.5).", func(a *Actor) *bool { return &a.BSimulateGravity })
	boolean("bSimGravityDisabled", "Set by the engine while a proxy's position does not fit the world (R10.5).", func(a *Actor) *bool { return &a.BSimGravityDisabled }).readOnly = true
	add(NativeProperty{
		Name: "RotationRate", Type: tRotator, Doc: "Turning of PHYS_Rotating, in signed rotator units a second.", roots: onActor,
		get: func(a *Actor) Value { return Rotation(a.RotationRate) }, word: func(a *Actor) uint64 { return a.RotationRate.Pack() },
		put: func(a *Actor, v Value) { a.RotationRate = v.Rot },
	})
	add(NativeProperty{
		Name: "LifeSpan", Type: &Type{Kind: KindFloat, Ranged: true, Min: 0, Max: 1e6}, Doc: "Seconds until the actor destroys itself; 0 = never.", roots: onBoth,
		get: func(a *Actor) Value { return Float(a.LifeSpan()) },
		put: func(a *Actor, v Value) {
			a.lifeSpan = v.Num
			if a.world != nil {
				a.SetLifeSpan(v.Num)
			}
		},
	})
	text("Tag", "A word to find actors of a level by.", func(a *Actor) *string { return &a.Tag })
	add(NativeProperty{
		Name: "Name", Type: tString, Doc: "The actor's name in messages: targetname of the level, or class and number.", roots: onBoth, readOnly: true,
		get: func(a *Actor) Value { return String(a.Name) }, put: func(*Actor, Value) {},
		text: func(a *Actor) string { return a.Name },
	})
	add(NativeProperty{
		Name: "bDeleteMe", Type: tBool, Doc: "The actor was destroyed; only comparing it still works.", roots: onBoth, readOnly: true,
		get: func(a *Actor) Value { return Bool(a.deleted) }, put: func(*Actor, Value) {},
	})
	add(NativeProperty{
		Name: "Outer", Type: tAny, Doc: "The actor a component belongs to.", roots: 1 << NativeComponent, readOnly: true,
		get: func(a *Actor) Value { return Ref(a.Outer) }, put: func(*Actor, Value) {},
	})
	_ = tFloat
	return list
}
