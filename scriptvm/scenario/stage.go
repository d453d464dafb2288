package scenario

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/canvas"
	"github.com/tidelock/tidelock/scriptvm"
)

// Stage provides the peers and the clock of one run. Everything happens on the goroutine of the run.
type Stage interface {
	// Listen sets the receiver of reports of any peer's scripts. It is called once, before anything else.
	Listen(func(scriptvm.Report))
	// Scripts adds a chunk of classes for the peers created later, of a mod or, with "", of the game.
	Scripts(text, mod string)
	// Server creates the server. A class that fails to load is an error.
	Server(ServerOptions) (Peer, error)
	// Host creates another host of the cluster that the server is in. KillHost ends one without a word, Partition cuts one off from the
	// others, or joins it again.
	Host(name string, labels map[string]string, o ServerOptions) (Peer, error)
	KillHost(Peer) error
	// RestartHost is Restart for any host, also for one that was killed.
	RestartHost(Peer) error
	Partition(p Peer, off bool) error
	// Drain takes a host out of service, after the round or so many seconds, 0 for however long the round takes; nil means the usual
	// time. StopDrain calls that off. Both return a line that says what is so now.
	Drain(p Peer, seconds *float64) (string, error)
	StopDrain(Peer) (string, error)
	// Draining names the phase of a host's drain, "" for a peer that is in service or not a host. It stays after the drain's end, until
	// the host starts again.
	Draining(Peer) string
	// Client creates a client and, unless configured otherwise, begins to join; it does not wait.
	Client(ClientOptions) (Client, error)
	// Reload replaces the scenario's classes on all peers as a saved file would; mod is as in Scripts.
	Reload(text, mod string) (scriptvm.ReloadResult, error)
	// Restart stops the server and starts it again with its present scripts.
	Restart() error
	// Store changes how the store answers from now on.
	Store(StoreFault)
	// Save saves the server's world under a name, and Load stops the server and starts it with a saved world. Both return the hash of
	// the world, Load the one before Restored was called.
	Save(name string) (hash uint64, err error)
	Load(name string) (hash uint64, err error)

	// Transport is "sim", on a virtual clock, or "kcp", in real time.
	Transport() string
	// Now is the simulated time in seconds since the run began.
	Now() float64
	// Step advances to the next tick of any peer that is not after until, and runs it. Without one it advances to
	// until and returns false. An error ends the run: the budget is spent, or the time limit is reached.
	Step(until float64) (ticked bool, err error)
	// ServerTicks counts the ticks of the server.
	ServerTicks() int

	// Why explains why a client has or lacks an actor or one of its variables (R13.2).
	Why(c Client, a *engine.Actor, property string) (code, text string, err error)
}

// StoreFault is how the store of a run answers.
type StoreFault struct {
	Delay float64 // in seconds
	Down  string  // the error of every answer, "" for none
}

// Peer is one world of a run.
type Peer interface {
	Name() string
	// World and VM are those of the present process: a restart creates others and increments Epoch. Both are nil
	// for a client that is not in a match.
	World() *engine.World
	VM() *scriptvm.VM
	Epoch() int
	// Controller returns a client's PlayerController on this peer, nil before it has joined. Without a client it is
	// that of the local player; a peer without one is an error.
	Controller(of Client) (*engine.Actor, error)
	// Copy returns this peer's copy of an actor of another peer, or nil.
	Copy(of Peer, id engine.ActorID) *engine.Actor
	// Input changes the input of the player at this peer.
	Input(change func(*engine.Input)) error
	// Canvas returns what the HUD of the local player drew after the latest tick. From the first call on, the HUD
	// draws after each tick; before, it does not draw.
	Canvas() ([]canvas.Call, error)
	// Command runs a command of the game as a person would type it, given by a player or, with nil, by the host's owner; an
	// error on a client.
	Command(line string, by Client) (answer []string, err error)
	// Log returns what was reported so far, one line each.
	Log() []string
	// Stand suspends its machine for some seconds: it neither receives nor runs, and drops the ticks.
	Stand(seconds float64)
	// Pace returns the scale at which its world runs, 0 while paused, and how many ticks of a step are still to run.
	Pace() (scale float64, pending int)
	// SetPace sets the scale of the match, StepTicks lets a paused one run some ticks; both are errors on a client.
	SetPace(scale float64) error
	StepTicks(n int) error
}

// Client is a peer that joins over the network.
type Client interface {
	Peer
	Join() error
	Leave() error
	Kill() error
	// Impaired returns the impairments of its link, Link changes them.
	Impaired() LinkOptions
	Link(LinkOptions) error
	// Lose loses the packets with these numbers, 1 being the next one sent, and no others, up or down.
	Lose(up bool, packets []int) error
	// Failure returns why it has not joined, both empty while nothing failed.
	Failure() (text, code string)
	Corrections() []Correction
	// Trace returns what the client saw so far. It is an error if there was more than is kept.
	Trace() ([]TraceEvent, error)
	Traffic() Traffic
}

// ServerOptions holds those of t:server{…}.
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
	Name string
	// Host is the name of the host to join; "" means that of t:server.
	Host    string
	Options string
	Tick    int
	// Timescale is the speed of the client's own clock.
	Timescale float64
	Join      bool
	// Unpaced clients ignore the pace that the server sends, as a cheater's does.
	Unpaced bool
	// Cold clients have no scripts yet.
	Cold bool
	Link LinkOptions
}

// LinkOptions impairs a link: seconds one way, fractions, bytes per second (0 = no limit). LossDown is the share of
// packets to the client that are lost, LossUp of those from it. Burst is the mean length of a run of lost packets;
// up to 1, losses are independent.
type LinkOptions struct {
	Lag, Jitter, LossDown, LossUp, Burst, Dup, Reorder float64
	Down, Up                                           float64
}

// presets returns the named links of t:client{ preset = … }.
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

// TraceEvent is one thing a client saw. Actor and actors in values are the server's. Args are those of a call.
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

// Upstream is what the client itself sent: bytes with all headers, including the payload of network messages, and
// packets.
type Upstream struct{ Bytes, Payload, Packets int }

// Count is one line of Traffic.
type Count struct{ Bytes, Count, Sent, Received, Lost, Throttled, Dropped int }
