package serve

import (
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
)

// Game is a running world as the server sees it. All methods are called on the loop's goroutine, which owns the
// world, except Check and ReadMedia.
type Game interface {
	// Step runs one tick of dt seconds.
	Step(dt float64)
	// StandStill says that ticks were dropped, of so many seconds together, between two calls of Step.
	StandStill(seconds float64)
	// ReadMedia reads and checks sounds and animations for Reload. It runs on another goroutine while Step runs.
	ReadMedia() (Media, error)
	// Check compiles a complete set of scripts ahead of Reload, so that the tick does not wait for it. It runs
	// on another goroutine while Step runs; what it finds is only a hint (Reload checks for itself). Arguments are Reload's.
	Check(scripts []assets.Script, media Media)
	// Reload puts a complete set of scripts and sounds with animations to use, all or nothing; nil ones stay as they are.
	Reload(scripts []assets.Script, media Media) Reloaded
	// CheckLevel gives work that reads a level's file and says what is wrong with it: the error is what would keep a match
	// from going there. The work may be done on another goroutine.
	CheckLevel(name string) (work func() (warnings []string, err error))
	// ReloadLevel begins the level that is played again, with its file read again and the players kept.
	ReloadLevel() error
	// Say shows all players a line of text.
	Say(text string) error
	// Costs is how many milliseconds a tick scripts took in the last second of the world, and names the functions that took most.
	Costs() (milliseconds float64, dearest string)
	// MeasureMemory has what scripts keep counted in the next ticks; MemoryKnown is whether that is done.
	MeasureMemory()
	MemoryKnown() bool
	// Accounts are what the world costs, added up when somebody asks.
	Accounts() match.Accounts
	// Status is for banners and logs.
	Status() Status
	// Close ends the world: players are told why, things are saved. Nothing is called after it.
	Close()
}

// Media is sounds and animations that were read; only the game that read them knows more.
type Media any

// Status is a few numbers about a world.
type Status struct {
	Level            string
	NetMode          string
	Time             float64 // age of the world in seconds
	Classes, Actors  int
	Players, Waiting int // connected, and on their way in
}

// Reloaded says what a reload did, or why it did nothing.
type Reloaded struct {
	// Changes says in one line what is another: defaults with who follows, variables, conditions, functions.
	Changes string
	// Actors is how many live actors are of the classes whose files changed, or of their children.
	Actors int
	// Took is how long the world stood still for it.
	Took time.Duration
	// Diagnostics are errors and warnings; with an error nothing changed.
	Diagnostics []engine.Diagnostic
	// Failed is set where the old code stays.
	Failed bool
	// Notes are lines worth telling: variables that were reset, states that are gone, classes that are kept.
	Notes []string
}
