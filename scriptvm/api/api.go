package api

import "strconv"

// Namespace is the kind of value that a function is called on.
type Namespace string

// The namespaces.
const (
	Actor            Namespace = "Actor"            // self:Name(…) on every actor
	Component        Namespace = "ActorComponent"   // self:Name(…) on components
	Controller       Namespace = "Controller"       // and its children
	PlayerController Namespace = "PlayerController" // and its children
	World            Namespace = "world"            // world:Name(…)
	Store            Namespace = "store"            // store:Name(…)
	Profile          Namespace = "Profile"          // Profile.Name(…)
	Cluster          Namespace = "cluster"          // cluster:Name(…)
	Vector           Namespace = "vector"           // v:Name(…)
	Rotator          Namespace = "rotator"          // r:Name(…)
	FastArray        Namespace = "fastarray"        // self.F:Name(…)
	Canvas           Namespace = "canvas"           // canvas:Name(…) in HUD:DrawHUD
	Latent           Namespace = "latent"           // Name(…) inside Code() only
	Global           Namespace = "global"           // Name(…)
	Define           Namespace = "define"           // at the top level of a class file only
)

// Function is one native.
type Function struct {
	Space   Namespace
	Name    string
	Params  []Param
	Returns []Param // Name may be ""
	// Pure functions change nothing and may be used in replication conditions (R5.5).
	Pure bool
	Doc  string
	// Example is one line of Lua.
	Example string
}

// Latent reports whether the function may yield: only latent code may call it.
func (f *Function) Latent() bool { return f.Space == Latent }

// Param is an argument or a result. Type is in the notation of LuaLS: number, integer, boolean, string, vector,
// rotator, Actor, class, table, any, fun(…).
type Param struct {
	Name, Type string
	Optional   bool
	// Measure is what a number or a vector measures, which decides its permitted values. Only numbers may have the
	// zero value: a vector argument of a native without a measure is a bug that a test finds.
	Measure Measure
}

// Measure is the meaning of a number argument (G7); the guard that checks arguments of natives reads it.
type Measure uint8

// The measures.
const (
	// Number: finite; an integer type is a whole number within ±2^53.
	Number Measure = iota
	// Free: any number. It is for mathematics whose result stays in scripts.
	Free
	// Place: a location, each component within ±1e6 uu.
	Place
	// LineEnd: the end of a line. One outside of the permitted locations is clipped along the line.
	LineEnd
	// Offset: a displacement, each component within ±2e6 uu.
	Offset
	// Amount: a speed or a strength, each component within ±1e12.
	Amount
)

// MeasureNames returns the names of the measures, by value.
func MeasureNames() []string {
	return []string{"Number", "Free", "Place", "LineEnd", "Offset", "Amount"}
}

func (m Measure) String() string {
	if names := MeasureNames(); int(m) < len(names) {
		return names[m]
	}
	return "Measure(" + strconv.Itoa(int(m)) + ")"
}

// Variable is a global value or a member of a value.
type Variable struct {
	Space Namespace
	Name  string
	Type  string
	Doc   string
}

// Event is a function that the engine calls.
type Event struct {
	Name   string
	Params []Param
	Doc    string
}

// Variables returns all global values and members of values.
func Variables() []*Variable { return variables }

// Events returns all events, in the order of an actor's life.
func Events() []*Event { return events }
