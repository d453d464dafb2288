package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

const (
	waitReady waitKind = iota // runs at the next RunLatent
	waitSleep
	waitFor
	waitMove
	waitAnswer // of the host
)

// latentSlack is how much earlier than it is due, in seconds, sleeping code goes on: sums of tick lengths are not exact.
const latentSlack = 1e-9

// latentNatives returns the natives that wait, in latent code only.
func latentNatives() []native {
	return []native{
		{
			Space: api.Latent, Name: "Sleep", Params: "seconds: number",
			Doc:     "Goes on after so many seconds of world time; 0 in the next tick.",
			Example: "Sleep(0.5)",
			Do: func(v *VM, L *lua.LState) int {
				s := checkNumber(L, 1)
				if s < 0 {
					argError(L, 1, "seconds, not below 0")
				}
				return v.yield(L, "Sleep", func(l *latent) { l.wait, l.wake = waitSleep, v.world.Time+s })
			},
		},
		{
			Space: api.Latent, Name: "SleepUntil", Params: "time: number",
			Doc:     "Goes on in the first tick in which world.TimeSeconds has reached a time; at once if it has already. Code that begins again when a saved world is loaded (docs/data.md) so sleeps for the rest.",
			Example: "SleepUntil(self.respawnAt)",
			Do: func(v *VM, L *lua.LState) int {
				t := checkNumber(L, 1)
				if t <= v.world.Time+latentSlack {
					return 0
				}
				return v.yield(L, "SleepUntil", func(l *latent) { l.wait, l.wake = waitSleep, t })
			},
		},
		{
			Space: api.Latent, Name: "WaitFor", Params: "condition: fun(): boolean",
			Doc:     "Goes on in the first tick in which the function returns true.",
			Example: "WaitFor(function() return self.Enemy ~= nil end)",
			Do: func(v *VM, L *lua.LState) int {
				fn, ok := L.Get(1).(*lua.LFunction)
				if !ok {
					argError(L, 1, "a function")
				}
				return v.yield(L, "WaitFor", func(l *latent) { l.wait, l.cond = waitFor, fn })
			},
		},
		{
			Space: api.Latent, Name: "FinishMove",
			Doc:     "Goes on when the actor has come to where its present movement leads (a Mover's travel, a pawn's Destination).",
			Example: "FinishMove()",
			Do: func(v *VM, L *lua.LState) int {
				if l := v.latents.running; l != nil && !l.object.actor.Travelling() {
					return 0
				}
				return v.yield(L, "FinishMove", func(l *latent) { l.wait = waitMove })
			},
		},
	}
}

// yield rejects, with its name, a wait that is not possible (inside pcall, an iterator, an event …) before anything
// is set.
func (v *VM) yield(L *lua.LState, name string, set func(l *latent)) int {
	n := v.vm.Yield(L, name)
	set(v.latents.running)
	return n
}

// startLatent starts the code of the state an actor has just entered; it first runs at the next RunLatent.
func (v *VM) startLatent(o *object) {
	o.halted = false
	s := o.actor.State
	if s == nil || s.Code == nil {
		return
	}
	if l := v.newLatent(o, s); l != nil {
		o.latent = l
		v.latents.polling = append(v.latents.polling, l)
	}
}

// newLatent returns the code of a state, from its start; nil if there is none that can run.
func (v *VM) newLatent(o *object, s *engine.State) *latent {
	if s == nil {
		return nil
	}
	b := v.body(s.Code)
	if b == nil || !v.world.RunsLatent(o.actor) {
		return nil
	}
	if b.duty != onDuty {
		o.halted = true // a reload, or the end of its rest, starts it
		return nil
	}
	th, err := v.vm.NewThread(s.CodeClass.Name, b.fn)
	if err != nil {
		v.reportError(o.actor, s.CodeClass.Name, "Code", err.Error())
		return nil
	}
	return &latent{object: o, state: s, thread: th, heap: -1}
}

// stopLatent ends an actor's latent code. Running code ends at its next wait.
func (v *VM) stopLatent(o *object) {
	if o.latent != nil {
		v.endLatent(o.latent)
		o.latent = nil
	}
	if o.gone || o.actor.Deleted() {
		for _, l := range o.stack {
			if l != nil {
				v.endLatent(l)
			}
		}
	}
}

func (v *VM) endLatent(l *latent) {
	l.done = true
	v.latents.wakeUp(l)
	l.thread.Kill() // running code ends with the current function
}

// parkLatent suspends the code of a state that another one was pushed over.
func (v *VM) parkLatent(o *object) {
	if o.latent != nil {
		o.latent.parked = true
	}
	o.stack = append(o.stack, o.latent)
	o.latent = nil
}

// unparkLatent resumes it.
func (v *VM) unparkLatent(o *object) {
	n := len(o.stack)
	if n == 0 {
		return
	}
	o.latent = o.stack[n-1]
	o.stack = o.stack[:n-1]
	if l := o.latent; l != nil {
		l.parked = false
		v.latents.put(l)
	}
}

// put adds latent code to the queue for what it waits for.
func (q *latentQueue) put(l *latent) {
	if l.wait == waitSleep {
		l.heap = len(q.asleep)
		q.asleep = append(q.asleep, l)
		q.up(l.heap)
		return
	}
	q.polling = append(q.polling, l)
}

// due reports whether the code's wait is over.
func (v *VM) due(l *latent) bool {
	switch l.wait {
	case waitMove:
		return !l.object.actor.Travelling()
	case waitFor:
		ok, err := v.ask(l)
		if err != nil {
			v.endLatent(l)
			if l.object.latent == l {
				l.object.latent = nil
			}
			return false
		}
		return ok
	case waitAnswer:
		return l.answered
	case waitReady, waitSleep:
	}
	return true
}

// ask calls the function of a WaitFor.
func (v *VM) ask(l *latent) (bool, error) {
	mark := v.world.Mark()
	v.world.Enter()
	v.faults.stats.Calls++
	out, err := v.vm.Call(l.state.CodeClass.Name, l.cond)
	err = v.settle(mark, err, v.codeFunction(l), l.object.actor)
	v.world.Leave()
	return lua.LVAsBool(out), err
}

func (v *VM) codeFunction(l *latent) *engine.Function {
	return &engine.Function{Name: "Code", Class: l.state.CodeClass, State: l.state.CodeState, Script: l.state.Code}
}

// resume runs latent code to its next wait. Each stretch between two waits is one call: it has a budget of its own,
// and its writes are undone if it fails.
func (v *VM) resume(l *latent) {
	a := l.object.actor
	mark := v.world.Mark()
	v.world.Enter()
	outer := v.latents.running
	v.latents.running = l
	answer := l.answer
	l.wait, l.cond, l.answer = waitReady, nil, nil
	l.resumes++
	if b := v.body(l.state.Code); b != nil {
		v.count(b)
	}
	came := v.context
	v.context = callContext{cause: causeLatent, guest: v.within(a), actor: a}
	f := v.codeFunction(l)
	v.doing.Store(f)
	var err error
	if l.resumes == 1 {
		_, err = v.vm.Resume(l.thread, l.object.table)
	} else {
		_, err = v.vm.Resume(l.thread, answer...)
	}
	v.latents.running = outer
	v.leave(came)
	_ = v.settle(mark, err, f, a)
	if l.thread.Status() != sandbox.ThreadSuspended || l.done {
		l.done = true
		l.thread.Kill()
		if l.object.latent == l {
			l.object.latent = nil
		}
	}
	v.world.Leave()
}

// wakeUp removes latent code from the heap of sleepers.
func (q *latentQueue) wakeUp(l *latent) {
	i := l.heap
	if i < 0 {
		return
	}
	last := len(q.asleep) - 1
	q.swap(i, last)
	q.asleep[last] = nil
	q.asleep = q.asleep[:last]
	l.heap = -1
	if i < last {
		q.down(i)
		q.up(i)
	}
}

func (q *latentQueue) less(i, j int) bool {
	a, b := q.asleep[i], q.asleep[j]
	return a.wake < b.wake || a.wake == b.wake && a.object.actor.Order() < b.object.actor.Order()
}

func (q *latentQueue) swap(i, j int) {
	q.asleep[i], q.asleep[j] = q.asleep[j], q.asleep[i]
	q.asleep[i].heap, q.asleep[j].heap = i, j
}

func (q *latentQueue) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if !q.less(i, p) {
			return
		}
		q.swap(i, p)
		i = p
	}
}

func (q *latentQueue) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(q.asleep) {
			return
		}
		if c+1 < len(q.asleep) && q.less(c+1, c) {
			c++
		}
		if !q.less(c, i) {
			return
		}
		q.swap(i, c)
		i = c
	}
}

// Hash adds the positions of all latent code, in the order of actors.
func (v *VM) Hash(h *engine.Hash) {
	v.world.EachActor(func(a *engine.Actor) {
		o, _ := a.Script.(*object)
		if o == nil {
			return
		}
		hash := func(l *latent) {
			if l == nil {
				h.Word(0)
				return
			}
			h.String(l.state.Name)
			h.Word(uint64(l.wait))
			if l.wait == waitSleep {
				h.Float(l.wake)
			}
			h.Word(uint64(l.resumes))
			h.Word(uint64(l.thread.Line()))
		}
		if o.latent != nil || len(o.stack) > 0 {
			h.Word(uint64(a.ID()))
			hash(o.latent)
			for _, l := range o.stack {
				hash(l)
			}
		}
	})
}
