package scriptvm

import (
	"math"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// telegraph is a network that writes down what is sent.
type telegraph struct {
	w    *engine.World
	sent []string
	owns map[*engine.Actor]bool // by top owner
	full error                  // what Call returns
	by   string                 // the mod of the latest call
}

func (n *telegraph) Spawned(*engine.Actor)     {}
func (n *telegraph) Destroyed(*engine.Actor)   {}
func (n *telegraph) Owns(a *engine.Actor) bool { return n.owns[a.TopOwner()] }
func (n *telegraph) RoundTrip(*engine.Actor) float64 {
	return 0
}
func (n *telegraph) PaceLead(*engine.Actor) (lead, most float64) { return 0, 0 }

func (n *telegraph) Dropped(a *engine.Actor, f *engine.Function, _ string) {
	n.sent = append(n.sent, "dropped "+f.Name)
}

func (n *telegraph) Call(a *engine.Actor, f *engine.Function, args []engine.Value, by string) error {
	n.by = by
	if n.full != nil {
		return n.full
	}
	s := a.Name + "." + f.Name + "("
	for i, v := range args {
		if i > 0 {
			s += ", "
		}
		s += n.show(v)
	}
	n.sent = append(n.sent, s+")")
	return nil
}

func (n *telegraph) show(v engine.Value) string {
	switch v.Kind {
	case engine.KindNone:
		return "nil"
	case engine.KindRef:
		return n.w.Actor(v.Ref).String()
	case engine.KindStruct, engine.KindArray:
		parts := make([]string, len(v.List))
		for i := range v.List {
			parts[i] = n.show(v.List[i])
		}
		return "{" + strings.Join(parts, " ") + "}"
	default:
		return v.Literal()
	}
}

func (n *telegraph) take() string {
	s := strings.Join(n.sent, ", ")
	n.sent = nil
	return s
}

// newNetBench is newBench in a net mode, with a network.
func newNetBench(t testing.TB, mode engine.NetMode, text string) (*bench, *telegraph) {
	t.Helper()
	b := newBench(t, text)
	return b, b.wire(mode)
}

func (b *bench) wire(mode engine.NetMode) *telegraph {
	b.w.NetMode = mode
	n := &telegraph{w: b.w, owns: map[*engine.Actor]bool{}}
	b.w.SetRemote(n)
	return n
}

func (b *bench) call(a *engine.Actor, name string, args ...engine.Value) {
	b.t.Helper()
	if _, err := b.v.Call(a, name, args...); err != nil {
		b.t.Fatal(err)
	}
}

// fails expects that a call is one fault with a text in it.
func (b *bench) fails(want string, a *engine.Actor, name string, args ...engine.Value) {
	b.t.Helper()
	b.reports = nil
	if _, err := b.v.Call(a, name, args...); err == nil || !strings.Contains(b.errors(), want) {
		b.t.Errorf("%s: expected an error with %q, got %v\n%s", name, want, err, b.errors())
	}
	b.reports = nil
	b.w.Time += QuarantineSeconds // so that the class goes on
}

func (b *bench) logged(want string) {
	b.t.Helper()
	if got := strings.Join(b.logs, ", "); got != want {
		b.t.Errorf("logged %q, expected %q", got, want)
	}
	b.logs = nil
}

const gunClasses = `
local Gun = class("Gun")
function Gun.server.reliable:ServerFire(power, who) self:Log("fire", power, who) return 7 end
function Gun.client:ClientShow(...) self:Log("show", select("#", ...), ...) end
function Gun.multicast:AllFlash(n) self:Log("flash", n) end
function Gun.server:ServerKit(kit, list, kind, mode) self:Log(kit.Kind, kit.Aim, #list, list[2], kind, mode) end
Gun.params {
	ServerFire = { float(0.5, { min = 0, max = 1 }), ref("Pawn") },
	ServerKit = { struct { Kind = int(3), Aim = vector(0, 0, 1) }, array(int(0), 2), classref("Actor"), enum("Off", "On") },
}
-- Calls by name, as scripts do.
function Gun:Use(name, ...) return self[name](self, ...) end
function Gun:Kit(kit) return self:ServerKit(kit, { 1, 2 }, "Gun", "On") end
function Gun:FlashTable() self:AllFlash({}) end
function Gun:FlashSelf() self.AllFlash(3, self) end
function Gun:ByClass() Gun.AllFlash(self, 5) end
function Gun.multicast:Timer() self:Log("timer") end
function Gun.client:Touch(other) self:Log("touch", other) end
`

// use calls a function by a script that calls it.
func (b *bench) use(a *engine.Actor, name string, args ...engine.Value) {
	b.t.Helper()
	b.call(a, "Use", append([]engine.Value{engine.String(name)}, args...)...)
}

// Arguments are checked wherever a call then runs, so that a script that works alone works on a server, too.
func TestArgumentsAreChecked(t *testing.T) { // R6.7
	for _, mode := range []engine.NetMode{engine.NMStandalone, engine.NMClient} {
		b, n := newNetBench(t, mode, gunClasses)
		pawn, info := b.spawn("Pawn"), b.spawn("Info")
		gun := b.spawn("Gun")
		logged, sent := "fire 0.10000000149012 Pawn_0, 9 vector(0, 0, 1) 2 2 class Gun On", "" // rounded as where it crosses
		if mode == engine.NMClient {
			gun = b.copyOf("Gun", engine.RoleAutonomousProxy)
			n.owns[gun] = true
			logged, sent = "", `Gun_1.ServerFire(0.1, Pawn_0), Gun_1.ServerKit({9 vector(0, 0, 1)}, {1 2}, "Gun", "On")`
		}
		b.use(gun, "ServerFire", engine.Float(0.1), engine.Ref(pawn))
		b.call(gun, "Kit", engine.Value{Any: b.table("Kind", 9)})
		if got := n.take(); got != sent {
			t.Errorf("sent %q", got)
		}
		b.logged(logged)
		b.clean()
		const fire = "Gun:ServerFire: argument "
		big, nan := engine.Float(2), engine.Float(math.NaN())
		for _, x := range []struct {
			want, name string
			args       []engine.Value
		}{
			{fire + "1 (power): expected float(0…1), got 2", "ServerFire", []engine.Value{big}},
			{fire + `1 (power): expected float(0…1), got string "x"`, "ServerFire", []engine.Value{engine.String("x")}},
			{fire + "1 (power): expected a finite float(0…1), got NaN", "ServerFire", []engine.Value{nan}},
			{fire + "2 (who): expected ref(Pawn), got Info_0", "ServerFire", []engine.Value{engine.Float(1), engine.Ref(info)}},
			{fire + "2 (who): expected ref(Pawn), got number 1", "ServerFire", []engine.Value{engine.Float(1), engine.Int(1)}},
			{"Gun:ServerFire: expected at most 2 arguments, got 3", "ServerFire", []engine.Value{engine.Float(1), engine.Ref(pawn), engine.Bool(false)}},
			{"Gun:AllFlash: argument 1 (n): expected a finite number", "AllFlash", []engine.Value{nan}},
			{"Gun:AllFlash: argument 1 (n): expected a string of at most 255 bytes, got 256", "AllFlash", []engine.Value{engine.String(strings.Repeat("x", 256))}},
			{"Gun:AllFlash: argument 1 (n): expected a finite vector", "AllFlash", []engine.Value{engine.Vec(geom.V(math.Inf(1), 0, 0))}},
			{"Gun:AllFlash: argument 1 (n): expected a bool, number, string, vector, rotator, actor or nil, got a table; declare what it is in Gun.params", "FlashTable", nil},
			{"AllFlash: expected a Gun before the function, got a number; write a colon: actor:AllFlash(…)", "FlashSelf", nil},
			{"Gun:ServerKit: argument 1 (kit): member Kind: expected", "Kit", []engine.Value{{Any: b.table("Kind", 0.5)}}},
		} {
			b.fails(x.want, gun, "Use", append([]engine.Value{engine.String(x.name)}, x.args...)...)
		}
		if got := n.take(); got != "" {
			t.Errorf("a refused call was sent: %q", got)
		}
		b.logged("")
	}
}

// table is a Lua table with one number.
func (b *bench) table(key string, n float64) lua.LValue {
	t := newTable(0, 1)
	t.RawSetString(key, lua.LNumber(n))
	return t
}

// A wrong call names the line that made it, and the class of that line is the one to blame.
func TestBadCallsNameTheCaller(t *testing.T) {
	b, _ := newNetBench(t, engine.NMStandalone, "local A = class(\"A\")\nfunction A:Do(g)\n\tg:AllFlash({})\nend\n"+gunClasses)
	_, err := b.v.Call(b.spawn("A"), "Do", engine.Ref(b.spawn("Gun")))
	if err == nil || !strings.HasPrefix(err.Error(), "A:Do: scripts:3:4: Gun:AllFlash: argument 1 (n): expected") {
		t.Error(err)
	}
}

// Of any number of arguments, those given arrive; a nil in between does, too.
func TestVarargsCross(t *testing.T) {
	b, n := newNetBench(t, engine.NMStandalone, gunClasses)
	gun := b.spawn("Gun")
	b.use(gun, "ClientShow", engine.Int(1), engine.Value{}, engine.String("c"))
	b.logged("show 3 1 nil c")
	f := gun.Class.Functions["ClientShow"]
	args := make([]engine.Value, engine.MaxArgs)
	args[1] = engine.Bool(true)
	b.v.Received(gun, f, args, "")
	b.logged("show 2 nil true")
	if got := n.take(); got != "" {
		t.Errorf("sent %q", got)
	}
	b.clean()
}

// Timers, events, calls from Go and calls by the class's name go where a script's call would. Where that is, the scenarios of R6.3 tell.
func TestTheEngineCallsReplicatedFunctions(t *testing.T) {
	b, n := newNetBench(t, engine.NMDedicatedServer, gunClasses)
	gun := b.spawn("Gun")
	n.owns[gun] = true
	gun.Event(engine.EvTouch, engine.Ref(gun))
	if err := gun.SetTimer(0.1, false, "Timer"); err != nil {
		t.Fatal(err)
	}
	b.run(0.2)
	b.call(gun, "ByClass")
	b.call(gun, "AllFlash", engine.Int(6))
	if got := n.take(); got != "Gun_0.Touch(Gun_0), Gun_0.Timer(), Gun_0.AllFlash(5), Gun_0.AllFlash(6)" {
		t.Errorf("sent %q", got)
	}
	b.logged("timer, flash 5, flash 6")
	if out, err := b.v.Call(gun, "Use", engine.String("ServerFire")); err != nil || len(out) != 0 {
		t.Error("a replicated call returned", out, err) // R6.2
	}
	b.clean()
}

// A function that a script kept hold of over a reload is the new one.
func TestRoutersFollowReloads(t *testing.T) {
	text := `
local A = class("A")
function A:Keep() self.kept = self.Ping end
function A:Do() self.kept(self, 1) end
function A.client:Ping(n) self:Log("old", n) end
`
	b, n := newNetBench(t, engine.NMDedicatedServer, text)
	a := b.spawn("A")
	b.call(a, "Keep")
	b.reloads(strings.Replace(text, `Ping(n) self:Log("old", n)`, `Ping(n, _) self:Log("new", n)`, 1))
	b.call(a, "Do")
	b.logged("new 1")
	n.owns[a] = true
	b.call(a, "Do")
	if got := n.take(); got != "A_0.Ping(1, nil)" {
		t.Errorf("sent %q", got)
	}
	b.clean()
}

// A call costs of the budget, so that no loop of them fills the network's queue.
func TestCallsAreCharged(t *testing.T) {
	b, n := newNetBench(t, engine.NMDedicatedServer, `
local A = class("A")
function A.multicast:Ping() end
function A:Flood() while true do self:Ping() end end
`)
	b.fails("instruction", b.spawn("A"), "Flood")
	if len(n.sent) == 0 || len(n.sent) > 30000 {
		t.Errorf("%d calls", len(n.sent))
	}
}

func TestQuarantinedFunctionsAreNotSent(t *testing.T) {
	b, n := newNetBench(t, engine.NMDedicatedServer, `
local A = class("A")
function A:Bad() error("bad") end
function A.multicast:Ping() self:Log("ping") end
`)
	a := b.spawn("A")
	for range QuarantineFaults {
		_, _ = b.v.Call(a, "Bad")
	}
	b.reports = nil
	b.call(a, "Ping")
	b.v.Received(a, a.Class.Functions["Ping"], nil, "")
	if got := n.take(); got != "" || len(b.v.Quarantined()) != 1 {
		t.Errorf("sent %q, quarantined %s", got, b.quarantined())
	}
	b.logged("")
	b.clean()
}
