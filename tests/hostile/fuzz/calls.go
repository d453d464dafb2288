package fuzz

import (
	"fmt"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// target is something that a script can call, assign or compute.
type target struct {
	name string
	// self is the kind of what it is called on, "" for nothing.
	self string
	// params are the kinds of its arguments; vararg says that more may follow, of any kind.
	params []string
	vararg bool
	// code is the body of function(self, r, …) that does it, and shape the same as a line, with %r for r and %a for the arguments.
	code, shape string
}

// libraries are the functions that the sandbox gives every script, with the kinds of their parameters.
var libraries = []string{
	"string.byte string number number", "string.char number number number", "string.find string string number boolean", "string.format string any any any",
	"string.gmatch string string", "string.gsub string string string|function|table number", "string.len string", "string.lower string", "string.match string string number",
	"string.rep string number", "string.reverse string", "string.sub string number number", "string.upper string",
	"table.concat table string number number", "table.insert table any any", "table.maxn table", "table.remove table number", "table.sort table fun(): boolean",
	"math.abs number", "math.acos number", "math.asin number", "math.atan number", "math.atan2 number number", "math.ceil number", "math.cos number", "math.cosh number", "math.deg number", "math.exp number",
	"math.floor number", "math.fmod number number", "math.frexp number", "math.ldexp number number", "math.log number", "math.log10 number", "math.max number number number", "math.min number number number",
	"math.modf number", "math.pow number number", "math.rad number", "math.random number number", "math.sin number", "math.sinh number", "math.sqrt number", "math.tan number", "math.tanh number",
	"coroutine.create fun(): boolean", "coroutine.resume thread any any", "coroutine.status thread", "coroutine.wrap fun(): boolean", "coroutine.running", "coroutine.yield any",
	"assert boolean string", "error any number", "getmetatable any", "ipairs table", "next table any", "pairs table", "pcall fun(): boolean any any", "rawequal any any", "rawget table any", "rawset table any any",
	"select number any any", "setmetatable table table", "tonumber string number", "tostring any", "type any", "unpack table number number",
}

// operators are what values do without a name.
var operators = []string{
	"any + any", "any - any", "any * any", "any / any", "any % any", "any ^ any", "any .. any", "any == any", "any < any", "any <= any", "vector + vector", "vector * number", "vector / number", "number * vector",
	"rotator * number", "rotator / number", "rotator + rotator", "string .. string", "string .. number", "string < string",
}

// targets are all that the fuzzer calls: every native of the registry that a script can call while a world runs, the engine's own
// variables, the sandbox's libraries, and what values do.
func targets() []target {
	var list []target
	for _, f := range scriptvm.Natives().Functions() {
		t := target{name: f.Name}
		for _, p := range f.Params {
			if p.Name == "..." {
				t.vararg = true
				continue
			}
			t.params = append(t.params, kindOf(p.Type))
		}
		switch f.Space {
		case api.Define:
			continue // it stands at the top level of class files only, which are read before anything runs
		case api.Latent:
			t.code, t.shape = "S.wait = { ... } self:GotoState(\""+f.Name+"\")", f.Name+"(%a) -- in the code of a state"
		case api.Global:
			if f.Name == "class" {
				continue
			}
			t.code, t.shape = "return "+f.Name+"(...)", f.Name+"(%a)"
		case api.Profile:
			t.code, t.shape = "return Profile."+f.Name+"(...)", "Profile."+f.Name+"(%a)"
		case api.Actor, api.Component, api.Controller, api.PlayerController, api.World, api.Store, api.Cluster, api.Vector, api.Rotator, api.FastArray, api.Canvas:
			t.self = string(f.Space)
			if f.Space == api.Component {
				t.self = "ActorComponent"
			}
			t.code, t.shape = "return r:"+f.Name+"(...)", "%r:"+f.Name+"(%a)"
		}
		list = append(list, t)
	}
	for _, n := range engine.NativeProperties() {
		list = append(list,
			target{name: n.Name, self: "Actor", params: []string{propertyKind(n.Type)}, code: "r." + n.Name + " = ...", shape: "%r." + n.Name + " = %a"},
			target{name: n.Name, self: "Actor", code: "return r." + n.Name, shape: "return %r." + n.Name})
	}
	for _, x := range []struct{ name, kind string }{{"N", "number"}, {"Height", "number"}, {"V", "vector"}, {"Name2", "string"}, {"To", "Actor"}, {"A", "table"}, {"T", "ItemTable"}, {"F", "table"}} {
		list = append(list, target{name: x.name, self: "Pawn", params: []string{x.kind}, code: "r." + x.name + " = ...", shape: "%r." + x.name + " = %a"})
	}
	list = append(list,
		target{name: "index", self: "any", params: []string{"any"}, code: "local k = ... return r[k]", shape: "return %r[%a]"},
		target{name: "newindex", self: "any", params: []string{"any", "any"}, code: "local k, x = ... r[k] = x", shape: "local k, x = %a; %r[k] = x"},
		target{name: "element", self: "part", params: []string{"number", "number"}, code: "local k, x = ... r[k] = x", shape: "local k, x = %a; %r[k] = x"},
		target{name: "length", self: "any", code: "return #r", shape: "return #%r"},
		target{name: "minus", self: "any", code: "return -r", shape: "return -%r"})
	for _, line := range libraries {
		words := strings.Fields(strings.NewReplacer("fun(): boolean", "fun():boolean", "fun(error: string?)", "fun(error:string?)").Replace(line))
		t := target{name: words[0], code: "return " + words[0] + "(...)", shape: words[0] + "(%a)", vararg: true}
		for _, w := range words[1:] {
			t.params = append(t.params, kindOf(strings.NewReplacer("fun():boolean", "fun(): boolean", "fun(error:string?)", "fun(error: string?)").Replace(w)))
		}
		list = append(list, t)
	}
	for _, line := range operators {
		words := strings.Fields(line)
		list = append(list, target{name: words[1], params: []string{words[0], words[2]}, code: "local a, b = ... return a " + words[1] + " b", shape: "local a, b = %a; return a " + words[1] + " b"})
	}
	return list
}

// kindOf is the kind of values for a type of the registry.
func kindOf(typ string) string {
	for _, a := range api.Aliases() {
		if a.Name == typ && a.Name != api.SpawnTable && a.Name != api.ItemTable {
			typ = a.Of
		}
	}
	if typ == "integer" {
		return "number"
	}
	return typ
}

func propertyKind(t *engine.Type) string {
	switch t.Kind {
	case engine.KindBool:
		return "boolean"
	case engine.KindString, engine.KindEnum:
		return "string"
	case engine.KindVector:
		return "vector"
	case engine.KindRotator:
		return "rotator"
	case engine.KindRef:
		return "Actor"
	default:
	}
	return "number"
}

// call is one call: a target, what it is called on, and its arguments, by number.
type call struct {
	target int
	self   int
	args   []int
}

// line is the call as Lua.
func (f *fuzzer) line(c call) string {
	texts := make([]string, len(c.args))
	for i, a := range c.args {
		texts[i] = f.values[a].text
	}
	self := f.values[c.self].text
	if strings.ContainsAny(self, " {(") || strings.HasPrefix(self, `"`) {
		self = "(" + self + ")"
	}
	return strings.NewReplacer("%r", self, "%a", strings.Join(texts, ", ")).Replace(f.targets[c.target].shape)
}

// choose makes a call. Half of the arguments are of the right kind, the rest of any; now and then one is missing or too many.
func (f *fuzzer) choose() call {
	c := call{target: f.rand.IntN(len(f.targets))}
	t := &f.targets[c.target]
	c.self = f.value(t.self, 16)
	n := len(t.params)
	switch f.rand.IntN(16) {
	case 0:
		n = f.rand.IntN(n + 1)
	case 1:
		n++
	}
	if t.vararg {
		n += f.rand.IntN(3)
	}
	for i := range min(n, mostArgs) {
		kind := "any"
		if i < len(t.params) {
			kind = t.params[i]
		}
		c.args = append(c.args, f.value(kind, 2))
	}
	return c
}

// value chooses one of a kind, or, once in odd times, any.
func (f *fuzzer) value(kind string, odd int) int {
	if list := f.byKind(kind); len(list) > 0 && f.rand.IntN(odd) != 0 {
		return list[f.rand.IntN(len(list))]
	}
	return f.rand.IntN(len(f.values))
}

func (f *fuzzer) byKind(kind string) []int {
	if list, ok := f.kinds[kind]; ok {
		return list
	}
	var list []int
	for i, v := range f.values {
		if v.kind == kind {
			list = append(list, i)
		}
		for _, part := range strings.Split(kind, "|") {
			if part != kind && (v.kind == part || part == "function" && strings.HasPrefix(v.kind, "fun(")) {
				list = append(list, i)
			}
		}
	}
	if len(list) == 0 && kind != "any" && kind != "" {
		panic(fmt.Sprintf("fuzz: no value of the kind %s: add some to values.go", kind)) // a new type in the registry
	}
	f.kinds[kind] = list
	return list
}
