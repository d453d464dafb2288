package scenario_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/scenario"
)

// runText runs the scenarios of a text.
func runText(t *testing.T, text string, o scenario.Options) (code int, out, errs string) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "f.lua", text)
	o.Files = []string{filepath.Join(dir, "f.lua")}
	return run(t, o)
}

// passes fails the test where a scenario of the text fails.
func passes(t *testing.T, text string, o scenario.Options) string {
	t.Helper()
	code, out, errs := runText(t, text, o)
	if code != 0 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	return out
}

const chest = `
local CHEST = [[
	local Chest = class("Chest")
	Chest.properties { Gold = int(0), Open = false, Who = ref("Actor") }
	Chest.defaults { bAlwaysRelevant = true }
	Chest.replication { { "Gold", "Who" }, { "Open", when = COND_OwnerOnly } }
	function Chest.client.reliable:ClientSay(w) self.said = w end
	Chest.params { ClientSay = { "" } }
]]
local function join(t, s, ...)
	local list = {}
	for i, o in ipairs { ... } do list[i] = t:client(o) end
	t:within(5, function()
		for _, c in ipairs(list) do
			if not (s:controller(c) and c:controller()) then return false end
		end
		return true
	end)
	return unpack(list)
end
`

// What tests/scenarios has no scenario of: misuse, the budget of a line, traces, reloads and restarts.
func TestClients(t *testing.T) {
	passes(t, chest+`
scenario("what is not possible is said", function(t)
	t:scripts(CHEST)
	t:error(function() t:client{ name = "a" } end, "after t:server")
	local s = t:server{ config = { validation = "kick" } }
	local a, b = t:client{ name = "a" }, t:client{ join = false }
	t:eq({ b.name, a.time, s:controller(a), a:controller(), a:pawn(), #a:actors("Pawn") }, { "client 2", 0, nil, nil, nil, 0 })
	t:error(function() t:client{ name = "a" } end, 'client "a" already')
	t:error(function() t:client{ name = "server" } end, '"server" is the server')
	for _, f in ipairs { function() a:spawn("Chest") end, function() a:eval("return 1") end, function() a:hash() end } do
		t:error(f, "a:.*not in a match")
	end
	t:within(1, function() return a:controller() ~= nil end)
	t:error(function() a:join() end, "connected")
	t:error(function() s:controller(s) end, "no local player")
	t:error(function() s:controller(5) end, "expected a client")
	a:leave()
	for _, name in ipairs { "leave", "kill" } do t:error(function() a[name](a) end, "not connected") end
end)

scenario("a client that hears nothing, and one that reaches nobody", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	a:link{ loss = 1 }
	t:within(12, function() return a.error_code == "timeout" end)
	a:join()
	t:within(11, function() return a.error_code == "unreachable" end)
	a:link{ loss = 0 }
	a:join()
	t:eq(a.error, nil)
	t:within(1, function() return s:controller(a) ~= nil end)
end)

scenario("down is the budget, too; what is not named stays", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a = join(t, s, { name = "a", down = 3000, lag = 0.1 })
	local list = {}
	for i = 1, 60 do list[i] = s:spawn("Chest") end
	t:run(3)
	local function flood()
		local from = t:traffic(a).total.bytes
		for i = 1, 120 do
			for k, x in ipairs(list) do x.Gold = x.Gold + k * 1000 end
			t:ticks(1)
		end
		return t:traffic(a).total.bytes - from
	end
	t:near(flood(), 6000, 1300)
	a:link{ down = 9000 }
	t:run(1)
	t:near(flood(), 18000, 2000)
	for _, x in ipairs(list) do x:Destroy() end
	t:run(1)
	local from, x = s.time, s:spawn("Chest")
	t:within(5, function() return a:copy(x) end)
	t:ge(s.time - from, 0.1, "the lag stayed")
end)

scenario("trace, why", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local start = s:actors("PlayerStart")[1]
	t:eq({ s:copy(a:copy(start)), b:controller(a) }, { start })
	local x, y = s:spawn("Chest", { Owner = s:controller(a) }), s:spawn("Chest")
	t:within(1, function() return a:copy(x) and a:copy(y) end)
	t:run(0.3)
	local n = #t:trace(a)
	x.Who = y
	t:run(0.2)
	x:ClientSay("hello")
	t:run(0.2)
	local seen = {}
	for i, e in ipairs(t:trace(a)) do
		if i > n and e.actor == x then seen[#seen + 1] = { e.event, e.class, e.name, e.value, e.args } end
	end
	t:eq(seen, { { "set", "Chest", "Who", y }, { "called", "Chest", "ClientSay", "hello", { "hello" } } })
	t:error(function() t:why(a, x, "Gould") end, "Gould.*Gold")
	x:Destroy()
	t:run(0.2)
	local closed = {}
	for _, e in ipairs(t:trace(a)) do
		if e.event == "closed" then closed[#closed + 1] = { e.actor, e.class, e.name, e.value } end
	end
	t:eq(closed, { { x, "Chest", "", "destroyed" } })
	a:leave()
	t:run(0.1)
	t:eq(({ t:why(a, y) })[1], "never")
end)

scenario("reloads reach clients, many at once, too; a restart ends their worlds", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a = join(t, s, { name = "a", lag = 0.05 })
	local x = s:spawn("Chest", { Gold = 3 })
	local c = t:within(1, function() return a:copy(x) end)
	t:error(function() t:reload "local Chest = class('Chest'" end, "scripts:1")
	for n = 1, 5 do
		t:reload((CHEST:gsub("Gold = int%(0%)", "Gold = int(0), New = int(" .. n .. ")")) .. "function Chest:Version() return " .. n .. " end")
	end
	t:eq(x:Version(), 5)
	t:error(function() c:Version() end, "non%-function")
	t:within(1, function() return a:eval("return world:ActorsOf('Chest')[1].New") == 1 end)
	t:within(1, function() return c:Version() == 5 end)
	t:eq(c.Gold, 3)
	t:restart()
	t:ok(c.alive, "it does not know yet")
	t:within(0.2, function() return a.error end)
	t:eq({ a.error_code, c.alive, x.alive }, { "restart", false, false })
	a:join()
	t:within(1, function() return s:controller(a) and a:controller() end)
	local y = s:spawn("Chest")
	t:eq(t:within(1, function() return a:copy(y) end):Version(), 5)
	t:no(c.alive, "an old handle")
end)

scenario("a listen server starts again with its player", function(t)
	local s = t:server{ mode = "listen", options = "?name=Host" }
	t:restart()
	t:eq(s:controller().PlayerReplicationInfo.PlayerName, "Host")
end)

scenario("a server that does not start again is gone, and nothing breaks by that", function(t)
	t:scripts(CHEST)
	t:scripts [[
		local Gate = class("Gate", "GameInfo")
		function Gate:InitGame(options) return Gate.super.InitGame(self, options) end
	]]
	local s = t:server{ game = "Gate" }
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Chest")
	t:within(1, function() return a:copy(x) end)
	t:reload [[
		local Gate = class("Gate", "GameInfo")
		function Gate:InitGame(_) return "not again" end
		local Chest = class("Chest")
	]]
	t:error(function() t:restart() end, "not again")
	for _, f in ipairs { function() t:restart() end, function() t:reload "" end } do t:error(f, "did not start again") end
	t:run(0.5)
	t:eq({ x.alive, s:controller(a), s:copy(x), a:copy(x), s.time, #s:actors("Pawn") }, { false, nil, nil, nil, 0, 0 })
	t:eq(a.error_code, "restart")
	a:join()
	t:within(12, function() return a.error_code == "unreachable" end)
end)

scenario("nobody joins a standalone game", function(t)
	t:server{ mode = "standalone" }
	t:error(function() t:client{} end, "standalone")
end)
`, scenario.Options{})
}

func TestConfig(t *testing.T) {
	passes(t, chest+`
scenario("config takes keys of host.toml and refuses others", function(t)
	t:error(function() t:server{ config = { bugdet = 1 } } end, "config: unknown key bugdet.*budget.*it takes budget, bytes_per_second")
	t:error(function() t:server{ config = { budget = "much" } } end, "config: budget: expected a whole number from 64 to 1e%+09, got much")
	t:error(function() t:server{ config = { ["relevant-timeout"] = 1 } } end, "relevant%-timeout: expected a number from 2 to 10, got 1")
	t:error(function() t:server{ config = { idle_time = "soon" } } end, 'idle_time: expected seconds or a duration such as "5s", got "soon"')
	t:error(function() t:server{ config = { sight = 1 } } end, "sight: expected true or false, got 1")
	t:error(function() t:server{ config = { validation = "shoot" } } end, "validation: expected one of drop, kick, got shoot")
	local s = t:server{ config = { budget = 5000, validation = "drop", ["idle-time"] = "2s", max_players = 1, sight = false, dormancy_validation = false } }
	local b = join(t, s, { name = "b" })
	local c = t:client{ name = "c" }
	t:within(1, function() return c.error_code == "full" end)
	b:kill()
	t:within(2.5, function() return s:controller(b) == nil end)
end)
`, scenario.Options{})
}

// The same seed gives the same run: the same bytes, the same worlds; another one does not.
func TestClientsRepeat(t *testing.T) {
	text := chest + `
scenario("all over", { seeds = 1 }, function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a, b = join(t, s, { name = "a", preset = "internet", loss = 0.1, dup = 0.1, reorder = 0.1 }, { name = "b", preset = "modem" })
	local list = {}
	for i = 1, 30 do list[i] = s:spawn("Chest", { Owner = s:controller(a) }) end
	for i = 1, 90 do
		for k, x in ipairs(list) do if (i + k) % 7 == 0 then x.Gold = i end end
		t:ticks(1)
	end
	log(s:hash(), a:hash(), b:hash(), t:traffic(a).total, t:traffic(b).total, #t:trace(a))
end)`
	one := passes(t, text, scenario.Options{Verbose: true})
	if two := passes(t, text, scenario.Options{Verbose: true}); one != two {
		t.Errorf("one\n%s\ntwo\n%s", one, two)
	}
	if other := passes(t, text, scenario.Options{Verbose: true, Seed: 2}); strings.ReplaceAll(other, "seed 2", "seed 1") == one {
		t.Error("another seed gives the same run")
	}
}

// Real sockets, in real time, side by side, told in order.
func TestRealSockets(t *testing.T) {
	var text strings.Builder
	text.WriteString(chest)
	for i := range 6 {
		fmt.Fprintf(&text, `
scenario("kcp %d", { transport = "kcp" }, function(t)
	t:scripts(CHEST)
	local s = t:server{}
	t:run(%d)
	local a, b = join(t, s, { name = "a", lag = 0.02, jitter = 0.01, loss = 0.05, dup = 0.05, reorder = 0.05 }, { name = "b" })
	local x = s:spawn("Chest", { Owner = s:controller(a) })
	local c = t:within(1, function() return a:copy(x) end)
	local from = s.time
	x.Gold = 7
	t:within(1, function() return c.Gold == 7 and b:copy(x) and b:copy(x).Gold == 7 end)
	t:ge(s.time - from, 0.02)
	b:kill()
	t:restart()
	t:within(2, function() return a.error_code == "restart" end)
	a:link{ lag = 0 }
	a:join()
	t:within(2, function() return s:controller(a) end)
	a:link{ loss = 1 }
	t:run(0.3)
end)
`, i, 100-i)
	}
	start := time.Now()
	out := passes(t, text.String(), scenario.Options{Verbose: true, Seed: 3})
	// Each runs for 95 to 100 s before its clients come, for whom alone real time passes.
	if took := time.Since(start); took > 90*time.Second {
		t.Errorf("took %v: does real time pass where no socket needs it?", took)
	}
	at := -1
	for i := range 6 {
		next := strings.Index(out, fmt.Sprintf("ok %d - kcp %d\n", i+1, i))
		if next <= at {
			t.Errorf("kcp %d is out of order", i)
		}
		at = next
	}
	for _, want := range []string{"# server: listens on 127.0.0.1:", "# a: on 127.0.0.1:"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
}

// What takes four seconds with somebody at a socket takes four seconds at least.
func TestRealSocketsTakeRealTime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	start := time.Now()
	passes(t, chest+`
scenario("four seconds", { transport = "kcp" }, function(t)
	t:scripts(CHEST)
	join(t, t:server{}, { name = "a" })
	t:run(4)
end)
`, scenario.Options{})
	if took := time.Since(start); took < 4*time.Second {
		t.Errorf("took %v", took)
	}
}

// What a line of real sockets does to a packet is up to the scenario, and not to what else the machine has to do: with
// goroutines that never rest beside it, every value is as old when it is seen as the line makes it.
func TestRealSocketsOnABusyMachine(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var rest atomic.Bool
	var busy sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		busy.Go(func() {
			for !rest.Load() { // until the end of the test, awaited below
			}
		})
	}
	defer busy.Wait()
	defer rest.Store(true)
	passes(t, chest+`
scenario("as old as the line makes it", { transport = "kcp" }, function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a = join(t, s, { name = "a", lag = 0.05 })
	local x = s:spawn("Chest", { Owner = s:controller(a) })
	local c = t:within(1, function() return a:copy(x) end)
	t:run(0.1)
	for i = 1, 2 do
		x.Gold = i
		t:ticks(2) -- the net update that sends it is in one of them
		t:ne(c.Gold, i)
		t:ticks(1)
		t:ne(c.Gold, i)
		t:ticks(3)
		t:eq(c.Gold, i)
		t:ticks(4)
	end
end)
`, scenario.Options{})
}
