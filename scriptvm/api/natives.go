package api

func p(name, typ string) Param   { return Param{Name: name, Type: typ} }
func opt(name, typ string) Param { return Param{Name: name, Type: typ, Optional: true} }
func ret(typ string) []Param     { return []Param{{Type: typ}} }
func ps(list ...Param) []Param   { return list }

// ORDER: docs. One line each: what it does, units, what nil means.
var functions = []*Function{
	// Actor: life
	{Actor, "Spawn", ps(p("class", "class"), opt("props", "table")), ret("Actor?"), false, false, "Makes an actor. props are set before PreBeginPlay: Location, Rotation, Owner, Instigator, Tag and any variable of the class; Owner and Instigator default to nobody. nil where it destroyed itself at once.", `local r = self:Spawn("Rocket", { Location = self.Location, Owner = self })`},
	{Actor, "SpawnEffect", ps(p("class", "class"), opt("at", "vector")), ret("Actor?"), false, false, "Makes an actor for the eyes only: on players' machines and standalone, never on a dedicated server, never replicated.", `self:SpawnEffect("Explosion", self.Location)`},
	{Actor, "Destroy", nil, ret("boolean"), false, false, "Ends the actor: Destroyed is called, references to it turn nil. False where it is bStatic or bNoDelete.", "self:Destroy()"},
	{Actor, "AddComponent", ps(p("class", "class"), p("name", "string")), ret("ActorComponent"), false, false, "Adds a component at run time; it is self.<name> from then on.", `self:AddComponent("CombatComponent", "Combat")`},
	{Actor, "IsA", ps(p("class", "class")), ret("boolean"), true, false, "Whether the actor is of a class or a child of it.", `if other:IsA("Pawn") then`},
	{Actor, "HasAuthority", nil, ret("boolean"), true, false, "Whether this peer's copy is the true one.", "if self:HasAuthority() then"},
	{Actor, "GetOwningPlayer", nil, ret("PlayerController?"), true, false, "The PlayerController at the end of the chain of owners, or nil.", "local pc = self:GetOwningPlayer()"},
	{Actor, "IsLocallyControlled", nil, ret("boolean"), true, false, "Whether the owning player sits at this machine.", "if self:IsLocallyControlled() then"},
	{Actor, "GetClass", nil, ret("string"), true, false, "The name of the actor's class.", "log(other:GetClass())"},
	{Actor, "GetId", nil, ret("integer"), true, false, "The actor's number in this world; world:ActorById finds it again.", "local id = self:GetId()"},

	// Actor: states and timers
	{Actor, "GotoState", ps(opt("name", "string")), nil, false, false, "Enters a state of the class: EndState of the old, BeginState of the new, its latent code starts. nil or \"\" leaves all states.", `self:GotoState("Dying")`},
	{Actor, "IsInState", ps(p("name", "string")), ret("boolean"), true, false, "Whether the actor is in a state or one that extends it.", `if self:IsInState("Hurt") then`},
	{Actor, "GetStateName", nil, ret("string"), true, false, "The name of the state, \"\" outside any.", "log(self:GetStateName())"},
	{Actor, "PushState", ps(p("name", "string")), nil, false, false, "Enters a state and remembers the present one, whose latent code stands still.", `self:PushState("Stunned")`},
	{Actor, "PopState", nil, nil, false, false, "Goes back to the state that PushState left; its latent code goes on where it was.", "self:PopState()"},
	{Actor, "SetTimer", ps(p("seconds", "number"), p("loop", "boolean"), opt("func", "string")), nil, false, false, "Calls a function of the actor after so many seconds, once or again and again. The same function's timer is replaced. Default function: Timer.", `self:SetTimer(2, false, "Explode")`},
	{Actor, "ClearTimer", ps(opt("func", "string")), ret("boolean"), false, false, "Stops the timer of a function (Timer by default); true where there was one.", `self:ClearTimer("Explode")`},
	{Actor, "GetTimerLeft", ps(opt("func", "string")), ret("number?"), true, false, "Seconds until the timer of a function runs; nil without one.", `self:GetTimerLeft("Explode")`},
	{Actor, "SetTickEnabled", ps(p("on", "boolean")), nil, false, false, "Switches this actor's Tick off and on. Off and at rest it costs nothing.", "self:SetTickEnabled(false)"},

	// Actor: place and collision
	{Actor, "SetLocation", ps(p("at", "vector")), ret("boolean"), false, false, "Teleports. False where the place lies inside the level's solid; the actor then stays.", "self:SetLocation(vector(0, 0, 100))"},
	{Actor, "SetRotation", ps(p("rotation", "rotator")), nil, false, false, "Turns the actor.", "self:SetRotation(rotator(0, 16384, 0))"},
	{Actor, "Move", ps(p("delta", "vector")), ret("hit?"), false, false, "Moves by delta as far as nothing is in the way; returns what stopped it. Bump, HitWall and Touch are called on the way.", "local hit = self:Move(vector(10, 0, 0))"},
	{Actor, "SetPhysics", ps(p("mode", "integer")), nil, false, false, "Changes how the actor moves by itself.", "self:SetPhysics(PHYS_Falling)"},
	{Actor, "SetBase", ps(opt("base", "Actor"), opt("attach", "boolean")), nil, false, false, "Stands the actor on another (it moves along) or, with attach, hangs it on. nil takes it off.", "self:SetBase(lift)"},
	{Actor, "StartMove", ps(p("to", "vector"), p("seconds", "number"), opt("glide", "boolean")), nil, false, false, "Sends a mover to an offset from where it was placed, in so many seconds; with glide it starts and ends gently. FinishMove waits for it, ReachedDestination tells.", "self:StartMove(self.MoveTo, self.MoveTime)"},
	{Actor, "StopMove", nil, nil, false, false, "Ends what StartMove began, where the mover is now.", "self:StopMove()"},
	{Actor, "SetOwner", ps(opt("owner", "Actor")), nil, false, false, "Changes who owns the actor; a loop is an error.", "weapon:SetOwner(pawn)"},
	{Actor, "SetCollision", ps(p("actors", "boolean"), opt("blockActors", "boolean"), opt("blockPlayers", "boolean")), nil, false, false, "Sets bCollideActors, bBlockActors and bBlockPlayers together.", "self:SetCollision(true, false, false)"},
	{Actor, "SetCollisionSize", ps(p("radius", "number"), p("height", "number")), ret("boolean"), false, false, "Changes the body, in uu; height is half the height. False where it does not fit; nothing changes then.", "self:SetCollisionSize(34, 44)"},
	{Actor, "Trace", ps(p("from", "vector"), p("to", "vector"), opt("opts", "table")), ret("hit?"), true, false, "The first thing a line meets: Actor (nil for the level), Location, Normal, Distance. opts: actors = false for the level only, ignore = an actor or a list, radius and height for a body instead of a line.", "local hit = self:Trace(eyes, eyes + dir * 5000)"},
	{Actor, "FastTrace", ps(p("to", "vector"), opt("from", "vector")), ret("boolean"), true, false, "Whether the level leaves the line free; from is the actor's place by default.", "if self:FastTrace(enemy.Location) then"},
	{Actor, "VisibleFrom", ps(p("at", "vector")), ret("boolean"), true, false, "Whether the actor's middle, top or a side can be seen from a place past the level.", "if self:VisibleFrom(eyes) then"},
	{Actor, "ActorsOf", ps(p("class", "class")), ret("Actor[]"), true, false, "All live actors of a class and its children, in order of spawning.", `for _, p in ipairs(self:ActorsOf("Pawn")) do`},
	{Actor, "ActorsInRadius", ps(p("class", "class"), p("radius", "number"), opt("at", "vector")), ret("Actor[]"), true, false, "Those of a class whose middle is within so many uu of a place (the actor's own by default), in order of spawning.", `self:ActorsInRadius("Pawn", 500)`},
	{Actor, "ActorsInSight", ps(p("class", "class"), p("radius", "number"), p("from", "vector"), p("view", "rotator"), opt("cosine", "number"), opt("most", "integer")), ret("Actor[]"), true, false, "Those of a class that somebody sees who looks from a place: within so many uu, in a cone about the view (cosine of its half angle; -1, all around, by default), not hidden by the level; the nearest first, 8 at most by default. Itself is left out.", `pawn:ActorsInSight("Pawn", 3000, eyes, view, 0.5)`},
	{Actor, "Touching", ps(opt("class", "class")), ret("Actor[]"), true, false, "The actors that touch this one, in order of spawning.", "for _, a in ipairs(self:Touching()) do"},

	{Actor, "TraceRewound", ps(p("shot", "table")), ps(Param{Name: "hit", Type: "hit?"}, Param{Name: "refused", Type: "boolean", Optional: true}), false, false, "On a server: what a line from `from` to `to`, and a quarter further, would have met at `time` (the server's seconds): the level as it is, and of actors only the pawns in `targets`, an array, as they stood then (R11.3). Besides what Trace tells, hit has Box, the name of the hit box, and bHead. A time older than the record misses; one older than the latency of the owning player explains is refused: nil, true.", "local hit = self:TraceRewound{ from = eyes, to = aim, time = seen, targets = { enemy } }"},

	// Actor: effects on others
	{Actor, "HurtRadius", ps(p("damage", "number"), p("radius", "number"), opt("instigator", "Pawn"), opt("kind", "string"), opt("momentum", "number")), nil, false, false, "Calls TakeDamage on actors in sight within so many uu, less with distance, the actor itself left out.", "self:HurtRadius(80, 220, self.Instigator)"},
	{Actor, "MakeNoise", ps(p("loudness", "number")), nil, false, false, "Calls HearNoise on controllers whose pawn is within earshot; 1 is heard at 1500 uu, at half of that through walls. It is for bots; PlaySound is for players.", "self:MakeNoise(1)"},
	{Actor, "PlaySound", ps(p("name", "string"), opt("opts", "table")), nil, false, false, "Plays a sound where the actor is, for the players within its radius. On the server it is told to them by ClientHearSound, but not to those whose copy plays it itself in a simulated function (R12.6). opts: Location, bNotReplicated (only for a player at this machine), bNoRepToOwner (not for the owning player, who predicted it), bNoRepToRelevant (not for those who have a copy of the actor).", `self:PlaySound("sounds/boom.toml")`},
	{Actor, "PlayMontage", ps(p("name", "string")), nil, false, false, "Plays an animation montage on the actor.", `self:PlayMontage("montages/reload.toml")`},

	// Actor: replication
	{Actor, "ForceNetUpdate", nil, nil, false, false, "Considers the actor at the next net update whatever its frequency (R4.5).", "self:ForceNetUpdate()"},
	{Actor, "FlushNetDormancy", nil, nil, false, false, "Wakes a dormant actor long enough to send what changed (R4.7).", "self:FlushNetDormancy()"},
	{Actor, "SetNetDormancy", ps(p("dormancy", "integer")), nil, false, false, "DORM_Awake, DORM_DormantAll, …: how the actor spares the net update (R4.7).", "self:SetNetDormancy(DORM_DormantAll)"},
	{Actor, "SetCustomIsActive", ps(p("name", "string"), p("on", "boolean")), nil, false, false, "Switches a COND_Custom variable on or off (R5.7).", `self:SetCustomIsActive("Armour", false)`},
	{Actor, "SetDynamicCondition", ps(p("name", "string"), p("condition", "integer")), nil, false, false, "Changes the condition of a COND_Dynamic variable (R5.7).", `self:SetDynamicCondition("Gold", COND_OwnerOnly)`},
	{Actor, "Log", ps(p("...", "any")), nil, false, false, "Writes a line with the actor's name to the host's log.", `self:Log("armed", self.Fuse)`},

	// Components
	{Component, "GetOwner", nil, ret("Actor"), true, false, "The actor the component belongs to.", "local pawn = self:GetOwner()"},
	{Component, "Destroy", nil, ret("boolean"), false, false, "Takes the component off its actor.", "self:Destroy()"},
	{Component, "IsA", ps(p("class", "class")), ret("boolean"), true, false, "Whether the component is of a class or a child of it.", `if self:IsA("CombatComponent") then`},
	{Component, "HasAuthority", nil, ret("boolean"), true, false, "Whether this peer's copy of the owner is the true one.", "if self:HasAuthority() then"},
	{Component, "GetClass", nil, ret("string"), true, false, "The name of the component's class.", "log(self:GetClass())"},
	{Component, "GotoState", ps(opt("name", "string")), nil, false, false, "Enters a state of the component's class.", `self:GotoState("Cooling")`},
	{Component, "IsInState", ps(p("name", "string")), ret("boolean"), true, false, "Whether the component is in a state or one that extends it.", `if self:IsInState("Cooling") then`},
	{Component, "GetStateName", nil, ret("string"), true, false, "The name of the state, \"\" outside any.", "log(self:GetStateName())"},
	{Component, "SetTimer", ps(p("seconds", "number"), p("loop", "boolean"), opt("func", "string")), nil, false, false, "Calls a function of the component after so many seconds.", `self:SetTimer(2, false, "Cool")`},
	{Component, "ClearTimer", ps(opt("func", "string")), ret("boolean"), false, false, "Stops the timer of a function; true where there was one.", `self:ClearTimer("Cool")`},
	{Component, "GetTimerLeft", ps(opt("func", "string")), ret("number?"), true, false, "Seconds until the timer of a function runs; nil without one.", `self:GetTimerLeft("Cool")`},
	{Component, "SetTickEnabled", ps(p("on", "boolean")), nil, false, false, "Switches the component's Tick off and on.", "self:SetTickEnabled(false)"},
	{Component, "Log", ps(p("...", "any")), nil, false, false, "Writes a line with the component's name to the host's log.", `self:Log("overheated")`},

	// Controllers
	{Controller, "Possess", ps(p("pawn", "Pawn")), nil, false, false, "Takes control of a pawn: UnPossess of the old one, owner and roles change, Possessed is called on the pawn (R2.2).", "pc:Possess(pawn)"},
	{Controller, "UnPossess", nil, nil, false, false, "Lets go of the pawn; UnPossessed is called on it.", "self:UnPossess()"},
	{PlayerController, "HearSound", ps(p("sound", "string"), opt("source", "Actor"), opt("location", "vector")), nil, false, false, "Plays a sound for the player at this machine; without a location it plays everywhere. ClientCreateAudioComponent of source may change it. ClientHearSound and ClientPlaySound call it.", `self:HearSound("sounds/bell.toml")`},
	{PlayerController, "GetServerTime", nil, ret("number"), true, false, "The server's time in seconds, as far as this peer knows (R11.1).", "local t = self:GetServerTime()"},
	{PlayerController, "GetRoundTrip", nil, ret("number"), true, false, "Seconds that a packet takes to the player's machine and back, smoothed, as this peer measures it by itself; 0 for who plays at this machine.", "local delay = pc:GetRoundTrip()"},
	{PlayerController, "AddTimeSample", ps(p("stamp", "number"), p("server", "number")), ret("boolean"), false, false, "On a client: the server's answer to a question for its time. stamp is this world's time when it was asked, server its time when it answered, in seconds. GetServerTime follows from these, filtered against jitter.", "self:AddTimeSample(stamp, server)"},
	{PlayerController, "GetRefusedClaims", nil, ret("integer"), true, false, "On the server: how many of the player's shots were refused because they claimed an older time than his latency explains (R11.3).", "pc:GetRefusedClaims()"},
	{PlayerController, "IsLocalPlayer", nil, ret("boolean"), true, false, "Whether the player sits at this machine.", "if self:IsLocalPlayer() then"},
	{PlayerController, "JoinNetGroup", ps(p("group", "string")), nil, false, false, "Puts the player's connection into a group of COND_NetGroup (R5.7).", `pc:JoinNetGroup("spies")`},
	{PlayerController, "LeaveNetGroup", ps(p("group", "string")), nil, false, false, "Takes the player's connection out of a group.", `pc:LeaveNetGroup("spies")`},

	// world
	{World, "Spawn", ps(p("class", "class"), opt("props", "table")), ret("Actor?"), false, false, "As self:Spawn, without a self.", `world:Spawn("Pickup", { Location = vector(0, 0, 40) })`},
	{World, "ActorsOf", ps(p("class", "class")), ret("Actor[]"), true, false, "All live actors of a class and its children, in order of spawning.", `#world:ActorsOf("Pawn")`},
	{World, "ActorsInRadius", ps(p("class", "class"), p("radius", "number"), p("at", "vector")), ret("Actor[]"), true, false, "Those of a class whose middle is within so many uu of a place.", `world:ActorsInRadius("Pawn", 500, vector(0, 0, 0))`},
	{World, "ActorById", ps(p("id", "integer")), ret("Actor?"), true, false, "The actor of a number from GetId, or nil where it is gone.", "world:ActorById(id)"},
	{World, "GetDefault", ps(p("class", "class"), p("name", "string")), ret("any"), true, false, "What a variable is at first in actors of a class.", `local speed = world:GetDefault(self.ProjectileClass, "Speed")`},
	{World, "ActorByName", ps(p("name", "string")), ret("Actor?"), true, false, "The actor of that name (targetname in the level), or nil.", `world:ActorByName("lift1")`},
	{World, "Trace", ps(p("from", "vector"), p("to", "vector"), opt("opts", "table")), ret("hit?"), true, false, "As self:Trace, with no actor left out.", "world:Trace(a, b)"},
	{World, "RecentSounds", nil, ret("table"), true, false, "What the player at this machine heard in the last five seconds, at most 64, oldest first: an array of Sound, Actor, Location, Volume, Pitch, Time and Caption; Actor is nil where this machine has no such actor, Location where the sound has no place.", `for _, heard in ipairs(world:RecentSounds()) do log(heard.Sound) end`},
	{World, "FastTrace", ps(p("from", "vector"), p("to", "vector")), ret("boolean"), true, false, "Whether the level leaves the line free.", "world:FastTrace(a, b)"},
	{World, "Travel", ps(p("url", "string")), nil, false, false, "On the server: goes to another level between two ticks, with all players (R8.7). url is level?option=value; options it does not name stay as they are. Where that fails the game hears TravelFailed, and the match goes on where it is.", `world:Travel("arena?bots=4")`},

	// The world: ways of bots. The graph of a level is made when it is first asked for.
	{World, "FindPath", ps(p("from", "vector"), p("to", "vector")), []Param{{"steps", "table?", false}, {"seconds", "number", false}, {"partial", "boolean", false}}, false, false, "The quickest way for a Character: an array of steps with Location (of the body's centre at its end), Kind (\"walk\", \"drop\", \"jump\" or \"lift\"), Seconds, and Mover where a lift is part of it; how long it takes; and whether it ends beside the place, which is none to stand. nil where there is none.", `local path = world:FindPath(pawn.Location, pickup.Location)`},
	{World, "NearestNode", ps(p("at", "vector")), ret("vector?"), false, false, "The place to stand that is nearest to a place; nil on a level without any.", `local home = world:NearestNode(at)`},
	{World, "RandomReachable", ps(p("from", "vector"), opt("radius", "number")), ret("vector?"), false, false, "Some place to stand that can be reached from a place, within so many uu of it.", `local goal = world:RandomReachable(pawn.Location, 2000)`},
	{World, "Reachable", ps(p("from", "vector"), p("to", "vector")), ret("boolean"), false, false, "Whether there is a way between the places to stand that are nearest to two places.", `if world:Reachable(pawn.Location, flag.Location) then`},
	{World, "JumpVelocity", ps(p("from", "vector"), p("to", "vector")), ret("vector?"), false, false, "The velocity in uu/s with which a Character's jump from one place comes down at another; nil where it is too far or too high.", `local v = world:JumpVelocity(pawn.Location, step.Location)`},
	{World, "DropVelocity", ps(p("from", "vector"), p("to", "vector")), ret("vector?"), false, false, "The same for stepping off an edge.", `local v = world:DropVelocity(pawn.Location, step.Location)`},

	// Values
	{Vector, "Size", nil, ret("number"), true, false, "Length, in uu.", "v:Size()"},
	{Vector, "Size2D", nil, ret("number"), true, false, "Length of the horizontal part.", "v:Size2D()"},
	{Vector, "Dot", ps(p("b", "vector")), ret("number"), true, false, "Dot product.", "a:Dot(b)"},
	{Vector, "Cross", ps(p("b", "vector")), ret("vector"), true, false, "Cross product.", "a:Cross(b)"},
	{Vector, "Normal", nil, ret("vector"), true, false, "The same direction with length 1; zero stays zero.", "v:Normal()"},
	{Vector, "Rotation", nil, ret("rotator"), true, false, "The rotator that looks this way.", "v:Rotation()"},
	{Vector, "Distance", ps(p("b", "vector")), ret("number"), true, false, "Distance to another place.", "a:Distance(b)"},
	{Vector, "With", ps(p("parts", "table")), ret("vector"), true, false, "The same with some of X, Y, Z replaced.", "v:With{ Z = 0 }"},
	{Rotator, "Vector", nil, ret("vector"), true, false, "The direction the rotator looks (forward).", "r:Vector()"},
	{Rotator, "Axes", nil, ps(p("forward", "vector"), p("right", "vector"), p("up", "vector")), true, false, "Forward, right and up.", "local f, r, u = rot:Axes()"},
	{Rotator, "With", ps(p("parts", "table")), ret("rotator"), true, false, "The same with some of Pitch, Yaw, Roll replaced.", "r:With{ Pitch = 0 }"},
	{FastArray, "Add", ps(p("item", "table")), ret("integer"), false, false, "Appends a struct and returns its key.", "local key = self.Items:Add{ Kind = 1 }"},
	{FastArray, "Set", ps(p("key", "integer"), p("item", "table")), nil, false, false, "Replaces the struct of a key.", "self.Items:Set(key, { Kind = 2 })"},
	{FastArray, "Get", ps(p("key", "integer")), ret("table?"), true, false, "The struct of a key, or nil.", "self.Items:Get(key)"},
	{FastArray, "Remove", ps(p("key", "integer")), nil, false, false, "Takes the struct of a key away.", "self.Items:Remove(key)"},
	{FastArray, "Pairs", nil, ps(p("next", "function")), true, false, "Iterates key, struct in order of adding.", "for key, item in self.Items:Pairs() do"},

	// Latent
	{Latent, "Sleep", ps(p("seconds", "number")), nil, false, true, "Goes on after so many seconds of world time; 0 in the next tick.", "Sleep(0.5)"},
	{Latent, "WaitFor", ps(p("condition", "fun(): boolean")), nil, false, true, "Goes on in the first tick in which the function returns true.", "WaitFor(function() return self.Enemy ~= nil end)"},
	{Latent, "FinishMove", nil, nil, false, true, "Goes on when the actor has come to where its present movement leads (a Mover's travel, a pawn's Destination).", "FinishMove()"},

	// Globals
	{Global, "vector", ps(opt("x", "number"), opt("y", "number"), opt("z", "number")), ret("vector"), true, false, "A vector; left out parts are 0.", "vector(0, 0, 100)"},
	{Global, "rotator", ps(opt("pitch", "integer"), opt("yaw", "integer"), opt("roll", "integer")), ret("rotator"), true, false, "A rotator in units of 65536 a turn; left out parts are 0.", "rotator(0, 16384, 0)"},
	{Global, "log", ps(p("...", "any")), nil, false, false, "Writes a line to the host's log.", `log("hello", world.TimeSeconds)`},
	{Global, "require", ps(p("name", "string")), ret("any"), false, false, "The value a module in scripts/lib returns; nothing else can be required.", `local geo = require("lib.geo")`},
	{Global, "class", ps(p("name", "string"), opt("parent", "string")), ret("class"), false, false, "Declares a class; top level of a class file, literal arguments. Default parent: Actor.", `local Rocket = class("Rocket", "Projectile")`},

	// Types in class files
	{Define, "int", ps(p("default", "integer"), opt("opts", "table")), ret("type"), false, false, "A 32-bit integer; opts: min, max.", "int(0, { min = 0, max = 100 })"},
	{Define, "float", ps(p("default", "number"), opt("opts", "table")), ret("type"), false, false, "A 32-bit number; opts: min, max.", "float(3.0)"},
	{Define, "str", ps(p("default", "string"), opt("opts", "table")), ret("type"), false, false, "A string with a maximum of its own; opts: max, in bytes (at most 1000). A plain string literal means at most 255.", `str("", { max = 64 })`},
	{Define, "quantized", ps(p("default", "vector"), p("scale", "integer")), ret("type"), false, false, "A vector that crosses in tenths (10) or hundredths (100) of a uu.", "quantized(vector(0, 0, 0), 100)"},
	{Define, "normal", ps(p("x", "number"), p("y", "number"), p("z", "number")), ret("type"), false, false, "A unit vector, 16 bits a part on the wire.", "normal(0, 0, 1)"},
	{Define, "enum", ps(p("...", "string")), ret("type"), false, false, "One of some names; the first is the default.", `enum("Idle", "Firing")`},
	{Define, "ref", ps(p("class", "string"), opt("opts", "table")), ret("type"), false, false, "A reference to an actor of a class or a child; nil by default. In params, opts.wait = true makes the call wait for it.", `ref("Pawn")`},
	{Define, "classref", ps(p("class", "string")), ret("type"), false, false, "A class, the named one or a child; nil by default.", `classref("Weapon")`},
	{Define, "array", ps(p("elem", "type"), p("n", "integer")), ret("type"), false, false, "n values of one type, counted from 1.", "array(int(0), 8)"},
	{Define, "struct", ps(p("members", "table")), ret("type"), false, false, "Members that cross whole; a member local_(type) does not cross.", "struct { Kind = int(0), Since = float(0) }"},
	{Define, "fastarray", ps(p("struct", "type")), ret("type"), false, false, "A keyed array of structs of any length, which crosses as adds, changes and removes.", "fastarray(struct { Kind = int(0) })"},
	{Define, "local_", ps(p("member", "type")), ret("type"), false, false, "A struct member that is not replicated.", "local_(float(0))"},
}

var variables = []*Variable{
	{World, "NetMode", "integer", "NM_Standalone, NM_DedicatedServer, NM_ListenServer or NM_Client."},
	{World, "TimeSeconds", "number", "Age of the world in seconds."},
	{World, "DeltaSeconds", "number", "Length of the current tick in seconds."},
	{World, "Game", "GameInfo?", "The rules of the match; nil on a client."},
	{World, "GameState", "GameReplicationInfo?", "What everyone may know about the match."},
	{World, "LevelName", "string", "Name of the level."},
	{World, "Gravity", "number", "Gravity in uu/s², negative downwards."},
	{Vector, "X", "number", "Forward part, in uu."},
	{Vector, "Y", "number", "Right part, in uu."},
	{Vector, "Z", "number", "Up part, in uu."},
	{Rotator, "Pitch", "integer", "Up and down, 0…65535."},
	{Rotator, "Yaw", "integer", "Left and right, 0…65535."},
	{Rotator, "Roll", "integer", "Tilt, 0…65535."},
	{Global, "world", "world", "The world this script lives in."},
}

var events = []*Event{
	{"PreBeginPlay", nil, "First call of an actor's life; only Location and Rotation are valid on a client."},
	{"BeginPlay", nil, "The actor begins."},
	{"PostBeginPlay", nil, "After BeginPlay."},
	{"PostNetBeginPlay", nil, "All initial variables are there, on every peer (R5.1)."},
	{"Tick", ps(p("dt", "number")), "Every tick, where a class defines it; dt in seconds."},
	{"PlayerTick", ps(p("dt", "number")), "On a PlayerController, on its player's machine, before everything else of the tick (R9.0)."},
	{"Timer", nil, "The timer that SetTimer started without a name."},
	{"Touch", ps(p("other", "Actor")), "Another actor begins to overlap."},
	{"UnTouch", ps(p("other", "Actor")), "Another actor ceases to overlap."},
	{"Bump", ps(p("other", "Actor")), "Another actor blocks the way."},
	{"HitWall", ps(p("normal", "vector"), opt("wall", "Actor")), "The level (wall nil) or a mover stops the actor."},
	{"Landed", ps(p("normal", "vector")), "A falling actor comes to stand."},
	{"Falling", nil, "A walking actor loses the ground."},
	{"BaseChange", nil, "Base is another one than before."},
	{"Destroyed", nil, "Last call of an actor's life."},
	{"TornOff", nil, "On a client: the server let go of this copy (R5.18)."},
	{"ReplicatedEvent", ps(p("name", "string"), p("old", "any")), "On a client: a variable with notify was received (R5.14)."},
	{"TakeDamage", ps(p("amount", "number"), opt("instigator", "Pawn"), p("at", "vector"), p("momentum", "vector"), opt("kind", "string")), "Something hurts the actor."},
	{"Possessed", ps(p("by", "Controller")), "A controller took this pawn."},
	{"UnPossessed", nil, "The controller let go of this pawn."},
	{"BeginState", ps(p("previous", "string")), "In a state: it was entered."},
	{"EndState", ps(p("next", "string")), "In a state: it is left."},
	{"PushedState", nil, "In a state: PushState entered it."},
	{"PoppedState", nil, "In a state: PopState leaves it."},
	{"PausedState", nil, "In a state: PushState leaves it standing."},
	{"ContinuedState", nil, "In a state: PopState came back to it."},
	{"Reloaded", ps(p("old", "table")), "The class's file was saved; old holds the values of variables that went or changed type, by name."},
	{"HearNoise", ps(p("loudness", "number"), p("maker", "Actor")), "On a Controller: a noise within earshot of its pawn."},
	{"FellOutOfWorld", nil, "The actor is below the level's killz; destroys it unless overridden."},
	{"EncroachedBy", ps(p("other", "Actor")), "A mover and something in its way: called on the mover with what does not give way, and on that with the mover."},
	{"ReachedDestination", nil, "A mover came to the end of its way, a pawn to its Destination."},
	{"Attach", ps(p("other", "Actor")), "Another actor has this one as its Base now: it stands on it or hangs from it."},
	{"Detach", ps(p("other", "Actor")), "Another actor no longer has this one as its Base."},
	{"NotifyLocalPlayerTeamReceived", nil, "The local player's team or owner arrived or changed (R8.6)."},
	{"IsNetRelevantFor", ps(p("viewer", "PlayerController")), "On the server: return true or false to say whether a player is told of the actor, nil (super's answer) to leave it to the rules (R3.11). Only classes that define it pay for it."},
}
