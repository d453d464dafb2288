package scriptvm

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// stored is a bench with a store; answers come when turn is called.
type stored struct {
	*bench
	memory   *store.Memory
	client   *store.Client
	requests []store.Request
	down     error
}

func (s *stored) Send(r store.Request) { s.requests = append(s.requests, r) }

// turn answers what was asked, also by answers.
func (s *stored) turn() {
	for len(s.requests) > 0 {
		r := s.requests[0]
		s.requests = s.requests[1:]
		a := store.Answer(s.memory, &r)
		if s.down != nil {
			a = store.Reply{ID: r.ID, Err: s.down}
		}
		s.client.Deliver(a)
	}
}

func newStored(t *testing.T, text string, libs ...classfile.Source) *stored {
	s := &stored{bench: newBench(t, text, libs...), memory: &store.Memory{}}
	s.client = &store.Client{Port: s}
	s.v.opt.Store = s.client
	return s
}

// logged returns what scripts logged since.
func (s *stored) logged() string {
	out := strings.Join(s.logs, "\n")
	s.logs = nil
	return out
}

// do calls a function of an actor and expects what is logged when all answers are there.
func (s *stored) do(a *engine.Actor, name, want string) {
	s.t.Helper()
	if _, err := s.v.Call(a, name); err != nil {
		s.t.Error(err)
	}
	if got := s.logged(); got != "" {
		s.t.Errorf("%s: at once: %s", name, got)
	}
	s.turn()
	if got := s.logged(); got != want {
		s.t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
	}
}

const keeper = `
local Keeper = class("Keeper", "Actor")
Keeper.properties { N = int(0) }
function Keeper:Values()
	store:Set("a", { 1, 2, x = vector(1, 2, 3), y = { true } }, function(ok, err) log("set", ok, err) end)
	store:Get("a", function(v, err) log("get", #v, v[2], v.x, v.y[1], err) end)
	store:Get("none", function(v, err) log("none", v, err) end)
	store:Increment("n", nil, function(n) log("n", n) end)
	store:Increment("n", 2.5, function(n) log("n", n) end)
	store:Increment("a", 1, function(n, err) log("a", n, err) end)
	store:Set("gone", nil, function(ok) log("gone", ok) end)
	store:List("", nil, function(keys) log("keys", table.concat(keys, " ")) end)
	self.N = self.N + 1
end
function Keeper:Update()
	store:Update("n", function(n) self.N = 100; return (n or 10) * 2 end, function(n, err) log("twice", n, err); self.N = self.N + 1 end)
	store:Update("n", function(n) return n + "x" end, function(n, err) log("fails", n, err) end)
	store:Update("n", function(n) return self end, function(n, err) log("actor", n, err) end)
	store:Update("n", function(n) return nil end, function(n, err) log("removed", n, err) end)
end
function Keeper:Ranks()
	for i, name in ipairs { "Ann", "Bob", "Cid" } do
		store:Rank("kills", name, i % 2, function(place, err) log(name, place, err) end)
	end
	store:Top("kills", 2, function(best) for _, e in ipairs(best or {}) do log(e.Place, e.Name, e.Score) end end)
	store:Rank("kills", "Ann", nil, function(place, err) log("Ann", place, err) end)
	store:List("", nil, function(keys) log("keys", keys and #keys) end)
end
function Keeper:Late() store:Get("a", function(v) self.N = 7 end) end
function Keeper:Waits() store:Get("a") end
`

// TestStoreOfScripts: values come back as they were stored, in the order of the calls at each key, between ticks; while the store is down
// the answer says so (C1).
func TestStoreOfScripts(t *testing.T) {
	s := newStored(t, keeper)
	k := s.spawn("Keeper")
	s.do(k, "Values", `set true nil
get 2 2 vector(1, 2, 3) true nil
a nil store:Increment("a"): the value is no number; nothing was stored
none nil nil
gone true
keys a
n 1
n 3.5`)
	if n := s.get(k, "N").Num; n != 1 {
		t.Errorf("N is %v", n)
	}
	s.clean()
	s.do(k, "Ranks", `keys 2
Ann 1 nil
Bob 2 nil
Cid 2 nil
1 Ann 1
2 Cid 1
Ann nil nil`)
	s.do(k, "Late", "")
	if n := s.get(k, "N").Num; n != 7 {
		t.Errorf("N is %v after an answer", n)
	}
	s.down = errors.New("the line is down")
	s.do(k, "Ranks", `Ann nil store:Rank("kills"): the line is down; nothing was stored
keys nil
Bob nil store:Rank("kills"): the line is down; nothing was stored
Cid nil store:Rank("kills"): the line is down; nothing was stored
Ann nil store:Rank("kills"): the line is down; nothing was stored`)
	s.down = nil
	s.clean()
	s.v.Call(k, "Waits")
	if want := "store:Get: outside of latent code pass a function that gets the answer: store:Get(…, function(value, err) … end)"; !strings.Contains(s.errors(), want) {
		t.Errorf("%s\nwant %s", s.errors(), want)
	}
	s.reports = nil
	s.call(k, "Late") // who is gone gets no answer
	k.Destroy()
	s.run(0.1)
	s.turn()
	s.clean()
}

// TestStoreUpdates: a change sees the present value and writes nothing but it; what fails stores nothing and is charged to its
// function.
func TestStoreUpdates(t *testing.T) {
	s := newStored(t, keeper)
	k := s.spawn("Keeper")
	s.do(k, "Update", `twice 20 nil
fails nil store:Update("n"): the function failed: Keeper:Update: scripts:17:41: attempt to perform arithmetic on a string value (Keeper_0, server); nothing was stored
actor nil store:Update("n"): the actor Keeper_0 (Keeper) cannot be stored; store its name or its values; nothing was stored
removed nil nil`)
	if n := s.get(k, "N").Num; n != 1 {
		t.Errorf("N is %v: a change wrote variables", n)
	}
	if want := "Keeper:Update: scripts:17:41: attempt to perform arithmetic on a string value (Keeper_0, server)"; s.errors() != want {
		t.Errorf("reports: %s\nwant %s", s.errors(), want)
	}
}

// TestStoreOfMods: each mod has its own keys; what is too much is refused where it is requested.
func TestStoreOfMods(t *testing.T) {
	mod := func(name, class string) classfile.Source {
		return classfile.Source{Path: "scripts/mods/" + name + "/" + class + ".lua", Place: "mods/" + name + "/" + class + ".lua", Text: strings.ReplaceAll(`
local X = class("X", "Actor")
function X:Write() store:Set("a", "X", function(ok, err) log("X", ok, err) end) end
function X:Read() store:Get("a", function(v) log("X", v) end) end
function X:Flood() for i = 1, 2000 do store:Get("a", function() end) end end
`, "X", class)}
	}
	s := newStored(t, keeper, mod("hats", "Hat"), mod("capes", "Cape"))
	hat, cape := s.spawn("Hat"), s.spawn("Cape")
	s.do(hat, "Write", "Hat true nil")
	s.do(cape, "Read", "Cape nil")
	s.do(hat, "Read", "Hat Hat")
	if r, _ := s.memory.Get("mod.hats/a"); r.Value == nil {
		t.Error("nothing is at mod.hats/a")
	}
	s.clean()
	s.v.Call(hat, "Flood")
	if want := "store:Get: 1024 operations of \"mod.hats\" wait for the store already"; !strings.Contains(s.errors(), want) {
		t.Errorf("%s\nwant %s", s.errors(), want)
	}
	s.reports = nil
	if _, err := s.v.Call(cape, "Read"); err != nil {
		t.Errorf("another mod: %v", err)
	}
	s.turn()
	s.clean()
}

// TestNoStore: in a world without a store every call is answered in the next tick, as one that fails.
func TestNoStore(t *testing.T) {
	s := newStored(t, keeper)
	s.v.opt.Store = nil
	k := s.spawn("Keeper")
	if _, err := s.v.Call(k, "Ranks"); err != nil {
		t.Error(err)
	}
	if got := s.logged(); got != "" {
		t.Errorf("at once: %s", got)
	}
	s.run(0.1)
	const none = "this world has no store, so nothing is stored"
	if got := s.logged(); !strings.HasPrefix(got, "Ann nil store:Rank: "+none+"\n") || strings.Count(got, none) != 4 {
		t.Errorf("in the next tick: %s", got)
	}
	s.clean()
}
