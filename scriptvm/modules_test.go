package scriptvm

import (
	"runtime"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// counterModule is a module of all that modules hold: functions, constants, lists, tables in tables, objects with a
// metatable, and state of its own.
var counterModule = classfile.Source{Path: "scripts/lib/counter.lua", Lib: "lib.counter", Text: `
local counter = { Limit = 3, List = { 10, 20, 30 }, Deep = { Inner = { Value = 7 } }, Count = 0 }
local key = { Name = "key" }
counter.ByTable = { [key] = "found" }

local Object = {}
Object.__index = Object
function Object:Get() return self.value end
function counter.New(value) return setmetatable({ value = value }, Object) end
function counter.IsObject(x) return getmetatable(x) == Object end
counter.Object = Object

-- Callable: counter.Add(2, 3)
counter.Add = setmetatable({}, { __call = function(_, a, b) return a + b end, __tostring = function() return "Add" end })

counter.Self = counter

function counter.Bump() counter.Count = counter.Count + 1 return counter.Count end
function counter.Grow() counter.Late = { Value = 1 } end
return counter
`}

// otherModules are a module that returns a table of counter's, and one that is a function.
var otherModules = []classfile.Source{
	{Path: "scripts/lib/twin.lua", Lib: "lib.twin", Text: "local counter = require(\"lib.counter\")\nreturn { List = counter.List }"},
	{Path: "scripts/lib/answer.lua", Lib: "lib.answer", Text: "return function(n) return 40 + n end"},
}

// TestModulesReadAsBefore: a class reads what a module returns as if it were the table itself (G13).
func TestModulesReadAsBefore(t *testing.T) {
	for what, body := range map[string]string{
		"a constant":             `return counter.Limit == 3`,
		"what is missing":        `return counter.Nothing == nil and counter.Deep.Nothing == nil`,
		"length":                 `return #counter.List == 3`,
		"an element":             `return counter.List[2] == 20 and counter.List[4] == nil`,
		"ipairs":                 `local n = 0 for i, x in ipairs(counter.List) do n = n + i * x end return n == 140`,
		"pairs":                  `local n = 0 for _, x in pairs(counter.List) do n = n + x end return n == 60`,
		"pairs all the way":      `for k, x in pairs(counter.Deep) do return k == "Inner" and x.Value == 7 end`,
		"keys that are tables":   `local n = 0 for k, x in pairs(counter.ByTable) do n = n + 1 return k.Name == "key" and counter.ByTable[k] == x end`,
		"next":                   `local k, x = next(counter.Deep) return k == "Inner" and x.Value == 7`,
		"unpack":                 `local a, b, c = unpack(counter.List) return a + b + c == 60`,
		"concat":                 `return table.concat(counter.List, ",") == "10,20,30"`,
		"rawget":                 `return rawget(counter, "Limit") == 3 and rawget(counter, "Nothing") == nil`,
		"type":                   `return type(counter) == "table" and type(counter.Bump) == "function"`,
		"the same each time":     `return counter.Deep == counter.Deep and counter == require("lib.counter")`,
		"state behind functions": `local a = counter.Bump() return counter.Bump() == a + 1 and counter.Count == a + 1`,
		"what came later":        `counter.Grow() return counter.Late.Value == 1`,
		"an object":              `return counter.New(5):Get() == 5`,
		"the module's own check": `return counter.IsObject(counter.New(5)) and not counter.IsObject({})`,
		"a cycle":                `return counter.Self == counter and counter.Self.Self.List[2] == 20`,
		"two modules share":      `return require("lib.twin").List == counter.List and #require("lib.twin").List == 3`,
		"a function":             `return require("lib.answer")(2) == 42`,
		"a call":                 `return counter.Add(2, 3) == 5 and tostring(counter.Add) == "Add"`,
		"a metatable":            `return setmetatable({ value = 6 }, counter.Object):Get() == 6`,
	} {
		b := newBench(t, `
local counter = require("lib.counter")
local Reader = class("Reader", "Actor")
function Reader:Read() `+body+` end
`, append(otherModules, counterModule)...)
		if out, err := b.v.Call(b.spawn("Reader"), "Read"); err != nil || len(out) != 1 || out[0].Num != 1 {
			t.Errorf("%s: %s: %v", what, body, err)
		}
	}
}

// TestModulesCannotBeChanged: a write into what a module returns raises where it is written, and the module is as before.
func TestModulesCannotBeChanged(t *testing.T) {
	for what, body := range map[string]string{
		"a function":               `counter.Bump = nil`,
		"through a cycle":          `counter.Self.Self.x = 1`,
		"through another module":   `require("lib.twin").List[1] = 5`,
		"while listing":            `for k in pairs(counter.List) do counter.List[k] = nil end`,
		"a new field":              `counter.New2 = 1`,
		"an element":               `counter.List[1] = 0`,
		"deep inside":              `counter.Deep.Inner.Value = 8`,
		"rawset":                   `rawset(counter, "Bump", nil)`,
		"rawset deep inside":       `rawset(counter.Deep.Inner, "Value", 8)`,
		"table.insert":             `table.insert(counter.List, 40)`,
		"table.remove":             `table.remove(counter.List)`,
		"table.sort":               `table.sort(counter.List, function(a, b) return a > b end)`,
		"through pairs":            `for _, x in pairs(counter.Deep) do x.Value = 8 end`,
		"through a key":            `for k in pairs(counter.ByTable) do k.Name = "other" end`,
		"through next":             `select(2, next(counter.Deep)).Value = 8`,
		"through rawget":           `rawget(counter, "Deep").Inner = nil`,
		"through unpack":           `unpack({ counter.Deep }).Inner = nil`,
		"through a metatable":      `getmetatable(counter.New(1)).Get = nil`,
		"a metatable of its own":   `setmetatable(counter, {})`,
		"what came later":          `counter.Grow() counter.Late.Value = 2`,
		"the metatable of a table": `getmetatable(counter).__index = nil`,
	} {
		b := newBench(t, `
local counter = require("lib.counter")
local Writer = class("Writer", "Actor")
function Writer:Write() `+body+` end
function Writer:Same()
	return counter.Bump() == 1 and #counter.List == 3 and counter.List[1] == 10 and counter.Deep.Inner.Value == 7 and counter.New(2):Get() == 2
		and counter.New2 == nil and (not counter.Late or counter.Late.Value == 1)
end
`, append(otherModules, counterModule)...)
		a := b.spawn("Writer")
		if _, err := b.v.Call(a, "Write"); err == nil || !strings.Contains(err.Error(), "Writer:Write") {
			t.Errorf("%s: %s: no error, or charged to somebody else: %v", what, body, err)
		}
		if out, err := b.v.Call(a, "Same"); err != nil || out[0].Num != 1 {
			t.Errorf("%s: %s: the module is another: %v", what, body, err)
		}
	}
}

// TestLateViewsAreOne: a table that a module made after it was loaded has one view while somebody holds it, and reading it forever keeps
// nothing.
func TestLateViewsAreOne(t *testing.T) {
	b := newBench(t, `
local counter = require("lib.counter")
local Reader = class("Reader", "Actor")
function Reader:Same()
	counter.Grow()
	local late = counter.Late
	local by = { [late] = 1 }
	return late == counter.Late and by[counter.Late] == 1 and rawequal(late, rawget(counter, "Late"))
end
function Reader:Read()
	for i = 1, 2000 do
		counter.Grow()
		if counter.Late.Value ~= 1 then error("another") end
	end
end
`, counterModule)
	a := b.spawn("Reader")
	if b.result(a, "Same").Num != 1 {
		t.Fatal("the same table has two views")
	}
	before := liveHeap()
	for range 10 {
		b.call(a, "Read")
		runtime.GC()
	}
	if grown := liveHeap() - before; grown > 4<<20 {
		t.Errorf("20 000 tables that nobody has are kept by their views: %d MB", grown>>20)
	}
}
