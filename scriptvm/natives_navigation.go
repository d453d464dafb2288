package scriptvm

import (
	"cmp"
	"math"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/navigation"
)

const (
	// pathCost and sightCost are what a search for a way and a look for one actor take from a call's instructions:
	// about what they take of the machine.
	pathCost, sightCost = 4000, 10
	// reachCost is that of finding out what can be reached.
	reachCost = 1000
)

// ways is the navigation graph of the world's level, made when a script first requests a way.
type ways struct {
	of    *engine.World
	level any // the level that it was made of; another one after a travel
	graph *navigation.Graph
	work  *navigation.Work // not nil while somebody else builds it
}

// navigation is the graph, or nil where the level cannot have one, which is said once, or has none yet.
func (v *VM) navigation() *navigation.Graph {
	w := v.world
	if v.ways.of != w || v.ways.level != any(w.Level) {
		v.beginWays()
		v.vm.Uncounted(v.takeWays)
	} else if k := v.ways.work; k != nil && k.Done() {
		v.takeWays()
	}
	return v.ways.graph
}

func (v *VM) beginWays() {
	cache := v.opt.Ways
	if cache == nil {
		cache = &navigation.Cache{}
	}
	k, err := cache.Begin(v.world, navigation.Options{})
	v.ways = ways{of: v.world, level: v.world.Level, work: k}
	v.noWays(err)
}

// takeWays takes the graph, which is built first where nobody did.
func (v *VM) takeWays() {
	k := v.ways.work
	if k == nil {
		return
	}
	var err error
	v.ways.work = nil
	v.ways.graph, err = k.Graph()
	v.noWays(err)
}

func (v *VM) noWays(err error) {
	if err != nil {
		v.warn(nil, "world", "FindPath", err.Error()+"; there are no ways on this level")
	}
}

// FindWays has the navigation graph of the world's level made aside, with its actors as they are now: run is given
// what takes up to a second and may be done on another goroutine; it calls pause, where not nil, between its parts. Until it is done scripts find no way. Without this
// the first script that asks waits for it.
func (v *VM) FindWays(run func(work func(pause func()))) {
	v.beginWays()
	if k := v.ways.work; k != nil {
		run(k.Run)
	}
}

// navigationNatives are the methods of world that know ways.
func (v *VM) navigationNatives() natives {
	return natives{
		"FindPath": func(L *lua.LState) int {
			from, to := checkVector(L, 2), checkVector(L, 3)
			v.vm.Charge(L, pathCost)
			g := v.navigation()
			if g == nil {
				return 0
			}
			find := g.Path
			if L.ToBool(4) {
				find = g.WidePath
			} else if L.ToBool(5) {
				find = g.LowPath
			}
			p, ok := find(from, to)
			if !ok {
				return 0
			}
			L.Push(v.pathTable(&p))
			L.Push(lua.LNumber(p.Seconds))
			L.Push(lua.LBool(p.Partial))
			return 3
		},
		"NearestNode": func(L *lua.LState) int {
			at := checkVector(L, 2)
			g := v.navigation()
			if g == nil {
				return 0
			}
			id, ok := g.Nearest(at)
			if !ok {
				return 0
			}
			return vector(L, g.Node(id).Location)
		},
		"RandomReachable": func(L *lua.LState) int {
			from, radius := checkVector(L, 2), optNumber(L, 3, math.Inf(1))
			v.vm.Charge(L, reachCost)
			g := v.navigation()
			if g == nil {
				return 0
			}
			id, ok := g.Nearest(from)
			if !ok {
				return 0
			}
			if id = g.RandomWithin(&v.world.Rand, id, from, radius); id == navigation.None {
				return 0
			}
			return vector(L, g.Node(id).Location)
		},
		"Reachable": func(L *lua.LState) int {
			from, to := checkVector(L, 2), checkVector(L, 3)
			v.vm.Charge(L, reachCost)
			g := v.navigation()
			if g == nil {
				return boolean(L, false)
			}
			a, okA := g.Nearest(from)
			b, okB := g.Nearest(to)
			return boolean(L, okA && okB && g.Reaches(a, b))
		},
		"JumpVelocity": func(L *lua.LState) int {
			return v.launch(L, (*navigation.Graph).JumpVelocity)
		},
		"DropVelocity": func(L *lua.LState) int {
			return v.launch(L, (*navigation.Graph).DropVelocity)
		},
	}
}

// launch answers with a velocity, or nil where the place is out of reach.
func (v *VM) launch(L *lua.LState, f func(g *navigation.Graph, from, to geom.Vector) (geom.Vector, bool)) int {
	from, to := checkVector(L, 2), checkVector(L, 3)
	g := v.navigation()
	if g == nil {
		return 0
	}
	if x, ok := f(g, from, to); ok {
		return vector(L, x)
	}
	return 0
}

// pathTable is a path as scripts get it: an array of steps.
func (v *VM) pathTable(p *navigation.Path) *lua.LTable {
	t := newTable(len(p.Steps), 0)
	for i := range p.Steps {
		st := &p.Steps[i]
		row := newTable(0, 4)
		row.RawSetString("Location", vec(st.To))
		row.RawSetString("Kind", lua.LString(st.Kind.String()))
		row.RawSetString("Seconds", lua.LNumber(st.Seconds))
		if st.Low {
			row.RawSetString("Crouch", lua.LTrue)
		}
		if a := living(v.world.Actor(st.Mover)); a != nil {
			row.RawSetString("Mover", luaActor(a))
		}
		t.RawSetInt(i+1, row)
	}
	return t
}

// actorsInSight is what one sees from a place: those of a class within a radius, in a cone, that nothing of the level
// hides. The nearest first; it looks only at the requested number, so that many cost what a few do.
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
		if looked++; a.VisibleFrom(from) {
			seen = append(seen, a)
		}
	}
	v.vm.Charge(L, sightCost*looked)
	return v.pushActors(L, seen)
}
