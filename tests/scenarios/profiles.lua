-- Profiles of players: persistent variables (C2).

local BANK = [[
	local Player = class("BankPlayer", "PlayerState")
	Player.persistent { Gold = int(5, { min = 0 }), Title = str("", { max = 20 }), Best = array(float(0), 3), Kind = enum("New", "Old") }
	Player.replication { { "Gold", "Title" } }
	function Player:Lap(seconds) self.Best[2] = seconds end
	local Bank = class("Bank", "GameInfo")
	Bank.defaults { PlayerStateClass = "BankPlayer" }
	Bank.properties { Came = "" }
	function Bank:PostLogin(pc)
		Bank.super.PostLogin(self, pc)
		local player = pc.PlayerReplicationInfo
		self.Came = ("%s %d %s %.1f %s"):format(player.PlayerName, player.Gold, player.Title, player.Best[2], player.Kind)
	end
	function Bank:Logout(pc)
		pc.PlayerReplicationInfo.Gold = pc.PlayerReplicationInfo.Gold + 1 -- a bonus for leaving
		Bank.super.Logout(self, pc)
	end
]]

local function join(t, s, name)
	local c = t:client { name = name }
	t:within(5, function() return s:controller(c) end)
	return c, s:controller(c).PlayerReplicationInfo
end

scenario("profile: it is there before PostLogin, the next day, and for nobody else (C2)", function(t)
	t:scripts(BANK)
	local s = t:server { game = "Bank" }
	local ann, player = join(t, s, "Ann")
	t:eq(s:actors("Bank")[1].Came, "Ann 5  0.0 New")
	player.Gold, player.Title, player.Kind = 70, "Admiral", "Old"
	s:call(player, "Lap", 1.5)
	t:within(2, function() return ann:copy(player) and ann:copy(player).Title == "Admiral" end)
	local _, other = join(t, s, "Bob")
	t:eq(other.Gold, 5)
	ann:leave()
	t:within(5, function() return not s:controller(ann) end)
	t:run(0.5)
	ann:join()
	t:within(5, function() return s:controller(ann) end)
	t:eq(s:actors("Bank")[1].Came, "Ann 71 Admiral 1.5 Old")
	t:restart()
	t:within(2, function() return ann.error_code == "restart" end)
	ann:join()
	t:within(5, function() return s:controller(ann) end)
	t:eq(s:actors("Bank")[1].Came, "Ann 72 Admiral 1.5 Old")
end)

scenario("profile: a player waits for it while the store is slow, and is told why if it does not come (C2)", function(t)
	t:scripts(BANK)
	local s = t:server { game = "Bank" }
	t:store { delay = 4 }
	local ann = t:client { name = "Ann" }
	t:run(6)
	t:no(s:controller(ann))
	t:within(4, function() return s:controller(ann) end)
	t:store { down = "the disk is gone" }
	local bob = t:client { name = "Bob" }
	t:run(40)
	t:no(s:controller(bob))
	t:within(20, function() return bob.error_code == "profile" end)
	t:match(bob.error, "profiles cannot be read now: the disk is gone")
	t:store {}
	bob:join()
	t:within(5, function() return s:controller(bob) end)
end)

scenario("profile: it goes along to another level, and what a reload declares anew is kept, too (C2)", function(t)
	t:scripts(BANK)
	local s = t:server { game = "Bank" }
	local ann, player = join(t, s, "Ann")
	player.Gold = 30
	s:eval('world:Travel("?game=Bank")')
	t:within(10, function() return not player.alive and s:controller(ann) end)
	t:match(s:actors("Bank")[1].Came, "^Ann 30 ")
	t:reload(BANK:gsub("Gold = int%(5", "Silver = int(9), Gold = int(5"))
	player = s:controller(ann).PlayerReplicationInfo
	t:eq({ player.Gold, player.Silver }, { 30, 9 })
	player.Silver = 10
	t:restart()
	t:within(2, function() return ann.error_code == "restart" end)
	ann:join()
	t:within(5, function() return s:controller(ann) end)
	t:eq(s:controller(ann).PlayerReplicationInfo.Silver, 10)
end)

scenario("profile: what it cannot keep is an error when scripts load (C2)", function(t)
	t:scripts [[
		local Player = class("BankPlayer", "PlayerState")
		Player.persistent { Friend = ref("Pawn"), Bag = array(struct { Who = classref("Pawn") }, 2), Gold = int(0),
			Items = fastarray(struct { From = ref("Pawn") }), Things = fastarray(struct { N = int(0) }) }
	]]
	t:error(function() t:server {} end, "Friend is ref%(Pawn%); a profile keeps numbers.*Bag is array.*Items is fastarray%(struct{From = ref%(Pawn%)}%)")
end)

local TRADE = [[
	local Trade = class("Trade", "Bank")
	Trade.properties { Said = "", Answers = int(0) }
	local function pay(a, b, gold)
		b.Gold = b.Gold + gold
		if a.Gold < gold then return false end
		if gold == 2 then error("not two") end
		a.Gold = a.Gold - gold
	end
	function Trade:Pay(a, b, gold)
		Profile.Transact({ a, b }, function(x, y) return pay(x, y, gold) end, function(ok, err)
			self.Answers = self.Answers + 1
			self.Said = tostring(ok) .. " " .. tostring(err)
		end)
	end
	function Trade:Slips(a, b) -- pays, and fails after it
		Profile.Transact({ a, b }, function(x, y) pay(x, y, 1) end, function() end)
		error("slipped")
	end
]]

scenario("profile: what two players trade is kept for both or for none (C2)", function(t)
	t:scripts(BANK .. TRADE)
	local s = t:server { game = "Trade" }
	local game = s:actors("Trade")[1]
	local ann, a = join(t, s, "Ann")
	local bob, b = join(t, s, "Bob")
	s:call(game, "Pay", a, b, 3)
	t:eq({ a.Gold, b.Gold, game.Answers }, { 2, 8, 0 })
	t:within(1, function() return game.Answers == 1 end)
	t:eq(game.Said, "true nil")
	s:call(game, "Pay", a, b, 3)
	t:within(1, function() return game.Answers == 2 end)
	t:eq(game.Said, "false nil")
	t:expect_error("not two")
	s:call(game, "Pay", a, b, 2)
	t:within(1, function() return game.Answers == 3 end)
	t:match(game.Said, "nothing was changed")
	t:eq({ a.Gold + b.Gold, a.Gold }, { 10, 2 })
	t:expect_error("slipped")
	s:call(game, "Slips", a, b)
	t:eq(a.Gold, 2)
	t:run(1)
	t:eq(a.Gold, 2)
	ann:leave()
	bob:leave()
	t:run(1)
	ann:join()
	t:within(5, function() return s:controller(ann) end)
	t:eq(s:controller(ann).PlayerReplicationInfo.Gold, 3) -- with the bonus for leaving
	bob:join()
	t:within(5, function() return s:controller(bob) end)
	t:eq(s:controller(bob).PlayerReplicationInfo.Gold, 9)
end)

local BAGS = [[
	local Player = class("BagPlayer", "PlayerState")
	Player.persistent { Items = fastarray(struct { Kind = str("", { max = 20 }), Count = int(1, { min = 0 }) }), Equipped = int(0) }
	Player.replication { { "Items", "Equipped" } }
	Player.properties { Told = str("", { max = 900 }), Said = str("") }
	function Player:OnAdd_Items(key, item) self.Told = self.Told .. ("+%d%s%d "):format(key, item.Kind, item.Count) end
	function Player:OnChange_Items(key, item) self.Told = self.Told .. ("=%d%s%d "):format(key, item.Kind, item.Count) end
	function Player:OnRemove_Items(key) self.Told = self.Told .. ("-%d "):format(key) end
	function Player:Put(kind, count) return self.Items:Add{ Kind = kind, Count = count } end
	function Player:Amount(key, count) self.Items:Set(key, { Kind = self.Items:Get(key).Kind, Count = count }) end
	function Player:Drop(key) self.Items:Remove(key) end
	function Player:All()
		local list = {}
		for key, item in self.Items:Pairs() do list[#list + 1] = ("%d%s%d"):format(key, item.Kind, item.Count) end
		return table.concat(list, " ")
	end
	local Bags = class("Bags", "DeathMatch")
	Bags.defaults { PlayerStateClass = "BagPlayer", MinPlayers = 1 }
	function Bags:Give(a, b, key, how)
		Profile.Transact({ a, b }, function(x, y)
			local item = x.Items:Get(key)
			y.Items:Add(item)
			x.Items:Remove(key)
			if how == "no" then return false end
			if how == "fails" then error("it fails") end
		end, function(ok, err) a.Said = tostring(ok) .. " " .. tostring(err) end)
	end
	function Bags:Go(target)
		for _, pc in ipairs(self:ActorsOf("PlayerController")) do pc:Teleport(target, {}, function() end) end
	end
]]

scenario("profile: items of a fast array are there after a restart and on another host, with their keys (C2, C6)", function(t)
	t:scripts(BAGS)
	local s = t:server { game = "Bags" }
	local b = t:host { name = "b", game = "Bags" }
	local ann, player = join(t, s, "Ann")
	for i, kind in ipairs { "sword", "rope", "key", "lamp" } do s:call(player, "Put", kind, i) end
	s:call(player, "Drop", 1)
	s:call(player, "Drop", 4)
	player.Equipped = 3
	t:within(2, function() return ann:copy(player) and ann:copy(player).Told:match("rope2 ") end)
	t:run(0.5)
	t:restart()
	t:within(2, function() return ann.error_code == "restart" end)
	t:run(1)
	ann:join()
	t:within(5, function() return s:controller(ann) end)
	player = s:controller(ann).PlayerReplicationInfo
	t:eq({ s:call(player, "All"), player.Equipped, s:call(player, "Put", "coin", 9) }, { "2rope2 3key3", 3, 5 })
	t:within(2, function() return ann:copy(player) and ann:copy(player).Told == "+2rope2 +3key3 +5coin9 " end)
	s:call(player, "Drop", 5)
	t:within(2, function() return ann:copy(player).Told:match("%-5 $") end)
	s:call(s:actors("Bags")[1], "Go", "b")
	t:within(8, function() return b:controller(ann) end)
	player = b:controller(ann).PlayerReplicationInfo
	t:eq(b:call(player, "All"), "2rope2 3key3")
	t:within(2, function() return ann:copy(player) and ann:copy(player).Told == "+2rope2 +3key3 " end)
	t:eq(b:call(player, "Put", "coin", 1), 6)
end)

scenario("profile: an item that moves from one player to another is with one of them, whatever fails (C2)", function(t)
	t:scripts(BAGS)
	local s = t:server { game = "Bags" }
	local game = s:actors("Bags")[1]
	local ann, a = join(t, s, "Ann")
	local bob, b = join(t, s, "Bob")
	s:call(a, "Put", "sword", 1)
	s:call(a, "Put", "rope", 2)
	s:call(b, "Put", "lamp", 3)
	local function both() return s:call(a, "All") .. " | " .. s:call(b, "All") end
	local function told(p) return (ann:copy(p).Told .. "| " .. bob:copy(p).Told) end
	t:within(2, function() return ann:copy(b) and bob:copy(a) and told(b) == "+1lamp3 | +1lamp3 " and told(a) == "+1sword1 +2rope2 | +1sword1 +2rope2 " end)
	for _, how in ipairs { "no", "fails" } do
		if how == "fails" then t:expect_error("it fails") end
		s:call(game, "Give", a, b, 1, how)
		t:eq(both(), "1sword1 2rope2 | 1lamp3")
		t:run(0.5)
		t:match(a.Said, how == "no" and "^false nil" or "nothing was changed")
		t:eq(both(), "1sword1 2rope2 | 1lamp3")
	end
	t:eq({ told(a), told(b) }, { "+1sword1 +2rope2 | +1sword1 +2rope2 ", "+1lamp3 | +1lamp3 " })
	s:call(game, "Give", a, b, 1, "")
	t:eq(both(), "2rope2 | 1lamp3 2sword1")
	t:within(2, function() return a.Said == "true nil" end)
	t:within(2, function() return told(b) == "+1lamp3 +2sword1 | +1lamp3 +2sword1 " and told(a):match("%-1 $") end)
	t:restart()
	t:within(2, function() return ann.error_code == "restart" and bob.error_code == "restart" end)
	ann:join()
	bob:join()
	t:within(5, function() return s:controller(ann) and s:controller(bob) end)
	a, b = s:controller(ann).PlayerReplicationInfo, s:controller(bob).PlayerReplicationInfo
	t:eq(both(), "2rope2 | 1lamp3 2sword1")
end)

scenario("profile: an item that does not fit into a profile stays where it was (C2)", function(t)
	t:scripts((BAGS:gsub("max = 20", "max = 999")))
	local s = t:server { game = "Bags" }
	local game = s:actors("Bags")[1]
	local ann, a = join(t, s, "Ann")
	local bob, b = join(t, s, "Bob")
	local long = ("x"):rep(999)
	for _ = 1, 3 do s:call(a, "Put", long, 1) end
	for _ = 1, 63 do s:call(b, "Put", long, 1) end
	s:call(game, "Give", a, b, 1, "")
	t:within(2, function() return a.Said == "true nil" end)
	s:call(game, "Give", a, b, 2, "")
	t:within(2, function() return a.Said:match("^nil .*cannot be stored: a value of %d+ bytes is too large.*nothing was changed") or a.Said:match("^false .*nothing was changed") end)
	t:eq({ #a.Items, #b.Items }, { 2, 64 })
	t:eq(s:call(a, "All"):match("^%d"), "2")
	ann:leave()
	bob:leave()
	t:run(1)
	bob:join()
	t:within(5, function() return s:controller(bob) end)
	t:eq(#s:controller(bob).PlayerReplicationInfo.Items, 64)
end)

scenario("profile: a reload that changes what an item is, or leaves a variable out for a while, loses nothing (C2)", function(t)
	t:scripts(BAGS)
	local s = t:server { game = "Bags" }
	local ann, player = join(t, s, "Ann")
	for i, kind in ipairs { "sword", "rope", "key" } do s:call(player, "Put", kind, i) end
	s:call(player, "Drop", 1)
	player.Equipped = 3
	t:within(2, function() return ann:copy(player) and ann:copy(player):All() == "2rope2 3key3" end)

	-- Another member.
	t:reload((BAGS:gsub("Count = int%(1, { min = 0 }%) }", "Count = int(1, { min = 0 }), Worn = false }")))
	t:eq(player:All(), "2rope2 3key3")
	t:within(2, function() return ann:copy(player):All() == "2rope2 3key3" end)
	t:eq(s:call(player, "Put", "hat", 9), 4) -- the key 1 is not given again

	-- A variable that is out for a while, and one of another type.
	t:reload((BAGS:gsub(", Equipped = int%(0%) }", " }"):gsub(', "Equipped" } }', " } }")))
	t:run(1)
	t:reload((BAGS:gsub("Equipped = int%(0%)", "Equipped = float(0)")))
	t:eq({ player.Equipped, player:All() }, { 3, "2rope2 3key3 4hat9" })
	t:within(2, function() return ann:copy(player).Equipped == 3 and ann:copy(player):All() == "2rope2 3key3 4hat9" end)

	-- And so it is stored.
	t:restart()
	t:within(2, function() return ann.error_code == "restart" end)
	ann:join()
	t:within(5, function() return s:controller(ann) end)
	local again = s:controller(ann).PlayerReplicationInfo
	t:eq({ again.Equipped, again:All() }, { 3, "2rope2 3key3 4hat9" })
end)
