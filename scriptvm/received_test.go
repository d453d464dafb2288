package scriptvm

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
)

func TestReceived(t *testing.T) { // R6.7
	b, _ := newNetBench(t, engine.NMDedicatedServer, `
local Shop = class("Shop")
Shop.properties { Gold = int(10), Asked = int(0) }
function Shop.server:ServerBuy(price, how) self:Log("buy", price) self.Gold = self.Gold - price if how == "fail" then error("broken") end end
Shop.params { ServerBuy = { int(0), "" } }
function Shop.validate:ServerBuy(price, how)
	self:Log("judge", price)
	self.Asked = self.Asked + 1
	if how == "fault" then error("unjudgeable") end
	if how == "gone" then self:Destroy() return true end
	return price <= self.Gold
end
local Sale = class("Sale", "Shop")
function Sale:ServerBuy(price, _) self:Log("sale", price) end
Sale.state("Shut", { ignores = { "ServerBuy" } })
`)
	shop, sale, shut := b.spawn("Shop"), b.spawn("Sale"), b.spawn("Sale")
	shut.GotoState("Shut")
	for _, c := range []struct {
		a         *engine.Actor
		price     int
		how, peer string
		want      engine.Receipt
		log       string
	}{
		{shop, 3, "", "Ann", engine.Accepted, "judge 3, buy 3"},
		{shop, 8, "", "Ann", engine.Refused, "judge 8"},
		{shop, 8, "", "", engine.Accepted, "buy 8"}, // what the server calls is not judged
		{shop, 1, "fault", "Ann", engine.Faulted, "judge 1"},
		{shop, -5, "fail", "Ann", engine.Faulted, "judge -5, buy -5"},
		{sale, 2, "", "Ann", engine.Accepted, "judge 2, sale 2"}, // the override has its parent's validator
		{shut, 2, "", "Ann", engine.Accepted, ""},                // nor is what a state ignores an offence
		{sale, 1, "gone", "Ann", engine.Accepted, "judge 1"},
		{sale, 1, "", "Ann", engine.Accepted, ""}, // a call on what is gone is no offence
	} {
		if got := b.v.Received(c.a, c.a.Class.Functions["ServerBuy"], []engine.Value{engine.Int(c.price), engine.String(c.how)}, c.peer); got != c.want {
			t.Errorf("%+v is %v", c, got)
		}
		b.logged(c.log)
	}
	if asked, gold := b.get(shop, "Asked").Num, b.get(shop, "Gold").Num; asked != 3 || gold != -1 {
		t.Errorf("the writes of what failed stay: asked %g times, %g gold", asked, gold)
	}
	if want := `Shop:ServerBuy: scripts:9:25: unjudgeable (Shop_0, server, called by "Ann")`; len(b.reports) != 2 || b.reports[0].String() != want || b.reports[0].Peer != "Ann" {
		t.Errorf("reported %q, expected %q", b.errors(), want)
	}
	for range 3 * QuarantineFaults {
		for _, how := range []string{"fail", "fault"} {
			b.v.Received(shop, shop.Class.Functions["ServerBuy"], []engine.Value{engine.Int(0), engine.String(how)}, "Ann")
		}
	}
	if len(b.v.Quarantined()) != 0 {
		t.Errorf("a player quarantined %s", b.quarantined())
	}
}

func TestRelevant(t *testing.T) { // R3.11
	b := newBench(t, `
local Ghost = class("Ghost")
Ghost.properties { Answer = "", Seen = int(0), Who = ref("Actor") }
function Ghost:IsNetRelevantFor(viewer)
	self.Seen = self.Seen + 1
	if self.Answer == "fault" then error("no answer") end
	if self.Answer == "who" then return viewer == self.Who end
	if self.Answer == "super" then return Ghost.super.IsNetRelevantFor(self, viewer) end
	return self.Answer == "yes"
end
local Calm = class("Calm", "Ghost")
Calm.state("Still", { ignores = { "IsNetRelevantFor" } })
`)
	pc := b.spawn("PlayerController")
	ask := func(a *engine.Actor, relevant, asked bool) {
		t.Helper()
		if r, k := b.v.Relevant(a, pc); r != relevant || k != asked {
			t.Errorf("%s answers %v, asked %v; expected %v, %v", a, r, k, relevant, asked)
		}
	}
	calls := b.v.Stats().Calls
	ask(b.spawn("Pawn"), false, false)
	if got := b.v.Stats().Calls - calls; got != 0 {
		t.Errorf("%d calls for a class without an answer", got)
	}
	ghost := b.spawn("Ghost")
	ask(ghost, false, true)
	set := func(answer string) { b.set(ghost, "Answer", engine.String(answer)) }
	set("yes")
	ask(ghost, true, true)
	set("who")
	ask(ghost, false, true)
	b.set(ghost, "Who", engine.Ref(pc))
	ask(ghost, true, true)
	set("super")
	ask(ghost, false, false)
	if got := b.get(ghost, "Seen").Num; got != 0 {
		t.Errorf("being asked changed something: %g", got)
	}
	b.clean()
	set("fault")
	ask(ghost, false, false)
	if !strings.Contains(b.errors(), "Ghost:IsNetRelevantFor: scripts:6:33: no answer") {
		t.Error(b.errors())
	}
	calm := b.spawn("Calm")
	ask(calm, false, true)
	calm.GotoState("Still")
	ask(calm, false, false)
}

// What only a server can do is an error on a client, rather than nothing (R5.7).
func TestNetGroupsAreTheServers(t *testing.T) {
	b, _ := newNetBench(t, engine.NMClient, "")
	pc := b.copyOf("PlayerController", engine.RoleAutonomousProxy)
	b.fails("JoinNetGroup: groups of connections are the server's", pc, "JoinNetGroup", engine.String("spies"))
	b, _ = newNetBench(t, engine.NMDedicatedServer, "")
	pc = b.spawn("PlayerController")
	b.call(pc, "JoinNetGroup", engine.String("spies"))
	if got := pc.NetGroups(); len(got) != 1 || got[0] != "spies" {
		t.Error(got)
	}
	b.call(pc, "LeaveNetGroup", engine.String("spies"))
	if got := pc.NetGroups(); len(got) != 0 {
		t.Error(got)
	}
	b.clean()
}
