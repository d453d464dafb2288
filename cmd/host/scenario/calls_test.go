package scenario_test

import (
	"testing"

	"github.com/tidelock/tidelock/cmd/host/scenario"
)

func TestCallsAcrossPeers(t *testing.T) {
	passes(t, chest+`
scenario("calls cross, are traced with their arguments and counted", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Chest", { Owner = s:controller(a) })
	local c = t:within(1, function() return a:copy(x) end)
	local n = #t:trace(a)
	x:ClientSay("hello")
	c:ServerOpen()
	t:within(0.2, function() return c.said == "hello" and x.Open end)
	local seen
	for i, e in ipairs(t:trace(a)) do
		if i > n and e.event == "called" then seen = { e.actor, e.class, e.name, e.value, e.args } end
	end
	t:eq(seen, { x, "Chest", "ClientSay", "hello", { "hello" } })
	local calls = t:traffic(a).by_function
	t:eq({ calls["Chest.ClientSay"].count, calls["Chest.ServerOpen"].received }, { 1, 1 })
end)

for_each({ "kick", "drop" }, function(validation)
	scenario("what a validator refuses: " .. validation, function(t)
		t:scripts(CHEST)
		local s = t:server{ config = { validation = validation } }
		local a = join(t, s, { name = "a" })
		local x = s:spawn("Chest", { Owner = s:controller(a) })
		local c = t:within(1, function() return a:copy(x) end)
		c:ServerTake(100)
		t:run(0.2)
		t:match(table.concat(s:log(), "\n"), "ServerTake.*refused by its validator")
		t:eq(x.taken, nil)
		if validation == "drop" then
			t:eq(a.error, nil)
			c:ServerTake(5)
			t:within(0.2, function() return x.taken == 5 end)
		else
			t:eq({ a.error_code, s:controller(a) }, { "validation" })
		end
	end)
end)
`, scenario.Options{})
}
