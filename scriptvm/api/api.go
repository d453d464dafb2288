package api

import "strconv"

// Namespace says on what a function is called.
type Namespace string

// The namespaces.
const (
	Actor            Namespace = "Actor"            // self:Name(…) on every actor
	Component        Namespace = "ActorComponent"   // self:Name(…) on components
	Controller       Namespace = "Controller"       // and its children
	PlayerController Namespace = "PlayerController" // and its children
	World            Namespace = "world"            // world:Name(…)
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
	// Pure functions change nothing and may stand in replication conditions (R5.5).
	Pure bool
	Doc  string
	// Example is one line of Lua.
	Example string
}

// Latent reports whether the function may yield: only latent code may call it.
func (f *Function) Latent() bool { return f.Space == Latent }

// Param is an argument or a result. Type is as LuaLS writes it: number, integer, boolean, string, vector,
// rotator, Actor, class, table, any, fun(…).
type Param struct {
	Name, Type string
	Optional   bool
	// Measure is what a number or a vector measures, which decides what it may be. The zero value does for numbers only: a
	// vector argument of a native without one is a bug that a test finds.
	Measure Measure
}

// Measure says which numbers an argument takes (G7): the guard in front of all natives reads it.
type Measure uint8

// The measures.
const (
	// Number: finite; a whole one within ±2^53 where the type is an integer.
	Number Measure = iota
	// Free: whatever a number can be. It is for mathematics that stays with scripts.
	Free
	// Place: where something is, each part within ±1e6 uu.
	Place
	// LineEnd: where a line ends. One beyond the places is drawn in along the line.
	LineEnd
	// Offset: how far something goes, each part within ±2e6 uu.
	Offset
	// Amount: how fast or how strong, each part within ±1e12.
	Amount
)

// MeasureNames are the names of the measures, by value.
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

// Variables are all global values and members of values.
func Variables() []*Variable { return variables }

// Events are all events, in the order of an actor's life.
func Events() []*Event { return events }
