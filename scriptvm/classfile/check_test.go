package classfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// small is a set of base classes for tests that need few.
var small = map[string]string{
	"Actor.lua": `local Actor = class("Actor")`,
	"ActorComponent.lua": `local ActorComponent = class("ActorComponent")
ActorComponent.properties { Heat = float(0) }`,
	"Pawn.lua": `local Pawn = class("Pawn", "Actor")
Pawn.properties { Health = int(100, { min = 0, max = 200 }), Enemy = ref("Pawn") }
Pawn.replication { { "Health", notify = true } }
Pawn.state("Hurt", { ignores = { "Bump" } })
function Pawn.simulated:Flash(n) self:Log(n) end
function Pawn.server.reliable:ServerUse(n) self:Flash(n) end
Pawn.params { ServerUse = { int(0) } }
function Pawn.validate:ServerUse(n) return n > 0 end
function Pawn:Use() self:ServerUse(1) self:Flash(2) end
`,
}

// load loads the small base and files; the keys are names, those with a slash full paths, lib.x modules.
func load(t testing.TB, files map[string]string, opt Options) (*Program, []engine.Diagnostic) {
	t.Helper()
	all := map[string]string{}
	for n, s := range small {
		all[n] = s
	}
	for n, s := range files {
		all[n] = s
	}
	var src []Source
	for n, s := range all {
		f := Source{Path: n, Text: s}
		if lib, ok := strings.CutPrefix(n, "lib."); ok {
			f.Lib, f.Path = n, "lib/"+lib+".lua"
		}
		if strings.HasPrefix(n, "multi") {
			f.Multi = true
		}
		src = append(src, f)
	}
	slices.SortFunc(src, func(a, b Source) int { return strings.Compare(a.Path, b.Path) })
	if opt.Cache == nil {
		opt.Cache = NewCache(Natives())
	}
	return Load(src, opt)
}

// text writes diagnostics a line each.
func text(diags []engine.Diagnostic) string {
	var b strings.Builder
	for _, d := range diags {
		b.WriteString(d.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// checks are sources and exactly what is said about them. The source is T.lua, a class T below Pawn, unless
// it begins with a file name of its own.
var checks = []struct{ name, src, want string }{
	// Form
	{"syntax", `local T = class("T", "Pawn"`, `T.lua:1:28: error: unexpected end of file; '(' of 1:16 is not closed by ')' [syntax]`},
	{"no class", `local x = 1`, `T.lua:1:1: error: the file declares no class: expected local T = class("T", "Parent"); plain modules belong into scripts/lib [no-class]`},
	{"file name", `local U = class("U", "Pawn")`, `T.lua:1:11: error: class U stands in T.lua: the file bears the class's name; rename one of them [file-name]`},
	{
		"two classes", "local T = class(\"T\", \"Pawn\")\nlocal U = class(\"U\", \"Pawn\")",
		`T.lua:2:11: error: class U: a file holds one class and already holds T at T.lua:1:11; move it to U.lua [file-name]`,
	},
	{"class name no literal", `local n = "T" local T = class(n)`, `T.lua:1:31: error: class is read before anything runs: expected a literal, got the local variable n; write its value here [not-literal]`},
	{"class name is no name", `local T = class("T T")`, `T.lua:1:17: error: class: expected a name of letters, digits and _, got "T T" [bad-class]`},
	{"class in a global", `T = class("T")`, `T.lua:1:1: error: a class is held by a local of its own: expected local T = class(…) [not-literal]`},
	{
		"class in a function", "local T = class(\"T\")\nlocal function f() return class(\"U\") end",
		`T.lua:2:27: error: class(…) stands at the top level of its file: the loader reads it before anything runs [nested-declaration]`,
	},
	{"class assigned again", "local T = class(\"T\")\nT = nil", `T.lua:1:11: error: class T: the local T that holds it is assigned again; keep it for the class alone [not-literal]`},
	{"unknown parent", `local T = class("T", "Pwan")`, `T.lua:1:11: error: class T: unknown parent "Pwan"; did you mean "Pawn"? [unknown-parent]`},
	{"cyclic parent", `local T = class("T", "T")`, `T.lua:1:11: error: class T is its own ancestor: T (T.lua:1:11) → T [cyclic-parent]`},
	{
		"duplicate class", "multi.lua\nlocal A = class(\"A\")\nlocal B = class(\"A\")",
		`multi.lua:2:11: error: class A is already defined at multi.lua:1:11; give one of them another name [duplicate-class]`,
	},
	{
		"unknown block", "local T = class(\"T\")\nT.propertys { A = int(1) }",
		`T.lua:2:3: error: class T: unknown declaration .propertys; did you mean "properties"?; a class has properties, persistent, defaults, replication, params, components, hitboxes, looks, actions, moves, roles, state [unknown-block]`,
	},
	{
		"block twice", "local T = class(\"T\")\nT.properties { A = int(1) }\nT.properties { B = int(1) }",
		`T.lua:3:3: error: class T: .properties stands here again; it is already at T.lua:2:3, put both into one [repeated]`,
	},
	{"name twice", "local T = class(\"T\")\nT.properties { A = int(1), A = int(2) }", `T.lua:2:28: error: class T: .properties: A stands twice, first at T.lua:2:16 [repeated]`},
	{
		"block in if", "local T = class(\"T\")\nif true then T.properties { A = int(1) } end",
		`T.lua:2:16: error: class T: .properties stands at the top level of its file: the loader reads it before anything runs [nested-declaration]`,
	},
	{"function in if", "local T = class(\"T\")\nif true then function T:Foo() end end", `T.lua:2:14: error: class T: functions of a class stand at the top level of its file [nested-declaration]`},
	{"block not a table", "local T = class(\"T\")\nlocal p = {}\nT.properties(p)", `T.lua:3:14: error: class T: .properties: expected a table written here, got p [not-literal]`},
	{"class field", "local T = class(\"T\")\nT.speed = 5", `T.lua:2:3: error: class T: a class holds no values of its own, got .speed = …; declare a variable in .properties or use a local [class-field]`},
	{"class field in function", "local T = class(\"T\")\nfunction T:Foo() T.speed = 5 end", `T.lua:2:20: error: class T: .speed cannot be assigned while the game runs [class-field]`},
	{"root with parent", "Actor.lua\nlocal Actor = class(\"Actor\", \"Pawn\")", `Actor.lua:1:30: error: class Actor is a root and has no parent [bad-class]`},

	// Types
	{"bare number", props(`A = 5`), `T.lua:2:20: error: class T: A: a bare number is neither int nor float; write int(5) or float(5) [bare-number]`},
	{"bare fraction", props(`A = 0.5`), `T.lua:2:20: error: class T: A: a bare number is neither int nor float; write float(0.5) [bare-number]`},
	{"unknown type", props(`A = flaot(5)`), `T.lua:2:20: error: class T: .properties: unknown type flaot; did you mean "float"? [unknown-type]`},
	{"boolean name", props(`bA = int(5)`), `T.lua:2:16: error: class T: bA: a name that begins with b and a capital is a boolean, got int; rename it to A [boolean-name]`},
	{"default out of range", props(`A = int(5, { min = 0, max = 3 })`), `T.lua:2:16: error: class T: default of A: expected int(0…3), got 5 [bad-default]`},
	{"fraction for int", props(`A = int(0.5)`), `T.lua:2:16: error: class T: default of A: expected a 32-bit int, got 0.5 [bad-default]`},
	{"unknown option", props(`A = int(5, { mni = 3 })`), `T.lua:2:29: error: class T: A: unknown option "mni" of int; did you mean "min"?; it takes min, max [unknown-key]`},
	{"call in properties", props(`A = int(math.random())`), `T.lua:2:24: error: class T: .properties is read before anything runs: expected a literal, got a call of math.random [not-literal]`},
	{"call instead of a property", props(`math.random()`), `T.lua:2:16: error: class T: .properties is read before anything runs: expected a literal, got a call of math.random [not-literal]`},
	{"function in properties", props(`A = function() end`), `T.lua:2:20: error: class T: .properties is read before anything runs: expected a literal, got a function [not-literal]`},
	{"nil type", props(`A = nil`), `T.lua:2:20: error: class T: A: nil is no type; an actor reference is ref("Actor") [bad-type]`},
	{"table type", props(`A = {}`), `T.lua:2:20: error: class T: A: a table is no type; write struct { … }, array(type, n), or for a list of changing length fastarray(struct { … }) [bad-type]`},
	{"array without length", props(`A = array(int(0))`), `T.lua:2:20: error: class T: A: expected array(type, n); a list of changing length is a fastarray(struct { … }) [bad-type]`},
	{"array of arrays", props(`A = array(array(int(0), 2), 2)`), `T.lua:2:26: error: class T: A: an array of arrays is not possible; use a struct in between [bad-type]`},
	{"bad quantum", props(`A = quantized(vector(), 7)`), `T.lua:2:40: error: class T: A: expected a scale of 10 or 100, got 7 [bad-type]`},
	{"string too long", props(`A = str("", { max = 5000 })`), `T.lua:2:36: error: class T: A: expected max of 1…1000 bytes, got 5000 [bad-type]`},
	{"ref to unknown", props(`A = ref("Pawm")`), `T.lua:2:16: error: class T: ref names unknown class "Pawm"; did you mean "Pawn"? [unknown-class]`},
	{"wait in property", props(`A = ref("Pawn", { wait = true })`), `T.lua:2:41: error: class T: A: wait is for arguments of replicated functions (.params) only [bad-type]`},
	{"enum twice", props(`A = enum("X", "X")`), `T.lua:2:30: error: class T: A: "X" stands twice in the enum [repeated]`},
	{"struct member", props(`A = struct { B = 5 }`), `T.lua:2:33: error: class T: A.B: a bare number is neither int nor float; write int(5) or float(5) [bare-number]`},
	{"inherited property", props(`Health = int(1)`), `T.lua:2:16: error: class T: property Health is already declared at Pawn.lua:2:19; to change its default use T.defaults [duplicate-property]`},
	{"native property", props(`Location = vector()`), `T.lua:2:16: error: class T: property Location is already a variable every actor has; to change its default use T.defaults [duplicate-property]`},

	// Defaults
	{"default of unknown", body(`T.defaults { Healht = 1 }`), `T.lua:2:14: error: class T: default of unknown variable Healht; did you mean "Health"? [unknown-name]`},
	{"default of wrong type", body(`T.defaults { Health = "x" }`), `T.lua:2:23: error: class T: default of Health: expected int(0…200), got string "x" [bad-default]`},
	{"default out of declared range", body(`T.defaults { Health = 201 }`), `T.lua:2:23: error: class T: default of Health: expected int(0…200), got 201 [bad-default]`},
	{"type as default", body(`T.defaults { Health = int(5) }`), `T.lua:2:23: error: class T: default of Health: expected a value, got int(…); types stand in .properties, here stands the new default alone [bad-default]`},
	{"default read-only", body(`T.defaults { Role = ROLE_None }`), `T.lua:2:21: error: class T: Role is set by the engine and has no default [bad-default]`},
	{"unknown constant", body(`T.defaults { Physics = PHYS_Walkign }`), `T.lua:2:24: error: class T: .defaults: unknown constant PHYS_Walkign; did you mean "PHYS_Walking"? [unknown-global]`},
	{"array default, short", body("T.properties { A = array(int(0), 2) }\nT.defaults { A = { 7 } }"), ``},
	{"array default, long", body("T.properties { A = array(int(0), 2) }\nT.defaults { A = { 1, 2, 3 } }"), `T.lua:3:18: error: class T: default of A: expected a list of at most 2, got 3 [bad-default]`},
	{"array default", body("T.properties { A = array(int(0), 2) }\nlocal U = 1"), ``},

	// Functions
	{"function twice", body("function T:Foo() end\nfunction T:Foo() end\nfunction T:Bar() self:Foo() self:Bar() end"), `T.lua:3:12: error: class T: function Foo is already defined at T.lua:2:12 [duplicate-function]`},
	{"dot function", body("function T.Foo() end"), `T.lua:2:12: error: class T: a function of a class takes self: expected function T:Foo(…); a helper is a local function [bad-function]`},
	{"unknown specifier", body("function T.sevrer:Foo() end"), `T.lua:2:12: error: class T: function Foo: unknown specifier .sevrer; did you mean "server"?; a function has simulated, server, client, multicast, remote, reliable, unreliable [bad-function]`},
	{"two directions", body("function T.server.client:Foo() end"), `T.lua:2:19: error: class T: function Foo: .client does not go with .server [bad-function]`},
	{"reliable alone", body("function T.reliable:Foo() end"), `T.lua:2:21: error: class T: function Foo: .reliable says how a call crosses; expected .server, .client, .multicast or .remote before it [bad-function]`},
	{"specifier changed", body("function T.client:ServerUse(n) self:Log(n) end"), `T.lua:2:19: error: class T: ServerUse is server.reliable in Pawn (Pawn.lua:6:31); an override keeps that and need not repeat it [specifier-changed]`},
	{"not simulated", body("function T:Flash(n) self:Log(n) end"), `T.lua:2:12: warning: class T: Flash is simulated in Pawn (Pawn.lua:5:25) and this override is not, so proxies skip it; write function T.simulated:Flash [not-simulated]`},
	{"function named as variable", body("function T:Health() end"), `T.lua:2:12: error: class T: function Health has the name of a variable declared at Pawn.lua:2:19 [duplicate-name]`},
	{"params of unknown", body("function T:Foo() self:Foo() end\nT.params { Fo = { int(0) } }"), `T.lua:3:12: error: class T: .params of Fo, which this file does not define; did you mean "Foo"?; they stand beside the function [unknown-name]`},
	{"too many params", body("function T.server:Foo(a) self:Log(a) end\nT.params { Foo = { int(0), int(0) } }"), `T.lua:3:28: error: class T: .params of Foo: 2 types for a function of 1 arguments (a) [bad-params]`},
	{"params no list", body("function T.server:Foo(a) self:Log(a) end\nT.params { Foo = int(0) }"), `T.lua:3:18: error: class T: .params: Foo: expected a list of types, { float(0), bool… }, got int(…) [bad-params]`},
	{"validator of unknown", body("function T.server:Foo(a) self:Log(a) end\nfunction T.validate:Fo(a) return true end"), `T.lua:3:21: error: class T: a validator for Fo, which this file does not define; did you mean "Foo"?; it stands beside its function [unknown-name]`},
	{"misspelt event", body("function T:BeginPaly() self:Log(1) end"), `T.lua:2:12: error: class T: nothing calls BeginPaly, and the engine has no such event; did you mean "BeginPlay"? [misspelt-event]`},
	{"event in another case", body("function T:tick(dt) self:Log(dt) end"), `T.lua:2:12: error: class T: nothing calls tick, and the engine has no such event; did you mean "Tick"? [misspelt-event]`},
	{"event in a state", body("T.state(\"S\")\nfunction T.state.S:BeginSate() self:Log(1) end"), `T.lua:3:20: error: class T: nothing calls BeginSate, and the engine has no such event; did you mean "BeginState"? [misspelt-event]`},
	{"near event that is called", body("function T:Timers() self:Log(1) end\nfunction T:BeginPlay() self:Timers() end"), ``},
	{"a word of its own", body("function T:Pick() self:Log(1) end"), ``},
	{"near event of a timer", body("function T:Timers() self:Log(1) end\nfunction T:BeginPlay() self:SetTimer(1, false, \"Timers\") end"), ``},
	{"handler without variable", body("function T:OnRep_Healht() end"), `T.lua:2:12: error: class T: OnRep_Healht is called when the variable Healht is received, and there is no such variable; did you mean "Health"? [misspelt-event]`},
	{"handler never called", body("function T:OnRep_Enemy() end"), `T.lua:2:12: warning: class T: OnRep_Enemy is never called: Enemy stands in no replication rule [never-called]`},
	{"handler of a list", body("function T:OnAdd_Health() end"), `T.lua:2:12: error: class T: OnAdd_Health is called for a fastarray, and Health is int(0…200); expected OnRep_Health [misspelt-event]`},

	// States
	{"unknown state", body("function T.state.Hrut:Tick(dt) self:Log(dt) end"), `T.lua:2:18: error: class T: unknown state Hrut; did you mean "Hurt"?; declare it: T.state("Hrut") [unknown-state]`},
	{"inherited state", body("function T.state.Hurt:Tick(dt) self:Log(dt) end"), ``},
	{"extends unknown", body(`T.state("S", { extends = "Hrut" })`), `T.lua:2:9: error: class T: state S extends unknown state "Hrut"; did you mean "Hurt"? [unknown-state]`},
	{"extends itself", body("T.state(\"S\", { extends = \"R\" })\nT.state(\"R\", { extends = \"S\" })"), "T.lua:2:9: error: class T: state S extends itself [cyclic-state]\nT.lua:3:9: error: class T: state R extends itself [cyclic-state]"},
	{"ignores unknown", body(`T.state("S", { ignores = { "Bmup" } })`), `T.lua:2:9: error: class T: state S ignores unknown function Bmup; did you mean "Bump"? [unknown-name]`},
	{"state option", body(`T.state("S", { ignore = { "Bump" } })`), `T.lua:2:16: error: class T: state S: unknown option "ignore"; did you mean "ignores"?; it takes simulated, extends, ignores [unknown-key]`},
	{"auto state", body(`T.auto_state = "Hrut"`), `T.lua:2:16: error: class T: auto_state "Hrut" is not a state of it; did you mean "Hurt"? [unknown-state]`},
	{"auto state no literal", body(`T.auto_state = 5`), `T.lua:2:16: error: class T: .auto_state: expected a state's name in quotes, got number 5 [not-literal]`},
	{"state twice", body("T.state(\"S\")\nT.state(\"S\")"), `T.lua:3:9: error: class T: state S is declared again; it is already at T.lua:2:9 [repeated]`},
	{"goto unknown", body(`function T:Use() self:GotoState("Hrut") end`), `T.lua:2:33: error: class T: GotoState: unknown state "Hrut"; did you mean "Hurt"? [unknown-state]`},
	{"sleep in a function", body(`function T:Use() Sleep(1) end`), `T.lua:2:18: error: Sleep waits, and only the code of a state can wait: expected it inside function T.state.Name:Code(), found in function Use [latent-call]`},
	{"store without an answer", body(`function T:Use() store:Increment("a", 1) end`), `T.lua:2:24: warning: class T: store:Increment gets its answer later, and function Use cannot wait: pass a function as argument 3, or call it in function T.state.Name:Code() [no-answer]`},
	{"store with nil for an answer", body(`function T:Use() store:Get("a", nil) end`), `T.lua:2:24: warning: class T: store:Get gets its answer later, and function Use cannot wait: pass a function as argument 2, or call it in function T.state.Name:Code() [no-answer]`},
	{"transaction without an answer", body(`function T:Use(a) Profile.Transact({ a }, function() end) end`), `T.lua:2:27: warning: class T: Profile.Transact gets its answer later, and function Use cannot wait: pass a function as argument 3, or call it in function T.state.Name:Code() [no-answer]`},
	{"store with an answer", body(`function T:Use() store:Get("a", function(x) self:Log(x) end) end`), ``},
	{"store with a variable for an answer", body(`function T:Use(f) store:Get("a", f) end`), ``},
	{"store in latent code", body("T.state(\"S\")\nfunction T.state.S:Code() self:Log(store:Get(\"a\")) end"), ``},
	{"store in a helper of latent code", body("T.state(\"S\")\nfunction T:Load() return store:Get(\"a\") end\nfunction T.state.S:Code() self:Log(self:Load()) end"), ``},
	{"store in a local of latent code", body("T.state(\"S\")\nlocal function load() return store:Get(\"a\") end\nfunction T.state.S:Code() self:Log(load()) end"), ``},

	// Components
	{"unknown component", body(`T.components { Gun = "GunComponent" }`), `T.lua:2:16: error: class T: component Gun: unknown class "GunComponent" [unknown-class]`},
	{"no component", body(`T.components { Gun = "Pawn" }`), `T.lua:2:16: error: class T: component Gun: Pawn does not descend from ActorComponent [bad-component]`},
	{"component named as variable", body(`T.components { Health = "ActorComponent" }`), `T.lua:2:16: error: class T: component Health has the name of a variable declared at Pawn.lua:2:19 [duplicate-name]`},
	{"component added", body(`function T:Go() self:AddComponent("ActorComponent", "Second") self:Log(self.Second.Heat) end`), ``},
	{"component added to another", body(`function T:Go(other) other:AddComponent("ActorComponent", "Second") self:Log(self.Second) end`), ``},
	{
		"component of another class", "multi.lua\n" + body("function T:Go() self:Log(self.Second) end\nlocal U = class(\"U\")\nfunction U:Go() self:AddComponent(\"ActorComponent\", \"Second\") end"),
		`multi.lua:2:31: error: class T: unknown name self.Second; neither T nor its parents declare or ever assign it [unknown-name]`,
	},
	{"component added and assigned", body(`function T:Go() self:AddComponent("ActorComponent", "Second") self.Second = 1 end`), `T.lua:2:68: error: class T: self.Second is a component and cannot be assigned [read-only]`},
	{"component no name", body(`T.components { Gun = 5 }`), `T.lua:2:22: error: class T: .components: Gun: expected a class's name, got number 5 [bad-component]`},

	// Replication
	{"inherited replication", body(`T.replication { { "Health" } }`), `T.lua:2:19: error: class T: Health is declared by Pawn, and only that class can replicate it (R5.3) [inherited-replication]`},
	{"unknown replication", body("T.properties { Ammo = int(0) }\nT.replication { { \"Amno\" } }"), `T.lua:3:19: error: class T: replication of unknown variable Amno; did you mean "Ammo"? [unknown-name]`},
	{
		"dynamic replication", body("T.replication { { \"List\" } }\nfunction T:Use() self.List = {} end"),
		`T.lua:2:19: error: class T: List is a value of the script's own and cannot be replicated; declare it in T.properties, a list of changing length as fastarray(struct { … }) (R5.12) [dynamic-replication]`,
	},
	{"two rules", rule(`{ "Ammo" }, { "Ammo" }`), `T.lua:3:31: error: class T: Ammo already has a replication rule at T.lua:3:17 [duplicate-rule]`},
	{"array too large", body("T.properties { A = array(int(0), 200) }\nT.replication { { \"A\" } }"), `T.lua:3:19: error: class T: A takes 800 bytes; a replicated array stays under 448 (R5.12); use a fastarray [array-too-large]`},
	{"unknown condition", rule(`{ "Ammo", when = COND_OwnerOnyl }`), `T.lua:3:34: error: class T: .replication: unknown condition COND_OwnerOnyl; did you mean "COND_OwnerOnly"?; expected COND_… or function(self) return … end [unknown-condition]`},
	{"net group", rule(`{ "Ammo", when = COND_NetGroup }`), `T.lua:3:17: error: class T: .replication: COND_NetGroup needs its group: expected group = "name" [bad-rule]`},
	{"group alone", rule(`{ "Ammo", group = "x" }`), `T.lua:3:17: error: class T: .replication: group goes with when = COND_NetGroup only [bad-rule]`},
	{"look", body("T.looks { glow = 2 }"), `T.lua:2:18: error: class T: .looks: glow: expected 0 to 1, got 2 [bad-look]`},
	{"action", body("T.actions { Horn = { keys = { \"F5\" } } }"), `T.lua:2:22: error: class T: .actions: Horn: keys: "F5" cannot be the key of an action: it loads the page again [bad-action]`},
	{"unknown action", body("function T:Use() return self:IsActionDown(\"Frie\") end"), `T.lua:2:43: error: IsActionDown: unknown action "Frie"; did you mean "Fire"?; declare it in content/input.toml or in a class's .actions [unknown-action]`},
	{"look's file", body("T.looks { trail = \"effects/x.toml\" }"), `T.lua:2:19: error: class T: .looks: trail: no content file "effects/x.toml" [look-file]`},
	{
		"look not replicated", body("T.properties { Ammo = int(0) }\nT.looks { glow = \"=Ammo\" }\nfunction T:Use() self.Ammo = 1 end"),
		`T.lua:3:18: warning: class T: .looks: glow: Ammo is not replicated and scripts of the server set it: others see its default; name it in T.replication [look-not-replicated]`,
	},
	{"no names", rule(`{ when = COND_OwnerOnly }`), `T.lua:3:17: error: class T: .replication: the rule names no variable [bad-rule]`},
	{"notify", rule(`{ "Ammo", notify = "sometimes" }`), `T.lua:3:36: error: class T: .replication: notify: expected true or "always", got "sometimes" [bad-rule]`},
	{"unknown key of rule", rule(`{ "Ammo", wen = COND_OwnerOnly }`), `T.lua:3:27: error: class T: .replication: unknown key "wen"; did you mean "when"?; a rule has names, when, notify and group [unknown-key]`},
	{"rule no table", rule(`"Ammo"`), `T.lua:3:17: error: class T: .replication: expected rules like { "Name", when = … }, got a string [not-literal]`},
	{
		"when no literal", body("local f = function(self) return true end\nT.properties { Ammo = int(0) }\nT.replication { { \"Ammo\", when = f } }"),
		`T.lua:4:34: error: class T: .replication: expected when = COND_… or when = function(self) return … end, got f [not-literal]`,
	},
	{"when takes self", rule(`{ "Ammo", when = function(a, b) return true end }`), `T.lua:3:34: error: class T: .replication: a condition takes self alone: expected function(self) return … end [bad-condition]`},
	{"impure assignment", cond(`(function() self.Ammo = 5 return true end)()`), `T.lua:3:73: error: class T: the condition of Ammo assigns self.Ammo; a condition only looks, it has no effects (R5.5) [impure-condition]`},
	{"impure spawn", cond(`self:Spawn("Pawn")`), `T.lua:3:61: error: class T: the condition of Ammo calls Spawn, which changes the game; a condition only looks, it has no effects (R5.5) [impure-condition]`},
	{"impure global", cond(`log("x")`), `T.lua:3:56: error: class T: the condition of Ammo calls log; a condition only looks, it has no effects (R5.5) [impure-condition]`},
	{"impure random", cond(`math.random() > 0.5`), `T.lua:3:61: error: class T: the condition of Ammo calls math.random; a condition only looks, it has no effects (R5.5) [impure-condition]`},
	{
		"impure through a function", cond(`self:Loaded()`) + "\nfunction T:Loaded() self:Count() return true end\nfunction T:Count() self.Ammo = self.Ammo + 1 end",
		`T.lua:3:61: error: class T: the condition of Ammo calls Loaded, which calls Count, which assigns self.Ammo (T.lua:5:25) (T.lua:4:26); a condition only looks, it has no effects (R5.5) [impure-condition]`,
	},
	{
		"impure upvalue", body("local n = 0\nlocal function count() n = n + 1 return n end\nT.properties { Ammo = int(0) }\nT.replication { { \"Ammo\", when = function(self) return count() > 3 end } }"),
		`T.lua:3:24: error: class T: the condition of Ammo assigns the variable n; a condition only looks, it has no effects (R5.5) [impure-condition]`,
	},
	{"impure replicated call", cond(`self:ServerUse(1)`), `T.lua:3:61: error: class T: the condition of Ammo calls ServerUse, which is sent to another peer; a condition only looks, it has no effects (R5.5) [impure-condition]`},
	{"both sides", cond(`self.Role >= ROLE_SimulatedProxy and self.Health > 5`), `T.lua:3:34: error: class T: the condition of Ammo: it could hold on both sides: on the server, and on a client, which would send the variable upwards; a rule is for one side: add self.Role == ROLE_Authority and …, or self.Role < ROLE_Authority and … [both-sides]`},
	{"condition compares nonsense", cond(`self.Health > "5"`), `T.lua:3:68: error: class T: the condition of Ammo: attempt to compare number with string [condition-type]`},
	{"condition calculates nonsense", cond(`self.Health + self.Enemy > 5`), `T.lua:3:68: error: class T: the condition of Ammo: attempt to perform arithmetic (+) on number and nil [condition-type]`},
	{"condition misspelt member", cond(`self.Location.W > 5`), `T.lua:3:70: error: class T: the condition of Ammo: a vector has no member W; it has X, Y and Z [unknown-name]`},
	{"condition unknown name", cond(`self.Healht > 5`), `T.lua:3:61: error: class T: unknown name self.Healht; did you mean "Health"?; neither T nor its parents declare or ever assign it [unknown-name]`},
	{"slow condition", cond(`tostring(self.Health) == "5"`), `T.lua:3:56: warning: class T: the condition of Ammo runs in the script VM for every actor and connection: it calls tostring, which only the script VM can; use variables, constants, operators and functions of one return [slow-condition]`},
	{
		"slow by a function", cond(`self:Big()`) + "\nfunction T:Big() for i = 1, 2 do if self.Ammo == i then return true end end end",
		`T.lua:3:61: warning: class T: the condition of Ammo runs in the script VM for every actor and connection: it calls Big of class T, and there it is more than one expression; use variables, constants, operators and functions of one return [slow-condition]`,
	},
	{"never", cond(`self.bNetInitial and false`), `T.lua:3:34: warning: class T: the condition of Ammo: it never holds, so the variables never cross; use COND_Never or take the rule out if that is meant [constant-condition]`},
	{"always", cond(`self.Role == ROLE_Authority`), `T.lua:3:34: warning: class T: the condition of Ammo: it always holds on the server; leave when out: a variable is sent whenever it changed [constant-condition]`},
	{"dirty every tick", cond(`self.bNetDirty`) + "\nfunction T:Tick(dt) self.Ammo = self.Ammo + 1 end", `T.lua:3:61: warning: class T: bNetDirty is always true for Ammo, which T:Tick writes every tick [dirty-every-tick]`},

	// Names
	{"unknown self name", body("function T:Use() return self.Healht end"), `T.lua:2:30: error: class T: unknown name self.Healht; did you mean "Health"?; neither T nor its parents declare or ever assign it [unknown-name]`},
	{"assigned somewhere", body("function T:Use() return self.mine end\nfunction T:BeginPlay() self.mine = {} end"), ``},
	{"assigned by a helper", body("local function f(self) self.mine = {} end\nfunction T:Use() f(self) return self.mine end"), ``},
	{"unknown self function", body("function T:Use() self:Flahs() end"), `T.lua:2:23: error: class T: unknown function self:Flahs; did you mean "Flash"? [unknown-name]`},
	{"call of a variable", body("function T:Use() self:Health() end"), `T.lua:2:23: error: class T: self:Health(…) calls a variable (int(0…200), declared at Pawn.lua:2:19); expected a function [unknown-name]`},
	{"unknown super", body("function T:Use() T.super.Ues(self) end"), `T.lua:2:26: error: class T: super.Ues: Pawn has no such function; did you mean "Use"? [unknown-name]`},
	{"super of an event", body("function T:Tick(dt) T.super.Tick(self, dt) end"), ``},
	{"connection name outside", body("function T:Use() return self.bNetOwner end"), `T.lua:2:30: error: class T: bNetOwner exists in replication conditions only, where it is asked for one connection; found in function Use [unknown-name]`},
	{"argument of another type", body("function T:Use() self:SetLocation(5) end"), `T.lua:2:35: error: class T: SetLocation: argument 1 (place): expected a vector, got the number 5 [argument-type]`},
	{
		"persistent elsewhere", "local T = class(\"T\", \"Pawn\")\nT.persistent { Gold = int(0) }\nreturn T",
		`T.lua:2:16: error: class T: Gold: .persistent is for PlayerReplicationInfo (PlayerState) and its children, which belong to a player; what belongs to no player goes into store [bad-persistent]`,
	},
	{
		"persistent twice", "local T = class(\"T\", \"PlayerState\")\nT.properties { Gold = int(0) }\nT.persistent { Gold = int(0) }\nreturn T",
		`T.lua:3:16: error: class T: .persistent: Gold stands twice, first at T.lua:2:16 [repeated]`,
	},
	{"missing argument", body("function T:Use() self:HurtRadius(1) end"), `T.lua:2:23: error: class T: HurtRadius: argument 2 (radius) is missing: expected a number [missing-argument]`},
	{"operator", body("function T:Use() log(self.Location + 1) end"), `T.lua:2:22: error: class T: cannot add a vector and the number 1 [operation]`},
	{"comparison", body("function T:Use() log(self.Owner == 1) end"), `T.lua:2:22: warning: class T: an actor of class Actor is never equal to the number 1 [constant-comparison]`},
	{"extra argument", body("function T:Use() self:StopMove(1) end"), `T.lua:2:32: warning: class T: StopMove: takes 0 arguments, got 1 [extra-argument]`},
	{"unknown global", body("function T:Use() prnit(1) end"), `T.lua:2:18: error: unknown name prnit; nothing but locals and what docs/lua-api.md lists can be used [unknown-global]`},
	{"a name of another language", body("function T:Use() return null end"), `T.lua:2:25: error: unknown name null; write 'nil' [unknown-global]`},
	{"this", body("function T:Use() this:Use() end"), `T.lua:2:18: error: unknown name this; write 'self' [unknown-global]`},
	{"print", body("function T:Use() print(1) end"), `T.lua:2:18: error: unknown name print; log(…) and self:Log(…) write to the host's log [unknown-global]`},
	{"throw", body("function T:Use() throw \"x\" end"), `T.lua:2:18: error: unknown name throw; an error is raised by error("…") [unknown-global]`},
	{"forgotten self of a native", body("function T:Use() Destroy() end"), `T.lua:2:18: error: unknown name Destroy; did you mean self:Destroy(…)? [unknown-global]`},
	{"forgotten self of an engine variable", body("function T:Use() return Location end"), `T.lua:2:25: error: unknown name Location; did you mean self.Location? [unknown-global]`},
	{"forgotten self", body("T.properties { Ammo = int(0) }\nfunction T:Use() return Ammo end"), `T.lua:3:25: error: unknown name Ammo; did you mean self.Ammo? [unknown-global]`},
	{"global write", body("function T:Use() counter = 1 end"), `T.lua:2:18: error: assignment to the global counter: globals are read-only, values are kept in self or in locals; write local counter [global-write]`},
	{"global function", body("function helper() end"), `T.lua:2:10: error: assignment to the global helper: globals are read-only, values are kept in self or in locals; write local helper [global-write]`},
	{"library write", body("string.trim = 5"), `T.lua:2:8: error: string.trim: the libraries are frozen; use a local [global-write]`},
	{"unknown library function", body("function T:Use() return string.foramt(1) end"), `T.lua:2:32: error: unknown function string.foramt; did you mean "format"? [unknown-global]`},
	{"type at run time", body("function T:Use() return int(5) end"), `T.lua:2:25: error: int(…) is a type and stands in declarations only: in .properties, .params, at the top level of a class file [nested-declaration]`},
	{"read-only", body("function T:Use() self.Role = 1 end"), `T.lua:2:23: error: class T: self.Role is set by the engine and cannot be assigned [read-only]`},
	{"assigned function", body("function T:Use() self.Flash = 1 end"), `T.lua:2:23: error: class T: self.Flash is a function of T and cannot be assigned [read-only]`},
	{"wrong literal", body(`function T:Use() self.Health = "full" end`), `T.lua:2:23: error: class T: self.Health: expected int(0…200), got string "full" [type-error]`},
	{"literal out of range", body(`function T:Use() self.Health = 201 end`), `T.lua:2:23: error: class T: self.Health: expected int(0…200), got 201 [type-error]`},
	{"nil for a number", body(`function T:Use() self.Health = nil end`), `T.lua:2:23: error: class T: self.Health: expected int(0…200), got nil [type-error]`},
	{"nil for a reference", body(`function T:Use() self.Enemy = nil end`), ``},
	{"unknown class", body(`function T:Use() self:Spawn("Pwan") end`), `T.lua:2:29: error: Spawn: unknown class "Pwan"; did you mean "Pawn"? [unknown-class]`},
	{"unknown timer", body(`function T:Use() self:SetTimer(1, false, "Flahs") end`), `T.lua:2:42: error: class T: SetTimer: unknown function "Flahs"; did you mean "Flash"? [unknown-name]`},
	{"unknown custom", body(`function T:Use() self:SetCustomIsActive("Healht", true) end`), `T.lua:2:41: error: class T: SetCustomIsActive: unknown variable "Healht"; did you mean "Health"? [unknown-name]`},
	{"unknown module", body(`local g = require("lib.goe")`), `T.lua:2:19: error: require: no module "lib.goe"; did you mean "lib.geo"?; modules are the files of scripts/lib, named lib.<name>, and nothing else can be required [unknown-module]`},
	{"unknown content", body(`function T:Use() self:PlaySound("sounds/bang.ogg") end`), `T.lua:2:33: warning: PlaySound: no content file "sounds/bang.ogg" [unknown-content]`},

	// Advice
	{"no params", body("function T.server:Foo(a) self:Log(a) end"), "T.lua:2:19: warning: class T: Foo comes from clients and its arguments are not declared; write T.params { Foo = { … } } [no-params]\nT.lua:2:19: warning: class T: Foo comes from clients and nothing judges it; write function T.validate:Foo(a) [no-validate]"},
	{"begin constant", body("function T:BeginPlay() self.Health = 50 end"), `T.lua:2:29: warning: class T: BeginPlay assigns a constant to Health; as a default it costs nothing and is not sent: T.defaults { Health = … } [begin-constant]`},
	{"begin constant in an if", body("function T:BeginPlay() if self.Enemy then self.Health = 50 end end"), ``},
	// Moves
	{
		"a move of what is no pawn", "local T = class(\"T\")\nT.moves {}",
		`T.lua:2:3: error: class T: .moves is for pawns, components and weapons; declare it in a component, and give that to the pawn in its .components [bad-moves]`,
	},
	{
		"moves no table", "local T = class(\"T\", \"Pawn\")\nT.moves(\"x\")",
		`T.lua:2:9: error: class T: .moves: expected a table written here, got a string [not-literal]`,
	},
	{
		"a list of moves that there is not", "local T = class(\"T\", \"Pawn\")\nT.properties { bGo = false }\nT.moves { flag = { \"bGo\" }, \"bGo\" }",
		`T.lua:3:11: error: class T: .moves: unknown list "flag"; did you mean "flags"?; it has presses, flags, fields and state [unknown-key]
T.lua:3:29: error: class T: .moves: unknown list ""; it has presses, flags, fields and state [unknown-key]`,
	},
	{
		"a list of moves no list", "local T = class(\"T\", \"Pawn\")\nT.properties { bGo = false }\nT.moves { flags = \"bGo\", state = { bGo = true }, fields = { Charge = float(0) }, presses = { bGo } }",
		`T.lua:3:19: error: class T: .moves: flags: expected a list of names, { "Name", … }, got "bGo" [not-literal]
T.lua:3:34: error: class T: .moves: state: expected a list of names, { "Name", … }, got a table [not-literal]
T.lua:3:59: error: class T: .moves: fields: expected a list of names, { "Name", … }, got a table [not-literal]
T.lua:3:94: error: class T: .moves: unknown constant bGo [unknown-global]`,
	},
	{"a list of moves that is a call", body("T.moves { flags = math.random() }"), `T.lua:2:19: error: class T: .moves is read before anything runs: expected a literal, got a call of math.random [not-literal]`},
	{
		"a list of moves twice", "local T = class(\"T\", \"Pawn\")\nT.properties { bGo = false, bStop = false }\nT.moves { flags = { \"bGo\" }, flags = { \"bStop\" } }",
		`T.lua:3:30: error: class T: .moves: flags stands twice, first at T.lua:3:11 [repeated]`,
	},
	{
		"misspelt flag", "local T = class(\"T\", \"Pawn\")\nT.properties { bThrust = false }\nT.moves { flags = { \"bThurst\" } }",
		`T.lua:3:21: error: class T: .moves: flags of unknown variable bThurst; did you mean "bThrust"? [unknown-name]`,
	},
	{
		"a flag that is no boolean", "local T = class(\"T\", \"Pawn\")\nT.properties { Thrust = int(0), bOn = false }\nT.moves { flags = { \"Thrust\" }, presses = { \"Thrust\" }, fields = { \"bOn\" } }",
		`T.lua:3:21: error: class T: .moves: flags: Thrust is int; expected a boolean; other types stand among the fields [bad-moves]
T.lua:3:45: error: class T: .moves: presses: Thrust is int; expected a boolean; other types stand among the fields [bad-moves]
T.lua:3:68: error: class T: .moves: fields: bOn is bool; a boolean stands among the flags [bad-moves]`,
	},
	{
		"a flag that is set from the start", "local T = class(\"T\", \"Pawn\")\nT.properties { bOn = true }\nT.moves { flags = { \"bOn\" }, state = { \"bOn\" } }",
		`T.lua:3:21: error: class T: .moves: flags: bOn is true by default; expected false, which a move without it means [bad-moves]`,
	},
	{
		"what a move cannot carry", "local T = class(\"T\", \"Pawn\")\nT.properties { Prey = ref(\"Pawn\"), List = array(ref(\"Pawn\"), 2), Good = array(struct { N = int(1), S = \"x\" }, 2), Kind = classref(\"Pawn\"), Bag = fastarray(struct { N = int(0) }) }\nT.moves { fields = { \"Prey\", \"List\" }, state = { \"Good\", \"Kind\", \"Bag\" } }",
		`T.lua:3:22: error: class T: .moves: fields: Prey is ref(Pawn); a move carries numbers, booleans, strings, enums, vectors, rotators, and structs and arrays of them [bad-moves]
T.lua:3:30: error: class T: .moves: fields: List is array(ref(Pawn), 2); a move carries numbers, booleans, strings, enums, vectors, rotators, and structs and arrays of them [bad-moves]
T.lua:3:58: error: class T: .moves: state: Kind is classref(Pawn); a move carries numbers, booleans, strings, enums, vectors, rotators, and structs and arrays of them [bad-moves]
T.lua:3:66: error: class T: .moves: state: Bag is fastarray(struct{N = int}); a move carries numbers, booleans, strings, enums, vectors, rotators, and structs and arrays of them [bad-moves]`,
	},
	{
		"a move of the engine's", "local T = class(\"T\", \"Pawn\")\nT.moves { state = { \"Velocity\" } }",
		`T.lua:2:21: error: class T: .moves: state: Velocity is the engine's, which saves and corrects place, velocity, physics and base by itself; name variables of .properties [bad-moves]`,
	},
	{
		"a variable of a move twice", "multi.lua\nlocal T = class(\"T\", \"Pawn\")\nT.properties { bGo = false }\nT.moves { flags = { \"bGo\" }, state = { \"bGo\" } }\nlocal U = class(\"U\", \"T\")\nU.moves { presses = { \"bGo\" } }",
		`multi.lua:3:40: error: class T: .moves: bGo stands among the flags already, at multi.lua:3:21 [repeated]
multi.lua:5:23: error: class U: .moves: bGo stands among the flags already, at multi.lua:3:21 [repeated]`,
	},
	{
		"predicted and replicated", "local T = class(\"T\", \"Pawn\")\nT.properties { Fuel = float(0), Heat = float(0), Wind = float(0), Rain = float(0) }\nT.replication { { \"Fuel\" }, { \"Heat\", when = COND_SkipOwner }, { \"Wind\", when = COND_OwnerOnly }, { \"Rain\", when = function(self) return not self.bNetOwner end } }\nT.moves { state = { \"Fuel\", \"Heat\", \"Wind\", \"Rain\" } }",
		`T.lua:4:21: error: class T: .moves: state: Fuel is also replicated to the player who predicts it (T.lua:3:17), and what comes is older than what they have; write when = COND_SkipOwner there, or leave it out of one of the two [bad-moves]
T.lua:4:37: error: class T: .moves: state: Wind is also replicated to the player who predicts it (T.lua:3:64), and what comes is older than what they have; write when = COND_SkipOwner there, or leave it out of one of the two [bad-moves]`,
	},
	{
		"too large for a move", "local T = class(\"T\", \"Pawn\")\nT.properties { Word = str(\"\", { max = 64 }), N = int(0) }\nT.moves { fields = { \"N\", \"Word\" } }",
		`T.lua:3:27: error: class T: what its moves carry takes up to 71 bytes, at most 64 fit: T 562 bits; most takes T.Word, string(64), with 529 bits: give it a range or a smaller max, or leave it out [moves-too-large]`,
	},
	{
		"too large a state", "multi.lua\nlocal Log = class(\"Log\", \"ActorComponent\")\nLog.properties { Text = str(\"\", { max = 200 }) }\nLog.moves { state = { \"Text\" } }\nlocal Diary = class(\"Diary\", \"Log\")\nlocal T = class(\"T\", \"Pawn\")\nT.components { One = Log, Two = \"Diary\" }",
		`multi.lua:3:23: error: class Pawn: what its moves depend on takes up to 405 bytes, at most 240 fit: an added Diary 1617 bits, an added Log 1617 bits; most takes Diary.Text, string(200), with 1617 bits: give it a range or a smaller max, or leave it out [moves-too-large]`,
	},
	{
		"takes part, but does not say so", "multi.lua\nlocal Part = class(\"Part\", \"ActorComponent\")\nfunction Part:ProcessMove(_) end\nlocal Jet = class(\"Jet\", \"Part\")\nfunction Jet:ProcessMove(move) Jet.super.ProcessMove(self, move) end\nlocal Dash = class(\"Dash\", \"Part\")\nDash.moves {}\nfunction Dash:ProcessMove(_) end",
		`multi.lua:4:14: warning: class Jet: ProcessMove is never called: only classes with .moves take part in moves; write Jet.moves {} at least [never-called]`,
	},
	{
		"commands", "multi.lua\nlocal GameInfo = class(\"GameInfo\")\nlocal T = class(\"T\", \"GameInfo\")\n-- Adds bots.\nfunction T.console:BotAdd(Caller, Count) self:Log(Caller and Caller.Name, Count) end\n" +
			"T.params { BotAdd = { ref(\"Actor\"), optional(int(1)) } }\nT.roles { BotAdd = \"none\" }",
		``,
	},
	{
		"a command without types", game(`function T.console:Give(Player) self:Log(Player) end`),
		`multi.lua:4:20: error: class T: console:Give: the console has to know what Player is; declare the types of all arguments: T.params { Give = { … } } [bad-command]`,
	},
	{
		"a command in an actor", body("-- Help.\nfunction T.console:Give() end"),
		`T.lua:3:20: error: class T: console:Give: commands stand in the class of a game, a child of GameInfo or one of its parents: a match has one [bad-command]`,
	},
	{"a command in small letters", game(`function T.console:give() end`), `multi.lua:4:20: error: class T: console:give: a command is written in PascalCase without _: BotAdd is typed as bot add [bad-command]`},
	{"a command of many arguments", game(`function T.console:Give(...) self:Log(...) end`), `multi.lua:4:20: error: class T: console:Give: a command has a fixed list of arguments; a last string takes the rest of the line [bad-command]`},
	{"a command that crosses", game(`function T.server.console:Give() end`), `multi.lua:4:19: error: class T: a command takes no specifiers: expected function T.console:Give(…) [bad-function]`},
	{
		"a command and a function", game("function T.console:Give() end\nfunction T:Give() end"),
		`multi.lua:5:12: error: class T: function Give and command give, at multi.lua:4:20, have one name, and .params could mean either; rename one [bad-command]`,
	},
	{
		"two commands with one name", game("function T.console:BotAdd() end\n-- Help.\nfunction T.console:BotADD() end"),
		`multi.lua:4:20: error: class T: console:BotAdd and console:BotADD are both typed as "bot add"; rename one [bad-command]
multi.lua:6:20: error: class T: console:BotADD and console:BotAdd are both typed as "bot add"; rename one [bad-command]`,
	},
	{
		"what nobody can type", game(`function T.console:Give(Where, Caller) self:Log(Where, Caller) end T.params { Give = { vector(0, 0, 0), ref("Actor") } }`),
		`multi.lua:4:20: error: class T: console:Give: nobody can type Where, which is vector; expected a boolean, int, float, string, enum, ref or classref, and for a place three floats [bad-command]`,
	},
	{
		"optional arguments first", game(`function T.console:Give(A, B) self:Log(A, B) end T.params { Give = { optional(int(1)), int(2) } }`),
		`multi.lua:4:20: error: class T: console:Give: B follows an argument that is optional, so it must be optional, too [bad-command]`,
	},
	{
		"a caller that is no player", game(`function T.console:Give(Caller) self:Log(Caller) end T.params { Give = { int(1) } }`),
		`multi.lua:4:20: error: class T: console:Give: Caller is the player who gives the command, or nil: its type is ref("PlayerController") [bad-command]`,
	},
	{
		"optional elsewhere", body("function T.server:Give(N) self:Log(N) end T.params { Give = { optional(int(1)) } } function T.validate:Give(N) return N > 0 end"),
		`T.lua:2:63: error: class T: .params of Give: N: optional is for arguments of commands, in .params of a function C.console:Name(…) [bad-type]`,
	},
	{
		"a role that is none", game("function T.console:Give() end T.roles { Give = \"amdin\" }"),
		`multi.lua:4:48: error: class T: .roles: Give: expected one of "none", "moderator", "admin", "owner", got "amdin"; did you mean "admin"? [bad-command]`,
	},
	{
		"a role of no command", game("function T.console:Give() end T.roles { Gvie = \"admin\" }"),
		`multi.lua:4:41: error: class T: .roles of Gvie, which is no command of this file; did you mean "Give"?; expected function T.console:Gvie(…) [unknown-name]`,
	},
	{
		"a command without help", "multi.lua\nlocal GameInfo = class(\"GameInfo\")\nfunction GameInfo.console:Give() end",
		`multi.lua:2:27: warning: class GameInfo: console:Give: help has nothing to say about it; write what it does in a comment above the function [no-help]`,
	},
	{
		"a command that the host has", game("function T.console:Kick() end\n-- Help.\nfunction T.console:KickHard() end\n-- Help.\nfunction T.console:Kicker() end"),
		`multi.lua:4:20: error: class T: console:Kick is typed as "kick", and the host has a command "kick" of its own; rename it, for example to GameKick [bad-command]
multi.lua:6:20: error: class T: console:KickHard is typed as "kick hard", and the host has a command "kick" of its own; rename it, for example to GameKickHard [bad-command]`,
	},
	{
		"moves in a function", "local T = class(\"T\", \"Pawn\")\nfunction T:Use() T.moves {} end",
		`T.lua:2:20: error: class T: .moves stands at the top level of its file: the loader reads it before anything runs [nested-declaration]`,
	},
}

func props(s string) string { return body("T.properties { " + s + " }") }
func game(s string) string {
	return "multi.lua\nlocal GameInfo = class(\"GameInfo\")\nlocal T = class(\"T\", \"GameInfo\")\n-- Help.\n" + s
}
func body(s string) string { return "local T = class(\"T\", \"Pawn\")\n" + s }
func rule(s string) string {
	return body("T.properties { Ammo = int(0) }\nT.replication { " + s + " }")
}

func cond(s string) string {
	return rule(`{ "Ammo", when = function(self) return ` + s + ` end }`)
}

func TestChecks(t *testing.T) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			name, src := "T.lua", c.src
			if first, rest, ok := strings.Cut(src, "\n"); ok && strings.HasSuffix(first, ".lua") {
				name, src = first, rest
			}
			p, diags := load(t, map[string]string{name: src, "lib.geo": "return {}"}, Options{Check: true, Content: func(string) bool { return false }, Actions: []string{"Fire"}, Reserved: []string{"kick"}})
			got := strings.TrimSpace(text(diags))
			if got != c.want {
				t.Errorf("\n%s\ngot:\n%s\nwant:\n%s", src, got, c.want)
			}
			if fails := strings.Contains(c.want, ": error: "); fails != (p == nil) {
				t.Errorf("program %v, want %v", p != nil, !fails)
			}
		})
	}
}

// TestEveryRuleIsTested holds the table of rules to the checks above, both ways.
func TestEveryRuleIsTested(t *testing.T) {
	severity := map[string]string{}
	for _, r := range Rules() {
		if severity[r.Name] != "" {
			t.Errorf("rule %s stands twice", r.Name)
		}
		severity[r.Name] = r.Severity.String()
		if r.Doc == "" || !strings.HasSuffix(r.Doc, ".") {
			t.Errorf("rule %s: a line of its own, please", r.Name)
		}
	}
	tested := map[string]bool{
		"class-in-use": true, "load-error": true, // of the runtime
		"too-many-replicated": true, "state-too-large": true, "call-too-large": true, // size_test.go
	}
	for _, c := range checks {
		for _, line := range strings.Split(c.want, "\n") {
			i := strings.LastIndex(line, "[")
			if i < 0 {
				continue
			}
			name := strings.TrimSuffix(line[i+1:], "]")
			tested[name] = true
			if !strings.Contains(line, ": "+severity[name]+": ") || severity[name] == "" {
				t.Errorf("rule %s is not in the table with this severity: %s", name, line)
			}
		}
	}
	for n := range severity {
		if !tested[n] {
			t.Errorf("rule %s has no test", n)
		}
	}
}

// TestEmittedRules looks for rule names in the sources that the table lacks.
func TestEmittedRules(t *testing.T) {
	known := map[string]bool{}
	for _, r := range Rules() {
		known[r.Name] = true
	}
	own, _ := filepath.Glob("*.go")
	engines, _ := filepath.Glob("../../engine/class_*.go")
	emits := regexp.MustCompile(`(?:rrorf|warnf|\.error)\(.*"([a-z]+-[a-z-]+)"`)
	for _, f := range append(own, engines...) {
		src, err := os.ReadFile(f)
		if err != nil || strings.HasSuffix(f, "_test.go") {
			continue
		}
		for _, m := range emits.FindAllStringSubmatch(string(src), -1) {
			if !known[m[1]] {
				t.Errorf("%s emits %q, which is not in the table", f, m[1])
			}
		}
	}
}

// scripts are the files of folders of scripts/, of all without a name.
func scripts(t testing.TB, folders ...string) (out []Source) {
	t.Helper()
	if len(folders) == 0 {
		folders = []string{"."}
	}
	for _, dir := range folders {
		err := filepath.WalkDir(filepath.Join("../../scripts", dir), func(p string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(p, ".lua") {
				return err
			}
			text, err := os.ReadFile(p)
			s := Source{Path: strings.TrimPrefix(filepath.ToSlash(p), "../../"), Text: string(text)}
			if strings.Contains(s.Path, "/lib/") {
				s.Lib = "lib." + strings.TrimSuffix(filepath.Base(p), ".lua")
			}
			out = append(out, s)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// coreSources are the base classes and modules.
func coreSources(t testing.TB) []Source {
	t.Helper()
	return scripts(t, "core", "lib")
}

// TestLibrariesAreTheSandboxes holds the names the checker knows to those that are there when a script runs.
func TestLibrariesAreTheSandboxes(t *testing.T) {
	vm, err := sandbox.New(sandbox.Options{Rand: fixed{}})
	if err != nil {
		t.Fatal(err)
	}
	defer vm.Close()
	there := vm.HardenOptions()
	// Everything that Lua 5.1 and gopher-lua have in these libraries.
	all := strings.Fields(`byte char dump find format gfind gmatch gsub len lower match rep reverse sub upper
		concat foreach foreachi getn insert maxn remove setn sort unpack pack
		abs acos asin atan atan2 ceil cos cosh deg exp floor fmod frexp huge ldexp log log10 max min mod modf pi pow rad random
		randomseed sin sinh sqrt tan tanh create isyieldable resume running status wrap yield`)
	for lib, members := range words.libraries {
		for _, m := range slices.Concat(all, members) {
			if known := slices.Contains(members, m); known != there.Library(lib, m) {
				t.Errorf("%s.%s: the checker says %v, the sandbox %v", lib, m, known, !known)
			}
		}
	}
	for _, g := range plainGlobals {
		if !there.Globals(g) {
			t.Errorf("%s is no global of the sandbox", g)
		}
	}
	natives := newVocabulary(Natives())
	for _, g := range there.Names {
		if !natives.globals[g] {
			t.Errorf("the sandbox has %s, which the checker refuses", g)
		}
	}
}

type fixed struct{}

func (fixed) Uint64() uint64 { return 1 }
