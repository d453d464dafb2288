-- What the fuzzer's calls go through: Do makes the values that numbers name, and calls.
local FuzzPart = class("FuzzPart", "ActorComponent")
FuzzPart.properties { N = int(0) }

local FuzzBox = class("FuzzBox", "RigidBody")
FuzzBox.properties { N = int(0) }

local Fuzz = class("Fuzz", "Character")
Fuzz.properties {
	N = int(0), Height = float(0), V = vector(), Name2 = "", To = ref("Actor"),
	A = array(int(0), 3), T = struct { N = int(0), S = "" }, F = fastarray(struct { N = int(0), S = "" }),
}
Fuzz.components { Part = "FuzzPart" }
function Fuzz:Timer() self.N = 1 end

Fuzz.state("Walking")
Fuzz.state("Sleep")
Fuzz.state("WaitFor")
Fuzz.state("FinishMove")
local S = {}

-- What waits can only be called in the code of a state: it is kept in S, and the state entered.
function Fuzz.state.Walking:Timer() self.N = 2 end
function Fuzz.state.Sleep:Code() Sleep(unpack(S.wait)) end
function Fuzz.state.WaitFor:Code() WaitFor(unpack(S.wait)) end
function Fuzz.state.FinishMove:Code() FinishMove(unpack(S.wait)) end
local P, C

-- Long-lived values, made once.
local function begin()
	if S.long then return end
	S.wait = {}
	S.long = string.rep("ab", 500)
	S.huge = string.rep("x", 32768)
	local deep = {}
	S.deep = deep
	for _ = 1, 200 do deep[1] = {} deep = deep[1] end
	S.cycle = {} S.cycle[1] = S.cycle S.cycle.me = S.cycle S.cycle[2] = S.cycle
	S.wide = {} for i = 1, 2000 do S.wide[i] = i end
	S.sparse = {} for i = 1, 200 do S.sparse[i * 1000] = i end
	S.names = {} for i = 1, 300 do S.names["n" .. i] = i end
	S.meta = setmetatable({}, { __index = function(_, k) return k end, __tostring = function() return "meta" end, __len = function() return 1e300 end })
	S.evil = setmetatable({}, { __index = function() error("no") end, __newindex = function() error("no") end, __eq = function() error("no") end, __concat = function() error("no") end, __tostring = function() error("no") end })
	S.recurse = function(...) return S.recurse(...) end
	S.compare = function() return true end
	S.thread = coroutine.create(function() while true do coroutine.yield() end end)
	S.class, S.classes = Fuzz, FuzzBox
end

-- Prepare makes the actors that values name, where they are gone.
function Fuzz:Prepare()
	begin()
	local function there(a) return a and not a.bDeleteMe end
	if not there(S.other) then S.other = self:Spawn("Fuzz", { Location = vector(200, 0, 200) }) end
	if not there(S.box) then S.box = self:Spawn("FuzzBox", { Location = vector(0, 200, 200) }) end
	if not there(S.trigger) then S.trigger = self:Spawn("Info") end
	if not there(S.weapon) then S.weapon = self:Spawn("Weapon") end
	if not there(S.ai) then S.ai = self:Spawn("AIController") end
	if not there(S.pc) then S.pc = self:Spawn("PlayerController") end
	if not there(S.pri) then S.pri = self:Spawn("PlayerReplicationInfo") end
	if not there(S.hud) then S.hud = self:Spawn("FuzzHUD", { Owner = S.pc }) end
	S.effect = nil
	S.part = self.Part
	if not S.gone then
		S.gone = self:Spawn("Fuzz") S.deadpart = S.gone.Part
		S.gone:Destroy()
	end
	S.list = { self, S.other, S.box, S.gone, 1, nil, S.part }
	S.move = self:SaveMove()
	S.parts = self:GetMoveParts()
	if S.parts then
		S.inputs = self:SaveMoveInputs(S.parts)
		S.state = self:SaveMoveState(S.parts)
	end
	S.pc.myHUD = S.hud
	return S.pc
end

local function run(self, c, r, n, a, b, d, e, f, g, h, i)
	local args = {}
	local picked = { a, b, d, e, f, g, h, i }
	for k = 1, n do args[k] = P[picked[k]](self) end
	return C[c](self, P[r](self), unpack(args, 1, n))
end

local function answer(ok, x)
	if ok then
		if type(x) == "function" then pcall(x) pcall(x, {}, 1) end
		return ""
	end
	return (type(x) == "string") and string.sub(x, 1, 300) or type(x)
end

function Fuzz:Do(c, r, n, a, b, d, e, f, g, h, i)
	return answer(pcall(run, self, c, r, n, a, b, d, e, f, g, h, i))
end

-- Hold keeps a call for the next frame of the HUD.
function Fuzz:Hold(...) S.held = { self, ... } end

local FuzzHUD = class("FuzzHUD", "HUD")
function FuzzHUD:DrawHUD(canvas)
	S.canvas = canvas
	if S.held then
		local held = S.held
		S.held = nil
		answer(pcall(run, unpack(held, 1, 12)))
	end
	S.canvas = nil
end
