package scriptvm

import (
	"cmp"
	"math"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// placeNatives returns natives that move actors and find others.
func placeNatives() []native {
	return []native{
		{
			Space: api.Actor, Name: "SetLocation", Params: "place: vector Place", Returns: "boolean",
			Doc:     "Teleports the actor. False if the location is inside the level's solid; the actor then stays.",
			Example: "self:SetLocation(vector(0, 0, 100))",
			Do:      func(v *VM, L *lua.LState) int { return boolean(L, v.self(L).SetLocation(checkVector(L, 2))) },
		},
		{
			Space: api.Actor, Name: "SetRotation", Params: "rotation: rotator",
			Doc:     "Turns the actor.",
			Example: "self:SetRotation(rotator(0, 16384, 0))",
			Do: func(v *VM, L *lua.LState) int {
				v.setByName(L, "Rotation", engine.Rotation(checkRotator(L, 2)))
				return 0
			},
		},
		{
			Space: api.Actor, Name: "Move", Params: "delta: vector Offset", Returns: "hit?",
			Doc:     "Moves by delta until something blocks it; returns what did. Bump, HitWall and Touch are called during the movement.",
			Example: "local hit = self:Move(vector(10, 0, 0))",
			Do: func(v *VM, L *lua.LState) int {
				hit, ok := v.self(L).Move(checkVector(L, 2))
				return v.pushHit(L, hit, ok)
			},
		},
		{
			Space: api.Actor, Name: "SetPhysics", Params: "mode: Physics",
			Doc:     "Changes the actor's physics mode.",
			Example: "self:SetPhysics(PHYS_Falling)",
			Do: func(v *VM, L *lua.LState) int {
				v.setByName(L, "Physics", engine.Float(checkNumber(L, 2)))
				return 0
			},
		},
		{
			Space: api.Actor, Name: "SetBase", Params: "base?: Actor, attach?: boolean",
			Doc:     "Sets the actor's Base: it stands on that and moves with it, or, with attach, is attached to it. nil removes the base.",
			Example: "self:SetBase(lift)",
			Do: func(v *VM, L *lua.LState) int {
				a := v.self(L)
				return must(L, a.SetBase(v.optActor(L, 2, ""), lua.LVAsBool(L.Get(3))))
			},
		},
		{
			Space: api.Actor, Name: "StartMove", Params: "to: vector Offset, seconds: number, glide?: boolean",
			Doc:     "Sends a mover to an offset from its initial location, in the given seconds; with glide it eases in and out. FinishMove waits for it; ReachedDestination is called at the end.",
			Example: "self:StartMove(self.MoveTo, self.MoveTime)",
			Do: func(v *VM, L *lua.LState) int {
				return must(L, v.self(L).StartMove(checkVector(L, 2), checkNumber(L, 3), lua.LVAsBool(L.Get(4))))
			},
		},
		{
			Space: api.Actor, Name: "StopMove",
			Doc:     "Ends the movement of StartMove at the mover's present location.",
			Example: "self:StopMove()",
			Do:      func(v *VM, L *lua.LState) int { v.self(L).StopMove(); return 0 },
		},
		{
			Space: api.Actor, Name: "SetOwner", Params: "owner?: Actor",
			Doc:     "Changes who owns the actor; a loop is an error.",
			Example: "weapon:SetOwner(pawn)",
			Do: func(v *VM, L *lua.LState) int {
				v.self(L)
				v.setByName(L, "Owner", engine.Ref(v.optActor(L, 2, "")))
				return 0
			},
		},
		{
			Space: api.Actor, Name: "SetCollision", Params: "actors: boolean, blockActors?: boolean, blockPlayers?: boolean",
			Doc:     "Sets bCollideActors, bBlockActors and bBlockPlayers together.",
			Example: "self:SetCollision(true, false, false)",
			Do: func(v *VM, L *lua.LState) int {
				a := v.self(L)
				block := func(i int, def bool) bool {
					if L.Get(i) == lua.LNil {
						return def
					}
					return lua.LVAsBool(L.Get(i))
				}
				a.SetCollision(lua.LVAsBool(L.Get(2)), block(3, a.BBlockActors), block(4, a.BBlockPlayers))
				return 0
			},
		},
		{
			Space: api.Actor, Name: "SetCollisionSize", Params: "radius: number, height: number", Returns: "boolean",
			Doc:     "Changes the size of the body, in uu; height is half its height. False, without a change, if the new body does not fit.",
			Example: "self:SetCollisionSize(34, 44)",
			Do: func(v *VM, L *lua.LState) int {
				return boolean(L, v.self(L).SetCollisionSize(checkNumber(L, 2), checkNumber(L, 3)))
			},
		},
		{
			Space: api.Actor, Name: "Trace", Params: "from: vector Place, to: vector LineEnd, opts?: TraceOptions", Returns: "hit?", Pure: true,
			Doc:     "The first thing a line meets: Actor (nil for the level), Location, Normal, Distance. opts: actors = false for the level only, pawns = false for all but pawns, ignore = an actor or a list, radius and height for a body instead of a line.",
			Example: "local hit = self:Trace(eyes, eyes + dir * 5000)",
			Do: func(v *VM, L *lua.LState) int {
				a := v.self(L)
				opt := v.traceOptions(L, 4)
				opt.Ignore = append(opt.Ignore, a)
				from, to := checkVector(L, 2), checkVector(L, 3)
				hit, ok := v.world.Trace(from, to, opt)
				v.sawHit(SightTrace, a, from, to, hit, ok)
				return v.pushHit(L, hit, ok)
			},
		},
		{
			Space: api.Actor, Name: "FastTrace", Params: "to: vector LineEnd, from?: vector Place", Returns: "boolean", Pure: true,
			Doc:     "Whether nothing of the level blocks the line; from is the actor's Location by default.",
			Example: "if self:FastTrace(enemy.Location) then",
			Do: func(v *VM, L *lua.LState) int {
				a := v.self(L)
				from, to := a.Location, checkVector(L, 2)
				if L.Get(3) != lua.LNil {
					from = checkVector(L, 3)
				}
				free := v.world.FastTrace(from, to)
				v.saw(SightLine, a, from, to, !free)
				return boolean(L, free)
			},
		},
		{
			Space: api.Actor, Name: "VisibleFrom", Params: "at: vector Place", Returns: "boolean", Pure: true,
			Doc:     "Whether the actor's center, top or a side is visible from a location, not hidden by the level.",
			Example: "if self:VisibleFrom(eyes) then",
			Do: func(v *VM, L *lua.LState) int {
				a, at := v.self(L), checkVector(L, 2)
				free := a.VisibleFrom(at)
				v.saw(SightLine, a, at, a.Location, !free)
				return boolean(L, free)
			},
		},
		{
			Space: api.Actor, Name: "ActorsOf", Params: "class: class", Returns: "Actor[]", Pure: true,
			Doc:     "All live actors of a class and its children, in order of spawning.",
			Example: `for _, p in ipairs(self:ActorsOf("Pawn")) do`,
			Do:      func(v *VM, L *lua.LState) int { v.self(L); return v.actorsOf(L, 2) },
		},
		{
			Space: api.Actor, Name: "ActorsInRadius", Params: "class: class, radius: number, at?: vector Place", Returns: "Actor[]", Pure: true,
			Doc:     "The actors of a class whose center is within the given distance, in uu, of a location (the actor's own by default), in order of spawning.",
			Example: `self:ActorsInRadius("Pawn", 500)`,
			Do: func(v *VM, L *lua.LState) int {
				at := v.self(L).Location
				if L.Get(4) != lua.LNil {
					at = checkVector(L, 4)
				}
				return v.actorsInRadius(L, v.checkClass(L, 2), at, checkNumber(L, 3))
			},
		},
		{
			Space: api.Actor, Name: "ActorsInSight", Params: "class: class, radius: number, from: vector Place, view: rotator, cosine?: number, most?: integer", Returns: "Actor[]", Pure: true,
			Doc:     "The actors of a class that are visible from a location: within the given distance in uu, in a cone around the view (cosine of its half angle; -1, all around, by default), not hidden by the level; the nearest first, 8 at most by default. The actor itself is excluded.",
			Example: `pawn:ActorsInSight("Pawn", 3000, eyes, view, 0.5)`,
			Do:      (*VM).actorsInSight,
		},
		{
			Space: api.Actor, Name: "Touching", Params: "class?: class", Returns: "Actor[]", Pure: true,
			Doc:     "The actors that touch this one, in order of spawning.",
			Example: "for _, a in ipairs(self:Touching()) do",
			Do: func(v *VM, L *lua.LState) int {
				a := v.self(L)
				var of *engine.Class
				if L.Get(2) != lua.LNil {
					of = v.checkClass(L, 2)
				}
				var out []*engine.Actor
				for _, t := range a.Touching() {
					if of == nil || t.Class.Descends(of) {
						out = append(out, t)
					}
				}
				return v.pushActors(L, out)
			},
		},
		{
			Space: api.Actor, Name: "HurtRadius", Params: "damage: number, radius: number, instigator?: Pawn, kind?: string, momentum?: number",
			Doc:     "Calls TakeDamage on visible actors within the given distance in uu, with less damage at a distance; the actor itself is excluded.",
			Example: "self:HurtRadius(80, 220, self.Instigator)",
			Do: func(v *VM, L *lua.LState) int {
				v.world.HurtRadius(v.self(L), checkNumber(L, 2), checkNumber(L, 3), v.optActor(L, 4, "Pawn"),
					optString(L, 5, ""), optNumber(L, 6, 0))
				return 0
			},
		},
	}
}

func (v *VM) traceOptions(L *lua.LState, i int) (opt engine.TraceOptions) {
	if L.Get(i) == lua.LNil {
		return opt
	}
	t, ok := L.Get(i).(*lua.LTable)
	if !ok {
		argError(L, i, "a table of options")
	}
	each(t, func(k, x lua.LValue) {
		name, _ := k.(lua.LString)
		switch string(name) {
		case "actors":
			opt.NoActors = !lua.LVAsBool(x)
		case "pawns":
			opt.NoPawns = !lua.LVAsBool(x)
		case "radius":
			n, _ := x.(lua.LNumber)
			opt.Radius = float64(n)
		case "height":
			n, _ := x.(lua.LNumber)
			opt.Height = float64(n)
		case "ignore":
			if o := objectOf(x); o != nil {
				opt.Ignore = append(opt.Ignore, o.actor)
			} else if list, ok := x.(*lua.LTable); ok {
				for j := 1; j <= list.Len(); j++ {
					if o := objectOf(list.RawGetInt(j)); o != nil {
						opt.Ignore = append(opt.Ignore, o.actor)
					}
				}
			}
		default:
			L.RaiseError("Trace: unknown option %s%s", keyText(k), engine.Nearest(keyText(k), []string{"actors", "pawns", "ignore", "radius", "height"}))
		}
	})
	if opt.Radius < 0 || opt.Height < 0 {
		L.RaiseError("Trace: radius and height are not negative")
	}
	return opt
}

func (v *VM) pushHit(L *lua.LState, hit engine.Hit, ok bool) int {
	if !ok {
		return 0
	}
	t := newTable(0, 4)
	if hit.Actor != nil {
		t.RawSetString("Actor", luaActor(hit.Actor))
	}
	t.RawSetString("Location", vec(hit.Location))
	t.RawSetString("Normal", vec(hit.Normal))
	t.RawSetString("Distance", lua.LNumber(hit.Distance))
	L.Push(t)
	return 1
}

// actorsInSight returns the actors of a class visible from a location: within a radius, in a cone, not hidden by
// the level. The nearest come first; it tests only as many as requested, so that a crowd costs what a few do.
func (v *VM) actorsInSight(L *lua.LState) int {
	self := v.self(L)
	class, radius, from, view := v.checkClass(L, 2), checkNumber(L, 3), checkVector(L, 4), checkRotator(L, 5).Vector()
	cosine, most := optNumber(L, 6, -1), int(math.Max(0, math.Min(optNumber(L, 7, 8), 64)))
	near := v.world.ActorsInRadius(class, from, radius)
	before := near[:0]
	for _, a := range near {
		if a != self && !a.BHidden && !(a.Location.Sub(from).Normal().Dot(view) < cosine) {
			before = append(before, a)
		}
	}
	slices.SortStableFunc(before, func(a, b *engine.Actor) int {
		return cmp.Compare(a.Location.Sub(from).SizeSquared(), b.Location.Sub(from).SizeSquared())
	})
	seen := before[:0]
	looked := int64(0)
	for _, a := range before {
		if len(seen) >= most || looked >= 4*int64(max(most, 1)) {
			break
		}
		looked++
		free := a.VisibleFrom(from)
		if v.saw(SightLine, self, from, a.Location, !free); free {
			seen = append(seen, a)
		}
	}
	v.vm.Charge(L, sightCost*looked)
	return v.pushActors(L, seen)
}
