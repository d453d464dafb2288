-- Scenarios about scenarios: packets lost by their numbers, and script errors of clients that reach the server.

local VOICE = [[
	local Voice = class("Voice")
	Voice.properties { N = int(0) }
	Voice.defaults { bAlwaysRelevant = true }
	Voice.replication { { "N", notify = true } }
	function Voice.client:ClientMurmur(n) self.heard = (self.heard or "") .. n .. " " end
	function Voice.server:ServerMurmur(n) self.heard = (self.heard or "") .. n .. " " end
	function Voice:OnRep_N(_) error("nothing works") end
	Voice.params { ClientMurmur = { int(0) }, ServerMurmur = { int(0) } }
]]

-- begin makes a server and a Voice of the first of some clients, which all have.
local function begin(t, ...)
	t:scripts(VOICE)
	local s = t:server {}
	local list = {}
	for i, name in ipairs { ... } do list[i] = t:client { name = name } end
	t:within(5, function()
		for _, c in ipairs(list) do
			if not c:pawn() then return false end
		end
		return true
	end)
	local x = s:spawn("Voice", { Owner = s:controller(list[1]) })
	for _, c in ipairs(list) do t:within(2, function() return c:copy(x) end) end
	t:run(0.5)
	return s, x, unpack(list)
end

for_each({ "down", "up" }, function(way)
	scenario("scenario client:lose loses packets by their numbers: " .. way, { transport = "sim" }, function(t)
		local _, x, a = begin(t, "a")
		local c = a:copy(x)
		local from, to, say = x, c, "ClientMurmur"
		if way == "up" then from, to, say = c, x, "ServerMurmur" end
		-- A call of each tick is in a packet of its own: the pawn's moves and their answers go in the same ones.
		local function murmur(n)
			to.heard = nil
			for i = 1, n do
				from[say](from, i)
				t:ticks(2)
			end
			t:run(0.5)
			local _, count = (to.heard or ""):gsub(" ", "")
			return count
		end
		t:eq(murmur(10), 10)
		a:lose(way, 1, 2, 3)
		local n = murmur(10)
		t:lt(n, 10)
		t:ge(n, 7, "three packets carry no more than three of the calls")
		t:eq(murmur(10), 10, "and then no more are lost")
		a:lose(way, 1)
		a:lose(way)
		t:eq(murmur(10), 10, "it was taken back")
		t:error(function() a:lose("sideways", 1) end, "up.*down")
		t:error(function() a:lose(way, 0) end, "the next is 1")
		a:leave()
		t:error(function() a:lose(way, 1) end, "not connected")
	end)
end)

scenario("scenario client:lose is for simulated links", { transport = "kcp" }, function(t)
	local _, _, a = begin(t, "a")
	t:error(function() a:lose("up", 1) end, "simulated")
end)

scenario("scenario a script error on clients is one warning of the server, with how many players have it", function(t)
	local s, x = begin(t, "a", "b")
	t:expect_error("Voice:OnRep_N.*nothing works.*, a%)")
	t:expect_error("Voice:OnRep_N.*nothing works.*, b%)")
	x.N = 1
	t:run(2)
	local told = {}
	for _, line in ipairs(s:log()) do
		if line:find("script error on the machines", 1, true) then told[#told + 1] = line end
	end
	t:eq(#told, 1)
	t:match(told[1], "^script error on the machines of 2 players, reported 2 times: Voice:OnRep_N: scripts:7:.*nothing works")
end)
