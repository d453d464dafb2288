package scenario

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/canvas"
	"github.com/tidelock/tidelock/scriptvm"
)

// Stage is one run's world of peers and its clock. Everything happens on the goroutine of the run.
type Stage interface {
	// Listen sets who hears what scripts of any peer report. It is called once, before anything else.
	Listen(func(scriptvm.Report))
	// Scripts adds a chunk of classes for the peers made later, of a mod or, with "", of the game.
	Scripts(text, mod string)
	// Server makes the server. A class that fails to load is an error.
	Server(ServerOptions) (Peer, error)
	// Client makes a client and, unless told otherwise, begins to join; it does not wait.
	Client(ClientOptions) (Client, error)
	// Reload replaces the scenario's classes on all peers as a saved file would; mod is as in Scripts.
	Reload(text, mod string) (scriptvm.ReloadResult, error)
	// Restart stops the server and starts it again with the scripts it has.
	Restart() error

	// Transport is "sim", on a virtual clock, or "kcp", in real time.
	Transport() string
	// Now is the simulated time in seconds since the run began.
	Now() float64
	// Step goes to the next tick of any peer that is not after until, and runs it. Without one it goes to
	// until and says false. An error ends the run: the budget is spent, or the host's patience.
	Step(until float64) (ticked bool, err error)
	// ServerTicks counts the ticks of the server.
	ServerTicks() int

	// Why tells why a client has an actor or one of its variables, or has not (R13.2).
	Why(c Client, a *engine.Actor, property string) (code, text string, err error)
}

// Peer is one world of a run.
type Peer interface {
	Name() string
	// World and VM are those of the present process: a restart makes others and counts Epoch up. Both are nil for a
	// client that is not in a match.
	World() *engine.World
	VM() *scriptvm.VM
	Epoch() int
	// Controller is a client's PlayerController on this peer, nil before it has joined. Without a client it
	// is that of the player who sits at this peer; a peer without one is an error.
	Controller(of Client) (*engine.Actor, error)
	// Copy is this peer's copy of an actor of another peer, or nil.
	Copy(of Peer, id engine.ActorID) *engine.Actor
	// Input changes what the player at this peer presses.
	Input(change func(*engine.Input)) error
	// Canvas is what the HUD of the player at this peer drew after the latest tick. From the first time on it draws after each
	// tick; before, nobody looks, and it does not.
	Canvas() ([]canvas.Call, error)
	// Log is what was reported so far, a line each.
	Log() []string
	// Stand has its machine stand still for so many seconds: it neither receives nor runs, and drops the ticks.
	Stand(seconds float64)
}

// Client is a peer that joins over the network.
type Client interface {
	Peer
	Join() error
	Leave() error
	Kill() error
	// Impaired is how bad its link is, Link changes that.
	Impaired() LinkOptions
	Link(LinkOptions) error
	// Lose loses the packets of these numbers, 1 being the next that goes, and no others, up or down.
	Lose(up bool, packets []int) error
	// Failure is why it is not in, both empty while nothing failed.
	Failure() (text, code string)
	Corrections() []Correction
	// Trace is what the client saw so far. An error: more than is kept.
	Trace() ([]TraceEvent, error)
	Traffic() Traffic
}

// ServerOptions are those of t:server{…}.
type ServerOptions struct {
	Level string
	// Game is a class; "" leaves the choice to Options and then to GameInfo.
	Game    string
	Options string
	// Tick and Net are per second; Net divides Tick.
	Tick, Net int
	Mode      engine.NetMode
	Config    map[string]any
}

// ClientOptions are those of t:client{…}.
type ClientOptions struct {
	Name    string
	Options string
	Tick    int
	// Timescale is the speed of the client's own clock.
	Timescale float64
	Join      bool
	// Cold clients hold no scripts yet.
	Cold bool
	Link LinkOptions
}

// LinkOptions impair a link: seconds one way, fractions, bytes per second (0 = no limit). LossDown is the share of the
// packets to the client that is lost, LossUp of those from it. Burst is the mean length of a run of lost packets; up to 1,
// losses are independent.
type LinkOptions struct {
	Lag, Jitter, LossDown, LossUp, Burst, Dup, Reorder float64
	Down, Up                                           float64
}

// presets are the named links of t:client{ preset = … }.
func presets() map[string]LinkOptions {
	return map[string]LinkOptions{
		"lan":       {Lag: 0.001, LossDown: 0.01, LossUp: 0.01},
		"broadband": {Lag: 0.025, Jitter: 0.005, LossDown: 0.005, LossUp: 0.005},
		"internet":  {Lag: 0.075, Jitter: 0.015, LossDown: 0.02, LossUp: 0.02},
		"modem":     {Lag: 0.150, Jitter: 0.030, LossDown: 0.075, LossUp: 0.075, Down: 2600, Up: 2600},
	}
}

// Correction is one of R9.8.
type Correction struct {
	Time           float64
	Field          string
	Client, Server engine.Value
	Move           []scriptvm.MoveInput
}

// TraceEvent is one thing a client saw. Actor is the server's, and so are those in values. Args are of a call.
type TraceEvent struct {
	Event, Class, Name string
	Actor              engine.ActorID
	Value              engine.Value
	Args               []engine.Value
	Time               float64
}

// Traffic is what the server sent one client, with entries by Class or Class.Name.
type Traffic struct {
	Total                           Count
	ByClass, ByProperty, ByFunction map[string]Count
	Up                              Upstream
}

// Upstream is what the client itself sent: bytes with all headers, the payload of network messages among them, packets.
type Upstream struct{ Bytes, Payload, Packets int }

// Count is one line of Traffic.
type Count struct{ Bytes, Count, Sent, Received, Lost, Throttled, Dropped int }
