-- Lua of this host: version 5.1, with what package scriptvm/api gives instead of much of the standard
-- library. tests/luacheck_test.go holds the names to the registry.
stds.tidelock = {
	read_globals = {
		"assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall", "rawequal", "rawget",
		"rawset", "select", "setmetatable", "tonumber", "tostring", "type", "unpack",
		coroutine = { other_fields = true },
		math = { other_fields = true },
		string = { other_fields = true },
		table = { other_fields = true },

		-- values and functions of the host
		world = { other_fields = true },
		store = { other_fields = true },
		cluster = { other_fields = true },
		Profile = { other_fields = true },
		"vector", "rotator", "log", "require", "class",
		-- latent code
		"Sleep", "SleepUntil", "WaitFor", "FinishMove",
		-- types, at the top level of a class file
		"int", "float", "str", "quantized", "normal", "enum", "ref", "classref", "array", "struct",
		"fastarray", "local_", "optional",

		"NM_Standalone", "NM_DedicatedServer", "NM_ListenServer", "NM_Client",
		"ROLE_None", "ROLE_SimulatedProxy", "ROLE_AutonomousProxy", "ROLE_Authority",
		"PHYS_None", "PHYS_Walking", "PHYS_Falling", "PHYS_Flying", "PHYS_Projectile", "PHYS_Rotating",
		"PHYS_Interpolating", "PHYS_RigidBody", "PHYS_Swimming",
		"DORM_Never", "DORM_Awake", "DORM_DormantAll", "DORM_Initial",
		"COND_None", "COND_InitialOnly", "COND_OwnerOnly", "COND_SkipOwner", "COND_SimulatedOnly",
		"COND_AutonomousOnly", "COND_SimulatedOrPhysics", "COND_InitialOrOwner", "COND_Custom",
		"COND_ReplayOrOwner", "COND_ReplayOnly", "COND_SimulatedOnlyNoReplay",
		"COND_SimulatedOrPhysicsNoReplay", "COND_SkipReplay", "COND_Dynamic", "COND_Never",
		"COND_NetGroup",
	},
}

std = "tidelock"
max_line_length = 100
max_comment_line_length = 112 -- as in Go files: words wrap there
-- self is an argument of every function of a class, used or not.
self = false

exclude_files = { "**/testdata/**", ".tidelock/**" }
files["tests/scenarios"] = {
	read_globals = { "scenario", "for_each" },
	max_line_length = false, -- tables of cases, one case a line
}
files["tests/counts"] = files["tests/scenarios"] -- scenarios too
