package scriptvm

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// What comes from the other end: calls, notifies, questions of relevancy.

const judgedClasses = `
local Shop = class("Shop")
Shop.properties { Gold = int(10), Asked = int(0) }
function Shop.server:ServerBuy(price, how) self:Log("buy", price, how) self.Gold = self.Gold - price if how == "fail" then error("broken") end end
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
`

func TestReceived(t *testing.T) { // R6.7
	b, _ := newNetBench(t, engine.NMDedicatedServer, judgedClasses)
	shop := b.spawn("Shop")
	f := shop.Class.Functions["ServerBuy"]
	received := func(a *engine.Actor, price int, how, peer string) engine.Receipt {
		return b.v.Received(a, f, []engine.Value{engine.Int(price), engine.String(how)}, peer)
	}
	if received(shop, 3, "well", "Ann") != engine.Accepted {
		t.Error("an honest call was refused")
	}
	b.logged("judge 3, buy 3 well")
	if received(shop, 8, "well", "Ann") != engine.Refused {
		t.Error("a call that the validator refuses was let through")
	}
	b.logged("judge 8")
	if received(shop, 8, "well", "") != engine.Accepted {
		t.Error("a call of the server's was judged")
	}
	b.logged("buy 8 well")
	b.clean()
	if received(shop, 1, "fault", "Ann") != engine.Faulted {
		t.Error("a call whose validator fails was let through, or is an offence")
	}
	b.logged("judge 1")
	if got := b.get(shop, "Asked").Num; got != 2 {
		t.Errorf("the writes of a validator that failed stay: %g", got)
	}
	if want := `Shop:ServerBuy: scripts:9:25: unjudgeable (Shop_0, server, called by "Ann")`; b.errors() != want {
		t.Errorf("reported %q, expected %q", b.errors(), want)
	}
	if b.reports[0].Peer != "Ann" {
		t.Errorf("peer %q", b.reports[0].Peer)
	}
	b.reports = nil

	if received(shop, -5, "fail", "Ann") != engine.Faulted {
		t.Error("a call that fails is an offence, or counts as if it had run")
	}
	b.logged("judge -5, buy -5 fail")
	b.reports = nil

	sale := b.spawn("Sale")
	if b.v.Received(sale, sale.Class.Functions["ServerBuy"], []engine.Value{engine.Int(2), engine.String("")}, "Ann") != engine.Accepted {
		t.Error("refused")
	}
	b.logged("judge 2, sale 2") // the override has its parent's validator
	if received(sale, 1, "gone", "Ann") != engine.Accepted || !sale.Deleted() {
		t.Error("refused")
	}
	b.logged("judge 1")
	if received(sale, 1, "", "Ann") != engine.Accepted {
		t.Error("a call on what is gone is no offence")
	}
	b.logged("")
	b.clean()
}

// No player can quarantine a class by what they send; the engine's own calls still do.
func TestFaultsOfPeersQuarantineNothing(t *testing.T) {
	b, _ := newNetBench(t, engine.NMDedicatedServer, judgedClasses)
	shop := b.spawn("Shop")
	f := shop.Class.Functions["ServerBuy"]
	for range 3 * QuarantineFaults {
		b.v.Received(shop, f, []engine.Value{engine.Int(0), engine.String("fail")}, "Ann")
		b.v.Received(shop, f, []engine.Value{engine.Int(0), engine.String("fault")}, "Ann")
	}
	if q := b.v.Quarantined(); len(q) != 0 {
		t.Error("quarantined", q)
	}
	if got := b.get(shop, "Gold").Num; got != 10 {
		t.Errorf("writes of faulting calls stay: %g", got)
	}
	for range QuarantineFaults {
		b.v.Received(shop, f, []engine.Value{engine.Int(0), engine.String("fail")}, "")
	}
	if q := b.v.Quarantined(); len(q) != 1 {
		t.Error("not quarantined", q)
	}
	b.logs = nil
	if b.v.Received(shop, f, []engine.Value{engine.Int(0), engine.String("")}, "Ann") != engine.Accepted {
		t.Error("a call of a quarantined function is an offence")
	}
	b.logged("judge 0") // and runs nothing
}

// What arrives runs whatever the role: R7.1 is about what the engine calls.
func TestReceivedRunsOnProxies(t *testing.T) {
	b, _ := newNetBench(t, engine.NMClient, gunClasses)
	gun := b.copyOf("Gun", engine.RoleSimulatedProxy)
	b.v.Received(gun, gun.Class.Functions["AllFlash"], []engine.Value{engine.Vec(geom.V(1, 2, 3))}, "")
	b.logged("flash vector(1, 2, 3)")
	f := gun.Class.Functions["ServerKit"]
	kit := engine.Value{Kind: engine.KindStruct, List: []engine.Value{engine.Int(4), engine.Vec(geom.V(0, 0, 1))}}
	list := engine.Value{Kind: engine.KindArray, List: []engine.Value{engine.Int(5), engine.Int(6)}}
	b.v.Received(gun, f, []engine.Value{kit, list, engine.ClassName("Gun"), engine.Enum("On")}, "")
	b.logged("4 vector(0, 0, 1) 2 6 class Gun On")
	b.clean()
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
	set := func(answer string) {
		if err := ghost.Set(ghost.Class.Property("Answer"), engine.String(answer)); err != nil {
			t.Fatal(err)
		}
		b.v.Changed(ghost, ghost.Class.Property("Answer"))
	}
	set("yes")
	ask(ghost, true, true)
	set("who")
	ask(ghost, false, true)
	ghost.SetRef(ghost.Class.Property("Who"), pc)
	b.v.Changed(ghost, ghost.Class.Property("Who"))
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

func TestNotify(t *testing.T) { // R5.14
	b, _ := newNetBench(t, engine.NMClient, `
local Box = class("Box")
Box.properties { Gold = int(0), Kit = struct { Kind = int(1) }, Items = fastarray(struct { Kind = int(0) }) }
Box.replication { { "Gold", "Kit", "Items", notify = true } }
function Box:OnRep_Gold(old) self:Log("gold", old, self.Gold) end
function Box:OnRep_Kit(old) self:Log("kit", old.Kind) end
function Box:OnRep_Items(old) self:Log("items", old) end
function Box:OnAdd_Items(key, item) self:Log("add", key, item.Kind) end
function Box:OnRemove_Items(key, item) self:Log("remove", key, item.Kind) end

local Lid = class("Lid", "ActorComponent")
Lid.properties { bOpen = false }
Lid.replication { { "bOpen", notify = true } }
function Lid:OnRep_bOpen(old) self:Log("open", old) end
local Chest = class("Chest", "Box")
Chest.components { Lid = "Lid" }
function Chest:ReplicatedEvent(name, old) self:Log(name) Chest.super.ReplicatedEvent(self, name, old) end
Chest.state("Deaf", { ignores = { "ReplicatedEvent", "OnAdd_Items" } })
`)
	for _, role := range []engine.Role{engine.RoleSimulatedProxy, engine.RoleAutonomousProxy} {
		a := b.copyOf("Box", role)
		b.v.Notify(a, a.Class.Property("Gold"), engine.Int(3))
		b.v.Notify(a, a.Class.Property("Kit"), engine.Value{Kind: engine.KindStruct, List: []engine.Value{engine.Int(7)}})
		b.v.Notify(a, a.Class.Property("Items"), engine.Value{})
		b.logged("gold 3 0, kit 7, items nil")
		item := engine.Value{Kind: engine.KindStruct, List: []engine.Value{engine.Int(8)}}
		b.v.FastEvent(a, a.Class.Property("Items"), engine.FastAdded, 5, item)
		b.v.FastEvent(a, a.Class.Property("Items"), engine.FastChanged, 5, item) // nobody listens
		b.v.FastEvent(a, a.Class.Property("Items"), engine.FastRemoved, 5, item)
		b.logged("add 5 8, remove 5 8")
	}
	chest := b.copyOf("Chest", engine.RoleSimulatedProxy)
	b.v.Notify(chest, chest.Class.Property("Gold"), engine.Int(0))
	lid := chest.Components[0]
	b.v.Notify(lid, lid.Class.Property("bOpen"), engine.Bool(true))
	b.logged("Gold, gold 0 0, open true")
	chest.SetRoles(engine.RoleAutonomousProxy, engine.RoleAuthority)
	chest.GotoState("Deaf")
	b.v.Notify(chest, chest.Class.Property("Gold"), engine.Int(0))
	b.v.FastEvent(chest, chest.Class.Property("Items"), engine.FastAdded, 5, engine.Value{})
	b.logged("")
	b.clean()
}
