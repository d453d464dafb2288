package scriptvm

import (
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// A VM begins and ends here, with the functions that scripts find and those that rewritten class code calls.

// stateSuper is (ssuper)(C, state): the value of C.super inside a function of a state.
func (v *VM) stateSuper(L *lua.LState) int {
	t, _ := L.Get(1).(*lua.LTable)
	var c *class
	if t != nil {
		c = v.classOf(t)
	}
	if c == nil {
		L.RaiseError("super: expected a class, got a %s", typeName(L.Get(1)))
	}
	state := checkString(L, 2)
	s := c.stateSupers[state]
	if s == nil {
		s = newTable(0, 0)
		meta := newTable(0, 2)
		meta.RawSetString("__index", v.native(func(L *lua.LState) int {
			L.Push(v.superFunction(L, c, state, L.Get(2)))
			return 1
		}))
		meta.RawSetString("__metatable", lua.LString("locked"))
		s.Metatable = meta
		if c.stateSupers == nil {
			c.stateSupers = map[string]*lua.LTable{}
		}
		c.stateSupers[state] = s
	}
	L.Push(s)
	return 1
}

// New returns a VM without classes. Close it when done.
func New(opt Options) *VM {
	if opt.Log == nil {
		opt.Log = func(*engine.Actor, string) {}
	}
	if opt.Report == nil {
		opt.Report = func(Report) {}
	}
	if opt.Cache == nil {
		opt.Cache = classfile.NewCache(natives().Registry)
	}
	v := &VM{opt: opt, registry: natives(), shelf: shelf{}, classes: map[string]*class{}, routers: map[routerKey]*router{}, natives: engine.NativeProperties(), modules: map[string]*module{}, dt: lua.LNumber(0)}
	v.loadRand.Seed(0)
	vm, err := sandbox.New(sandbox.Options{Limits: opt.Limits, Rand: worldRand{v}, Elapsed: opt.Elapsed, Explain: v.explain, Enter: v.setClock, Sample: v.sampled, Allocated: v.allocated, OnPanic: v.panicked})
	if err != nil {
		panic("scriptvm: " + err.Error()) // the build is wrong, nothing that a caller could correct
	}
	v.vm = vm
	v.accounts.scale = DefaultCostScale
	v.faults.init()
	v.events = map[string]bool{}
	for _, name := range engine.EventNames() {
		v.events[name] = true
	}
	v.installMeta()
	v.classMetas()
	v.bindNatives()
	return v
}

// Close frees the VM, after it reported how many lines were dropped. The world must not be stepped afterwards.
func (v *VM) Close() {
	v.tellDropped(true)
	v.closed = true
	v.endMessages()
	v.vm.Close()
}

// bindNatives creates the Lua functions of every native.
func (v *VM) bindNatives() {
	v.methodValues = map[api.Namespace]map[string]*lua.LFunction{}
	list := make([]bound, len(v.registry.entries))
	for i := range v.registry.entries {
		e := &v.registry.entries[i]
		m := v.methodValues[e.Space]
		if m == nil {
			m = map[string]*lua.LFunction{}
			v.methodValues[e.Space] = m
		}
		n := &list[i]
		n.entry, n.vm = *e, v
		m[e.Name] = v.vm.NewTagged(string(e.Space)+"."+e.Name, n, n.call)
	}
	v.vectorMethods = v.methodTable(api.Vector)
	v.rotatorMethods = v.methodTable(api.Rotator)
	v.fastMethods = v.methodTable(api.FastArray)
	v.worldMethods = v.methodTable(api.World)
	v.storeMethods = v.methodTable(api.Store)
	v.clusterMethods = v.methodTable(api.Cluster)
	v.profileMethods = v.methodTable(api.Profile)
	v.canvasMethods = v.methodTable(api.Canvas)
	v.noop = v.native(func(*lua.LState) int { return 0 })

	v.vm.SetGlobal("world", &worldValue{v})
	v.vm.SetGlobal("store", &storeValue{v})
	v.vm.SetGlobal("cluster", &clusterValue{v})
	v.vm.SetGlobal("Profile", &profileValue{v})
	numbers := constants()
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		v.vm.SetGlobal(name, lua.LNumber(numbers[name]))
	}
	for _, space := range []api.Namespace{api.Global, api.Latent} {
		for _, name := range slices.Sorted(maps.Keys(v.methodValues[space])) {
			v.vm.SetGlobal(name, v.methodValues[space][name])
		}
	}
	v.vm.Seal(v.actorMeta, "an actor")
	hidden := v.hiddenNatives()
	for _, name := range classfile.NativeNames {
		f := hidden[name]
		if f == nil {
			panic("scriptvm: class files call a native " + name + " that is not bound")
		}
		v.hidden = append(v.hidden, v.native(f))
		if name == "store" {
			v.storeFunction = v.hidden[len(v.hidden)-1]
		}
	}
}

// hiddenNatives returns what rewritten class code calls; scripts cannot name them.
func (v *VM) hiddenNatives() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"class": v.classNamed, "def": v.define, "ssuper": v.stateSuper,
		"set": v.setSlot, "get": v.getNative, "put": v.putNative, "part": v.partOf, "npart": v.nativePartOf,
		"index": v.indexSelf, "newindex": v.newIndexSelf, "store": v.storeNative,
	}
}
