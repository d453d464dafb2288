-- R5.23, how a client comes by the files of a match: bounds on time and bytes that the virtual clock holds.
-- (Over sockets a busy machine adds to both.)

local net = require("shared.net")

-- A client that has no files at all, over a way with a round trip of that many milliseconds; the seconds until it plays.
local function cold(t, s, ms, loss)
	local from = s.time
	local a = t:client { name = "a", cold = true, lag = ms / 2000, loss = loss }
	t:within(20, function() return s:controller(a) and a:controller() and a:controller().Pawn end)
	return s.time - from, a
end

for_each({
	{ 80, 0, 0.6, 177000 }, { 150, 0, 0.9, 177000 }, { 240, 0, 1.4, 177000 },
	{ 80, 0.05, 1.2, 240000 }, { 150, 0.05, 1.8, 240000 }, { 240, 0.05, 3, 240000 },
}, function(case)
	local ms, loss, most, bytes = unpack(case)
	scenario("R5.23 who has no files plays within " .. most .. " s at " .. ms .. " ms and " .. loss * 100 .. " % loss", { seeds = 5 }, function(t)
		local s = t:server { level = "arena", game = "DeathMatch" }
		t:run(0.3)
		local took, a = cold(t, s, ms, loss)
		s:eval(string.format("log('in after %.2f s and %d bytes')", took, t:traffic(a).total.bytes)) -- shown by -v
		if t:transport() == "sim" then
			t:le(took, most)
			t:le(t:traffic(a).total.bytes, bytes) -- for some 575 000 of files, what was sent twice and the first of the match
		end
	end)
end)

-- A class with many lines, one of which is said.
local function long(n)
	local lines = {}
	for i = 1, 400 do
		lines[i] = "function Long:Work" .. i .. "(a, b) return a * " .. i * 7 .. " + b - " .. i * 13 % 101 .. " end"
	end
	return 'local Long = class("Long")\nLong.defaults { bAlwaysRelevant = true }\nfunction Long.simulated:Say() return ' .. n .. " end\n" .. table.concat(lines, "\n")
end

scenario("R5.23 a changed line of a long script costs each player little more than the line", function(t)
	t:scripts(long(1))
	local s, a, b = net.start(t, {}, "a", { name = "b", lag = 0.05 })
	local x = s:spawn("Long")
	t:run(1)
	local before = t:traffic(b).total.bytes
	t:run(1)
	local quiet = t:traffic(b).total.bytes - before
	t:reload(long(2))
	t:run(1)
	t:eq({ a:copy(x):Say(), b:copy(x):Say() }, { 2, 2 })
	if t:transport() == "sim" then t:le(t:traffic(b).total.bytes - before - 2 * quiet, 1500) end
end)

scenario("R5.23 a reload is with a player a round trip and two ticks after the server", function(t)
	t:scripts(long(1))
	local s, a = net.start(t, {}, { name = "a", lag = 0.05 })
	local x = s:spawn("Long")
	local c = t:within(1, function() return a:copy(x) end)
	t:run(0.5)
	t:reload(long(2))
	local from = s.time
	t:within(2, function() return c:Say() == 2 end)
	if t:transport() == "sim" then t:le(s.time - from, 0.1) end
end)
