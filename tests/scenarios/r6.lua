-- Section 6 of the rules: functions; the rows of R6.3 that a server without clients shows.

local CALLS = [[
	local Bell = class("Bell")
	Bell.properties { Rang = "" }
	function Bell:Plain() self.Rang = self.Rang .. "p" end
	function Bell.server:ServerRing() self.Rang = self.Rang .. "s" end
	function Bell.client:ClientRing() self.Rang = self.Rang .. "c" end
	function Bell.multicast:AllRing() self.Rang = self.Rang .. "m" end
	function Bell.remote:RemoteRing() self.Rang = self.Rang .. "r" end
	Bell.params { ServerRing = {} }
]]

for_each({ "dedicated", "listen" }, function(mode)
	scenario("R6.3 called on a " .. mode .. " server, owned by nobody: runs on the server", function(t)
		t:scripts(CALLS)
		local s = t:server{ mode = mode }
		local bell = s:spawn("Bell")
		bell:Plain()
		bell:ServerRing()
		bell:ClientRing()
		bell:AllRing()
		bell:RemoteRing()
		t:eq(bell.Rang, "pscmr")
	end)
end)

scenario("R6.3 called on the server, owned by an actor of the server: runs on the server", function(t)
	t:scripts(CALLS)
	local s = t:server{}
	local bell = s:spawn("Bell", { Owner = s:spawn("Character") })
	bell:ServerRing()
	bell:ClientRing()
	bell:AllRing()
	t:eq(bell.Rang, "scm")
end)
