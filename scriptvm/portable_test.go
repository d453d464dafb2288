package scriptvm

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
)

const baggage = `
local Trunk = class("Trunk", "Actor")
Trunk.properties { Slots = array(int(0), 2), Tag2 = "" }
function Trunk:Give(what)
	if what == "plain" then
		return { Name = "Ann", 1, 2.5, true, Deep = { At = vector(1, 2, 3), Turn = rotator(0, 16384, 0) }, Slots = self.Slots }
	elseif what == "actor" then
		return { Deep = { self } }
	elseif what == "function" then
		return { function() end }
	elseif what == "loop" then
		local t = {}
		t.t = t
		return t
	elseif what == "many" then
		local t = {}
		for i = 1, 5000 do t[i] = i end
		return t
	elseif what == "long" then
		return { ("x"):rep(30000), ("y"):rep(30000), ("z"):rep(30000) }
	elseif what == "fault" then
		error("no trunk")
	end
	return nil
end
function Trunk:Take(bag)
	if not bag then return "nothing" end
	bag.Name = bag.Name .. "!" -- it is its own
	return bag.Name .. " " .. bag[1] .. " " .. bag[2] .. " " .. tostring(bag[3]) .. " " .. bag.Deep.At.Y .. " "
		.. bag.Deep.Turn.Yaw .. " " .. bag.Slots[2]
end
`

// TestBag: plain values go from one VM into another, as often as one likes; actors, functions and too much do not.
func TestBag(t *testing.T) {
	from, to := newBench(t, baggage), newBench(t, baggage)
	a, b := from.spawn("Trunk"), to.spawn("Trunk")
	from.set(a, "Slots", engine.Value{Kind: engine.KindArray, List: []engine.Value{engine.Int(4), engine.Int(5)}})
	bag, err := from.v.Pack(a, "Give", engine.String("plain"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		out, err := to.v.CallWith(b, "Take", bag)
		if err != nil || len(out) != 1 || out[0].Str != "Ann! 1 2.5 true 2 16384 5" {
			t.Errorf("%v, %v", out, err)
		}
	}
	if out, err := to.v.CallWith(b, "Take", Portable{}); err != nil || len(out) != 1 || out[0].Str != "nothing" {
		t.Errorf("an empty bag: %v, %v", out, err)
	}
	for what, want := range map[string]string{
		"actor": "cannot move to another world", "function": "function", "loop": "nested more than", "many": "too much to move along",
		"long": "too much to move along", "fault": "no trunk",
	} {
		to.reports = nil
		bag, err := to.v.Pack(b, "Give", engine.String(what))
		if err == nil || bag != (Portable{}) {
			t.Errorf("%s: %v, %v", what, bag, err)
		}
		if len(to.reports) != 1 || !strings.Contains(to.reports[0].Text, want) || !strings.Contains(to.reports[0].Text, "Trunk:Give") {
			t.Errorf("%s: reported %v, want %q of Trunk:Give", what, to.reports, want)
		}
	}
	if bag, err := to.v.Pack(b, "Give", engine.String("nothing")); err != nil || bag != (Portable{}) {
		t.Errorf("nothing: %v, %v", bag, err)
	}
}
