package scriptvm

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/scriptvm/classfile"
)

var ownerSource = classfile.Source{Path: "scripts/mods/fine/Owner.lua", Text: `
local Owner = class("Owner", "Actor")
Owner.properties { N = int(0), Sum = int(0) }
local function helper(self) self.helped = (self.helped or 0) + 1 end
function Owner:BeginPlay() self.cache = { 1 } self.byName = 0 end
function Owner:Tick(dt)
	self.N = self.N + 1
	self.late = self.N
	helper(self)
	self["by" .. "Name"] = self.N
	self.Sum = self.late + self.helped + self["byName"] + self.cache[1]
end
function Owner:Set(k, x) self[k] = x end
return Owner
`}

// childSource are classes that share private fields: parents' and children's functions write them.
var childSource = classfile.Source{Path: "scripts/mods/fine/Child.lua", Multi: true, Text: `
local Base = class("Base", "Actor")
function Base:Mark() self.mark = 1 end
local Child = class("Child", "Base")
Child.properties { Sum = int(0) }
function Child:Go()
	self.own = 2
	self:Mark()
	local me = self
	me.other = 3
	self.Sum = self.mark + self.own + self.other
end
`}

// TestPrivateFieldsAreTheClass: what a class does not declare is written by functions of its chain only, and nobody reaches the
// places of an actor by number; the error is the writer's and names field and class (G8).
func TestPrivateFieldsAreTheClass(t *testing.T) {
	const private = "only functions of class Owner and its parents write its private fields"
	for body, want := range map[string]string{
		`o.junk = {}`:                              "Owner.junk: " + private,
		`o.cache = {}`:                             "Owner.cache: " + private,
		`o["cache"] = nil`:                         "Owner.cache: " + private,
		`local k = "ju" .. "nk" o[k] = {}`:         "Owner.junk: " + private,
		`o.cache, o.junk = 1, 2`:                   "Owner.junk: " + private,
		`local t = { o = o } t.o.cache = 1`:        "Owner.cache: " + private,
		`local function f(x) x.cache = 1 end f(o)`: "Owner.cache: " + private,
		`fill(o)`:        "Owner.cache: " + private,
		`Hog.Fill(o)`:    "Owner.cache: " + private,
		`Hog.FillNew(o)`: "Owner.junk: " + private,
		`local c = self:ActorsOf("Child")[1] c:Go() self.bRight = c.Sum == 6`: "",
		`o.N = 5`:                               "",
		`o.Tag = "x"`:                           "",
		`o:Set("cache", { 1 })`:                 "",
		`o[1] = nil`:                            "a variable's name is a string, got a number",
		`o[2] = {}`:                             "a variable's name is a string, got a number",
		`o[3] = "no number"`:                    "a variable's name is a string, got a number",
		`local i = 1 o[i], o[i + 1] = nil, nil`: "a variable's name is a string, got a number",
		`for i = 1, 9 do local t = { o } t[1][i] = 1 end`: "a variable's name is a string, got a number",
		`require("mods.hog.tools").Fill(o)`:               "Owner.cache: " + private,
		`require("mods.hog.tools").Place(o)`:              "a variable's name is a string, got a number",
		`rawset(o, "cache", 1)`:                           "an actor is read-only",
		`local t = {} t.x = 1 t[1] = 2 self.mine = t local u = self.mine u.y, u[2] = 3, 4 self.bRight = t.x + t[1] + u.y + u[2] == 10`:                    "",
		`local t = setmetatable({}, { __newindex = function(t, k, x) rawset(t, k, x + 1) end }) local u = t u.a = 1 t.b = 1 self.bRight = t.a + t.b == 4`: "",
		`local i = 1 local t = { 0, 0 } i, t[i] = i + 1, 20 local u = t i, u[i] = 1, 30 self.bRight = t[1] == 20 and t[2] == 30 and i == 1`:               "",
	} {
		b := newBench(t, "", ownerSource, classfile.Source{Path: "scripts/mods/hog/tools.lua", Lib: "mods.hog.tools", Text: `
local tools = {}
function tools.Fill(o) o.cache = 1 end
function tools.Place(o) o[1] = nil end
return tools
`}, childSource, classfile.Source{Path: "scripts/mods/hog/Hog.lua", Text: `
local Hog = class("Hog", "Actor")
Hog.properties { bRight = false }
local function fill(o) o.cache = 1 end
function Hog:Fill() self.cache = 1 end
function Hog:FillNew() self.junk = 1 end
function Hog:Go()
	local o = self:ActorsOf("Owner")[1]
	if fill == nil then return end
	` + body + `
end
return Hog
`})
		o := b.spawn("Owner")
		hog := b.spawn("Hog")
		b.spawn("Child")
		b.run(0.1)
		_, err := b.v.Call(hog, "Go")
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", body, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "Hog:")):
			t.Errorf("%s: %v, want %s, of Hog", body, err, want)
		}
		if strings.Contains(body, "bRight") && b.get(hog, "bRight").Num != 1 {
			t.Errorf("%s: another result", body)
		}
		if want == "" {
			continue
		}
		b.run(0.1)
		n := b.get(o, "N").Num
		if n != 12 || b.get(o, "Sum").Num != 3*n+1 {
			t.Errorf("%s: Owner is not as before: %v %v\n%s", body, n, b.get(o, "Sum").Num, b.errors())
		}
	}
}
