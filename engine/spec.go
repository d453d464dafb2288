package engine

import "fmt"

// Pos is a position in a source file; Line and Column count from 1, 0 if unknown.
type Pos struct {
	File         string
	Line, Column int
}

func (p Pos) String() string {
	switch {
	case p.File == "":
		return "?"
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Severity of a [Diagnostic].
type Severity uint8

// The severities. An error keeps a set of classes from being used; a warning does not. SevInfo is not a
// severity of a Diagnostic: package netcode uses it for normal events, such as a player who joined.
const (
	SevError Severity = iota
	SevWarning
	SevInfo
)

func (s Severity) String() string {
	switch s {
	case SevError:
		return "error"
	case SevWarning:
		return "warning"
	case SevInfo:
		return "info"
	}
	return fmt.Sprintf("Severity(%d)", uint8(s))
}

// Diagnostic is a fault found before anything runs. Rule is the name in the table of checks.
type Diagnostic struct {
	Pos      Pos
	Severity Severity
	Rule     string
	Text     string
}

// String is the form `host check` prints: file:line:column: severity: text [rule].
func (d Diagnostic) String() string {
	return fmt.Sprintf("%s: %s: %s [%s]", d.Pos, d.Severity, d.Text, d.Rule)
}

func (d Diagnostic) Error() string { return d.String() }

// ClassSpec is a class as its file declares it: names only, nothing resolved.
type ClassSpec struct {
	Name   string
	Parent string // "" for a root
	Pos    Pos

	// Native marks the root classes that have the engine's own variables: NativeActor, NativeComponent.
	Native NativeRoot
	// Mod is the mod whose file declares it, "" for core and the game.
	Mod string

	Properties []PropertySpec
	Defaults   []DefaultSpec
	Rules      []RuleSpec
	Functions  []FunctionSpec
	States     []StateSpec
	Components []ComponentSpec
	// Moves lists the class's variables in the moves of a player, nil if it declares none.
	Moves *MoveSpec

	AutoState    string
	AutoStatePos Pos
}

// NativeRoot says which engine variables a root class has.
type NativeRoot uint8

// The roots.
const (
	NativeNone NativeRoot = iota
	NativeActor
	NativeComponent
)

// PropertySpec declares a variable.
type PropertySpec struct {
	Name    string
	Type    *Type
	Default Value // KindNone: the type's zero
	Pos     Pos
	// Validator checks values that a client sends for the variable (R5.16), nil for none.
	Validator any
	// Persistent variables belong to a player and are kept in their profile (C2).
	Persistent bool
}

// DefaultSpec overrides the default of an inherited variable.
type DefaultSpec struct {
	Name  string
	Value Value
	Pos   Pos
}

// Notify says when ReplicatedEvent is called on a client for a variable (R5.14).
type Notify uint8

// The kinds of notification.
const (
	NotifyNone Notify = iota
	NotifyChanged
	NotifyAlways
)

// RuleSpec is one rule of a replication block.
type RuleSpec struct {
	Names   []string
	NamePos []Pos
	// Named is the condition if it is one of COND_*; otherwise Cond, or neither for "whenever it changed".
	Named  NetCondition
	Group  string // of COND_NetGroup
	Cond   Condition
	Script any // what the script side needs to evaluate a condition in the VM; nil for compiled ones
	Notify Notify
	Pos    Pos
}

// FunctionSpec declares a function or an override of one.
type FunctionSpec struct {
	Name      string
	Simulated bool
	Kind      CallKind
	Reliable  bool
	// Stated is set if the specifier was written, so that an override without one inherits (R6.10).
	Stated bool
	// Params are the declared argument types of a replicated function; nil if there are none.
	Params []Param
	// Args are the names of all arguments; Vararg means that any number may follow. Undeclared arguments of a
	// replicated function are of KindAny.
	Args   []string
	Vararg bool
	// Validated is set if the class defines a validator for the function.
	Validated bool
	Script    any
	Validator any
	Pos       Pos
}

// Param is one argument of a replicated function.
type Param struct {
	Name string
	Type *Type
	// Default replaces an omitted argument; KindNone is Lua's nil.
	Default Value
}

// StateSpec declares a state of a class or adds to an inherited one.
type StateSpec struct {
	Name      string
	Simulated bool
	Extends   string
	Ignores   []string
	Functions []FunctionSpec
	Code      any // latent code, nil if the state has none
	Pos       Pos
}

// MoveSpec names the variables by which a class takes part in the moves of a player (R9.9).
type MoveSpec struct {
	Vars []MoveVarSpec
	Pos  Pos
}

// MoveVarSpec is one of these variables: declared by the class or by an ancestor.
type MoveVarSpec struct {
	Name string
	Use  MoveUse
	Pos  Pos
}

// ComponentSpec is a static component.
type ComponentSpec struct {
	Name, Class string
	Pos         Pos
}

// ActionKind is the kind of an action's value.
type ActionKind uint8

// The kinds of actions.
const (
	// ActionButton is 0 or 1.
	ActionButton ActionKind = iota
	// ActionAxis is from -1 to 1.
	ActionAxis
	numActionKinds
)

var actionKindNames = [numActionKinds]string{"button", "axis"}

// Action is something that a player can do with a key, a gamepad button or a touch (W4.3): a name that scripts
// read, and its default bindings, which the player may change. Package action checks them. It is plain data
// that never changes.
type Action struct {
	Name, Label string
	Kind        ActionKind
	// Keys are KeyboardEvent.code names, Mouse0 … Mouse4, WheelUp and WheelDown. Negative are those that set an
	// axis to -1, and NegativeLabel describes that direction.
	Keys, Negative []string
	NegativeLabel  string
	// Buttons are those of a gamepad in the standard layout; for an axis, its sticks.
	Buttons []string
	// Touch is "button", "stick-x" or "stick-y", "" for none.
	Touch string
	// Terminal is its character in a terminal, and TerminalNegative the one for -1; "" for none.
	Terminal, TerminalNegative string
	// Class is the class that declares it; "" for content/input.toml.
	Class string
}

// MoveUse is the role of a variable in a player's moves (R9.9).
type MoveUse uint8

// ORDER: moveuses. They are the lists of a class file's .moves block.
const (
	// MoveUsePress is a boolean that a move carries once: it requests something, and is reset to false.
	MoveUsePress MoveUse = iota
	// MoveUseFlag is a boolean that every move carries: a key that is held.
	MoveUseFlag
	// MoveUseField is a variable of any other type that a move carries.
	MoveUseField
	// MoveUseState is a variable on which the next move depends.
	MoveUseState
	numMoveUses
)

var moveUseNames = [numMoveUses]string{"presses", "flags", "fields", "state"}

func (k ActionKind) String() string { return enumName(actionKindNames[:], int(k), "ActionKind") }

func (u MoveUse) String() string { return enumName(moveUseNames[:], int(u), "MoveUse") }
