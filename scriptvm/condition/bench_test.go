package condition

import (
	"context"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
)

// The same condition compiled and in the VM, on a table that holds what it reads by name: the cheapest
// form an actor can have there.

const benchCondition = `self.RemoteRole == ROLE_SimulatedProxy and not self.bHidden and (self.bNetInitial or self.Health > 50)`

// spent is a budget that never ends, as the sandbox's context costs.
type spent struct {
	context.Context
	left int64
}

func (s *spent) Done() <-chan struct{} { s.left--; return nil }

func BenchmarkConditionCompiled(b *testing.B) {
	w, src := testWorld(b)
	a, c := spawn(b, w, "Pawn"), compile(b, src, benchCondition)
	b.ReportAllocs()
	for b.Loop() {
		c.Eval(a, engine.ConnBits{}.Input(a))
	}
}

func BenchmarkConditionVM(b *testing.B) {
	for _, budget := range []bool{false, true} {
		name := "bare"
		if budget {
			name = "budget"
		}
		b.Run(name, func(b *testing.B) {
			L := lua.NewState()
			defer L.Close()
			if budget {
				L.SetContext(&spent{Context: context.Background()})
			}
			L.SetGlobal("ROLE_SimulatedProxy", lua.LNumber(1))
			if err := L.DoString("return function(self) return " + benchCondition + " end"); err != nil {
				b.Fatal(err)
			}
			fn := L.Get(-1)
			actor := L.CreateTable(0, 8)
			actor.RawSetString("RemoteRole", lua.LNumber(1))
			actor.RawSetString("bHidden", lua.LFalse)
			actor.RawSetString("bNetInitial", lua.LFalse)
			actor.RawSetString("Health", lua.LNumber(100))
			b.ReportAllocs()
			for b.Loop() {
				L.Push(fn)
				L.Push(actor)
				if err := L.PCall(1, 1, nil); err != nil {
					b.Fatal(err)
				}
				L.Pop(1)
			}
		})
	}
}

// BenchmarkCondition: as a net update evaluates them for a connection, and with the connection packed before.
func BenchmarkCondition(b *testing.B) {
	w, src := testWorld(b)
	a, o := spawn(b, w, "Pawn"), spawn(b, w, "Tank")
	if err := a.Set(a.Class.Property("Enemy"), engine.Ref(o)); err != nil {
		b.Fatal(err)
	}
	for name, text := range samples {
		c := compile(b, src, text)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Eval(a, engine.ConnBits{Initial: true}.Input(a))
			}
		})
		b.Run(name+"/packed", func(b *testing.B) {
			in := engine.ConnBits{Initial: true}.Input(a)
			for b.Loop() {
				c.Eval(a, in)
			}
		})
	}
}
