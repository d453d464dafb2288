package scriptvm

import (
	"errors"
	"fmt"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/rewind"
	"github.com/tidelock/tidelock/scriptvm/api"
)

const (
	// rewoundCost and targetCost are the costs of a rewound trace and of each of its targets, in instructions.
	rewoundCost, targetCost = 20, 5
	// maxTargets bounds the targets of one trace.
	maxTargets = 64
	// rewindSwitch is the variable of a class whose shots are judged in the past.
	rewindSwitch = "bUseServerSideRewind"
)

// notePast starts or extends the history for a new actor, on a server. Worlds without weapons that need it have
// none.
func (v *VM) notePast(a *engine.Actor) {
	switch m := v.world.NetMode; {
	case m != engine.NMDedicatedServer && m != engine.NMListenServer:
	case v.past.records:
		if a.Class.IsPawn() {
			v.remember(a)
		}
	default:
		if p := a.Class.Property(rewindSwitch); p != nil && p.Type.Kind == engine.KindBool && a.Class.Default(p).Num != 0 {
			v.openPast()
		}
	}
}

// shapes returns the history, recorded or not: it knows hit boxes.
func (v *VM) shapes() *rewind.History {
	if v.past.history == nil {
		h, err := rewind.New(v.world, rewind.Config{MaxRecordTime: v.maxRecordTime(), Boxes: v.program.HitBoxes})
		if err != nil { // the game's MaxRecordTime and all boxes were checked when they were read
			panic("scriptvm: " + err.Error())
		}
		v.past.history = h
	}
	return v.past.history
}

// HitBoxes appends what shots can hit of a pawn now.
func (v *VM) HitBoxes(a *engine.Actor, buf []rewind.Solid) []rewind.Solid {
	return v.shapes().SolidsNow(a, buf)
}

// openPast starts to record the history, with all existing pawns.
func (v *VM) openPast() {
	v.shapes()
	v.past.records = true
	v.world.SetRecorder(v)
	v.world.EachActor(func(a *engine.Actor) {
		if a.Class.IsPawn() {
			v.remember(a)
		}
	})
}

// maxRecordTime returns how long the past is recorded, in seconds: the game's MaxRecordTime, 0 if it has none.
func (v *VM) maxRecordTime() float64 {
	g := living(v.world.Actor(v.world.Game))
	if g == nil {
		return 0
	}
	p := g.Class.Property("MaxRecordTime")
	if p == nil || p.Type.Kind != engine.KindFloat {
		return 0
	}
	return max(0, min(g.Get(p).Num, rewind.MaxRecordTime))
}

func (v *VM) remember(a *engine.Actor) {
	if err := v.past.history.Register(a); err != nil {
		v.Report(engine.SevError, a, err.Error())
	}
}

// Record records the poses of all pawns (R11.2); it implements engine.Recorder.
func (v *VM) Record(now float64) {
	if v.past.history.Record(now) != nil { // the clock was set back: earlier records are useless
		v.past.history = nil
		v.openPast()
	}
}

// reloadPast applies the hit boxes of new scripts, also to what is recorded already.
func (v *VM) reloadPast() {
	if v.past.history == nil {
		return
	}
	if err := v.past.history.SetBoxes(v.program.HitBoxes); err != nil {
		v.Report(engine.SevError, nil, err.Error())
	}
}

// rewindNatives returns natives that shoot in the past, and compare clocks (R11).
func rewindNatives() []native {
	return []native{
		{
			Space: api.Actor, Name: "PlayBoxTrack", Params: "keys?: table",
			Doc:     "Moves a pawn's hit boxes for a while, as a montage moves the body (R11.3). Each key is { seconds from now, box = offset, … } with the offset of each named box in uu, forward, right and up; boxes that are not named have none. Offsets are interpolated linearly between keys and end with the last one. nil stops it. Call it on the server, where shots are judged.",
			Example: "self:PlayBoxTrack{ { 0 }, { 0.2, head = vector(30, 0, -40) }, { 0.6 } }",
			Do:      (*VM).playBoxTrack,
		},
		{
			Space: api.Actor, Name: "TraceShot", Params: "from: vector Place, to: vector LineEnd", Returns: "hit?", Pure: true,
			Doc:     "Like Trace, but the line hits pawns at their hit boxes if their class has any: hit also has Box, the name of the box, and bHead. The actor and its Instigator are excluded.",
			Example: "local hit = self:TraceShot(eyes, eyes + dir * 5000)",
			Do:      (*VM).traceShot,
		},
		{
			Space: api.Actor, Name: "TraceRewound", Params: "shot: RewoundShot", Returns: "hit: hit?, refused?: boolean",
			Doc:     "On a server: what a line from `from` to `to`, and a quarter further, would have met at `time` (the server's seconds): the level as it is, and of actors only the pawns in `targets`, an array, as they stood then (R11.3). Besides what Trace tells, hit has Box, the name of the hit box, and bHead. A time older than the record misses; one older than the latency of the owning player explains is refused: nil, true.",
			Example: "local hit = self:TraceRewound{ from = eyes, to = aim, time = seen, targets = { enemy } }",
			Do:      (*VM).traceRewound,
		},
		{
			Space: api.Controller, Name: "GetRoundTrip", Returns: "number", Pure: true,
			Doc:     "The round-trip time to the player's machine, smoothed, as this peer measures it, in seconds of the world: in slow motion fewer pass than real ones. 0 for bots and for the local player.",
			Example: "local delay = pc:GetRoundTrip()",
			Do:      func(v *VM, L *lua.LState) int { return number(L, v.roundTrip(v.self(L))) },
		},
		{
			Space: api.Controller, Name: "GetPaceLead", Returns: "number, number", Pure: true,
			Doc:     "On the server: how many more seconds of the world have passed for the player than for the server. It differs from 0 only after the pace of the world changed (pause, slow motion), until the player's machine has received that. Compare durations that a player claims with world.RealTimeSeconds plus this. The second number is the most that it can be: their machine may follow a faster pace whose confirmation is still on its way.",
			Example: "local now = world.RealTimeSeconds + self:GetPaceLead()",
			Do: func(v *VM, L *lua.LState) int {
				lead, most := v.world.PaceLead(v.self(L))
				return number(L, lead) + number(L, most)
			},
		},
		{
			Space: api.PlayerController, Name: "GetServerTime", Returns: "number", Pure: true,
			Doc:     "The server's time in seconds, as far as this peer knows (R11.1).",
			Example: "local t = self:GetServerTime()",
			Do: func(v *VM, L *lua.LState) int {
				v.self(L)
				return number(L, v.world.ServerTime())
			},
		},
		{
			Space: api.PlayerController, Name: "AddTimeSample", Params: "stamp: number, server: number", Returns: "boolean",
			Doc:     "On a client: reports the server's answer to a time request. stamp is this world's time of the request, server the server's time of the answer, in seconds. GetServerTime follows from these, filtered against jitter.",
			Example: "self:AddTimeSample(stamp, server)",
			Do: func(v *VM, L *lua.LState) int {
				v.self(L)
				s := rewind.TimeSample{Stamp: checkNumber(L, 2), Server: checkNumber(L, 3)}
				s.RoundTrip = v.world.Time + v.world.Delta - s.Stamp // received values precede the tick that they belong to
				at, steps := v.world.TimeStep()
				if steps != v.past.clockSteps { // the pace has changed, or a clock has jumped: earlier samples are void
					v.past.clock, v.past.clockSteps = rewind.Clock{}, steps
				}
				if steps > 0 && s.Stamp <= at+stampRounding {
					return boolean(L, false) // requested before that
				}
				ok := v.past.clock.Add(s)
				if offset, known := v.past.clock.Offset(); known && v.world.NetMode == engine.NMClient {
					v.world.SyncServerTime(offset)
				}
				return boolean(L, ok)
			},
		},
		{
			Space: api.PlayerController, Name: "GetRefusedClaims", Returns: "integer", Pure: true,
			Doc:     "On the server: how many of the player's shots were refused because they claimed an older time than their latency explains (R11.3).",
			Example: "pc:GetRefusedClaims()",
			Do:      func(v *VM, L *lua.LState) int { return number(L, float64(v.past.refused[v.self(L).ID()])) },
		},
	}
}

// stampRounding is half a unit of the stamps of time requests, in seconds.
const stampRounding = 0.0005

// roundTrip returns the measured network round trip. Joining delays it for some seconds on an idle connection: on a
// client the samples of the clock are then more accurate.
func (v *VM) roundTrip(pc *engine.Actor) float64 {
	rtt := v.world.RoundTrip(pc)
	if s, ok := v.past.clock.RoundTrip(); ok && v.world.NetMode == engine.NMClient {
		return min(rtt, s)
	}
	return rtt
}

// traceRewound is TraceRewound{ from =, to =, time =, targets = }.
func (v *VM) traceRewound(L *lua.LState) int {
	a := v.self(L)
	t, ok := L.Get(2).(*lua.LTable)
	if !ok || objectOf(t) != nil {
		argError(L, 2, "a table: { from =, to =, time =, targets = }")
	}
	if !a.HasAuthority() || v.world.NetMode == engine.NMClient {
		L.RaiseError("TraceRewound: only a server knows the past; a client calls Trace and tells the server")
	}
	s := rewind.Shot{Start: v.vectorIn(L, t, "from"), End: v.vectorIn(L, t, "to")}
	n, ok := t.RawGetString("time").(lua.LNumber)
	if !ok {
		L.RaiseError("TraceRewound: expected time, in seconds of the server, got a %s", typeName(t.RawGetString("time")))
	}
	s.Time = float64(n)
	s.Targets = v.targetsIn(L, t.RawGetString("targets"))
	v.vm.Charge(L, rewoundCost+targetCost*int64(len(s.Targets)))
	if s.Shooter = a; !a.Class.IsPawn() {
		s.Shooter = living(v.world.Actor(a.Instigator))
	}
	if !v.past.records {
		v.openPast()
	}
	player := a.TopOwner()
	if !player.Class.IsPlayerController() {
		player = nil
	}
	if err := v.checkClaim(a, player, s.Time); err != nil {
		v.judged(a, player, &s, true, rewind.Hit{}, false)
		L.Push(lua.LNil)
		L.Push(lua.LTrue)
		return 2
	}
	hit, ok := v.past.history.Trace(s)
	v.judged(a, player, &s, false, hit, ok)
	if !ok {
		return 0
	}
	return v.pushRewound(L, hit)
}

// playBoxTrack is PlayBoxTrack{ { seconds, box = offset, … }, … }.
func (v *VM) playBoxTrack(L *lua.LState) int {
	a := v.self(L)
	boxes := v.shapes().Boxes(a.Class)
	var track rewind.BoxTrack
	if L.Get(2) != lua.LNil {
		rows, ok := L.Get(2).(*lua.LTable)
		if !ok || objectOf(rows) != nil {
			argError(L, 2, "a list of keys: { { 0, head = vector(…) }, { 0.5 } }")
		}
		for i := 1; i <= min(rows.Len(), rewind.MaxBoxKeys+1); i++ {
			track = append(track, v.boxKey(L, a, boxes, i, rows.RawGetInt(i)))
		}
		if track == nil {
			track = rewind.BoxTrack{}
		}
	}
	if err := v.shapes().PlayBoxes(a, track, v.world.Time); err != nil {
		L.RaiseError("PlayBoxTrack: %v", err)
	}
	return 0
}

// boxKey reads one key of a box track.
func (v *VM) boxKey(L *lua.LState, a *engine.Actor, boxes []rewind.Box, i int, x lua.LValue) (key rewind.BoxKey) {
	row, ok := x.(*lua.LTable)
	var n lua.LNumber
	if ok {
		n, ok = row.RawGetInt(1).(lua.LNumber)
	}
	if !ok {
		L.RaiseError("PlayBoxTrack: key %d: expected { seconds, box = vector, … }, got a %s", i, typeName(x))
	}
	key.Time, key.Offsets = float64(n), make([]geom.Vector, len(boxes))
	names := make([]string, len(boxes))
	for b := range boxes {
		names[b] = boxes[b].Name
	}
	each(row, func(k, y lua.LValue) {
		name, isName := k.(lua.LString)
		if !isName {
			return
		}
		offset, isVector := y.(vec)
		b := slices.Index(names, string(name))
		if b < 0 || !isVector {
			L.RaiseError("PlayBoxTrack: key %d: expected a vector by the name of a hit box of %s, got %s%s", i, a.Class.Name, name, engine.Nearest(string(name), names))
		}
		key.Offsets[b] = geom.Vector(offset)
	})
	return key
}

// maxPassed is how many pawns a shot may pass between the boxes of.
const maxPassed = 16

// traceShot is TraceShot(from, to): like Trace, but pawns are hit by their hit boxes.
func (v *VM) traceShot(L *lua.LState) int {
	a := v.self(L)
	from, to := checkVector(L, 2), checkVector(L, 3)
	v.vm.Charge(L, rewoundCost)
	opt := engine.TraceOptions{Ignore: append(v.past.targets[:0], a)}
	if shooter := living(v.world.Actor(a.Instigator)); shooter != nil {
		opt.Ignore = append(opt.Ignore, shooter)
	}
	for range maxPassed {
		hit, ok := v.world.Trace(from, to, opt)
		if !ok || hit.Actor == nil || !hit.Actor.Class.IsPawn() {
			v.past.targets = opt.Ignore
			v.sawHit(SightShot, a, from, to, hit, ok)
			return v.pushHit(L, hit, ok)
		}
		if met, ok := v.shapes().TraceNow(hit.Actor, from, to); ok {
			v.past.targets = opt.Ignore
			v.saw(SightShot, a, from, met.Location, true)
			return v.pushRewound(L, met)
		}
		opt.Ignore = append(opt.Ignore, hit.Actor)
	}
	v.past.targets = opt.Ignore
	v.saw(SightShot, a, from, to, false)
	return 0
}

// checkClaim rejects a time that the shooter's latency, as the server measures it, does not explain (R11.3). An
// actor without a remote player claims nothing: then the server's own scripts call.
func (v *VM) checkClaim(a, player *engine.Actor, time float64) error {
	if player == nil || v.world.IsLocallyControlled(player) {
		return nil
	}
	c := rewind.Claim{
		Time: time, Now: v.world.Time + v.world.Delta, // calls precede the tick that they belong to
		RoundTrip: v.world.RoundTrip(player), Tolerance: rewind.DefaultTolerance,
	}
	err := c.Check()
	var claim rewind.ClaimError
	if !errors.As(err, &claim) {
		return err
	}
	if v.past.refused == nil {
		v.past.refused = map[engine.ActorID]int{}
	}
	v.past.refused[player.ID()]++
	v.Report(engine.SevWarning, a, fmt.Sprintf("a shot of %s is refused: its claim is older than his latency explains", player.Name))
	return err
}

func (v *VM) pushRewound(L *lua.LState, hit rewind.Hit) int {
	t := newTable(0, 6)
	if hit.Actor != nil {
		t.RawSetString("Actor", luaActor(hit.Actor))
	}
	t.RawSetString("Location", vec(hit.Location))
	t.RawSetString("Normal", vec(hit.Normal))
	t.RawSetString("Distance", lua.LNumber(hit.Distance))
	if hit.Name != "" {
		t.RawSetString("Box", lua.LString(hit.Name))
	}
	t.RawSetString("bHead", lua.LBool(hit.Head))
	L.Push(t)
	return 1
}

func (v *VM) vectorIn(L *lua.LState, t *lua.LTable, name string) geom.Vector {
	x, ok := t.RawGetString(name).(vec)
	if !ok {
		L.RaiseError("TraceRewound: expected %s, a vector, got a %s", name, typeName(t.RawGetString(name)))
	}
	return geom.Vector(x)
}

// targetsIn reads an actor or an array of actors; holes and destroyed actors are left out.
func (v *VM) targetsIn(L *lua.LState, x lua.LValue) []*engine.Actor {
	list := v.past.targets[:0]
	add := func(x lua.LValue) {
		if o := objectOf(x); o != nil && !o.gone && len(list) < maxTargets {
			list = append(list, o.actor)
		}
	}
	switch t := x.(type) {
	case *lua.LNilType:
	case *lua.LTable:
		if objectOf(t) != nil {
			add(t)
			break
		}
		each(t, func(_, y lua.LValue) { add(y) })
	default:
		L.RaiseError("TraceRewound: expected targets, an actor or an array of actors, got a %s", typeName(x))
	}
	v.past.targets = list
	return list
}
