package scriptvm

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/navigation"
	"github.com/tidelock/tidelock/scriptvm/api"
)

const (
	// pathCost and sightCost are the costs of a path search and of a visibility test of one actor, in instructions:
	// roughly the CPU time they take.
	pathCost, sightCost = 4000, 10
	// reachCost is the cost of finding out what is reachable.
	reachCost = 1000
)

// navigation returns the graph, or nil if the level cannot have one, which is reported once, or has none yet.
func (v *VM) navigation() *navigation.Graph {
	w := v.world
	if v.nav.of != w || v.nav.level != any(w.Level) {
		v.beginGraph()
		v.vm.Uncounted(v.takeGraph)
	} else if k := v.nav.work; k != nil && k.Done() {
		v.takeGraph()
	}
	return v.nav.graph
}

func (v *VM) beginGraph() {
	cache := v.opt.Navigation
	if cache == nil {
		cache = &navigation.Cache{}
	}
	k, err := cache.Begin(v.world, navigation.Options{})
	v.nav = navState{of: v.world, level: v.world.Level, work: k}
	v.reportNoGraph(err)
}

// takeGraph fetches the graph, and builds it first if nobody has.
func (v *VM) takeGraph() {
	k := v.nav.work
	if k == nil {
		return
	}
	var err error
	v.nav.work = nil
	v.nav.graph, err = k.Graph()
	v.reportNoGraph(err)
}

func (v *VM) reportNoGraph(err error) {
	if err != nil {
		v.warn(nil, "world", "FindPath", err.Error()+"; there are no paths on this level")
	}
}

// BuildNavigation builds the navigation graph of the world's level in the background, with its actors as they are now: run
// receives the work, which takes up to a second and may run on another goroutine; it calls pause, if not nil,
// between its parts. Until it is done scripts find no path. Without this the first script that needs a path waits
// for it.
func (v *VM) BuildNavigation(run func(work func(pause func()))) {
	v.beginGraph()
	if k := v.nav.work; k != nil {
		run(k.Run)
	}
}

// navigationNatives returns natives that find paths in the level.
func navigationNatives() []native {
	return []native{
		{
			Space: api.World, Name: "FindPath", Params: "from: vector Place, to: vector Place, wide?: boolean, crouch?: boolean", Returns: "steps: PathStep[]?, seconds: number, partial: boolean",
			Doc:     "The quickest way for a Character: an array of steps with Location (of the body's centre at its end), Kind (\"walk\", \"drop\", \"jump\" or \"lift\"), Seconds, and Mover where a lift is part of it; how long it takes; and whether it ends beside the location because one cannot stand there. nil if there is no path. A wide one is for a vehicle of up to 180 uu in breadth: it walks all the way, and ends as near to the place as wheels come. With crouch it may lead to where a Character has no room to stand: on steps with Crouch one has to; their Location is that of who stands, 44 uu higher than who crouches there.",
			Example: `local path = world:FindPath(pawn.Location, pickup.Location)`,
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
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
		},
		{
			Space: api.World, Name: "NearestNode", Params: "at: vector Place", Returns: "vector?",
			Doc:     "The nearest location to a given one where a body can stand; nil on a level without any.",
			Example: `local home = world:NearestNode(at)`,
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
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
		},
		{
			Space: api.World, Name: "RandomReachable", Params: "from: vector Place, radius?: number", Returns: "vector?",
			Doc:     "A random location where a body can stand that can be reached from the given one, within a distance in uu.",
			Example: `local goal = world:RandomReachable(pawn.Location, 2000)`,
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
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
		},
		{
			Space: api.World, Name: "Reachable", Params: "from: vector Place, to: vector Place", Returns: "boolean",
			Doc:     "Whether a path connects the two nearest locations where a body can stand.",
			Example: `if world:Reachable(pawn.Location, flag.Location) then`,
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
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
		},
		{
			Space: api.World, Name: "JumpVelocity", Params: "from: vector Place, to: vector Place", Returns: "vector?",
			Doc:     "The velocity in uu/s with which a Character's jump from one location lands at another; nil if it is too far or too high.",
			Example: `local v = world:JumpVelocity(pawn.Location, step.Location)`,
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
				return v.launch(L, (*navigation.Graph).JumpVelocity)
			},
		},
		{
			Space: api.World, Name: "DropVelocity", Params: "from: vector Place, to: vector Place", Returns: "vector?",
			Doc:     "The same for stepping off an edge.",
			Example: `local v = world:DropVelocity(pawn.Location, step.Location)`,
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
				return v.launch(L, (*navigation.Graph).DropVelocity)
			},
		},
	}
}

// launch returns a velocity, or nil if the location is out of reach.
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

// pathTable returns a path as scripts get it: an array of steps.
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
