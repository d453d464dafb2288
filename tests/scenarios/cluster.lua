-- Messages between hosts (C4), on one host by itself: it hears what it says.

local RADIO = [[
	local Radio = class("Radio", "Actor")
	Radio.properties { Heard = str(""), From = "", Answer = str(""), Latent = "" }
	Radio.replication { { "Heard" } }
	Radio.defaults { bAlwaysRelevant = true }
	function Radio:BeginPlay()
		cluster:Subscribe("news", function(value, from) self.Heard, self.From = value.Text, from end)
		cluster:Subscribe("double", function(n) return n * 2 end)
	end
	function Radio:Say(text) cluster:Publish("news", { Text = text }) end
	function Radio:Ask(n)
		cluster:Request("double", n, function(value, err) self.Answer = tostring(value) .. " " .. tostring(err) end)
	end
	function Radio:AskNobody()
		cluster:Request("nobody", 1, function(value, err) self.Answer = tostring(value) .. " " .. tostring(err) end)
	end
	function Radio:Begin() self:GotoState("Asking") end
	Radio.state("Asking", {})
	function Radio.state.Asking:Code() self.Latent = tostring(cluster:Request("double", 21)) end
]]

scenario("cluster: what a host publishes comes between two ticks, also to itself (C4)", function(t)
	t:scripts(RADIO)
	local s = t:server {}
	local radio = s:spawn("Radio")
	local a = t:client {}
	local copy = t:within(5, function() return a:copy(radio) end)
	s:call(radio, "Say", "hello")
	t:eq(radio.Heard, "")
	t:within(0.2, function() return radio.Heard == "hello" end)
	t:ne(radio.From, "")
	t:within(1, function() return copy.Heard == "hello" end)
end)

scenario("cluster: a request is answered, or told that nobody does (C4)", function(t)
	t:scripts(RADIO)
	local s = t:server {}
	local radio = s:spawn("Radio")
	s:call(radio, "Ask", 4)
	t:within(0.2, function() return radio.Answer == "8 nil" end)
	s:call(radio, "Begin")
	t:within(0.5, function() return radio.Latent == "42" end)
	s:call(radio, "AskNobody")
	t:run(4.9)
	t:eq(radio.Answer, "8 nil")
	t:within(0.5, function() return radio.Answer:match("no host answered in time") end)
end)

scenario("cluster: who listens is forgotten with its actor, and with its level (C4)", function(t)
	t:scripts(RADIO)
	local s = t:server {}
	local radio, other = s:spawn("Radio"), s:spawn("Radio")
	s:call(radio, "Destroy")
	s:call(other, "Say", "one")
	t:within(0.2, function() return other.Heard == "one" end)
	s:eval('world:Travel("?tier=2")')
	t:within(2, function() return #s:actors("Radio") == 0 end)
	local third = s:spawn("Radio")
	s:call(third, "Say", "two")
	t:within(0.2, function() return third.Heard == "two" end)
end)
