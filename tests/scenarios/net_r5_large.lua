-- R5.1, R5.11, R6.1: whatever passes the checks crosses, however large it is (guard.md G11).

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
		local s = t:server{}
		local a = t:client{ name = "a", lag = 0.03, loss = 0.02, down = 200000 }
		local b = t:client{ name = "b", down = 200000 }
		t:within(5, function() return s:controller(a) and s:controller(b) end)
		local book = s:spawn("Book")
		local function write(letter)
			for i = 1, case.n do book["T" .. i] = letter:rep(1000) end
		end
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
	local s = t:server{}
	local a = t:client{ name = "a", lag = 0.2, down = 1000000 }
	t:within(5, function() return s:controller(a) end)
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
		function Shelf:Overfill(text)
			for i = 1, 40 do self.Large:Add{ S = text } end
		end
		function Shelf:Count(name)
			local n = 0
			for _ in self[name]:Pairs() do n = n + 1 end
			return n
		end
	]]
	local s = t:server{}
	local a = t:client{ name = "a", down = 200000 }
	t:within(5, function() return s:controller(a) end)
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
	local s = t:server{ game = "Rules" }
	local a = t:client{ name = "a", lag = 0.03, loss = 0.02, down = 200000, up = 200000 }
	t:within(5, function() return s:controller(a) and a:controller() end)
	t:run(2)
	s:controller(a):Write("ClientLetter")
	a:controller():Write("ServerLetter")
	t:within(20, function() return a:controller().bGot and s:controller(a).bSent end)
	t:no(a.error)
end)
