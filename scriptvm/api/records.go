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
)

var aliases = []*Alias{
	{StateName, "string", "A state of the class that the function is called on.", ""},
	{FunctionName, "string", "A function of the actor that the function is called on.", ""},
	{VariableName, "string", "A variable of the class that the function is called on.", ""},
	{SoundName, "string", "A sound: a file of content by its path, `sounds/boom.toml`.", ""},
	{AnimationName, "string", "An animation, a montage or a blend space: a file of content by its path, `animations/run.toml`.", ""},
	{ActionName, "string", "An action of a player: one that content/input.toml or the `.actions` of a class declares, `Fire`.", ""},
	{ColorName, "string", "A color of a canvas: `#rrggbb`, or `#rrggbbaa` with its opacity.", ""},
	{AnchorName, "string", "The point of the screen that a place counts from: `top-left`, `top`, `top-right`, `left`, `center`, `right`, `bottom-left`, `bottom` or `bottom-right`.", ""},
	{AlignName, "string", "Which point of a text its place is: `left`, `center` or `right`.", ""},
	{IconName, "string", "An icon that every page has: `ammo`, `armor`, `arrow`, `check`, `clock`, `cross`, `dot`, `flag`, `health`, `lock`, `message`, `ring`, `shield`, `skull`, `star`, `team` or `warning`.", ""},
	{ImageName, "string", "An image: a file of content by its path, `images/logo.png`.", ""},
	{ModuleName, "string", "A module: a file of scripts/lib, `lib.geo` for scripts/lib/geo.lua.", ""},
	{"Physics", "integer", "How an actor moves by itself: one of the `PHYS_` constants.", "PHYS_"},
	{"Dormancy", "integer", "How an actor spares the net update: one of the `DORM_` constants.", "DORM_"},
	{"NetCondition", "integer", "When a variable crosses: one of the `COND_` constants.", "COND_"},
	{SpawnTable, "table", "Variables of a class by name, with `Location`, `Rotation`, `Owner`, `Instigator` and `Name`.", ""},
	{ItemTable, "table", "A struct as the fast array was declared with: its members by name. Members left out have their defaults.", ""},
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
	{"hit", "What a line or a movement met.", []Field{
		{"Actor", "Actor", true, "The actor; nil for the level."},
		{"Location", "vector", false, "Where."},
		{"Normal", "vector", false, "Which way the surface faces, length 1."},
		{"Distance", "number", false, "Uu from the start."},
		{"Box", "string", true, "The name of the hit box, from TraceShot and TraceRewound where the class has some."},
		{"bHead", "boolean", true, "Whether that box is the head."},
	}},
	{"TraceOptions", "What a trace passes through, and its breadth.", []Field{
		{"actors", "boolean", true, "false: the level only."},
		{"pawns", "boolean", true, "false: everything but pawns."},
		{"ignore", "Actor|Actor[]", true, "An actor, or a list of actors, that the line passes through."},
		{"radius", "number", true, "Radius in uu of an upright body instead of a line."},
		{"height", "number", true, "Half the height in uu of that body."},
	}},
	{"RewoundShot", "A shot at the past (R11.3).", []Field{
		{"from", "vector", false, "Where the shot begins."},
		{"to", "vector", false, "The point that the player aimed at; the line goes a quarter further."},
		{"time", "number", false, "When the player saw it, in the server's seconds."},
		{"targets", "Actor|Actor[]", false, "The pawns that the player's machine met."},
	}},
	{"SoundOptions", "Where a sound is, and who is not told about it.", []Field{
		{"Location", "vector", true, "Another place than the actor's."},
		{"bNotReplicated", "boolean", true, "Only for a player at this machine."},
		{"bNoRepToOwner", "boolean", true, "Not for the owning player, who predicted it."},
		{"bNoRepToRelevant", "boolean", true, "Not for players who have a copy of the actor."},
	}},
	{"HeardSound", "A sound that the player at this machine heard.", []Field{
		{"Sound", "string", false, "Its name."},
		{"Actor", "Actor", true, "What made it; nil where this machine has no such actor."},
		{"Location", "vector", true, "Where; nil for a sound without a place."},
		{"Volume", "number", false, "Share of the recording's own volume."},
		{"Pitch", "number", false, "Share of the recording's own pitch."},
		{"Time", "number", false, "When, in seconds of this world."},
		{"Caption", "string", true, "What to show to a player who does not hear it."},
	}},
	{"Message", "A message that the player at this machine got.", []Field{
		{"Number", "integer", false, "Counts them from 1."},
		{"Text", "string", false, "What it says."},
		{"Kind", "string", false, "What kind of message it is, as ClientMessage was told."},
		{"From", "string", false, "The name of the player who says it, empty for the game."},
		{"Time", "number", false, "When it came, in seconds of this world."},
	}},
	{"Track", "A timeline that a script makes.", []Field{
		{"Length", "number", false, "Seconds."},
		{"Curves", "table", true, "Lists of { seconds, value } by the curve's name."},
		{"Events", "table", true, "Seconds by the event's name."},
	}},
	{"TimelineOptions", "How a timeline plays.", []Field{
		{"Rate", "number", true, "Speed, 1 by default; below 0 backwards."},
		{"Loop", "boolean", true, "Begins again at its end."},
		{"From", "number", true, "Seconds at which it begins."},
		{"Drives", "table", true, "Float variables of the actor by the curve that sets them: { Height = \"Lift\" }."},
	}},
	{"Wheel", "A sprung wheel of a rigid body.", []Field{
		{"At", "vector", true, "Where its spring hangs, in uu from the body's middle, forward, right and up."},
		{"Rest", "number", true, "Length of the spring without load, in uu."},
		{"Radius", "number", false, "Uu, at least 1."},
		{"Spring", "number", true, "Stiffness, in kg/s²."},
		{"Damper", "number", true, "Damping, in kg/s."},
		{"Grip", "number", true, "The share of its load that it passes on to the ground, along and across together."},
		{"Steers", "boolean", true, "It turns with Drive's steer."},
		{"Drives", "boolean", true, "Drive's force acts on it."},
	}},
	{"WheelState", "What a wheel does now.", []Field{
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
		{"Crouch", "boolean", true, "One has to crouch; Location is that of a body that stands, 44 uu higher."},
		{"Mover", "Actor", true, "The lift that is part of it."},
	}},
	{"VectorParts", "Parts of a vector that replace its own.", []Field{
		{"X", "number", true, "Forward, in uu."}, {"Y", "number", true, "Right, in uu."}, {"Z", "number", true, "Up, in uu."},
	}},
	{"RotatorParts", "Parts of a rotator that replace its own.", []Field{
		{"Pitch", "number", true, "Up and down."}, {"Yaw", "number", true, "Left and right."}, {"Roll", "number", true, "Tilt."},
	}},
	{"SavedMove", "A move of a player: what FillMove, ProcessMove, GetMoveSpeed, ModifyMoveSpeed, CanCombineMoves and IsImportantMove get (R9.9; movement.md). FillMove may set Accel, Flags, Extra and Root; all others only read. Further members belong to the prediction.", []Field{
		{"Stamp", "integer", false, "The player's clock at the end of the move, in milliseconds."},
		{"Delta", "number", false, "How long the move lasts, in seconds."},
		{"Accel", "integer", false, "The acceleration that the keys request, as PackAcceleration gives it; 0 for none."},
		{"Flags", "integer", false, "The sum of flags of lib.savedmove: JUMP 1, CROUCH 2, RUN 4, AIM 8, CUSTOM1 16, CUSTOM2 32, CUSTOM3 128. 64 is the network's own. Read them with savedmove.Has, set them with savedmove.With."},
		{"View", "rotator", false, "Where the player looks."},
		{"Extra", "string", true, "Up to 64 bytes of the pawn's class; nil for none. A move with it is sent alone."},
		{"Root", "vector", true, "The velocity that an animation requests, in uu/s; nil for none."},
		{"Parts", "table", true, "The components and the weapon that take part in the move; nil where the pawn alone does."},
		{"Asks", "boolean", true, "Whether anything is asked of those, on the player's machine."},
		{"KeepsView", "boolean", true, "Whether View crosses exactly also where the move is sent along with a later one: set if something is requested, and with a flag of games; FillMove of a class may set it."},
		{"Presses", "boolean", true, "Whether one of those has a press in this move, which happens once, on the player's machine."},
		{"Inputs", "any", true, "What is asked of those, packed; only for comparing two moves."},
		{"Location", "vector", true, "Where the move led, from Base; on the player's machine, after it was performed. So are all that follow."},
		{"Base", "Actor", true, "What the pawn stood on at its end."},
		{"Velocity", "vector", true, "The pawn's velocity at its end, in uu/s."},
		{"Physics", "Physics", true, "How the pawn moved at its end."},
		{"Met", "boolean", true, "Whether something stopped or turned the pawn, or it lost or found the ground."},
		{"Idle", "boolean", true, "Whether nothing happened in it: the pawn wants nothing and is at rest."},
	}},
	{"WeaponShot", "A shot: what Weapon:FireWeapon and the functions that it calls get (R12.2; weapons.md). It is made where the shot is fired, and crosses to the server as it is.", []Field{
		{"Number", "integer", false, "The shot's number, from 1, round and round up to 65535. What chance decides of it follows from that (GetSpreadDirection)."},
		{"Reload", "integer", false, "Number of the last reload before it."},
		{"Mode", "integer", false, "The key that fired it: 0 the first, 1 the second."},
		{"Stamp", "integer", false, "When it was fired, in milliseconds of the server's time."},
		{"Seen", "integer", false, "The time of the world that its player saw, in the same. TraceRewound takes it in seconds."},
		{"Start", "vector", false, "Where it begins: the eyes of the pawn."},
		{"Pitch", "integer", false, "Where it is aimed, in rotator units."},
		{"Yaw", "integer", false, "Where it is aimed, in rotator units."},
		{"Reach", "integer", false, "Distance in uu to the farthest thing that its player's machine met; 0 until then."},
		{"First", "Pawn", true, "The first pawn that its player's machine met; so are Second, Third and Fourth."},
		{"Second", "Pawn", true, "The second."},
		{"Third", "Pawn", true, "The third."},
		{"Fourth", "Pawn", true, "The fourth."},
		{"bClaimed", "boolean", true, "On the server: a player on another machine fired it, and what it met is that player's claim. nil for shots of bots and of the player at this machine."},
	}},
}
