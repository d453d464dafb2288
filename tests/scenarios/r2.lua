-- Section 2 of the rules: roles; R2.4 is what one peer shows.

scenario("R2.4 standalone: every actor is Authority", function(t)
	local s = t:server{ mode = "standalone", level = "steps" }
	t:run(0.5)
	for _, a in ipairs(s:actors("Actor")) do
		t:eq(a.Role, ROLE_Authority, tostring(a))
		t:ok(a:HasAuthority(), tostring(a))
	end
end)

scenario("R2.4 standalone: every function runs, whatever it is declared as", function(t)
	t:scripts [[
		local Bell = class("Bell")
		Bell.properties { Count = int(0) }
		function Bell:Plain() self.Count = self.Count + 1 end
		function Bell.simulated:Sim() self.Count = self.Count + 10 end
		function Bell.server.reliable:ServerRing() self.Count = self.Count + 100 end
		function Bell.client.reliable:ClientRing() self.Count = self.Count + 1000 end
		function Bell.multicast.unreliable:AllRing() self.Count = self.Count + 10000 end
		function Bell.remote.reliable:RemoteRing() self.Count = self.Count + 100000 end
		Bell.params { ServerRing = {} }
	]]
	local s = t:server{ mode = "standalone" }
	local bell = s:spawn("Bell", { Owner = s:controller() })
	bell:Plain()
	bell:Sim()
	bell:ServerRing()
	bell:ClientRing()
	bell:AllRing()
	t:eq(bell.Count, 11111)
end)

scenario("R2.4 standalone: the player's controller and pawn are Authority and locally controlled", function(t)
	local s = t:server{ mode = "standalone" }
	t:eq({ s:controller().Role, s:pawn().Role }, { ROLE_Authority, ROLE_Authority })
	t:ok(s:pawn():IsLocallyControlled())
	t:eq({ s:pawn().Owner, s:pawn():GetOwningPlayer() }, { s:controller(), s:controller() })
end)
