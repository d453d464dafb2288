package api

// Alias is a type with a name of its own because it restricts its underlying type: to certain strings or numbers.
type Alias struct {
	Name string
	// Of is the underlying type.
	Of  string
	Doc string
	// Prefix is the common prefix of the constants that the type consists of, "" for other types.
	Prefix string
}

// The names of aliases that the checker knows.
const (
	StateName     = "StateName"
	FunctionName  = "FunctionName"
	VariableName  = "VariableName"
	SoundName     = "SoundName"
	AnimationName = "AnimationName"
	ActionName    = "ActionName"
	ColorName     = "Color"
	AnchorName    = "Anchor"
	AlignName     = "Align"
	IconName      = "Icon"
	ImageName     = "ImageName"
	ModuleName    = "ModuleName"
	ClassName     = "class"
	SpawnTable    = "SpawnTable"
	ItemTable     = "ItemTable"
	StoreDone     = "StoreDone"
	StoreUpdate   = "StoreUpdate"
	// ClusterHandler and ClusterDone are functions that messages are for.
	ClusterHandler = "ClusterHandler"
	ClusterDone    = "ClusterDone"
)

var aliases = []*Alias{
	{StateName, "string", "A state of the class that the function is called on.", ""},
	{FunctionName, "string", "A function of the actor that the function is called on.", ""},
	{VariableName, "string", "A variable of the class that the function is called on.", ""},
	{SoundName, "string", "A sound: a file of content by its path, `sounds/boom.toml`.", ""},
	{AnimationName, "string", "An animation, a montage or a blend space: a file of content by its path, `animations/run.toml`.", ""},
	{ActionName, "string", "An action of a player: one that content/input.toml or the `.actions` of a class declares, `Fire`.", ""},
	{ColorName, "string", "A color of a canvas: `#rrggbb`, or `#rrggbbaa` with its opacity.", ""},
	{AnchorName, "string", "The point of the screen that coordinates are relative to: `top-left`, `top`, `top-right`, `left`, `center`, `right`, `bottom-left`, `bottom` or `bottom-right`.", ""},
	{AlignName, "string", "The point of a text that its coordinates name: `left`, `center` or `right`.", ""},
	{IconName, "string", "An icon that every page has: `ammo`, `armor`, `arrow`, `check`, `clock`, `cross`, `dot`, `flag`, `health`, `lock`, `message`, `ring`, `shield`, `skull`, `star`, `team` or `warning`.", ""},
	{ImageName, "string", "An image: a file of content by its path, `images/logo.png`.", ""},
	{ModuleName, "string", "A module: a file of scripts/lib, `lib.geo` for scripts/lib/geo.lua.", ""},
	{"Physics", "integer", "The physics mode of an actor: one of the `PHYS_` constants.", "PHYS_"},
	{"Dormancy", "integer", "When net updates skip an actor: one of the `DORM_` constants.", "DORM_"},
	{"NetCondition", "integer", "When a variable is replicated: one of the `COND_` constants.", "COND_"},
	{SpawnTable, "table", "Variables of a class by name, with `Location`, `Rotation`, `Owner`, `Instigator` and `Name`.", ""},
	{StoreDone, "function", "`function(value, err)`: gets the result, or nil and the text of an error that says whether something was stored. It is called between two ticks, unless the actor that asked has been destroyed.", ""},
	{ClusterHandler, "function", "`function(value, from)`: gets the value of a message and the id of the host that sent it. What it returns, other than nil, answers a Request.", ""},
	{ClusterDone, "function", "`function(answer, err)`: gets the answer, or nil and a text. It is called between two ticks, unless the actor that asked has been destroyed.", ""},
	{StoreUpdate, "function", "`function(value)`: returns the new value of the present one; nil stands for none. It may run several times, and what it writes to variables is undone.", ""},
	{ItemTable, "table", "An item of a fast array: the members of its struct by name. Members that are left out have their defaults.", ""},
}

// Aliases returns the types with names of their own.
func Aliases() []*Alias { return aliases }

// Record is a table with fixed member names: options of a native, or its result.
type Record struct {
	Name, Doc string
	Fields    []Field
}

// Field is a member of a record.
type Field struct {
	Name, Type string
	Optional   bool
	Doc        string
}

// Measure returns what a number or a vector in a member of a native's table argument measures (see Param.Measure).
func (r *Record) Measure(field string) Measure {
	switch r.Name + "." + field {
	case "RewoundShot.from", "SoundOptions.Location":
		return Place
	case "RewoundShot.to":
		return LineEnd
	case "Wheel.At":
		return Offset
	}
	if r.Name == "VectorParts" {
		return Free
	}
	return Number
}

// Field returns the member of that name, or nil.
func (r *Record) Field(name string) *Field {
	for i := range r.Fields {
		if r.Fields[i].Name == name {
			return &r.Fields[i]
		}
	}
	return nil
}

// Names returns the names of all members, in order.
func (r *Record) Names() []string {
	out := make([]string, len(r.Fields))
	for i := range r.Fields {
		out[i] = r.Fields[i].Name
	}
	return out
}

// Records returns all tables with fixed member names.
func Records() []*Record { return records }

var records = []*Record{
	{"RankEntry", "An entry of an ordered list of the store.", []Field{
		{"Place", "integer", false, "1 for the highest score."},
		{"Name", "string", false, "Whom the score is of."},
		{"Score", "number", false, "The score."},
	}},
	{"hit", "What a line or a movement hit.", []Field{
		{"Actor", "Actor", true, "The actor; nil for the level."},
		{"Location", "vector", false, "Where."},
		{"Normal", "vector", false, "The surface's normal, of length 1."},
		{"Distance", "number", false, "Distance from the start, in uu."},
		{"Box", "string", true, "The name of the hit box, from TraceShot and TraceRewound where the class has some."},
		{"bHead", "boolean", true, "Whether that box is the head."},
	}},
	{"TraceOptions", "Options of a trace.", []Field{
		{"actors", "boolean", true, "false: the level only."},
		{"pawns", "boolean", true, "false: everything but pawns."},
		{"ignore", "Actor|Actor[]", true, "An actor, or a list of actors, that the line passes through."},
		{"radius", "number", true, "Radius, in uu, of an upright cylinder that is swept instead of a line."},
		{"height", "number", true, "Half the height, in uu, of that cylinder."},
	}},
	{"RewoundShot", "A shot that is tested in the rewound world (R11.3).", []Field{
		{"from", "vector", false, "Where the shot begins."},
		{"to", "vector", false, "The point that the player aimed at; the line goes a quarter further."},
		{"time", "number", false, "When the player saw it, in the server's seconds."},
		{"targets", "Actor|Actor[]", false, "The pawns that the shot hit on the player's machine."},
	}},
	{"SoundOptions", "Where a sound is, and who does not get it.", []Field{
		{"Location", "vector", true, "Its location instead of the actor's."},
		{"bNotReplicated", "boolean", true, "Only for a player at this machine."},
		{"bNoRepToOwner", "boolean", true, "Not for the owning player, who predicted it."},
		{"bNoRepToRelevant", "boolean", true, "Not for players who have a copy of the actor."},
	}},
	{"HeardSound", "A sound that the player at this machine heard.", []Field{
		{"Sound", "string", false, "Its name."},
		{"Actor", "Actor", true, "What made it; nil where this machine has no such actor."},
		{"Location", "vector", true, "Where; nil for a sound without a location."},
		{"Volume", "number", false, "Volume relative to the recording's own."},
		{"Pitch", "number", false, "Pitch relative to the recording's own."},
		{"Time", "number", false, "When, in seconds of this world."},
		{"Caption", "string", true, "The text to show to a player who cannot hear it."},
	}},
	{"Message", "A message to the player at this machine.", []Field{
		{"Number", "integer", false, "The message's number, from 1."},
		{"Text", "string", false, "What it says."},
		{"Kind", "string", false, "The kind that was passed to ClientMessage."},
		{"From", "string", false, "The name of the speaker, empty for the game."},
		{"Time", "number", false, "When it came, in seconds of this world."},
	}},
	{"Track", "A timeline that a script makes.", []Field{
		{"Length", "number", false, "Seconds."},
		{"Curves", "table", true, "Lists of { seconds, value } by the curve's name."},
		{"Events", "table", true, "Seconds by the event's name."},
	}},
	{"TimelineOptions", "How a timeline plays.", []Field{
		{"Rate", "number", true, "Speed, 1 by default; a negative one plays backwards."},
		{"Loop", "boolean", true, "Whether it starts again at its end."},
		{"From", "number", true, "Seconds at which it begins."},
		{"Drives", "table", true, "Float variables of the actor by the curve that sets them: { Height = \"Lift\" }."},
	}},
	{"Wheel", "A sprung wheel of a rigid body.", []Field{
		{"At", "vector", true, "Where its spring is mounted, in uu from the body's centre, forward, right and up."},
		{"Rest", "number", true, "Length of the spring without load, in uu."},
		{"Radius", "number", false, "Uu, at least 1."},
		{"Spring", "number", true, "Stiffness, in kg/s²."},
		{"Damper", "number", true, "Damping, in kg/s."},
		{"Grip", "number", true, "The friction of the tyre: the greatest force on the ground as a share of its load."},
		{"Steers", "boolean", true, "Whether it turns with Drive's steer."},
		{"Drives", "boolean", true, "Whether Drive's force acts on it."},
	}},
	{"WheelState", "The present state of a wheel.", []Field{
		{"Length", "number", false, "Length of its spring, in uu."},
		{"Load", "number", false, "Force on it, in kg·uu/s²."},
		{"Steer", "number", false, "How far it is turned, in radians to the right."},
		{"Turned", "number", false, "How far it has rolled, in radians."},
		{"Contact", "vector", false, "Where it touches the ground."},
		{"bGround", "boolean", false, "Whether it touches the ground."},
		{"bSlips", "boolean", false, "Whether it slides."},
	}},
	{"PathStep", "A step of a path.", []Field{
		{"Location", "vector", false, "Where the body's centre is at its end."},
		{"Kind", "string", false, "`walk`, `drop`, `jump` or `lift`."},
		{"Seconds", "number", false, "How long it takes."},
		{"Crouch", "boolean", true, "Whether one has to crouch. Location is still the centre of a standing body, 44 uu higher."},
		{"Mover", "Actor", true, "The lift that is part of it."},
	}},
	{"VectorParts", "Parts of a vector to replace.", []Field{
		{"X", "number", true, "Forward, in uu."}, {"Y", "number", true, "Right, in uu."}, {"Z", "number", true, "Up, in uu."},
	}},
	{"RotatorParts", "Parts of a rotator to replace.", []Field{
		{"Pitch", "number", true, "Up and down."}, {"Yaw", "number", true, "Left and right."}, {"Roll", "number", true, "Tilt."},
	}},
	{"SavedMove", "A move of a player: what FillMove, ProcessMove, GetMoveSpeed, ModifyMoveSpeed, CanCombineMoves and IsImportantMove receive (R9.9; movement.md). FillMove may set Accel, Flags, Extra and Root; the others only read. Further members belong to the prediction.", []Field{
		{"Stamp", "integer", false, "The player's clock at the end of the move, in milliseconds."},
		{"Delta", "number", false, "How long the move lasts, in seconds."},
		{"Accel", "integer", false, "The acceleration that the keys request, as PackAcceleration gives it; 0 for none."},
		{"Flags", "integer", false, "The sum of flags of lib.savedmove: JUMP 1, CROUCH 2, RUN 4, AIM 8, CUSTOM1 16, CUSTOM2 32, CUSTOM3 128. 64 is the network's own. Read them with savedmove.Has, set them with savedmove.With."},
		{"View", "rotator", false, "Where the player looks."},
		{"Extra", "string", true, "Up to 64 bytes of the pawn class's own; nil for none. A move with it is never combined with another."},
		{"Root", "vector", true, "The velocity that an animation requests, in uu/s; nil for none."},
		{"Parts", "table", true, "The components and the weapon that take part in the move; nil where the pawn alone does."},
		{"Asks", "boolean", true, "Whether any input of Parts is not at its default, on the player's machine."},
		{"KeepsView", "boolean", true, "Whether View is sent exactly even if the move is sent together with a later one: set if an input or a CUSTOM flag is set; FillMove of a class may set it."},
		{"Presses", "boolean", true, "Whether one of Parts has a press in this move; on the player's machine."},
		{"Inputs", "any", true, "The inputs of Parts, packed; only for comparing two moves."},
		{"Location", "vector", true, "Where the move ended, relative to Base. This member and those below exist on the player's machine after the move was performed."},
		{"Base", "Actor", true, "What the pawn stood on at its end."},
		{"Velocity", "vector", true, "The pawn's velocity at its end, in uu/s."},
		{"Physics", "Physics", true, "The pawn's physics mode at its end."},
		{"Met", "boolean", true, "Whether something stopped or deflected the pawn, or it lost or found the ground."},
		{"Idle", "boolean", true, "Whether nothing happened in it: no input is set and the pawn is at rest."},
	}},
	{"WeaponShot", "A shot: what Weapon:FireWeapon and the functions that it calls receive (R12.2; weapons.md). It is made where the shot is fired and sent to the server unchanged.", []Field{
		{"Number", "integer", false, "The shot's number, from 1 to 65535 and then from 1 again. The shot's randomness is derived from it (GetSpreadDirection)."},
		{"Reload", "integer", false, "The number of the last reload before it."},
		{"Mode", "integer", false, "The fire mode: 0 primary, 1 alternate."},
		{"Stamp", "integer", false, "When it was fired, in milliseconds of the server's time."},
		{"Seen", "integer", false, "The time of the world that its player saw, in milliseconds of the server's time. TraceRewound takes seconds."},
		{"Start", "vector", false, "Where it begins: the eyes of the pawn."},
		{"Pitch", "integer", false, "Where it is aimed, in rotator units."},
		{"Yaw", "integer", false, "Where it is aimed, in rotator units."},
		{"Reach", "integer", false, "The distance, in uu, to the farthest thing that it hit on its player's machine; 0 until then."},
		{"First", "Pawn", true, "The first pawn that it hit on its player's machine; Second, Third and Fourth follow."},
		{"Second", "Pawn", true, "The second."},
		{"Third", "Pawn", true, "The third."},
		{"Fourth", "Pawn", true, "The fourth."},
		{"bClaimed", "boolean", true, "On the server: whether a remote player fired it, so that what it hit is that player's claim. nil for shots of bots and of the player at this machine."},
	}},
}
