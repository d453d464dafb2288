package scriptvm

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/tests/tier"
)

// of counts the lines that contain a text.
func of(lines []string, text string) (n int) {
	for _, l := range lines {
		if strings.Contains(l, text) {
			n++
		}
	}
	return n
}

// texts are the lines of reports that contain a text.
func (b *bench) texts(text string) (out []string) {
	for _, r := range b.reports {
		if strings.Contains(r.Text, text) {
			out = append(out, r.String())
		}
	}
	return out
}

const talkers = `
local Crate = class("Crate", "Actor")
Crate.properties { Said = int(0) }
function Crate:Tick(_)
	for i = 1, 10000 do
		self:Log("crate", i, self.Said)
	end
	self.Said = self.Said + 10000
end
function Crate:Fail() error("ill") end
local Lamp = class("Lamp", "Actor")
Lamp.properties { Said = int(0) }
function Lamp:Tick(_)
	self.Said = self.Said + 1
	if self.Said % 10 == 0 then log("lamp", self.Said) end
end
`

// TestLinesOfAClass (G12): a class that logs 10 000 lines a tick is logged 20 lines a second after a burst of 100, what is dropped is
// counted and told every 5 s (fewer than it tried: it is over its share, G6), and other classes are logged in full.
func TestLinesOfAClass(t *testing.T) {
	long(t)
	tier.Change(t)
	run := func(seconds float64) ([]string, []string) {
		b := newBench(t, talkers)
		b.spawn("Crate")
		b.spawn("Lamp")
		b.run(seconds)
		return b.logs, b.texts("dropped")
	}
	const seconds = 5.5
	logs, dropped := run(seconds)
	if n := of(logs, "crate"); n < LineBurst || n > LineBurst+LineRate*seconds+1 {
		t.Errorf("%d lines of the crates in %v s, want %d and %d a second", n, seconds, LineBurst, LineRate)
	}
	if n := of(logs, "lamp"); n != 33 {
		t.Errorf("%d lines of the lamp, want all 33", n)
	}
	if got, want := fmt.Sprint(dropped), "[Crate: 1 399 801 lines dropped in 5 s (server)]"; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
	if again, _ := run(1); len(again) == 0 || !strings.HasPrefix(strings.Join(logs, "\n"), strings.Join(again, "\n")) {
		t.Error("a second run of the same world logs other lines")
	}
}

// TestLinesDroppedAtTheEnd: what was dropped is told at the end of a world, too, and nothing is told where nothing was dropped. A class
// that floods the log cannot hide that it is quarantined (G12).
func TestLinesDroppedAtTheEnd(t *testing.T) {
	b := newBench(t, talkers)
	b.spawn("Crate")
	b.run(0.5)
	if got := b.texts("dropped"); got != nil {
		t.Errorf("told %q before 5 s", got)
	}
	b.v.tellDropped(true)
	b.v.tellDropped(true)
	if got, want := fmt.Sprint(b.texts("dropped")), "[Crate: 299 891 lines dropped in 0.5 s (server)]"; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
	crate := b.spawn("Crate")
	for range QuarantineFaults {
		_, _ = b.v.Call(crate, "Fail")
	}
	if len(b.texts("quarantined")) == 0 {
		t.Errorf("told\n%s", b.errors())
	}
}

// TestLinesOfAMod (G12): all classes of a mod together have one bound, too.
func TestLinesOfAMod(t *testing.T) {
	var text strings.Builder
	for i := range 8 {
		fmt.Fprintf(&text, "local Hat%d = class(\"Hat%d\", \"Actor\")\nfunction Hat%d:Tick(_) log(\"hat\") log(\"hat\") end\n", i, i, i)
	}
	b := newBench(t, "local Lamp = class(\"Lamp\", \"Actor\")\nfunction Lamp:Shine() log(\"lamp\") end",
		classfile.Source{Path: "scripts/mods/hats/Hats.lua", Text: text.String(), Multi: true})
	for i := range 8 {
		b.spawn(fmt.Sprintf("Hat%d", i))
	}
	b.run(6)
	if n := of(b.logs, "hat"); n > LineBurst+6*LineRate+1 {
		t.Errorf("%d lines of a mod of 8 classes in 6 s", n)
	}
	if got := b.texts("mod hats: "); len(got) != 1 || !strings.HasSuffix(got[0], " (server) [mod hats]") {
		t.Errorf("told %q", got)
	}
	b.v.Call(b.spawn("Lamp"), "Shine")
	if of(b.logs, "lamp") != 1 {
		t.Error("the game's line was dropped for the mod's")
	}
}

// faulty is a class that fails in a place of its own for each of so many arguments: in one place, a player's faults are one line.
func faulty(places int) string {
	var text strings.Builder
	text.WriteString("local Door = class(\"Door\", \"Actor\")\nDoor.properties { Faults = int(0) }\nfunction Door.server.reliable:Knock(n)\n")
	for i := range places {
		fmt.Fprintf(&text, "if n == %d then error(\"knock %d\") end\n", i, i)
	}
	text.WriteString("error(\"knock \" .. n)\nend\nDoor.params { Knock = { int(0) } }\nfunction Door:Creak() error(\"creak\") end\n")
	return text.String()
}

// TestLinesOfPeers (G12): faults in what a player calls cost that player's lines, whatever their texts, and not the class's: no player
// can silence a class or another player.
func TestLinesOfPeers(t *testing.T) {
	b := newBench(t, faulty(1000))
	door := b.spawn("Door")
	f := door.Dispatch.Functions["Knock"]
	knock := func(n int, peer string) {
		b.v.Received(door, f, []engine.Value{engine.Int(n)}, peer)
	}
	for i := range 1000 {
		knock(i, "Ann\u202e")
	}
	if n := len(b.texts("knock")); n != LineBurst {
		t.Errorf("%d lines of 1000 faults in places of their own, want %d", n, LineBurst)
	}
	knock(5000, "Bob")
	if len(b.texts("knock 5000")) != 1 {
		t.Error("a second player's fault was dropped for the first one's")
	}
	b.v.Call(door, "Creak")
	if len(b.texts("creak")) != 1 {
		t.Error("the class's own fault was dropped for a player's")
	}
	b.run(5.1)
	if got, want := fmt.Sprint(b.texts("dropped")), `[calls of "Ann\u202e": 900 lines dropped in 5 s (server)]`; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
	for i := range 3 * maxPeerFlows {
		knock(i, fmt.Sprint("stranger ", i))
	}
	if n := len(b.v.lines.peers); n > maxPeerFlows {
		t.Errorf("%d players are remembered, at most %d", n, maxPeerFlows)
	}
	knock(0, "one more")
	b.run(60)
	knock(1, "one more")
	if n := len(b.v.lines.peers); n != 1 {
		t.Errorf("%d players are remembered after a quiet minute, want 1", n)
	}
}

// TestNoAddresses (G19): nothing that scripts print or that is said about their mistakes has an address of this process.
func TestNoAddresses(t *testing.T) {
	b := newBench(t, `
local Box = class("Box", "Actor")
Box.properties { At = vector(0, 0, 0), List = array(int(0), 3) }
function Box:Print()
	local co = coroutine.create(function() end)
	for _, x in ipairs({ {}, log, co, self, Box, world, vector(1, 2, 3) }) do
		log(x)
		self:Log(x, tostring(x))
		log(string.format("%s %q", tostring(x), tostring(x)))
	end
	for _, f in ipairs({
		function() return self.At[{}] end,
		function() self.At[{}] = 1 end,
		function() return self.List[{}] end,
		function() self.List[co] = 1 end,
		function() return world[{}] end,
		function() world[co] = 1 end,
		function() self[{}] = 1 end,
		function() return self[{}] end,
		function() self:SetLocation({}) end,
		function() self:Trace(vector(0, 0, 0), vector(1, 1, 1), { [{}] = 1 }) end,
		function() self.At = { [co] = 1 } end,
		function() error({}) end,
		function() error(co) end,
		function() return {} .. "x" end,
		function() return {} < {} end,
		function() string.format("%d", {}) end,
		function() table.concat({ {} }) end,
		function() return vector(1, 2, 3)[{}] end,
	}) do
		log(select(2, pcall(f)))
	end
end
function Box:Raise() error({}) end
`)
	box := b.spawn("Box")
	b.call(box, "Print")
	b.v.Call(box, "Raise")
	if len(b.logs) < 30 {
		t.Fatalf("printed only %q", b.logs)
	}
	for _, l := range append(b.logs, b.errors()) {
		if regexp.MustCompile(`0x[0-9a-f]{4}|0xc0`).MatchString(l) {
			t.Errorf("an address: %s", l)
		}
	}
}
