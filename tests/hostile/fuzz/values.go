package fuzz

// value is an expression of Lua; kind is what it gives, as the registry names types.
type value struct{ kind, text string }

// values are what arguments are chosen from: ordinary ones and odd ones of each kind. S is what driver.lua keeps at hand.
func values() []value {
	var list []value
	add := func(kind string, texts ...string) {
		for _, t := range texts {
			list = append(list, value{kind, t})
		}
	}
	add("number", "0", "1", "-1", "2", "0.5", "3.7", "10", "64", "100", "250", "1000", "30000", "-0.25", "1/60", "0/0", "1/0", "-1/0", "1e308", "-1e308", "5e-324",
		"-5e-324", "1e-310", "2^53", "2^53+2", "-2^53", "2^31", "2^32", "-2^31", "2^63", "2^64", "1e200", "1e6", "1e7", "-1e12", "65536", "16384", "1e-9", "0.1", "255", "256", "32768", "67108863")
	add("string", `""`, `"a"`, `"Ok"`, `"Tick"`, `"Timer"`, `"Walking"`, `"Actor"`, `"Character"`, `"Fire"`, `"Jump"`, `"Cond"`, `"Dyn"`, `"Height"`, `"N"`, `"V"`, `"auto"`,
		`"sounds/boom.toml"`, `"animations/run.toml"`, `"animations/combo.toml"`, `"animations/locomotion.toml"`, `"animations/stop.toml"`, `"images/logo.png"`, `"#ff8000"`, `"#12345678"`, `"skull"`, `"center"`,
		`"left"`, `"lib.aiming"`, `"Loop"`, `"steps?game=GameInfo"`, `"a\nb\0c"`, `"\255\254"`, `"1e5"`, `"0x10"`, `"%s%d%5.2f%q"`, `"%99.99f"`, `"%"`, `"["`, `"(.-)(.-)(.-)b"`, `"(a*)*"`, `".-.-.-.-.-b"`,
		`"%b()"`, `"%f[%w]"`, `"a?a?a?a?a?a?aaaaaa"`, `"^.*$"`, "S.long", "S.long", "S.huge")
	add("boolean", "true", "false")
	add("nil", "nil", "nil", "nil")
	add("vector", "vector(0, 0, 0)", "vector(0, 0, 100)", "vector(1, 2, 3)", "vector(500, -300, 40)", "vector(0, 0, -1)", "self.Location", "self.Location + vector(100, 0, 0)", "S.other.Location",
		"vector(1/0, 0, 0)", "vector(0/0, 0/0, 0/0)", "vector(1e308, -1e308, 1e308)", "vector(1e200, 0, 0)", "vector(5e-324, 5e-324, 5e-324)", "vector(1e6, 1e6, 1e6)", "vector(1000001, 0, 0)",
		"vector(-2e6, 0, 0)", "vector(1e12, 0, 0)", "vector(262144, 262144, 262144)", "vector(1e154, 1e154, 1e154)", "vector(-0.0, 0, 0)", "vector(0, 0, 1e-9)")
	add("rotator", "rotator(0, 0, 0)", "rotator(16384, 0, 0)", "rotator(0, 32768, 0)", "rotator(-1, 65535, 65536)", "rotator(1.5, 2.5, 3.5)", "self.Rotation")
	add("Actor", "self", "self", "S.other", "S.box", "S.trigger", "S.weapon", "S.gone", "world.Game", "world.GameState", "S.effect")
	add("Pawn", "self", "S.other", "S.gone")
	add("ActorComponent", "S.part", "S.part", "S.deadpart")
	add("Controller", "S.ai", "S.pc", "S.gone")
	add("PlayerController", "S.pc", "S.pc", "S.ai", "S.gone")
	add("PlayerReplicationInfo", "S.pri", "self")
	add("PlayerReplicationInfo[]", "{ S.pri }", "{ S.pri, S.pri }", "{}", "{ self }", "S.wide", "{ 1, S.gone }")
	add("class", `"Actor"`, `"Character"`, `"Pawn"`, `"Brain"`, `"RigidBody"`, `"Mover"`, `"ActorComponent"`, `"Nothing"`, `"Info"`, `"ItemPickup"`, `"PlayerController"`, `"Weapon"`, "S.class", "S.classes")
	add("table", "{}", "{ 1, 2, 3 }", "S.deep", "S.cycle", "S.wide", "S.list", "{ [2^40] = 1 }", "{ [1e300] = 1, [-1] = 2 }", "S.meta", "S.evil", "{ 0/0, 1/0, -1/0 }", "{ Actor = self }", "{ S.long, S.long, S.long }", "{ self, S.gone, S.other }",
		"{ vector(1/0, 0, 0), vector(5e-324, 0, 0) }", "{ { 0, head = vector(0, 0, 10) }, { 0.5 } }", "{ { 100, 10 }, { 1000, 5 } }", `{ ["animations/run.toml"] = 0.5, ["animations/walk.toml"] = 0.5 }`, "S.sparse", "S.names", "world", "S.parts")
	add("SpawnTable", "{ Location = vector(0, 0, 200) }", "{ Location = vector(0/0, 0, 0) }", "{ Location = vector(1e7, 0, 0) }", "{ Owner = self, Instigator = self }", "{ Instigator = S.box }", "{ Owner = S.gone }",
		"{ Velocity = vector(1e300, 0, 0) }", "{ LifeSpan = 1e-300 }", "{ CollisionRadius = 1/0 }", "{ Rotation = 5 }", "{ Name = S.long }", "{ Tag = S.huge }", "{ Nothing = 1 }", "{ Physics = 3, Location = vector(0, 0, 300) }", "{ Physics = 99 }")
	add("TraceOptions", "{}", "{ actors = false }", "{ pawns = false, ignore = S.other }", "{ ignore = S.list }", "{ ignore = S.wide }", "{ radius = 40, height = 80 }", "{ radius = 1e308 }", "{ radius = 0/0 }", "{ height = -1 }", "{ height = 5e-324 }", `{ radius = "x" }`, "{ other = 1 }")
	add("SoundOptions", "{}", "{ Location = vector(1, 2, 3) }", "{ Location = vector(0/0, 0, 0) }", "{ Location = 5 }", "{ bNotReplicated = true }", "{ Nothing = true }")
	add("RewoundShot", "{ from = vector(0, 0, 100), to = vector(500, 0, 100), time = 1 }", "{ from = vector(0, 0, 100), to = vector(1e300, 0, 0), time = 0/0 }", "{ from = self.Location, to = S.other.Location, time = world.TimeSeconds, targets = S.other }",
		"{ from = self.Location, to = S.other.Location, time = -1e308, targets = S.list }", "{ from = 1, to = 2, time = 3 }", "{ from = self.Location, to = S.other.Location, time = 1e308, targets = S.wide }")
	add("AnimationName|Track", `"animations/run.toml"`, `"animations/none.toml"`, "{ Length = 2, Curves = { Height = { { 0, 0 }, { 2, 100 } } }, Events = { Half = 1 } }", "{ Length = 1/0 }", "{ Length = -1 }", "{ Length = 1e-300, Curves = { N = { { 0, 0/0 } } } }",
		"{ Length = 5e-324 }", "{ Length = 1, Events = { A = 5e-324, B = 1e308 } }", "{ Length = 1, Curves = { Height = S.wide } }", "{ Length = 1, Curves = S.names, Events = S.names }")
	add("TimelineOptions", "{}", "{ Rate = 2, Loop = true }", "{ Rate = 1e308, Loop = true }", "{ Rate = 1e-308 }", "{ Rate = 0/0 }", `{ Drives = { Height = "Height" } }`, "{ From = -1e308 }", "{ Rate = 0 }", "{ Rate = -1, Loop = true, From = 1e300 }", "{ Drives = S.names }")
	add("Wheel[]", "{}", "{ { At = vector(50, 50, -20), Rest = 20, Radius = 16, Spring = 20000, Damper = 2000, Grip = 1, Steers = true, Drives = true } }", "{ { Radius = 1e308, Spring = 1e308 } }", "{ { Radius = 0/0 } }", "{ { At = vector(1e300, 0, 0), Radius = 10 } }",
		"{ { Radius = 1, Rest = 5e-324, Damper = 1e308, Grip = 1e308 } }", "{ 1, 2 }", "S.wide", "{ S.cycle }")
	add("VectorParts", "{ X = 1 }", "{ Y = 0/0, Z = 1/0 }", `{ X = "a" }`, "{ W = 1 }")
	add("RotatorParts", "{ Yaw = 100 }", "{ Pitch = 1e300 }", "{ Roll = 0/0 }", "{ Yaw = -2^63 }")
	add("ItemTable", "{ N = 1 }", "{ N = 2^53 }", "{ N = 0/0 }", "{}", "{ Other = 1 }", "{ N = 1, S = S.huge }")
	add("movestate", "S.move", "S.move", "S.state")
	add("moveinputs", "S.inputs", "S.inputs", "nil")
	add("partstate", "S.state", "S.state", "nil")
	add("fun(error: string?)", "function(why) log(why) end", "function() error(\"no\") end", "math.abs")
	add("function", "function(value, err) log(value, err) end", "function() error(\"no\") end", "math.abs", "S.recurse")
	add("fun(): boolean", "function() return true end", "function() error(\"no\") end", "function(a, b) return a end", "function(...) return ... end", "math.abs", "log", "S.recurse", "S.compare", "coroutine.wrap(function() coroutine.yield(1) end)")
	add("thread", "coroutine.create(function(...) coroutine.yield(...) end)", "coroutine.create(function() error({}) end)", "S.thread")
	add("fastarray", "self.F", "S.other.F", "self.F")
	add("part", "self.A", "self.T", "S.other.A")
	add("world", "world")
	add("store", "store")
	add("cluster", "cluster")
	add("canvas", "S.canvas")
	return list
}
