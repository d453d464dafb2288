package scenario

import (
	"fmt"
	"maps"
	"math"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// bind creates the methods of t, of peers and of handles for one run.
func (r *run) bind() {
	r.t = &tester{r}
	r.callers, r.partCallers = map[string]*lua.LFunction{}, map[string]*lua.LFunction{}
	r.find, _ = r.vm.sb.Globals().RawGetString(syntax.LibraryName("string", "find")).(*lua.LFunction)
	methods := r.checkMethods()
	maps.Copy(methods, r.stageMethods())
	r.tMethods, r.tMethodNames = r.table("t:", methods, func(L *lua.LState, name string) {
		if _, ok := L.Get(1).(*tester); !ok {
			L.RaiseError("t:%s: expected t before the method; write a colon: t:%s(…)", name, name)
		}
	})
	r.peerMethods, r.peerMembers = r.table("peer:", r.peerFunctions(), func(L *lua.LState, name string) {
		if _, ok := L.Get(1).(*peer); !ok {
			L.RaiseError("%s: expected a peer before the method; write a colon: peer:%s(…)", name, name)
		}
	})
	r.peerMembers = append(r.peerMembers, "time", "name", "error", "error_code", "draining")
	r.handleIs = r.vm.sb.NewFunction("Is", r.is)
}

func (r *run) table(prefix string, methods map[string]lua.LGFunction, self func(*lua.LState, string)) (*lua.LTable, []string) {
	names := slices.Sorted(maps.Keys(methods))
	t := scriptvm.NewTable(0, len(names))
	for _, n := range names {
		f := methods[n]
		t.RawSetString(n, r.vm.sb.NewFunction(prefix+n, func(L *lua.LState) int { self(L, n); return f(L) }))
	}
	return t, names
}

// is is handle:Is(other): the same actor, whichever peers the two handles belong to.
func (r *run) is(L *lua.LState) int {
	h, ok := L.Get(1).(handle)
	if !ok {
		L.RaiseError("Is: expected a handle before the method; write a colon: handle:Is(other)")
	}
	o, ok := L.Get(2).(handle)
	switch {
	case !ok:
		L.Push(lua.LFalse)
	case h.peer == o.peer:
		L.Push(lua.LBool(h.key == o.key))
	default:
		a, err := r.on(h.peer, o)
		L.Push(lua.LBool(err == nil && a != nil && h.actor() == a))
	}
	return 1
}

// step advances to the next tick; false means that until is reached.
func (r *run) step(L *lua.LState, until float64) bool {
	ticked, err := r.stage.Step(until)
	if err != nil {
		r.fail(L, Failure{Message: err.Error()})
	}
	return ticked
}

// stageMethods returns the methods of t that create peers and advance time.
func (r *run) stageMethods() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"scripts": func(L *lua.LState) int {
			s := argument[lua.LString](r, L, 2, "t:scripts: expected a chunk of classes in [[ ]]")
			if r.started {
				L.RaiseError("t:scripts comes before t:server; t:reload replaces scripts while the game runs")
			}
			r.stage.Scripts(string(s), modOption(L, "t:scripts"))
			return 0
		},
		"server": func(L *lua.LState) int {
			if r.server != nil {
				L.RaiseError("t:server: a scenario has one server; t:restart() stops and starts it")
			}
			r.started = true
			p, err := r.stage.Server(serverOptions(L, L.Get(2)))
			if err != nil {
				r.started = false
				L.RaiseError("%s", err.Error())
			}
			r.server = r.newPeer(p)
			L.Push(r.server)
			return 1
		},
		"client": func(L *lua.LState) int {
			o := clientOptions(L, L.Get(2))
			if r.server == nil {
				L.RaiseError("t:client comes after t:server")
			}
			c, err := r.stage.Client(o)
			raise(L, err)
			L.Push(r.newPeer(c))
			return 1
		},
		"run": func(L *lua.LState) int {
			n, ok := L.Get(2).(lua.LNumber)
			if !ok || !(n >= 0) || math.IsInf(float64(n), 0) {
				L.RaiseError("t:run: expected seconds, got %s", r.vm.show(L.Get(2)))
			}
			for until := r.stage.Now() + float64(n); r.step(L, until); {
			}
			return 0
		},
		"ticks": func(L *lua.LState) int {
			n, ok := L.Get(2).(lua.LNumber)
			if !ok || n < 0 || n != lua.LNumber(math.Trunc(float64(n))) {
				L.RaiseError("t:ticks: expected a number of ticks, got %s", r.vm.show(L.Get(2)))
			}
			if r.server == nil {
				L.RaiseError("t:ticks comes after t:server")
			}
			for until := r.stage.ServerTicks() + int(n); r.stage.ServerTicks() < until; {
				r.step(L, math.Inf(1))
			}
			return 0
		},
		"transport": func(L *lua.LState) int {
			L.Push(lua.LString(r.stage.Transport()))
			return 1
		},
		"seed": func(L *lua.LState) int {
			L.Push(lua.LNumber(r.seed))
			return 1
		},
		"host": func(L *lua.LState) int {
			name, labels, o := hostOptions(L, L.Get(2))
			if r.server == nil {
				L.RaiseError("t:host comes after t:server")
			}
			p, err := r.stage.Host(name, labels, o)
			raise(L, err)
			L.Push(r.newPeer(p))
			return 1
		},
		"kill": func(L *lua.LState) int {
			raise(L, r.stage.KillHost(r.hostAt(L, "t:kill")))
			return 0
		},
		"partition": func(L *lua.LState) int {
			p := r.hostAt(L, "t:partition")
			off := true
			if x := L.Get(3); x != lua.LNil {
				on, ok := x.(lua.LBool)
				if !ok {
					L.RaiseError("t:partition: expected a host, and false to join it again")
				}
				off = bool(on)
			}
			raise(L, r.stage.Partition(p, off))
			return 0
		},
		"drain":   r.drain,
		"reload":  r.reload,
		"restart": r.restart,
		"store":   r.store,
		"save":    func(L *lua.LState) int { return r.saved(L, "t:save", Stage.Save) },
		"load":    func(L *lua.LState) int { return r.saved(L, "t:load", Stage.Load) },
		"trace": func(L *lua.LState) int {
			events, err := r.clientAt(L, 2, "t:trace").Trace()
			if err != nil {
				L.RaiseError("t:trace: %s", err.Error())
			}
			L.Push(list(events, r.eventTable))
			return 1
		},
		"traffic": func(L *lua.LState) int {
			tr := r.clientAt(L, 2, "t:traffic").Traffic()
			L.Push(record("total", countTable(tr.Total), "by_class", countTables(tr.ByClass), "by_property", countTables(tr.ByProperty),
				"by_function", countTables(tr.ByFunction), "up", record("bytes", tr.Up.Bytes, "payload", tr.Up.Payload, "packets", tr.Up.Packets)))
			return 1
		},
		"why": func(L *lua.LState) int {
			c := r.clientAt(L, 2, "t:why")
			h, ok := L.Get(3).(handle)
			if !ok || h.actor() == nil {
				L.RaiseError("t:why: expected a client and a live actor, got %s", r.vm.show(L.Get(3)))
			}
			a, err := r.on(r.server, h)
			if err != nil || a == nil {
				L.RaiseError("t:why: the server does not have %s", h)
			}
			property, _ := L.Get(4).(lua.LString)
			code, text, err := r.stage.Why(c, a, string(property))
			if err != nil {
				L.RaiseError("t:why: %s", err.Error())
			}
			L.Push(lua.LString(code))
			L.Push(lua.LString(text))
			return 2
		},
	}
}

func (r *run) newPeer(p Peer) *peer {
	x := &peer{Peer: p, run: r, names: map[actorKey]string{}}
	r.peers = append(r.peers, x)
	return x
}

// reload is t:reload [[…]]: it returns what was done, and raises an error if the old code stays.
func (r *run) reload(L *lua.LState) int {
	s := argument[lua.LString](r, L, 2, "t:reload: expected a chunk of classes in [[ ]]")
	if r.server == nil {
		L.RaiseError("t:reload comes after t:server")
	}
	res, err := r.stage.Reload(string(s), modOption(L, "t:reload"))
	raise(L, err)
	L.Push(record("files", res.Files, "classes", res.Classes, "notes", res.Notes, "changes", res.Changes(), "functions", res.Functions,
		"variables", res.Variables, "actors", res.Actors, "ms", float64(res.Swap.Microseconds())/1000))
	return 1
}

// restart is t:restart(): earlier handles are dead, the server's peer stays the same value.
func (r *run) restart(L *lua.LState) int {
	if r.server == nil {
		L.RaiseError("t:restart comes after t:server")
	}
	if L.Get(2) != lua.LNil {
		raise(L, r.stage.RestartHost(r.hostAt(L, "t:restart")))
		return 0
	}
	raise(L, r.stage.Restart())
	return 0
}

// drain is t:drain(host [, seconds]), and t:drain(host, false), which calls it off. It returns a line that says what is so now.
func (r *run) drain(L *lua.LState) int {
	p := r.hostAt(L, "t:drain")
	var line string
	var err error
	switch x := L.Get(3).(type) {
	case *lua.LNilType:
		line, err = r.stage.Drain(p, nil)
	case lua.LNumber:
		seconds := float64(x)
		if !(seconds >= 0 && seconds <= maxDrain) {
			L.RaiseError("t:drain: expected 0 to %d seconds, got %g", maxDrain, seconds)
		}
		line, err = r.stage.Drain(p, &seconds)
	default:
		if x != lua.LFalse {
			L.RaiseError("t:drain: expected a host, and seconds, or false to call the drain off, got %s", r.vm.show(x))
		}
		line, err = r.stage.StopDrain(p)
	}
	raise(L, err)
	L.Push(lua.LString(line))
	return 1
}

// maxDrain bounds the time of a drain, in seconds: that of a week, as on a host.
const maxDrain = 168 * 3600

// hostAt returns the host that is the argument of a method of t.
func (r *run) hostAt(L *lua.LState, what string) Peer {
	p, _ := L.Get(2).(*peer)
	if p == nil || p.client() != nil {
		L.RaiseError("%s: expected a host, which t:server or t:host returned, got %s", what, r.vm.show(L.Get(2)))
	}
	return p.Peer
}

// store is t:store{ delay = seconds, down = text }: how the store answers from now on.
func (r *run) store(L *lua.LState) int {
	o := argument[*lua.LTable](r, L, 2, "t:store: expected { delay = seconds, down = text }")
	f := StoreFault{Delay: 0.05}
	o.ForEach(func(k, x lua.LValue) { // any order: each on its own
		delay, isNumber := x.(lua.LNumber)
		down, isText := x.(lua.LString)
		switch {
		case k == lua.LString("delay") && isNumber && delay >= 0 && delay <= 60:
			f.Delay = float64(delay)
		case k == lua.LString("down") && isText && down != "":
			f.Down = string(down)
		default:
			L.RaiseError("t:store: %s = %s: expected delay = 0…60 seconds, or down = text", r.vm.show(k), r.vm.show(x))
		}
	})
	r.stage.Store(f)
	return 0
}

// saved is t:save(name) and t:load(name): both return the hash of the world. After t:load, earlier handles are dead as after a
// restart.
func (r *run) saved(L *lua.LState, what string, do func(Stage, string) (uint64, error)) int {
	name := string(argument[lua.LString](r, L, 2, what+": expected the name of a saved world"))
	if r.server == nil {
		L.RaiseError("%s comes after t:server", what)
	}
	hash, err := do(r.stage, name)
	raise(L, err)
	L.Push(lua.LString(fmt.Sprintf("%016x", hash)))
	return 1
}

func (r *run) clientAt(L *lua.LState, i int, what string) Client {
	p, _ := L.Get(i).(*peer)
	if p == nil || p.client() == nil {
		L.RaiseError("%s: expected a client, got %s", what, r.vm.show(L.Get(i)))
	}
	return p.client()
}

// handleByID returns the server's handle of an actor that may be destroyed by now.
func (p *peer) handleByID(id engine.ActorID, class string) lua.LValue {
	if id == 0 {
		return lua.LNil
	}
	k := actorKey{p.Epoch(), id}
	if _, ok := p.names[k]; !ok {
		name := "an actor"
		if a := p.World().Actor(id); a != nil {
			name = a.Name
		}
		p.names[k] = fmt.Sprintf("%s (%s)", name, class)
	}
	return handle{p, k}
}

// eventTable returns one event of t:trace. A call's value is its first argument; args has all of them.
func (r *run) eventTable(e *TraceEvent) lua.LValue {
	t := record("event", e.Event, "actor", r.server.handleByID(e.Actor, e.Class), "class", e.Class, "name", e.Name, "value", r.value(e.Value), "time", e.Time)
	if e.Event == "called" {
		t.RawSetString("args", r.values(e.Args))
		if len(e.Args) > 0 {
			t.RawSetString("value", r.value(e.Args[0]))
		}
	}
	return t
}

// value converts a value from the network side; actors in it are the server's. A struct is a list of its members.
func (r *run) value(x engine.Value) lua.LValue {
	switch x.Kind {
	case engine.KindRef:
		return r.server.handleByID(x.Ref, "Actor")
	case engine.KindArray, engine.KindStruct:
		return r.values(x.List)
	default:
		return scriptvm.FromValue(x)
	}
}

func (r *run) values(values []engine.Value) *lua.LTable {
	return list(values, func(x *engine.Value) lua.LValue { return r.value(*x) })
}

func countTable(c Count) *lua.LTable {
	return record("bytes", c.Bytes, "count", c.Count, "sent", c.Sent, "received", c.Received, "lost", c.Lost, "throttled", c.Throttled, "dropped", c.Dropped)
}

func countTables(m map[string]Count) *lua.LTable {
	t := scriptvm.NewTable(0, len(m))
	for _, n := range slices.Sorted(maps.Keys(m)) {
		t.RawSetString(n, countTable(m[n]))
	}
	return t
}
