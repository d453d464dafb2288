package scenario

import (
	"errors"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/canvas"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// self returns the peer that a method is called on; its table has checked it.
func self(L *lua.LState) *peer { return L.Get(1).(*peer) }

// peerFunctions returns the methods of peers.
func (r *run) peerFunctions() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"spawn":      r.spawn,
		"copy":       r.copyOf,
		"actors":     r.actors,
		"call":       r.callMethod,
		"eval":       r.eval,
		"controller": func(L *lua.LState) int { L.Push(self(L).handleOf(r.controller(L))); return 1 },
		"pawn": func(L *lua.LState) int {
			pc := r.controller(L)
			if pc == nil || self(L).World() == nil {
				return 0
			}
			p := pc.Class.Property("Pawn")
			if p == nil {
				return 0
			}
			L.Push(self(L).handleOf(self(L).World().Actor(pc.Get(p).Ref)))
			return 1
		},
		"input": func(L *lua.LState) int {
			w := self(L).World()
			if w == nil && r.server != nil { // a client that has not joined yet will have the same classes
				w = r.server.World()
			}
			raise(L, self(L).Input(inputChange(L, L.Get(2), w)))
			return 0
		},
		"canvas":  r.canvas,
		"command": r.command,
		"log": func(L *lua.LState) int {
			L.Push(luaValue(self(L).Log()))
			return 1
		},
		"cost_scale": func(L *lua.LState) int {
			vm := r.present(L, "cost_scale").VM()
			if L.GetTop() > 1 {
				ns := float64(L.CheckNumber(2))
				if !(ns >= scriptvm.MinCostScale && ns <= scriptvm.MaxCostScale) {
					L.RaiseError("peer:cost_scale: expected %d to %d nanoseconds a unit, got %v", scriptvm.MinCostScale, scriptvm.MaxCostScale, ns)
				}
				vm.SetCostScale(ns)
			}
			L.Push(lua.LNumber(vm.CostScale()))
			return 1
		},
		"throttled": func(L *lua.LState) int {
			t := scriptvm.NewTable(0, 0)
			for _, th := range r.present(L, "throttled").VM().Throttled() {
				t.RawSetString(th.Class, lua.LNumber(th.Every))
			}
			L.Push(t)
			return 1
		},
		"hash": func(L *lua.LState) int {
			L.Push(lua.LString(fmt.Sprintf("%016x", r.present(L, "hash").World().HashState())))
			return 1
		},
		"stand": func(L *lua.LState) int {
			seconds := float64(L.CheckNumber(2))
			if !(seconds > 0 && seconds <= maxStand) {
				L.RaiseError("%s:stand: expected up to %d seconds, got %g", self(L).Name(), maxStand, seconds)
			}
			self(L).Stand(seconds)
			return 0
		},
		"pace": func(L *lua.LState) int {
			p := r.present(L, "pace")
			if L.GetTop() > 1 {
				raise(L, p.SetPace(float64(L.CheckNumber(2))))
			}
			scale, pending := p.Pace()
			L.Push(lua.LNumber(scale))
			L.Push(lua.LNumber(pending))
			return 2
		},
		"step": func(L *lua.LState) int {
			raise(L, r.present(L, "step").StepTicks(L.CheckInt(2)))
			return 0
		},
		"join":  clientOnly("join", func(_ *lua.LState, c Client) error { return c.Join() }),
		"leave": clientOnly("leave", func(_ *lua.LState, c Client) error { return c.Leave() }),
		"kill":  clientOnly("kill", func(_ *lua.LState, c Client) error { return c.Kill() }),
		"link": clientOnly("link", func(L *lua.LState, c Client) error {
			o := readOptions(L, "link", L.Get(2))
			link := linkOptions(o, c.Impaired())
			o.end()
			return c.Link(link)
		}),
		"lose": clientOnly("lose", func(L *lua.LState, c Client) error {
			way := L.CheckString(2)
			if way != "up" && way != "down" {
				return fmt.Errorf("%s:lose: expected \"up\" or \"down\", got %q", c.Name(), way)
			}
			var packets []int
			for i := 3; i <= L.GetTop(); i++ {
				n := L.CheckInt(i)
				if n < 1 {
					return fmt.Errorf("%s:lose: packet %d: the next is 1", c.Name(), n)
				}
				packets = append(packets, n)
			}
			return c.Lose(way == "up", packets)
		}),
		"corrections": func(L *lua.LState) int {
			L.Push(list(r.clientAt(L, 1, "corrections").Corrections(), func(c *Correction) lua.LValue {
				move := scriptvm.NewTable(0, len(c.Move))
				for _, in := range c.Move {
					move.RawSetString(in.Name, r.value(in.Value))
				}
				return record("time", c.Time, "field", c.Field, "client", r.value(c.Client), "server", r.value(c.Server), "move", move)
			}))
			return 1
		},
	}
}

// maxStand bounds how long a peer may be suspended, in seconds.
const maxStand = 60

// command is peer:command("line" [, client]): the answer as text.
func (r *run) command(L *lua.LState) int {
	p := r.present(L, "command")
	line := string(argument[lua.LString](r, L, 2, "command: expected a line"))
	var by Client
	if L.GetTop() > 2 {
		by = r.clientAt(L, 3, "command")
	}
	answer, err := p.Command(line, by)
	if err != nil {
		r.misuse(L, p, err.Error())
		return 0
	}
	L.Push(lua.LString(strings.Join(answer, "\n")))
	return 1
}

// canvas is peer:canvas(): what the HUD of its player draws, one table per call.
func (r *run) canvas(L *lua.LState) int {
	calls, err := self(L).Canvas()
	raise(L, err)
	L.Push(list(calls, func(c *canvas.Call) lua.LValue {
		t := record("kind", c.Kind.String(), "x", c.X, "y", c.Y, "w", c.W, "h", c.H, "size", c.Size, "text", c.Text,
			"color", c.Color.String(), "align", c.Align.String(), "anchor", c.Anchor.String())
		if c.Kind == canvas.Bar {
			t.RawSetString("back", lua.LString(c.Back.String()))
		}
		return t
	}))
	return 1
}

// present returns the peer that a method is called on, which must have a world.
func (r *run) present(L *lua.LState, method string) *peer {
	p := self(L)
	if p.World() == nil {
		L.RaiseError("%s:%s: it is not in a match; joining takes time, and leaving ends its world", p.Name(), method)
	}
	return p
}

func clientOnly(name string, f func(*lua.LState, Client) error) lua.LGFunction {
	return func(L *lua.LState) int {
		c := self(L).client()
		if c == nil {
			L.RaiseError("%s:%s: only a client has it", self(L).Name(), name)
		}
		raise(L, f(L, c))
		return 0
	}
}

// controller returns the PlayerController that peer:controller([client]) requests, or nil.
func (r *run) controller(L *lua.LState) *engine.Actor {
	p := self(L)
	var of Client
	switch x := L.Get(2).(type) {
	case *lua.LNilType:
		if L.GetTop() >= 2 {
			L.RaiseError("%s: expected a client, got nil", p.Name())
		}
	case *peer:
		if x.client() == nil && x != p {
			L.RaiseError("%s: expected a client, got %s", p.Name(), x.Name())
		}
		of = x.client()
	default:
		L.RaiseError("%s: expected a client, got %s", p.Name(), r.vm.show(x))
	}
	pc, err := p.Controller(of)
	raise(L, err)
	if pc != nil && pc.Deleted() {
		return nil
	}
	return pc
}

// spawn is peer:spawn(class [, props]).
func (r *run) spawn(L *lua.LState) int {
	p := r.present(L, "spawn")
	class := argument[lua.LString](r, L, 2, "spawn: expected the name of a class")
	var props *lua.LTable
	if L.Get(3) != lua.LNil {
		y, err := r.toPeer(p, argument[*lua.LTable](r, L, 3, "spawn: expected a table of variables"))
		if err != nil {
			r.misuse(L, p, "spawn: "+err.Error())
			return 0
		}
		props = y.(*lua.LTable)
	}
	a, err := p.VM().SpawnWith(string(class), props)
	if err != nil {
		r.misuse(L, p, err.Error())
		return 0
	}
	if a == nil || a.Deleted() {
		return 0
	}
	L.Push(p.handleOf(a))
	return 1
}

// copyOf is peer:copy(actor): this peer's copy, or nil.
func (r *run) copyOf(L *lua.LState) int {
	p := self(L)
	a, err := r.on(p, argument[handle](r, L, 2, "copy: expected an actor"))
	if err != nil {
		return 0
	}
	L.Push(p.handleOf(a))
	return 1
}

// actors is peer:actors(class), in order of spawning; none if the peer is not in a match.
func (r *run) actors(L *lua.LState) int {
	p := self(L)
	class := "Actor"
	if L.Get(2) != lua.LNil {
		class = string(argument[lua.LString](r, L, 2, "actors: expected the name of a class"))
	}
	w := p.World()
	if w == nil {
		L.Push(scriptvm.NewTable(0, 0))
		return 1
	}
	if w.Classes.Find(class) == nil {
		var names []string
		for _, c := range w.Classes.All() {
			names = append(names, c.Name)
		}
		L.RaiseError("actors: unknown class %q%s", class, engine.Nearest(class, names))
	}
	L.Push(list(w.ActorsOf(class), func(a **engine.Actor) lua.LValue { return p.handleOf(*a) }))
	return 1
}

// callMethod is peer:call(actor, "Func", …): on this peer's copy of the actor.
func (r *run) callMethod(L *lua.LState) int {
	p := self(L)
	h, ok := L.Get(2).(handle)
	name, isName := L.Get(3).(lua.LString)
	if !ok || !isName {
		L.RaiseError("call: expected an actor and the name of a function, got %s and %s", r.vm.show(L.Get(2)), r.vm.show(L.Get(3)))
	}
	a, err := r.on(p, h)
	if err != nil {
		r.misuse(L, p, err.Error()+"; handle.alive tells")
		return 0
	}
	if a == nil {
		L.RaiseError("call: %s has no copy of %s", p.Name(), h)
	}
	return r.call(L, p.handleOf(a).(handle), string(name), 4)
}

// eval is peer:eval("chunk"): its results, by value. An error is raised here, unless expect_error waits for it.
func (r *run) eval(L *lua.LState) int {
	p := r.present(L, "eval")
	out, err := p.VM().Eval("eval", string(argument[lua.LString](r, L, 2, "eval: expected a piece of Lua")))
	if err != nil {
		text := err.Error()
		var e *sandbox.Error
		if errors.As(err, &e) && e.File == "" {
			text = "eval: " + e.Message
		}
		r.misuse(L, p, text)
		return 0
	}
	return r.push(L, p, out, "eval")
}
