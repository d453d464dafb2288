package view

import (
	"strings"
	"time"
	"unicode"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/canvas"
)

// Seat is where a player sits: a client of some host, or the host itself.
type Seat interface {
	// World is the match's world, nil while there is none.
	World() *engine.World
	// Controller is the player's PlayerController, nil while there is none.
	Controller() *engine.Actor
	// Call calls a function of the match's scripts between two ticks. A fault gives nothing; it was reported.
	Call(a *engine.Actor, name string, args ...engine.Value) []engine.Value
	// DrawHUD is what the HUD of the player draws after the latest tick (W4.1); nil where there is none.
	DrawHUD() []canvas.Call
	// Brain reports whether a brain plays for the person, SetBrain changes it.
	Brain() bool
	SetBrain(on bool)
	// Status is what the view cannot see in the world.
	Status() Status
}

// Status is what a seat knows beside its world.
type Status struct {
	// Place is where the match is: an address, or "this machine".
	Place string
	// Waiting says what is waited for while there is nothing to see, "" once there is.
	Waiting string
	// Level and Game name what is played.
	Level, Game string
	// Playing is for how long the player has been in.
	Playing time.Duration
	// Figures are what the connection, or the host, is like: a line, in parts, the most important first.
	Figures []string
	// Ping is the player's own as the table of players shows it, "" for none.
	Ping string
	// Has reports which actors the counts include; nil includes all.
	Has func(*engine.Actor) bool
}

// Clean returns a stranger's text as it may be shown on a terminal: without control characters, which could move the
// cursor, change the title or worse.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		if r == '\t' || r == '\n' {
			return ' '
		}
		return -1
	}, s)
}

// value is the value of an actor's variable, and whether it has one of that name. The actor may be nil.
func value(a *engine.Actor, name string) (v engine.Value, ok bool) {
	if a == nil {
		return v, false
	}
	p := a.Class.Property(name)
	if p == nil {
		return v, false
	}
	return a.Get(p), true
}

// Number is a number that an actor has, and whether it has one of that name. The actor may be nil.
func Number(a *engine.Actor, name string) (float64, bool) {
	v, ok := value(a, name)
	return v.Num, ok
}

// Text is a string or a name of an enum that an actor has, cleaned; "" without one. The actor may be nil.
func Text(a *engine.Actor, name string) string {
	v, _ := value(a, name)
	return Clean(v.Str)
}

// Reference is an actor that an actor refers to, or nil. The actor may be nil.
func Reference(a *engine.Actor, name string) *engine.Actor {
	if v, ok := value(a, name); ok {
		return a.World().Actor(v.Ref)
	}
	return nil
}

// Pawn is the pawn of a controller, nil where it has none. A client may have a pawn before it knows whose it is.
func Pawn(pc *engine.Actor) *engine.Actor {
	if a := Reference(pc, "Pawn"); a != nil || pc == nil {
		return a
	}
	for _, a := range pc.World().ActorsOf("Pawn") {
		if a.TopOwner() == pc {
			return a
		}
	}
	return nil
}
