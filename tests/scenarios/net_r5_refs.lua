-- Section 5 of the rules: the fast arrays of R5.12, and R5.13: references to actors that come later.

local net = require("shared.net")
local bytes, copy, join, holds = net.bytes, net.copy, net.join, net.holds

-- Fast arrays. The callbacks write a story; on the server they would, too, were they called.
local BAG = net.with [[
	local Bag = class("Bag")
	Bag.properties { Items = fastarray(struct { Kind = int(0), Count = int(0), Who = ref("Actor"), Hint = local_(int(0)) }) }
	Bag.defaults { bAlwaysRelevant = true }
	Bag.replication { { "Items" } }
	function Bag:Say(what) self.story = (self.story or "") .. what .. " " end
	function Bag:OnAdd_Items(key, item) self:Say("+" .. key .. ":" .. item.Kind) end
	function Bag:OnChange_Items(key, item) self:Say("~" .. key .. ":" .. item.Kind) end
	function Bag:OnRemove_Items(key, item) self:Say("-" .. key .. ":" .. item.Kind) end
	function Bag:List()
		local list = {}
		for key, item in self.Items:Pairs() do
			list[#list + 1] = key .. ":" .. item.Kind .. "x" .. item.Count
		end
		return table.concat(list, " ")
	end
]]

scenario("R5.12 a fast array crosses by adds, changes and removes, each with its callback on clients", function(t)
	local s, a, b = BAG.start(t, {}, "a", "b")
	local bag, ca, cb = net.spawn(t, s, "Bag", {}, a, b)
	t:run(0.2)
	local k1, k2 = bag.Items:Add { Kind = 10 }, bag.Items:Add { Kind = 20 }
	t:within(1, function() return #ca.Items == 2 and #cb.Items == 2 end)
	bag.Items:Set(k2, { Kind = 21, Count = 3 })
	t:within(1, function() return ca.Items:Get(k2).Count == 3 end)
	bag.Items:Remove(k1)
	t:within(1, function() return #ca.Items == 1 and #cb.Items == 1 end)
	t:run(0.2)
	t:eq({ ca:List(), ca:List() }, { bag:List(), k2 .. ":21x3" })
	local story = "+1:10 +2:20 ~2:21 -1:10 "
	t:eq({ ca.story, cb.story, bag.story }, { story, story, nil })
end)

scenario("R5.12 a fast array's items of before are adds to who comes later", function(t)
	local s, bag = BAG.alone(t, "Bag")
	local k1 = bag.Items:Add { Kind = 10 }
	bag.Items:Add { Kind = 20 }
	local k3 = bag.Items:Add { Kind = 30 }
	bag.Items:Remove(k1)
	bag.Items:Set(k3, { Kind = 31 })
	t:run(0.1)
	local a = join(t, s, { name = "a" })
	local c = copy(t, a, bag)
	t:within(1, function() return c:List() == "2:20x0 3:31x0" end)
	t:eq(c.story, "+2:20 +3:31 ")
end)

scenario("R5.12 of a fast array only what changed costs", function(t)
	local _, a, bag, c = BAG.actor(t, "Bag", {}, "a")
	for i = 1, 40 do bag.Items:Add { Kind = 1000 + i, Count = 100000 + i } end
	t:within(1, function() return #c.Items == 40 end)
	t:run(0.3)
	local all = bytes(t, a, "Bag.Items")
	t:gt(all, 0)
	bag.Items:Set(20, { Kind = 7, Count = 8 })
	t:within(1, function() return c.Items:Get(20).Kind == 7 end)
	bag.Items:Remove(30)
	t:within(1, function() return #c.Items == 39 end)
	t:run(0.3)
	t:lt((bytes(t, a, "Bag.Items") - all) * 5, all)
	t:eq(c:List(), bag:List())
end)

scenario("R5.12 a fast array's changes that cancel out within a net update are not told", function(t)
	local _, _, bag, c = BAG.actor(t, "Bag", {}, "a")
	local k1 = bag.Items:Add { Kind = 10, Count = 1 }
	t:within(1, function() return #c.Items == 1 end)
	t:run(0.3)
	local k2 = bag.Items:Add { Kind = 20 }
	bag.Items:Remove(k2)
	bag.Items:Set(k1, { Kind = 11, Count = 1 })
	bag.Items:Set(k1, { Kind = 10, Count = 1 })
	t:run(0.4)
	t:eq({ c.story, c:List() }, { "+1:10 ", "1:10x1" })
end)

scenario("R5.12 a fast array's local members do not cross", function(t)
	local _, _, bag, c = BAG.actor(t, "Bag", {}, "a")
	local k = bag.Items:Add { Kind = 1, Hint = 5 }
	t:within(1, function() return #c.Items == 1 end)
	t:eq({ c.Items:Get(k).Hint, bag.Items:Get(k).Hint }, { 0, 5 })
end)

scenario("R5.12 a fast array obeys its condition", function(t)
	t:scripts [[
		local Bag = class("Bag")
		Bag.properties { Items = fastarray(struct { Kind = int(0) }) }
		Bag.defaults { bAlwaysRelevant = true }
		Bag.replication { { "Items", when = COND_OwnerOnly } }
		function Bag:OnAdd_Items(_, item) self.kind = item.Kind end
	]]
	local s, a, b = net.start(t, {}, "a", "b")
	local bag, ca, cb = net.spawn(t, s, "Bag", { Owner = s:controller(a) }, a, b)
	bag.Items:Add { Kind = 4 }
	t:within(1, function() return ca.kind == 4 end)
	t:run(0.3)
	t:eq({ #cb.Items, cb.kind }, { 0, nil })
	bag.Owner = s:controller(b)
	t:within(1, function() return cb.kind == 4 and #cb.Items == 1 end)
end)

scenario("R5.12 the last item of a fast array goes, and new ones come, with keys never used twice", function(t)
	local _, _, bag, c = BAG.actor(t, "Bag", {}, "a")
	local k = bag.Items:Add { Kind = 1 }
	t:within(1, function() return #c.Items == 1 end)
	bag.Items:Remove(k)
	t:within(1, function() return #c.Items == 0 end)
	local k2 = bag.Items:Add { Kind = 2 }
	t:ne(k2, k)
	t:within(1, function() return #c.Items == 1 end)
	t:eq(c.story, "+1:1 -1:1 +2:2 ")
end)

scenario("R5.12 a fast array from which much is removed at once, whatever is lost", { seeds = 5 }, function(t)
	t:scripts [[
		local Tally = class("Tally")
		Tally.properties { Items = fastarray(struct { K = int(0) }) }
		Tally.defaults { bAlwaysRelevant = true }
		Tally.replication { { "Items" } }
		function Tally:OnAdd_Items(key, item)
			self.have = self.have or {}
			assert(self.have[key] == nil, "added twice")
			self.have[key] = item.K
		end
		function Tally:OnChange_Items(key, item)
			assert(self.have[key] ~= nil, "changed before it was added")
			self.have[key] = item.K
		end
		function Tally:OnRemove_Items(key, _)
			assert(self.have[key] ~= nil, "removed before it was added")
			self.have[key] = nil
		end
		function Tally:Fill(from, to) for i = from, to do self.Items:Add { K = i } end end
		function Tally:Cut(n)
			local keys = {}
			for key in self.Items:Pairs() do keys[#keys + 1] = key end
			for i = 1, #keys do if i % n ~= 0 then self.Items:Remove(keys[i]) end end
		end
	]]
	local _, _, tally, c = net.actor(t, "Tally", {}, { name = "a", lag = 0.04, loss = 0.25, down = 60000 })
	local function right()
		if #c.Items ~= #tally.Items then return false end
		for key, item in tally.Items:Pairs() do
			local x = c.Items:Get(key)
			if not x or x.K ~= item.K or c.have[key] ~= item.K then return false end
		end
		local n = 0
		for _ in pairs(c.have or {}) do n = n + 1 end
		return n == #tally.Items
	end
	for round = 1, 4 do
		tally:Fill(round * 1000, round * 1000 + 120)
		t:ticks(3)
		tally:Cut(3 + round)
		t:ticks(2)
	end
	t:within(4, right)
	tally:Cut(1000)
	t:within(2, function() return #tally.Items == 0 and right() end)
end)

-- The target is relevant to its owner only, the pointer to all.
local POINTER = net.with [[
	local Target = class("Target")
	Target.defaults { bOnlyRelevantToOwner = true }
	local Pointer = class("Pointer")
	Pointer.properties {
		To = ref("Target"), N = int(0), S = struct { Who = ref("Target"), N = int(0) }, Arr = array(ref("Target"), 3),
		Bag = fastarray(struct { Who = ref("Target"), N = int(0) }), First = ref("Target"), W = int(0),
	}
	Pointer.defaults { bAlwaysRelevant = true }
	Pointer.replication {
		{ "To", "N", notify = true },
		{ "S", "Arr", "Bag" },
		{ "First", "W", when = COND_InitialOnly },
	}
	function Pointer:OnRep_To(old)
		self.news = (self.news or 0) + 1
		self.last, self.old = self.To, old
	end
]]

scenario("R5.13 a reference is nil until its target is relevant; then it is set, with its notify", function(t)
	local s, a, b = POINTER.start(t, {}, "a", "b")
	local target = s:spawn("Target", { Owner = s:controller(a) })
	local pointer, ca, cb = net.spawn(t, s, "Pointer", { To = target, N = 1 }, a, b)
	t:within(1, function() return ca.To and ca.To == a:copy(target) end)
	t:run(0.4)
	t:eq(b:copy(target), nil)
	t:eq({ cb.To, cb.news, cb.N }, { nil, nil, 1 }, "the other variables do not wait for it")
	t:eq(ca.news, 1)
	pointer.N = 2
	t:within(1, function() return cb.N == 2 end)
	target.Owner = s:controller(b)
	t:within(1, function() return cb.To ~= nil end)
	holds(t, cb, { To = b:copy(target), news = 1, last = b:copy(target) })
	t:eq(cb.old, nil)
end)

scenario("R5.13 it turns nil again when the target goes, and is set again when it comes back", function(t)
	local s, a = POINTER.start(t, {}, "a")
	local target = s:spawn("Target", { Owner = s:controller(a) })
	local pointer, c = net.spawn(t, s, "Pointer", { To = target }, a)
	t:within(1, function() return c.To ~= nil end)
	target.Owner = nil
	t:within(1, function() return c.To == nil end)
	t:eq(a:copy(target), nil)
	t:eq(pointer.To, target, "the server's is as it was")
	target.Owner = s:controller(a)
	t:within(1, function() return c.To ~= nil end)
	t:eq(c.To, a:copy(target))
	target:Destroy()
	t:within(1, function() return c.To == nil end)
	t:run(0.2)
	t:eq(pointer.To, nil)
end)

scenario("R5.13 references in structs, arrays and fast arrays wait in the same way", function(t)
	local s, a = POINTER.start(t, {}, "a")
	local target, seen = s:spawn("Target"), s:spawn("Target", { Owner = s:controller(a) })
	local pointer, c = net.spawn(t, s, "Pointer", {}, a)
	pointer.S = { Who = target, N = 5 }
	pointer.Arr[1], pointer.Arr[2] = target, seen
	local k = pointer.Bag:Add { Who = target, N = 6 }
	t:run(0.5)
	t:eq({ c.S.Who, c.Arr[1] }, { nil, nil })
	t:eq(c.Arr[2], a:copy(seen))
	t:ne(c.Arr[2], nil)
	target.Owner = s:controller(a)
	t:within(1, function() return c.S.Who and c.Arr[1] and #c.Bag == 1 and c.Bag:Get(k).Who end)
	local ct = a:copy(target)
	t:eq({ c.S.Who, c.S.N, c.Arr[1], c.Arr[2] }, { ct, 5, ct, a:copy(seen) })
	t:eq({ c.Bag:Get(k).Who, c.Bag:Get(k).N }, { ct, 6 })
	target:Destroy()
	t:within(1, function() return c.S.Who == nil and c.Arr[1] == nil and c.Bag:Get(k).Who == nil end)
	t:eq(c.Arr[2], a:copy(seen))
end)

scenario("R5.13 for a waiting reference it stays the initial send, for no other variable", function(t)
	local s, a = POINTER.start(t, {}, "a")
	local target = s:spawn("Target")
	local pointer, c = net.spawn(t, s, "Pointer", { First = target, W = 1 }, a)
	t:run(0.5)
	t:eq({ c.First, c.W }, { nil, 1 })
	pointer.W = 2
	t:run(0.4)
	t:eq(c.W, 1, "the initial send of W is over")
	target.Owner = s:controller(a)
	t:within(1, function() return c.First ~= nil end)
	t:eq(c.First, a:copy(target))
	t:run(0.3)
	t:eq(c.W, 1)
end)

scenario("R5.13 the reference changes while it waits: the last one counts", function(t)
	local s, a = POINTER.start(t, {}, "a")
	local x, y = s:spawn("Target"), s:spawn("Target", { Owner = s:controller(a) })
	local pointer, c = net.spawn(t, s, "Pointer", { To = x }, a)
	t:run(0.3)
	pointer.To = y
	t:within(1, function() return c.To and c.To == a:copy(y) end)
	pointer.To = x
	t:within(1, function() return c.To == nil end)
	pointer.To = nil
	t:run(0.2)
	x.Owner = s:controller(a)
	copy(t, a, x)
	t:run(0.4)
	t:eq(c.To, nil, "x came, but nobody points to it any more")
end)

scenario("R5.13 a reference that was set to nil while its target was away stays nil when that comes back", function(t)
	local s, a = POINTER.start(t, {}, "a")
	local target = s:spawn("Target", { Owner = s:controller(a) })
	local pointer = s:spawn("Pointer", { To = target })
	pointer.S = { Who = target, N = 5 }
	pointer.Arr[1], pointer.Arr[3] = target, target
	local k = pointer.Bag:Add { Who = target, N = 6 }
	local c = copy(t, a, pointer)
	t:within(1, function() return c.To and c.S.Who and c.Arr[1] and c.Arr[3] and c.Bag:Get(k).Who end)
	target.Owner = nil
	t:within(1, function() return not a:copy(target) end)
	pointer.To, pointer.S, pointer.Arr[1] = nil, { N = 5 }, nil
	pointer.Bag:Set(k, { N = 6 })
	t:run(0.3)
	target.Owner = s:controller(a)
	t:within(1, function() return c.Arr[3] ~= nil end)
	t:run(0.3)
	t:eq({ c.To, c.S.Who, c.Arr[1], c.Bag:Get(k).Who }, { nil, nil, nil, nil })
	t:eq(c.Arr[3], a:copy(target), "what still refers to it is set again")
end)

scenario("R5.13 a target that is spawned after its pointer, in one tick", function(t)
	local s, a = POINTER.start(t, {}, "a")
	local list = {}
	for i = 1, 10 do
		list[i] = s:spawn("Pointer")
		list[i].To = s:spawn("Target", { Owner = s:controller(a) })
	end
	t:within(2, function()
		for _, pointer in ipairs(list) do
			local c = a:copy(pointer)
			if not c or not c.To or c.To ~= a:copy(pointer.To) then return false end
		end
		return true
	end)
end)

scenario("R5.13 an initial reference that waits follows what the server sets, until it is set", function(t)
	local s, a = POINTER.start(t, {}, "a")
	local x, y, z = s:spawn("Target"), s:spawn("Target", { Owner = s:controller(a) }), s:spawn("Target", { Owner = s:controller(a) })
	local pointer, c = net.spawn(t, s, "Pointer", { First = x }, a)
	t:run(0.5)
	t:eq(c.First, nil)
	pointer.First = y
	t:within(1, function() return c.First ~= nil end)
	t:eq(c.First, a:copy(y))
	t:run(0.3)
	pointer.First = z
	t:run(0.5)
	t:eq(c.First, a:copy(y), "its initial send is over")
end)

scenario("R5.13 a reference to what is not replicated stays nil", function(t)
	t:scripts(net.thing("Pointer", 'To = ref("Actor"), N = int(0)', '{ "To", "N" }'))
	local s, a = net.start(t, {}, "a")
	local pointer, c = net.spawn(t, s, "Pointer", { To = s:eval("return world.Game"), N = 3 }, a)
	t:within(1, function() return c.N == 3 end)
	t:run(0.3)
	t:eq(c.To, nil)
	t:ne(pointer.To, nil)
end)

scenario("R5.13 the owner of a player's pawn: his own controller to him, nil to others, who do not have it", function(t)
	local s, a, _, pawn, ca, cb = net.pawn(t, {}, "a", "b")
	t:within(1, function() return ca.Owner ~= nil end)
	t:eq(ca.Owner, a:controller())
	t:run(0.3)
	t:eq({ cb.Owner, pawn.Owner }, { nil, s:controller(a) })
end)

scenario("R5.13 a reference to an actor of the level is that of the client's level", function(t)
	t:scripts(net.thing("Pointer", 'To = ref("Mover")', '{ "To" }'))
	local s, a = net.start(t, { level = "steps" }, "a")
	local _, c = net.spawn(t, s, "Pointer", { To = s:actors("Mover")[1] }, a)
	t:within(1, function() return c.To ~= nil end)
	t:eq(c.To, a:actors("Mover")[1])
end)
