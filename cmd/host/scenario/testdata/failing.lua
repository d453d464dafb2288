-- Every way to fail.
local function twice(t, x)
	t:eq(x, 2, "in a function of its own")
end

scenario("a check", function(t)
	local s = t:server{}
	local a = s:spawn("Actor", { Location = vector(1, 2, 3) })
	t:run(0.5)
	t:eq(a.Location, vector(1, 2, 4))
end)

scenario("a check in a function", function(t)
	twice(t, 2)
	twice(t, 3)
end)

scenario("an error of the scenario", function(t)
	local x
	x.y = 1
end)

scenario("past its budget", { budget = 2 }, function(t)
	t:server{}
	t:run(1)
	t:run(1.5)
end)

scenario("a script error that nobody expected", function(t)
	t:scripts [[
		local Bad = class("Bad")
		function Bad:Go() error("boom") end
	]]
	local s = t:server{}
	s:spawn("Bad"):Go()
	t:ok(true)
end)

scenario("an error that was expected and did not come", function(t)
	t:server{}
	t:expect_error("boom")
	t:run(1)
end)

scenario("a class that does not load", function(t)
	t:scripts [[
		local A = class("A", "Pwan")
	]]
	t:server{}
end)

scenario("a class of the second chunk that does not load", function(t)
	t:scripts [[
		local A = class("A")
	]]
	t:scripts [[
		local B = class("B")
		local C = class("C", "Pwan")
	]]
	t:server{}
end)

scenario("clients", function(t)
	t:server{ mode = "standalone" }
	t:client{ name = "a" }
end)

scenario("the second of three seeds", { seeds = 3 }, function(t)
	t:ne(t:seed() % 3, 2)
end)

scenario("within and always", function(t)
	local s = t:server{}
	t:always(0.5, function() return s.time < 1 end)
	t:within(0.25, function() return s.time > 3 end)
end)

scenario("several failures at once", function(t)
	t:scripts [[
		local Bad = class("Bad")
		function Bad:Go() error("it's bad") end
		function Bad:Worse() error("two\nlines") end
	]]
	local s = t:server{}
	local bad = s:spawn("Bad")
	bad:Go()
	bad:Worse()
	t:eq(1, 2)
end)
