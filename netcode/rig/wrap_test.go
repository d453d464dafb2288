package rig_test

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/simlink"
)

// clerk is a class that calls reliably both ways, unreliably upwards, and sends a variable each way.
func clerk() *engine.ClassSpec {
	n := []engine.Param{{Name: "n", Type: &engine.Type{Kind: engine.KindInt}}}
	return &engine.ClassSpec{
		Name: "Clerk", Parent: "Pawn",
		Properties: []engine.PropertySpec{
			{Name: "Seldom", Type: &engine.Type{Kind: engine.KindInt}},
			{Name: "Always", Type: &engine.Type{Kind: engine.KindInt}},
			{Name: "UpSeldom", Type: &engine.Type{Kind: engine.KindInt}},
			{Name: "UpAlways", Type: &engine.Type{Kind: engine.KindInt}},
		},
		Rules: []engine.RuleSpec{{Names: []string{"Seldom", "Always"}}, {Names: []string{"UpSeldom", "UpAlways"}, Cond: engine.ScriptCondition(true)}},
		Functions: []engine.FunctionSpec{
			{Name: "ClientFile", Kind: engine.CallClient, Reliable: true, Stated: true, Params: n},
			{Name: "ServerFile", Kind: engine.CallServer, Reliable: true, Stated: true, Params: n},
			{Name: "ServerShout", Kind: engine.CallServer, Stated: true, Params: n},
		},
	}
}

// office is a rig with one client that owns a clerk; got counts what each side's scripts were called, by function.
type office struct {
	*rig.Rig
	p    *rig.Peer
	a    *engine.Actor
	side map[*engine.World]*calls
}

func newOffice(t *testing.T, edit func(r *rig.Rig), more ...*engine.ClassSpec) *office {
	t.Helper()
	o := &office{Rig: rig.New(append([]*engine.ClassSpec{clerk()}, more...)...), side: map[*engine.World]*calls{}}
	o.Net = o.Tick
	o.Script = func(w *engine.World) engine.Script {
		o.side[w] = &calls{}
		return o.side[w]
	}
	o.Config.Limits.CallsPerSecond, o.Config.Limits.BytesPerSecond = 1<<20, 1<<24
	o.Config.Limits.Budget = 1 << 20
	o.Allowance = client.Allowance{ClassBytes: 1 << 20, Bytes: 1 << 20, Calls: 1 << 20}
	if edit != nil {
		edit(o.Rig)
	}
	o.Start()
	o.p = o.Join(simlink.Path{})
	o.Run(0.5)
	if o.p.Controller() == nil {
		t.Fatal("not in: ", o.Lines)
	}
	o.a = o.Spawn("Clerk", engine.SpawnParams{Owner: o.p.Controller()})
	o.a.RemoteRole = engine.RoleAutonomousProxy
	o.Run(0.2)
	if o.p.Copy(o.a) == nil {
		t.Fatal("no copy: ", o.Lines)
	}
	return o
}

func (o *office) heard(w *engine.World, fn string) (n int) {
	for _, f := range o.side[w].got {
		if f == fn {
			n++
		}
	}
	return n
}

func call(w engine.Remote, a *engine.Actor, fn string, n int) {
	w.Call(a, a.Class.Functions[fn], []engine.Value{engine.Int(n)}, "")
}

// TestDatagramNumbersWrap: a variable that changes seldom arrives however many datagrams lie between two changes, both ways
// (R5.8, R5.16): the numbers of datagrams wrap after 65 536.
func TestDatagramNumbersWrap(t *testing.T) {
	o := newOffice(t, nil)
	k := o.p.Copy(o.a)
	set := func(a *engine.Actor, name string, v int) { rig.Set(a, name, engine.Int(v)) }
	for i, gap := range []int{10, 30_000, 40_000, 65_536, 70_000} {
		for n := range gap {
			set(o.a, "Always", n)
			set(k, "UpAlways", n)
			o.Step(1)
		}
		set(o.a, "Seldom", i+1)
		set(k, "UpSeldom", i+1)
		o.Step(30)
		if got := rig.Get(k, "Seldom").Num; got != float64(i+1) {
			t.Errorf("after %d datagrams the client has %v, want %d", gap, got, i+1)
		}
		if got := rig.Get(o.a, "UpSeldom").Num; got != float64(i+1) {
			t.Errorf("after %d datagrams the server has %v, want %d", gap, got, i+1)
		}
		if got, want := rig.Get(k, "Always").Num, rig.Get(o.a, "Always").Num; got != want {
			t.Errorf("after %d datagrams: Always is %v, want %v", gap, got, want)
		}
	}
	if n := o.p.Session().Came; n < 200_000 {
		t.Errorf("only %d datagrams: the test tests nothing", n)
	}
}

// TestMessageNumbersWrap: reliable and unreliable calls go on over the wrap of the reliable messages' numbers (R6.4).
func TestMessageNumbersWrap(t *testing.T) {
	o := newOffice(t, nil)
	k := o.p.Copy(o.a)
	calls := 0
	for round := range 14 {
		for range 200 {
			for range 25 {
				call(o.p.Client, k, "ServerFile", calls)
				call(o.Server, o.a, "ClientFile", calls)
				calls++
			}
			o.Step(1)
		}
		call(o.p.Client, k, "ServerShout", round)
		o.Step(10)
		if o.p.State() != client.Playing {
			t.Fatalf("after %d calls the client is %s: %v", calls, o.p.State(), o.p.Reason())
		}
		got := [3]int{o.heard(o.World, "ServerFile"), o.heard(o.p.World(), "ClientFile"), o.heard(o.World, "ServerShout")}
		if want := [3]int{calls, calls, round + 1}; got != want {
			t.Fatalf("reliable calls up and down, and unreliable ones: %v of %v came", got, want)
		}
	}
}

// TestCallsLongAgo: calls of which the client said long ago that it processed them do not count as waiting, however many
// other reliable messages went since (R6.5).
func TestCallsLongAgo(t *testing.T) {
	o := newOffice(t, nil, blob())
	for n := range 200 {
		call(o.Server, o.a, "ClientFile", n)
	}
	o.Step(20)
	first := o.Server.ConnectionOf(o.p.Controller()).Session().LastMessage()
	var last []*engine.Actor
	for sent := 0; sent < 40_000; { // an open and a close each
		for _, a := range last {
			a.Destroy()
		}
		last = last[:0]
		for range 100 {
			last = append(last, o.Spawn("Blob", engine.SpawnParams{}))
		}
		sent += 200
		o.Step(1)
	}
	o.Step(20)
	if n := o.Server.ConnectionOf(o.p.Controller()).Session().LastMessage() - first; n < 33_000 || n > 60_000 {
		t.Fatalf("%d messages: the test tests nothing", n)
	}
	for n := range 100 {
		call(o.Server, o.a, "ClientFile", n)
	}
	o.Step(20)
	if o.p.State() != client.Playing {
		t.Fatalf("the client is %s: %v", o.p.State(), o.p.Reason())
	}
	if got := o.heard(o.p.World(), "ClientFile"); got != 300 {
		t.Errorf("the client got %d of 300 calls", got)
	}
}
