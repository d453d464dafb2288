-- R5.1, R5.11, R6.1: whatever passes the checks crosses, however large it is (G11).

local net = require("shared.net")

-- strings declares n replicated strings of up to 1 000 bytes.
local function strings(n)
	local props, names = {}, {}
	for i = 1, n do
		props[i] = ('T%d = str("", { max = 1000 })'):format(i)
		names[i] = ('"T%d"'):format(i)
	end
	return ([[
		local Book = class("Book", "Actor")
		Book.properties { %s }
		Book.defaults { bAlwaysRelevant = true }
		Book.replication { { %s } }
	]]):format(table.concat(props, ", "), table.concat(names, ", "))
end

for_each({ { n = 62 }, { n = 130 }, { n = 240 } }, function(case)
	scenario(("R5.1 %d full strings cross in an opening, and all change at once"):format(case.n), { seeds = 2 }, function(t)
		t:scripts(strings(case.n))
		local s, a, b = net.start(t, {}, { name = "a", lag = 0.03, loss = 0.02, down = 200000 }, { name = "b", down = 200000 })
		local book = s:spawn("Book")
		local function write(letter) for i = 1, case.n do book["T" .. i] = letter:rep(1000) end end
		local function reads(letter)
			for _, c in ipairs{ a, b } do
				local copy = c:copy(book)
				if not copy then return false end
				for i = 1, case.n do
					if copy["T" .. i] ~= letter:rep(1000) then return false end
				end
			end
			return true
		end
		write("x")
		t:within(20, function() return reads("x") end)
		write("y")
		t:within(20, function() return reads("y") end)
		t:no(a.error)
		t:no(b.error)
	end)
end)

scenario("R5.1 several large actors open one after the other, and nobody is lost", function(t)
	t:scripts(strings(240))
	local s, a = net.start(t, {}, { name = "a", lag = 0.2, down = 1000000 })
	local books = {}
	for k = 1, 20 do -- more than may wait in a connection's queue, 3 MiB
		local props = {}
		for i = 1, 240 do props["T" .. i] = tostring(k % 10):rep(1000) end
		books[k] = s:spawn("Book", props)
	end
	t:within(60, function()
		for k, book in ipairs(books) do
			local copy = a:copy(book)
			if not copy or copy.T240 ~= tostring(k % 10):rep(1000) then return false end
		end
		return true
	end)
	t:no(a.error)
end)

scenario("R5.12 a fast array of 1 024 items crosses in an opening; one that is full says so", function(t)
	t:scripts [[
		local Shelf = class("Shelf", "Actor")
		Shelf.properties {
			Small = fastarray(struct { A = int(0), B = int(0), C = float(0), D = int(0), E = int(0) }),
			Large = fastarray(struct { S = str("", { max = 1000 }) }),
		}
		Shelf.defaults { bAlwaysRelevant = true }
		Shelf.replication { { "Small" }, { "Large" } }
		function Shelf:Fill()
			for i = 1, 1024 do self.Small:Add{ A = i, B = -i * 100000, C = i / 3, D = i * 1000, E = 7 } end
			for i = 1, 110 do self.Large:Add{ S = ("z"):rep(1000) } end
		end
		function Shelf:Overfill(text) for i = 1, 40 do self.Large:Add{ S = text } end end
		function Shelf:Count(name)
			local n = 0
			for _ in self[name]:Pairs() do n = n + 1 end
			return n
		end
	]]
	local s, a = net.start(t, {}, { name = "a", down = 200000 })
	local shelf = s:spawn("Shelf")
	shelf:Fill()
	t:within(20, function()
		local copy = a:copy(shelf)
		return copy and s:call(shelf, "Count", "Small") == 1024 and a:call(copy, "Count", "Small") == 1024 and a:call(copy, "Count", "Large") == 110
	end)
	t:expect_error("fastarray Large is full: with this item its items take up to %d+ bytes on the wire, at most 131072")
	shelf:Overfill(("z"):rep(1000))
	t:eq(shelf:Count("Large"), 110) -- the call that faulted is undone
	shelf:Overfill("short")
	t:eq(shelf:Count("Large"), 150)
	t:within(5, function() return a:call(a:copy(shelf), "Count", "Large") == 150 end)
	t:no(a.error)
end)

scenario("R6.1 a call with 60 KB of arguments crosses both ways", function(t)
	t:scripts [[
		local Post = class("Post", "PlayerController")
		Post.properties { bGot = false, bSent = false }
		local function whole(list)
			for i = 1, 60 do
				if list[i] ~= ("q"):rep(1000) then return false end
			end
			return true
		end
		function Post.client.reliable:ClientLetter(list) self.bGot = whole(list) end
		Post.params { ClientLetter = { array(str("", { max = 1000 }), 60) }, ServerLetter = { array(str("", { max = 1000 }), 60) } }
		function Post.server.reliable:ServerLetter(list) self.bSent = whole(list) end
		function Post.validate:ServerLetter(_) return true end
		function Post:Write(name)
			local list = {}
			for i = 1, 60 do list[i] = ("q"):rep(1000) end
			self[name](self, list)
		end
		local Rules = class("Rules", "GameInfo")
		Rules.defaults { PlayerControllerClass = "Post" }
	]]
	local s, a = net.start(t, { game = "Rules" }, { name = "a", lag = 0.03, loss = 0.02, down = 200000, up = 200000 })
	t:run(2)
	s:controller(a):Write("ClientLetter")
	a:controller():Write("ServerLetter")
	t:within(20, function() return a:controller().bGot and s:controller(a).bSent end)
	t:no(a.error)
end)

local OFFICE = net.with [[
	local Post = class("Post", "PlayerController")
	Post.properties {
		A = str("", { max = 1000 }), B = str("", { max = 1000 }), C = str("", { max = 1000 }), N = int(0), Got = int(0), Hints = int(0),
	}
	Post.replication { { "A", "B", "C", "N", when = function(self) return self.Role < ROLE_Authority end } }
	local function sum(list)
		local n = 0
		for i = 1, #list do if list[i] then n = n + 1 end end
		return n
	end
	function Post.client.reliable:ClientForm(a, b, c) self.Got = sum(a) + sum(b) + sum(c) end
	function Post.server.reliable:ServerForm(a, b, c) self.Got = sum(a) + sum(b) + sum(c) end
	function Post.server:ServerHint(list) self.Hints = self.Hints + sum(list) end
	function Post.client:ClientHint(list) self.Hints = self.Hints + sum(list) end
	Post.params {
		ClientForm = { array(false, 4096), array(false, 4096), array(false, 4096) },
		ServerForm = { array(false, 4096), array(false, 4096), array(false, 4096) }, ServerHint = { array(false, 3000) },
		ClientHint = { array(false, 3000) },
	}
	function Post.validate:ServerForm(_, _, _) return true end
	function Post.validate:ServerHint(_) return true end
	function Post:Fill(name, n, times)
		local list = {}
		for i = 1, n do list[i] = true end
		if times == 3 then self[name](self, list, list, list) else self[name](self, list) end
	end
	local Rules = class("Rules", "GameInfo")
	Rules.defaults { PlayerControllerClass = "Post" }
]]

local function office(t, options)
	local s = OFFICE.server(t, { game = "Rules" })
	options.name = "a"
	local a = t:client(options)
	t:within(5, function() return s:controller(a) and a:controller() and a:pawn() end)
	t:run(2)
	return s, a
end

scenario("R6.1 a call of 12 288 values crosses both ways, and the player goes on moving", { seeds = 5 }, function(t)
	local s, a = office(t, { lag = 0.03, loss = 0.02, down = 200000, up = 200000 })
	s:controller(a):Fill("ClientForm", 4096, 3)
	a:controller():Fill("ServerForm", 4096, 3)
	t:within(20, function() return a:controller().Got == 12288 and s:controller(a).Got == 12288 end)
	t:no(a.error)
	for _, line in ipairs(s:log()) do t:no(line:find("sends more than"), line) end
end)

scenario("R6.1 R4.6 an unreliable call that no datagram holds crosses both ways", { seeds = 5 }, function(t)
	local s, a = office(t, { lag = 0.03 })
	for _ = 1, 3 do
		a:controller():Fill("ServerHint", 3000)
		s:controller(a):Fill("ClientHint", 3000)
		t:run(1)
	end
	t:within(5, function() return s:controller(a).Hints == 9000 and a:controller().Hints == 9000 end)
	t:no(a.error)
	for _, line in ipairs(s:log()) do t:no(line:find("wrong way"), line) end
end)

scenario("R5.16 three full strings go to the server at once, beside the moves of a player", { seeds = 5 }, function(t)
	local s, a = office(t, { lag = 0.03, loss = 0.05 })
	local pc = a:controller()
	a:input{ forward = 1 }
	for _, letter in ipairs{ "x", "y", "z" } do
		pc.A, pc.B, pc.C, pc.N = letter:rep(1000), letter:rep(1000), letter:rep(1000), pc.N + 1
		t:within(3, function()
			local me = s:controller(a)
			return me.A == pc.A and me.B == pc.B and me.C == pc.C and me.N == pc.N
		end)
	end
	t:no(a.error)
end)
