package serve

import (
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/cmd/host/versions"
	"github.com/tidelock/tidelock/engine"
)

// Game is a running world as the server sees it. All methods are called on the loop's goroutine, which owns the
// world, except Check and ReadMedia.
type Game interface {
	// Step runs one tick of dt seconds.
	Step(dt float64)
	// StandStill reports that ticks were dropped between two calls of Step, of so many seconds together.
	StandStill(seconds float64)
	// Pace returns how many world ticks Step runs, on average: 1 normally, 0 while the match is paused, when no tick
	// of the loop is late or missing; and how many ticks of a paused match are still to run.
	Pace() (scale float64, pending int)
	// BeginLate says that Step is called next: late returns how long ago that was due, by the time at which it is asked. It is for
	// the loop's goroutine, until Step returns.
	BeginLate(late func() time.Duration)
	// ReadMedia reads and checks sounds and animations for Reload. It runs on another goroutine while Step runs.
	ReadMedia() (Media, error)
	// Check compiles a complete set of scripts before Reload, so that the tick does not wait for it. It runs on
	// another goroutine while Step runs; its result is only a hint (Reload checks again). Its arguments are
	// Reload's.
	Check(scripts []assets.Script, media Media)
	// Reload applies a complete set of scripts and sounds with animations, all or nothing; nil ones stay as
	// they are. back says that the scripts ran before and are brought back: living actors get the values again of
	// variables that were removed since.
	Reload(scripts []assets.Script, media Media, back bool) Reloaded
	// CheckLevel returns work that reads a level's file and reports what is wrong with it: the error is what
	// would keep a match from travelling there. Another goroutine may run the work.
	CheckLevel(name string) (work func() (warnings []string, err error))
	// ReloadLevel restarts the present level, with its file read again and the players kept.
	ReloadLevel() error
	// Variable finds a variable by Class.Variable, in whatever case, with the file of the class.
	Variable(name string) (versions.Tuned, error)
	// Variables lists all variables as Class.Variable.
	Variables() []string
	// Say shows all players a line of text.
	Say(text string) error
	// Costs returns how many milliseconds a tick scripts took in the last second of the world, and names the
	// most expensive functions.
	Costs() (milliseconds float64, costliest string)
	// MeasureMemory starts counting the scripts' memory in the next ticks; MemoryKnown reports whether that is
	// done.
	MeasureMemory()
	MemoryKnown() bool
	// Accounts returns the costs of the world, computed on demand.
	Accounts() match.Accounts
	// Figures fills in what monitoring shows of the world: all figures but those of ticks and reloads.
	Figures(f *metrics.Figures)
	// Status returns figures for banners and logs.
	Status() Status
	// Close ends the world: players are told why, and state is saved. Nothing is called after it.
	Close()
}

// Media is sounds and animations that were read, opaque to this package.
type Media any

// Status is a few figures of a world.
type Status struct {
	Level            string
	NetMode          string
	Time             float64 // age of the world in seconds
	Classes, Actors  int
	Players, Waiting int // connected, and connecting
}

// Reloaded is the result of a reload, or why it did nothing.
type Reloaded struct {
	// Changes lists the changes in one line: defaults with the actors that follow, variables, conditions,
	// functions.
	Changes string
	// Actors is how many live actors belong to the classes whose files changed, or to their children.
	Actors int
	// Took is how long the world was stopped for it.
	Took time.Duration
	// Diagnostics are errors and warnings; with an error nothing changed.
	Diagnostics []engine.Diagnostic
	// Failed is set if the old code stays.
	Failed bool
	// Notes are further lines for the log: variables that were reset, removed states, classes that are kept.
	Notes []string
}
