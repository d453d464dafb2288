package scriptvm

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/tests/tier"
)

// hogHelpers are what the hostile bodies of these tests use: ten strings and tables of 100 KB that nobody else holds.
const hogHelpers = `
local store = require("mods.hog.store")
local serial = 0
local kept = {}
local function fresh(n) serial = serial + 1 return serial .. ("x"):rep(n or 30000) end
local function heap()
	local t = {}
	for i = 1, 30 do t[i] = fresh() end
	return t
end
`

// hogs are bodies of a Tick that keep about a megabyte of each call, where a walk finds it or has to be helped to.
var hogs = map[string]string{
	"a file local":              `kept[#kept + 1] = heap()`,
	"a field of the actor":      `self.mine = { heap(), self.mine }`,
	"many fields of the actor":  `self["mine" .. serial] = heap()`,
	"closures":                  `local h, before = heap(), kept kept = function() return h, before end`,
	"small tables":              `for i = 1, 5000 do kept[#kept + 1] = { i, { i } } end`,
	"tables with names":         `for i = 1, 600 do local t = {} t.a = i t.b = i kept[#kept + 1] = t end`,
	"numbers":                   `local t = {} for i = 1, 20000 do t[i] = i + 0.5 end kept[#kept + 1] = t`,
	"keys":                      `for i = 1, 30 do kept[fresh()] = true end`,
	"a metatable":               `kept = setmetatable({}, { before = kept, heap = heap() })`,
	"the locals of a coroutine": `local co = coroutine.create(function() local a = heap() local b = heap() coroutine.yield() return a, b end) coroutine.resume(co)`,
	"what a coroutine calls":    `local co = coroutine.wrap(function() (function() local a = { heap(), heap() } coroutine.yield() return a end)() end) co()`,
	"upvalues of a coroutine":   `local a = { heap(), heap() } coroutine.wrap(function() coroutine.yield() return a end)()`,
	"a coroutine's arguments":   `coroutine.wrap(function(...) coroutine.yield() return ... end)(heap(), heap())`,
	"captures of a match":       `kept[#kept + 1] = { ("x"):rep(20000):match("^(.-)$"), heap() }`,
	"what a module keeps":       `for i = 1, 30 do store.Add(fresh()) end`,
	"another actor":             `if self.other == nil then self.other = self:Spawn("Hog2") end self.other:Keep(heap())`,
}

const hogClasses = hogHelpers + `
local Hog2 = class("Hog2", "Actor")
function Hog2:Keep(x) self.list = { x, self.list } end
local Hog = class("Hog", "Actor")
function Hog:Tick(dt)
	BODY
end
return Hog
`

// honest is beside the hogs: it does something every tick, allocates a good deal and keeps what it is given.
var honest = classfile.Source{Path: "scripts/mods/fine/Honest.lua", Text: `
local Honest = class("Honest", "Actor")
Honest.properties { Ticks = int(0), bBusy = false }
local list = {}
function Honest:Tick(dt)
	self.Ticks = self.Ticks + 1
	local t = {}
	for i = 1, 500 do t[i] = { i } end
	self.last = t
	if self.bBusy then for i = 1, 30 do t[i] = i .. ("x"):rep(30000) end end
end
function Honest:Remember(x) list[#list + 1] = x end
function Honest:Put(key, x) self[key] = x end
function Honest:Maker(x) return function() return x end end
return Honest
`}

// hogStore is a module of the hog's mod that keeps what it is given.
var hogStore = classfile.Source{Path: "scripts/mods/hog/store.lua", Lib: "mods.hog.store", Text: `
local store = {}
local kept = {}
function store.Add(x) kept[#kept + 1] = x end
return store
`}

func hogSource(body string) classfile.Source {
	return classfile.Source{Path: "scripts/mods/hog/Hog.lua", Text: strings.Replace(hogClasses, "BODY", body, 1), Multi: true}
}

// watch steps a world with the memory watched, as a host does, until something is dropped or so many seconds have passed; it
// gives what was.
func (b *bench) watch(seconds float64) []MemoryDecision {
	for tick := range int(seconds * 60) {
		b.w.Step(1.0 / 60)
		if tick%10 == 0 {
			runtime.GC() // when it runs by itself is not for a test to wait for
		}
		d := b.v.WatchMemory()
		b.v.Decide(d)
		if d.Name != "" && !d.Rebuild {
			return []MemoryDecision{d}
		}
	}
	return nil
}

// someOf tries the bodies of a table, a third of them in plain `go test`.
func someOf(t *testing.T, bodies map[string]string, try func(t *testing.T, name, body string)) {
	for i, name := range slices.Sorted(maps.Keys(bodies)) {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			if i%3 != 0 {
				tier.Change(t)
			}
			try(t, name, bodies[name])
		})
	}
}

// ticksOn expects that the honest one still ticks.
func (b *bench) ticksOn(fair *engine.Actor) {
	b.t.Helper()
	n := b.get(fair, "Ticks").Num
	b.run(0.5)
	if got := b.get(fair, "Ticks").Num; got != n+30 {
		b.t.Errorf("Honest ticked %v times of 30", got-n)
	}
}

// TestMemoryIsBounded: a class that keeps more than its limit is found wherever it keeps it, loses it, and stands still; the
// class beside it ticks on (G8).
func TestMemoryIsBounded(t *testing.T) {
	long(t)
	someOf(t, hogs, func(t *testing.T, _, body string) {
		b := newBench(t, "", hogSource(body), honest, hogStore)
		fair := b.spawn("Honest")
		b.spawn("Hog")
		before, listed := liveHeap(), b.v.OutOfUseChanged()
		d := b.watch(4)
		if len(d) != 1 || !strings.HasPrefix(d[0].Name, "Hog") && d[0].Name != hogStore.Lib {
			t.Fatalf("dropped: %v, by now %d MB are kept\n%s", d, (liveHeap()-before)>>20, b.errors())
		}
		if grown := liveHeap() - before; grown > 12<<20 {
			t.Errorf("%d MB are kept after all was dropped", grown>>20)
		}
		name, dropped := d[0].Name, "private fields and file locals"
		if name == hogStore.Lib {
			name, dropped = "Hog", "what the mod keeps is dropped"
		}
		text := b.errors()
		for _, want := range []string{"MB, at most 64 MB allowed", "Hog:Tick allocated most", dropped, "[mod hog]"} {
			if !strings.Contains(text, want) {
				t.Errorf("the line has no %q: %s", want, text)
			}
		}
		if strings.Contains(text, "Honest") || strings.Count(text, "\n") > 0 {
			t.Errorf("more was told than of Hog, in one line: %s", text)
		}
		// Clients stop running it only if they are told that the list of disabled functions changed.
		if q := b.v.Quarantined(); !slices.Contains(q, name) || b.v.OutOfUseChanged() == listed {
			t.Errorf("quarantined: %v; the list counts as changed: %v", q, b.v.OutOfUseChanged() != listed)
		}
		b.ticksOn(fair)
	})
}

// givers are bodies that have another's class keep what they make.
var givers = map[string]string{
	"to a file local":               `friend:Remember(heap())`,
	"to its fields":                 `friend:Put("gift" .. serial, heap())`,
	"closures":                      `local h = heap() friend:Remember(function() return h end)`,
	"closures of its own":           `kept[#kept + 1] = friend:Maker(heap())`,
	"coroutines":                    `local h = heap() friend:Remember(coroutine.create(function() return h end)) friend:Remember(heap())`,
	"to one that allocates as much": `if world.TimeSeconds > 6 then friend:Remember(heap()) else friend.bBusy = true end`,
	"to a child of its own":         `self.mine = { heap(), self.mine }`,
	"while it allocates itself":     `friend:Remember(heap()) for i = 1, 4 do heap() end`,
}

// TestGiversAnswer: who has another's class keep what it allocates is the one that is dropped; the other plays on, and is not
// charged with what it was given later either.
func TestGiversAnswer(t *testing.T) {
	long(t)
	for _, place := range []string{"scripts/mods/fine/Honest.lua", "scripts/sample/Honest.lua"} {
		someOf(t, givers, func(t *testing.T, name, body string) {
			other := honest
			other.Path = place
			child := classfile.Source{Path: strings.Replace(place, "Honest", "Child", 1), Text: `
local Child = class("Child", "Hog")
function Child:BeginPlay() self.begun = true end
return Child
`}
			b := newBench(t, "", hogSource(`local friend = self:ActorsOf("Honest")[1] `+body), other, child, hogStore)
			fair := b.spawn("Honest")
			if name == "to a child of its own" {
				b.spawn("Child")
			}
			b.spawn("Hog")
			if d := b.watch(9); len(d) != 1 || d[0].Name != "Hog" {
				t.Fatalf("dropped: %v\n%s", d, b.errors())
			}
			if d := b.watch(1); len(d) != 0 {
				t.Errorf("dropped, too: %v", d)
			}
			if s := b.errors(); strings.Contains(s, "Honest:") || strings.Contains(s, "Child") {
				t.Errorf("told of somebody else: %s", s)
			}
			for _, q := range b.v.Quarantined() {
				if !strings.HasPrefix(q, "Hog") {
					t.Errorf("%s is quarantined", q)
				}
			}
			b.ticksOn(fair)
		})
	}
}

// thrifty are bodies that look as if they kept much and do not.
var thrifty = map[string]string{
	"parts of strings":         `for i = 1, 30 do local s = fresh() kept[#kept + 1] = s:sub(1, 2) .. "" kept[#kept + 1] = s:sub(1, 3) end`,
	"matches":                  `for i = 1, 30 do local s = fresh() kept[#kept + 1] = s:match("%d+") kept[#kept + 1] = s:match("^%d") for d in s:gmatch("%d") do kept[#kept + 1] = d end end`,
	"captures":                 `for i = 1, 10 do fresh():gsub("(%d)x", function(d) kept[#kept + 1] = d end) end`,
	"found captures":           `for i = 1, 30 do kept[#kept + 1] = select(3, fresh():find("(%d)")) end`,
	"garbage":                  `for i = 1, 4 do heap() end`,
	"the same string":          `local s = ("x"):rep(30000) self.s = self.s or s for i = 1, 1000 do kept[#kept + 1] = self.s end`,
	"a coroutine's past":       `if serial < 3000 then coroutine.wrap(function() (function() local a, b = heap(), heap() end)() coroutine.yield() end)() end`,
	"deleted fields":           `self.k = (self.k or 0) + 1 for i = 1, 300 do self["f" .. self.k .. "_" .. i] = i self["f" .. self.k .. "_" .. i] = nil end`,
	"deleted keys":             `self.k = (self.k or 0) + 1 for i = 1, 3000 do kept[self.k .. "_" .. i] = i kept[self.k .. "_" .. i] = nil end`,
	"deleted keys of any kind": `for i = 1, 3000 do local k = {} kept[k] = i kept[k] = nil end`,
}

// TestThriftIsNotPunished: parts of long strings do not keep these, and keys that are deleted are freed by rebuilding
// tables; nobody is dropped for either, and the heap stays small.
func TestThriftIsNotPunished(t *testing.T) {
	long(t)
	someOf(t, thrifty, func(t *testing.T, _, body string) {
		b := newBench(t, "", hogSource(body), honest, hogStore)
		b.spawn("Honest")
		b.spawn("Hog")
		before := liveHeap()
		if d := b.watch(2.5); len(d) > 0 {
			t.Fatalf("dropped: %v\n%s", d, b.errors())
		}
		if grown := liveHeap() - before; grown > 24<<20 {
			t.Errorf("%d MB are kept", grown>>20)
		}
		if strings.Contains(b.errors(), "Hog:Tick") && strings.Contains(b.errors(), ".lua:15:") {
			t.Errorf("it failed: %s", b.errors())
		}
	})
}

func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
