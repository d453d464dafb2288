package view

import (
	"strings"
	"time"
	"unicode"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/canvas"
)

// Seat is a player's access to a match: as a client of some host, or on the host itself.
type Seat interface {
	// World returns the match's world, nil if there is none.
	World() *engine.World
	// Controller returns the player's PlayerController, nil if there is none.
	Controller() *engine.Actor
	// Call calls a function of the match's scripts between two ticks. After a fault, which was reported, it
	// returns nothing.
	Call(a *engine.Actor, name string, args ...engine.Value) []engine.Value
	// DrawHUD returns what the player's HUD draws after the latest tick (W4.1); nil if there is none.
	DrawHUD() []canvas.Call
	// Brain reports whether a brain plays for the person; SetBrain changes that.
	Brain() bool
	SetBrain(on bool)
	// Status returns what the view cannot see in the world.
	Status() Status
}

// Status is the state of a seat outside its world.
type Status struct {
	// Place is the location of the match: an address, or "this machine".
	Place string
	// Waiting says what the player is waiting for before there is a match to show, "" otherwise.
	Waiting string
	// Level and Game name the level and the game.
	Level, Game string
	// Playing is how long the player has been in the match.
	Playing time.Duration
	// Figures describe the connection, or the host, in parts of a line, the most important first.
	Figures []string
	// Ping is the player's own ping for the table of players, "" for none.
	Ping string
	// Has reports which actors the counts include; nil includes all.
	Has func(*engine.Actor) bool
}

// Clean returns an untrusted text for display on a terminal: without control characters, which could move the
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

// value returns an actor's variable of a name, and whether it has one. The actor may be nil.
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

// Number returns an actor's numeric variable, and whether it has one of that name. The actor may be nil.
func Number(a *engine.Actor, name string) (float64, bool) {
	v, ok := value(a, name)
	return v.Num, ok
}

// Text returns an actor's string, or the name of an enum value, cleaned; "" without one. The actor may be nil.
func Text(a *engine.Actor, name string) string {
	v, _ := value(a, name)
	return Clean(v.Str)
}

// Reference returns the actor that an actor's variable refers to, or nil. The actor may be nil.
func Reference(a *engine.Actor, name string) *engine.Actor {
	if v, ok := value(a, name); ok {
		return a.World().Actor(v.Ref)
	}
	return nil
}

// Pawn returns the pawn of a controller, nil if it has none. A client may have a pawn before it knows its
// controller.
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
