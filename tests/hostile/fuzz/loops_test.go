package fuzz

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/assets/assetstest"
	"github.com/tidelock/tidelock/cmd/host/cputime"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

var loops = flag.Bool("loops", false, "print what a unit of cost takes in a loop of each native")

// dear are calls that make natives work as hard as a script can, by name.
var dear = []string{
	"world:Trace(vector(-9000, -9000, 100), vector(9000, 9000, 100))", "world:Trace(vector(-9000, -9000, 100), vector(9000, 9000, 300), { radius = 500, height = 200 })", "self:Trace(self.Location, vector(1e300, 1e300, 0))",
	"world:FastTrace(vector(-9000, -9000, 100), vector(9000, 9000, 100))", "self:VisibleFrom(vector(9000, 9000, 100))", `self:ActorsOf("Actor")`, `self:ActorsOf("Mover")`, `world:ActorsOf("PlayerStart")`,
	`self:ActorsInRadius("Actor", 1e9)`, `self:ActorsInRadius("Mover", 1e9)`, `self:ActorsInSight("Actor", 1e9, self.Location, self.Rotation, -1, 64)`, "self:HurtRadius(0, 1e9)", "self:MakeNoise(1e9)",
	`world:ActorByName("nobody")`, "world:FindPath(vector(-3000, -3000, 100), vector(3000, 3000, 100))", "world:FindPath(vector(-3000, -3000, 100), vector(3000, 3000, 100), true)", "world:FindPath(vector(-3000, -3000, 100), vector(3000, 3000, 100), false, true)",
	"world:NearestNode(vector(9e5, 9e5, 9e5))", "world:RandomReachable(self.Location)", "world:Reachable(self.Location, vector(3000, 3000, 100))", "world:JumpVelocity(self.Location, vector(3000, 3000, 100))",
	"self:TraceShot(vector(-9000, -9000, 100), vector(9000, 9000, 100))", "self:SetLocation(vector(math.random(-3000, 3000), math.random(-3000, 3000), 100))", "self:Move(vector(2000, 1000, 0))", "self:Move(vector(2e6, 2e6, 0))",
	"self.Location = vector(math.random(-3000, 3000), 0, 100)", "self:SetCollisionSize(10000, 10000)", "self:SetCollision(true, true, true)", "self:AutonomousPhysics(1)", `self:Spawn("Actor"):Destroy()`, `self:Spawn("Fuzz"):Destroy()`,
	`self:PlaySound("sounds/boom.toml")`, "self:SetOwner(S.other)", `self:SetTimer(1, true, "Timer")`, "self:SaveMove()", "S.big = string.rep('x', 32768)", "S.big = S.huge .. ''",
	"S.big = S.huge:sub(1, 32767)", "string.find(S.huge, '.-.-.-.-.-b')", "string.find(S.huge, 'y')", "string.gsub(S.huge, 'x', 'y')", "string.gsub(S.huge, '.-.-.-.-.-b', {})", "string.format('%s', S.huge)", "string.byte(S.huge, 1, 250)", "string.upper(S.huge)", "string.reverse(S.huge)",
	"table.concat(S.wide)", "table.sort(S.wide)", "table.sort(S.wide, log)", "table.sort(S.wide, function(a, b) return a > b end)", "table.sort(S.sparse, log)", "table.insert({}, 1)", "table.remove(S.wide, 1)", "unpack(S.wide, 1, 250)", "tostring(self)", "tostring(S.wide)", "tostring(1.5)", "local a = S.huge < S.huge .. ''",
	"local a = S.huge == S.huge2", "next(S.wide)", "for v in coroutine.wrap(function() coroutine.yield(1) end) do end", "pcall(error)", "pcall(self.SetLocation, self, 5)", "pcall(self.SetLocation, self, vector(0/0, 0, 0))", `pcall(self.Spawn, self, "Nothin")`, "pcall(function() self:SetLocation(5) end)",
	"pcall(string.rep)", "log()", "local a = self.V + self.V", "local a = vector(1, 2, 3)", "local a = self.V * 2", "local a = self.Location:Size()", "local a = {}", "local a = { 1, 2, 3, x = 1 }", "local a = function() end", "self.N = 1", "self.V = vector(1, 2, 3)", "local a = self.F", "self.F:Remove(self.F:Add({ N = 1 }))",
	"world:RecentSounds()", "world:RecentMessages()", "world:CleanText(S.huge)", "S.pc:ShowMessage(S.huge)", `self:PlayTimeline("a", { Length = 1, Curves = { Height = { { 0, 0 }, { 1, 1 } } } })`, "self:GetMoveParts()",
	"S.box:AddImpulse(vector(1, 0, 0))", "S.box:SetLocation(vector(math.random(-300, 300), 0, 300))", `self:GotoState("Walking") self:GotoState("")`, "S.box:SetWheels({})", "local a = math.sin(1)", "local a = world.TimeSeconds", "local a = self.Role", "local a = S.other.Location", "local a = #S.sparse", "local a = self == S.other",
	"S.ai:NoteCorrection(S.huge, 1, 2, { x = S.huge })", "S.pc:JoinNetGroup(S.huge)", "world:SyncPhase(0, 0.1, S.names)", "self:SetBase(S.box)", "S.ai:Possess(self)", "rawset({}, 1, 1)", "setmetatable({}, {})", "local a = S.deep[1][1][1]", "string.gmatch(S.huge, 'x*y')()", "string.rep(S.long, 32)",
}

// TestLoopsEndByBudget: a loop of any native, with arguments that make it work as hard as a script can, is ended by the budget.
// With -loops it prints what a unit of cost takes in each, which is about 20 ns for a loop of instructions; it is not judged,
// since machines differ and are busy.
func TestLoopsEndByBudget(t *testing.T) {
	a, sources := assetstest.Open(t, assets.Options{Root: "../../.."})
	text := strings.Replace(driver, "local P, C\n", "local P, C = {}, {}\n", 1)
	var b strings.Builder
	b.WriteString(text)
	lines := append([]string{"local a = 1"}, dear...)
	b.WriteString("function Fuzz:Ways() world:NearestNode(vector(0, 0, 0)) end\n")
	for i, l := range lines {
		fmt.Fprintf(&b, "function Fuzz:Loop%d() while true do %s end end\n", i, l)
	}
	sources = append(sources, classfile.Source{Path: "fuzz", Text: b.String(), Multi: true})
	const limit = 100_000
	m, err := match.Open(match.Options{
		Sources: sources, Content: a.Content(), URL: "estuary?game=GameInfo", NetMode: engine.NMListenServer, Seed: 1,
		VM: scriptvm.Options{Log: func(*engine.Actor, string) {}, Report: func(scriptvm.Report) {}, Limits: sandbox.Limits{Instructions: limit}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	spawn := func(class string, at geom.Vector) *engine.Actor {
		x, err := m.World.Spawn(m.World.Classes.Find(class), engine.SpawnParams{Location: at})
		if err != nil || x == nil {
			t.Fatal(x, err)
		}
		return x
	}
	for i := range 1000 { // a crowd to look for
		spawn("PlayerStart", geom.V(float64(i%32)*150-2400, float64(i/32)*150-2400, 120))
	}
	self := spawn("Fuzz", geom.V(0, 0, 300))
	if _, err := m.VM.Call(self, "Prepare"); err != nil { // and what natives make only once
		t.Fatal(err)
	}
	for range 2 {
		_, _ = m.VM.Call(self, "Loop0")
		_, _ = m.VM.Call(self, "Ways")
	}
	clock := cputime.New()
	type cost struct {
		line    string
		perUnit float64
		units   int64
	}
	var table []cost
	for i, l := range lines {
		if self.Deleted() {
			self = spawn("Fuzz", geom.V(0, 0, 300))
		}
		if _, err := m.VM.Call(self, "Prepare"); err != nil {
			t.Fatal(err)
		}
		before, units := clock(), m.VM.Spent()
		_, err := m.VM.Call(self, fmt.Sprintf("Loop%d", i))
		// What makes actors may make so many in a tick (G9), and that comes sooner.
		if err == nil || !strings.Contains(err.Error(), sandbox.ErrInstructions.Error()) && (!strings.Contains(l, "Spawn") || !strings.Contains(err.Error(), "(G9)")) {
			t.Errorf("%s: ended by %v, expected the budget to end it", l, err)
			continue
		}
		units = m.VM.Spent() - units
		table = append(table, cost{l, float64(clock()-before) / float64(units), units})
	}
	if !*loops {
		return
	}
	slices.SortFunc(table, func(a, b cost) int { return cmp.Compare(b.perUnit, a.perUnit) })
	for _, c := range table {
		t.Logf("%7.1f ns a unit: %s", c.perUnit, c.line)
	}
}
