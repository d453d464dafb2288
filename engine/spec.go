package engine

import "fmt"

// Pos is a place in a source file; Line and Column count from 1, 0 where unknown.
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

// The severities. An error keeps a set of classes from being used; a warning does not. SevInfo is no severity of a
// Diagnostic: package netcode reports with it what is in order, such as a player who joined.
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

// Diagnostic is one thing found wrong before anything runs. Rule is the name in the table of checks.
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

	// Native marks the roots that carry the engine's own variables: NativeActor, NativeComponent.
	Native NativeRoot
	// Mod is the mod whose file declares it, "" for core and the game.
	Mod string

	Properties []PropertySpec
	Defaults   []DefaultSpec
	Rules      []RuleSpec
	Functions  []FunctionSpec
	States     []StateSpec
	Components []ComponentSpec
	// Moves is what instances add to the moves of a player, nil where the class declares nothing of the kind.
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
	// Validator judges what a client sends of the variable (R5.16), nil for none.
	Validator any
}

// DefaultSpec overrides the default of an inherited variable.
type DefaultSpec struct {
	Name  string
	Value Value
	Pos   Pos
}

// Notify says when a client's ReplicatedEvent is called for a variable (R5.14).
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
	// Named is the condition where it is one of COND_*; otherwise Cond, or neither for "whenever it changed".
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
	// Stated is set where the specifier was written, so that an override that says nothing inherits (R6.10).
	Stated bool
	// Params are the argument types of a replicated function as they are declared; nil where none are.
	Params []Param
	// Args are the names of all arguments, Vararg says that any number may follow: those of a replicated function
	// that nothing declares are of KindAny.
	Args   []string
	Vararg bool
	// Validated is set where the class defines a validator for it.
	Validated bool
	Script    any
	Validator any
	Pos       Pos
}

// Param is one argument of a replicated function.
type Param struct {
	Name string
	Type *Type
	// Default is used for an argument left out; KindNone is Lua's nil.
	Default Value
}

// StateSpec declares a state of a class or adds to an inherited one.
type StateSpec struct {
	Name      string
	Simulated bool
	Extends   string
	Ignores   []string
	Functions []FunctionSpec
	Code      any // latent code, nil where the state has none
	Pos       Pos
}

// MoveSpec names the variables by which a class takes part in the moves of a player (R9.9).
type MoveSpec struct {
	Vars []MoveVarSpec
	Pos  Pos
}

// MoveVarSpec is one of these variables: declared by the class or by one that it descends from.
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

// ActionKind says what the value of an action is.
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

// Action is something that a player can do by a key, a button of a gamepad or a touch (W4.3): a name that scripts read, and what
// it is bound to until the player binds it to something else. Package action checks them. It is plain data that never changes.
type Action struct {
	Name, Label string
	Kind        ActionKind
	// Keys are KeyboardEvent.code names, Mouse0 … Mouse4, WheelUp and WheelDown. Negative are those that make an axis -1, with
	// NegativeLabel for what they do.
	Keys, Negative []string
	NegativeLabel  string
	// Buttons are those of a gamepad in the standard layout; of an axis, its sticks.
	Buttons []string
	// Touch is "button", "stick-x" or "stick-y", "" for none.
	Touch string
	// Terminal is the character that does it in a terminal, and TerminalNegative the one for -1; "" for none.
	Terminal, TerminalNegative string
	// Class declares it; "" for content/input.toml.
	Class string
}

// MoveUse says what a move of a player has to do with a variable (R9.9).
type MoveUse uint8

// ORDER: moveuses. They are lists of a class file's .moves block.
const (
	// MoveUsePress is a boolean that a move carries once: something requests one thing, and it is false again.
	MoveUsePress MoveUse = iota
	// MoveUseFlag is a boolean that a move carries: a key that is held.
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
