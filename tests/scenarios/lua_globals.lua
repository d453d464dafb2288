-- Globals of docs/lua-api.md: which are there, which are not, and what keeps them as they are.

scenario("lua-api globals: world", function(t)
	local s = t:server{ mode = "standalone" }
	t:run(0.5)
	t:eq(s:eval("return world.NetMode"), NM_Standalone)
	t:near(s:eval("return world.TimeSeconds"), 0.5, 1e-6)
	t:near(s:eval("return world.DeltaSeconds"), 1 / 60, 1e-6)
	t:eq(s:eval("return world.LevelName"), "flat")
	t:eq(s:eval("return world.Game"):GetClass(), "GameInfo")
	t:eq(s:eval("return world.GameState"):GetClass(), "GameReplicationInfo")
	local a = s:eval("return world:Spawn('Actor', { Location = vector(1, 2, 3) })")
	t:eq(a.Location, vector(1, 2, 3))
	t:eq(s:eval("return world:ActorById(" .. a:GetId() .. ")"), a)
	a:Destroy()
	t:run(0.1)
	t:eq(s:eval("return #world:ActorsOf('PlayerController')"), 1)
	t:error(function() s:eval("world.TimeSeconds = 5") end, "TimeSeconds")
	t:error(function() s:eval("return world.Nonsense") end, "Nonsense")
end)

scenario("lua-api globals: ActorById of one that is gone is nil, for ever", function(t)
	local s = t:server{}
	local a = s:spawn("Actor")
	local id = a:GetId()
	a:Destroy()
	t:run(0.1)
	for _ = 1, 10 do s:spawn("Actor") end
	t:eq(s:eval(string.format("return world:ActorById(%.0f)", id)), nil)
end)

scenario("lua-api globals: constants of every family", function(t)
	local s = t:server{}
	for _, name in ipairs {
		"ROLE_None", "ROLE_SimulatedProxy", "ROLE_AutonomousProxy", "ROLE_Authority", "NM_Standalone", "NM_DedicatedServer", "NM_ListenServer", "NM_Client",
		"PHYS_None", "PHYS_Walking", "PHYS_Falling", "PHYS_Flying", "PHYS_Projectile", "PHYS_Rotating", "PHYS_Interpolating",
		"COND_InitialOnly", "COND_OwnerOnly", "COND_SkipOwner", "COND_SimulatedOnly", "COND_AutonomousOnly", "COND_SimulatedOrPhysics",
		"COND_InitialOrOwner", "COND_Custom", "COND_ReplayOrOwner", "COND_ReplayOnly", "COND_SimulatedOnlyNoReplay",
		"COND_SimulatedOrPhysicsNoReplay", "COND_SkipReplay", "COND_Dynamic", "COND_Never", "COND_NetGroup",
		"DORM_Never", "DORM_Awake", "DORM_DormantAll", "DORM_Initial",
	} do
		t:eq(type(s:eval("return " .. name)), "number", name)
	end
	t:eq(s:eval("return ROLE_None < ROLE_SimulatedProxy and ROLE_SimulatedProxy < ROLE_AutonomousProxy and ROLE_AutonomousProxy < ROLE_Authority"), true)
	t:eq(s:eval("return COND_OwnerOnly"), COND_OwnerOnly, "and here they are the same")
	t:eq(s:eval("return PHYS_Walking"), PHYS_Walking)
end)

scenario("lua-api globals: the safe parts of Lua are there", function(t)
	local s = t:server{}
	for _, name in ipairs {
		"pairs", "ipairs", "next", "select", "type", "tostring", "tonumber", "pcall", "error", "assert", "unpack", "setmetatable", "getmetatable",
		"rawget", "rawset", "rawequal", "log", "vector", "rotator", "require", "string.format", "string.rep", "string.find", "string.gmatch", "string.gsub",
		"string.byte", "string.char", "string.lower", "string.upper", "string.len", "string.reverse", "string.sub", "string.match",
		"table.insert", "table.remove", "table.concat", "table.sort", "math.floor", "math.random", "math.sin", "math.max",
		"coroutine.create", "coroutine.resume", "coroutine.yield", "coroutine.wrap", "coroutine.status",
	} do
		t:eq(s:eval("return type(" .. name .. ")"), "function", name)
	end
	t:eq(s:eval("return math.pi > 3.14 and math.huge > 1e300"), true)
	t:eq(s:eval("local co = coroutine.wrap(function(a) local b = coroutine.yield(a + 1) return b * 2 end) return co(1) + co(10)"), 22)
end)

for_each({
	"io", "os", "debug", "package", "load", "loadstring", "loadfile", "dofile", "getfenv", "setfenv", "collectgarbage", "newproxy", "module", "print",
	"_G", "arg", "channel", "xpcall_unsafe",
}, function(name)
	scenario("lua-api globals: there is no " .. name, function(t)
		t:scripts('local A = class("A")\nfunction A:Go() return ' .. name .. " end")
		local ok, why = pcall(function()
			local s = t:server{}
			t:expect_error("A:Go: scripts:2: .*" .. name)
			s:spawn("A"):Go()
		end)
		if not ok then t:match(why, "scripts:2:%d+: error: .*" .. name) end
	end)
end)

scenario("lua-api globals: string.dump is not there", function(t)
	local s = t:server{}
	t:error(function() s:eval("return string.dump(function() end)") end, "dump")
end)

scenario("lua-api globals: libraries and the string metatable are frozen, also against rawset", function(t)
	local s = t:server{}
	for _, chunk in ipairs {
		"string.format = nil", "rawset(string, 'format', 1)", "table.insert(string, 1)", "math.pi = 3", "rawset(math, 'pi', 3)", "table.sort = 1",
		"setmetatable(string, {})", "coroutine.wrap = nil", "world = nil", "vector = nil", "ROLE_Authority = 0",
	} do
		t:error(function() s:eval(chunk) end, "")
	end
end)

scenario("lua-api globals: the string metatable is out of reach", function(t)
	local s = t:server{}
	t:error(function() s:eval("getmetatable('').__index = nil") end, "")
	t:eq(s:eval("return ('x'):rep(3)"), "xxx")
end)

scenario("lua-api globals: math.random is seeded per world and repeatable", function(t)
	local s = t:server{}
	local x = s:eval("return math.random()")
	t:ge(x, 0)
	t:lt(x, 1)
	local n = s:eval("return math.random(6)")
	t:ge(n, 1)
	t:le(n, 6)
	n = s:eval("return math.random(10, 12)")
	t:ge(n, 10)
	t:le(n, 12)
	t:error(function() s:eval("math.randomseed(1)") end, "seed")
	t:restart()
	t:ne(s:eval("return math.random()"), x, "another world, other chance")
end)

-- Attacks that a script could make; the world goes on after each (issue 2: contained).
local BOMBS = {
	{ name = "an endless loop", code = "while true do end" },
	{ name = "an endless loop in pcall", code = "while true do pcall(function() while true do end end) end" },
	{ name = "an endless loop in a coroutine", code = "local co = coroutine.wrap(function() while true do end end) co()" },
	{ name = "endless recursion", code = "local function f() return 1 + f() end f()" },
	{ name = "a table that grows for ever", code = "local t = {} for i = 1, 1e9 do t[i] = { i } end" },
	{ name = "a string that doubles for ever", code = "local s = 'x' while true do s = s .. s end" },
	{ name = "string.rep of 2^31", code = "return #string.rep('a', 2147483647)" },
	{ name = "a pattern that backtracks", code = "return string.find(string.rep('a', 20000), '.-.-.-.-.-b')" },
	{ name = "a far index", code = "local t = {} t[67108863] = 1 local n = 0 for i = 1, 3e7 do n = n + 1 end" },
	{ name = "table.insert far out", code = "local t = {} table.insert(t, 60000000, 1)" },
	{ name = "a sort with a comparator that never agrees", code = "local t = {} for i = 1, 5000 do t[i] = i end table.sort(t, function() while true do end end)" },
	{ name = "coroutines without end", code = "local t = {} while true do t[#t + 1] = coroutine.create(function() coroutine.yield() end) coroutine.resume(t[#t]) end" },
	{ name = "an error that nests", code = "local function f(n) local ok, e = pcall(f, n + 1) error(e, 0) end f(1)" },
}

for_each(BOMBS, function(case)
	scenario("lua-api sandbox: contained: " .. case.name, function(t)
		t:scripts [[
			local Good = class("Good")
			Good.properties { N = int(0) }
			function Good:Tick(_) self.N = self.N + 1 end
		]]
		t:scripts('local Bad = class("Bad")\nBad.properties { X = int(0) }\nfunction Bad:Go()\nself.X = 1\n' .. case.code .. "\nend")
		local s = t:server{}
		local good, bad = s:spawn("Good"), s:spawn("Bad")
		t:expect_error("^Bad:Go: scripts:%d+: ")
		bad:Go()
		t:eq(bad.X, 0, "its writes are undone")
		t:ok(bad.alive)
		t:ticks(5)
		t:eq(good.N, 5)
	end)
end)
