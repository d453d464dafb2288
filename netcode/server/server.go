// Package server is the server side of replication: it decides for each connection what is sent, in which order and
// why. It sends calls, processes what clients send, and can explain why something was or was not sent.
//
//	s, err := server.New(server.Config{World: w, Game: game, Bundle: files})
//	s.Attach(link)
//	for each tick {
//		s.Receive(now)
//		w.Step(dt)
//		s.Send(now, tick%n == 0)
//	}
//
// A Server belongs to the goroutine that steps its world. It starts none, reads no clock, and in steady state
// allocates nothing.
//
// # One net update
//
// Actors whose variables were set since the last net update are compared with what was last sent; differences
// become pending for every connection that has the actor. For each connection, the pending variables whose
// condition holds are put into datagrams, by priority if the budget does not suffice for all. A value is encoded
// once and copied. The content of each datagram is recorded; if the datagram is lost, that content becomes pending
// again.
//
// Guarantees: No client, no transport, no clock, no goroutine: the caller provides workers, and their number does not
// change the bytes.
package server

import (
	"slices"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/throttle"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Game admits and removes players; package match implements it.
type Game interface {
	// PreLogin runs before anything is spawned for a player (R8.3); text is empty if the player may join.
	PreLogin(options, address string) (text, code string)
	// Prepares reports whether a player with a key and these options has to be prepared before PreLogin, as their profile has to be read (C2). Prepare is
	// called for such a player in every tick until ready is true: first begins it. With a code it is a refusal; else text says what
	// they wait for. Abandon ends what Prepare began, once, when the player is gone.
	Prepares(options string) bool
	// Awaits reports whether such a player has to wait for that: it then begins while they load.
	Awaits(options string) bool
	Prepare(key, options string, first bool) (ready bool, text, code string)
	Abandon(key string)
	// Expected reports whether another host sends a player with that key, or they come back from one (C6). Such a player needs no PreLogin.
	// Carried returns what they bring along, which Arrive gets, or nil; it is called once, when they have been prepared.
	Expected(key string) bool
	Carried(key string) any
	// Login makes the PlayerController (R8.4); an error that has a Code() is a refusal.
	Login(portal, options string) (pc *engine.Actor, text, code string)
	// PostLogin and Logout are those of R8.5.
	PostLogin(pc *engine.Actor)
	Logout(pc *engine.Actor)
	// Depart returns the state that a player keeps when the world ends and another follows (Server.Travel); with
	// nil they arrive as a new player. Arrive creates their controller in the other world, instead of PreLogin and
	// Login; Lost receives the state of a player whose connection ended in between.
	Depart(pc *engine.Actor) (state any)
	Arrive(state any, options string) (pc *engine.Actor, text, code string)
	Lost(state any)
	// Loading is called with the number of connected players who have not joined yet (R8.7), whenever that changes.
	Loading(n int)
}

// Config is the configuration of a server.
type Config struct {
	World  *engine.World
	Game   Game
	Bundle *bundle.Bundle
	// Level and GameClass are sent to clients; Level may be empty.
	Level, GameClass string
	// Tick and Net are world ticks and net updates per second, for clients to know.
	Tick, Net int
	Relevancy relevancy.Config
	Limits    Limits
	// Validate compares every actor with its last sent state in every net update, and reports changes that were not
	// marked (R4.7). It is for tests and debugging: its cost grows with the actors, not with the changes.
	Validate bool
	// Parallel calls f for 0 to n−1 and returns when all calls have returned; it may use several cores. nil runs
	// them one after the other. In either case clients are sent the same bytes.
	Parallel func(n int, f func(i int))
	// Workers is how many parts of the net update may run at once; 0 means 1, the maximum is 16.
	Workers int
	// Admit decides whether a connection may come in, before the game is asked and the client is told anything; nil
	// admits everybody. It gets the player's identity as the handshake proved it (Conn.Key) and their address, and
	// returns the reason of a refusal, or nil. Keep decides the same for a connection that was admitted: when its
	// address has changed, and in Recheck.
	Admit, Keep func(key, addr string) *link.Reason
	// Report receives one line about something that went wrong or that an operator should know; nil drops it.
	Report func(sev engine.Severity, text string)
	// Event receives what Report would receive about players, with their identity; with nil, Report does.
	Event func(Event)
}

// Server is the network side of one world.
type Server struct {
	cfg    Config
	world  *engine.World
	set    *schema.Set
	index  *relevancy.Index
	links  []link.Link
	conns  []*Conn // in order of joining; leaving ones are removed at the end of Receive
	nextID uint32

	entities
	queue              []event // calls and ends of this tick, in order
	args               []engine.Value
	bundles            []*bundle.Bundle // earlier ones
	table              *bundle.Archive  // the class table, once it was requested
	fileTokens         float64          // bytes of files that may be sent now (Limits.DownloadTotal)
	fileAt             time.Duration
	fileTurn           int           // whose files are sent first
	sets               []*schema.Set // earlier ones that some client still runs
	update             uint32        // net updates so far
	clock              uint32        // counts compares; element versions use it as their time
	now                time.Duration
	stood, stoodUntil  time.Duration // see stand
	lastNet            time.Duration
	lastPing           time.Duration
	main               ownEncoder // of the server's goroutine
	flushing           flushing
	surveying          surveying
	flushers, scanners func(lane int)
	looking            []*Conn // those with a pass in this net update
	group              group
	pace               pacing // of the world, see SetPace
	paced              time.Duration
	stopped            bool
	loading            int  // as last passed to the game
	flat               bool // SetFlat
	warned             map[string]bool
	faults             clientFaults
	quarantiner        Quarantiner       // the game, nil if it is none
	quarantineSent     uint64            // its OutOfUseChanged as sent to players
	guesses            *throttle.Guesses // passwords that the game refused, by network
	warnings           []string          // the texts in warned, a ring starting at warnedAt
	warnedAt           int
	turn               int    // whose relevancy is tested next
	owners             uint32 // increases when an owner may have changed, or a role did
	accounts           accountNumbers
	callScratch        []byte
	joins              uint64            // connections that became a player's
	departed           map[string]uint64 // bytes sent by class to connections that are removed
	logClass           map[string]bool
	logLine            func(text string)
	// Stats holds the figures of the last net update (R13.6).
	Stats Stats
}

// Stats holds figures of one net update (R13.6) and some since the start.
type Stats struct {
	Entities, Changed, Compared, Conditions, RelevancyTests, Relevant, Packets int
	Calls, CallsDropped                                                        uint64
	Saturated                                                                  uint64 // vectors beyond their grid (R5.10)
	// Denied is how many connections Admit refused, and how many Keep closed.
	Denied uint64
	// Common is how many updates of actors clients were sent from a shared state.
	Common int
	// LongestWait is the longest time, in seconds, that an actor with something to send waited for bandwidth (R4.8).
	LongestWait float64
}

// Attach makes the server listen on a link.
func (s *Server) Attach(l link.Link) { s.links = append(s.links, l) }

// Refuse makes the server refuse all new connections.
func (s *Server) Refuse() { s.stopped = true }

// Connections calls f for every connection that has a player, in order of joining.
func (s *Server) Connections(f func(*Conn)) {
	for _, c := range s.conns {
		if c.state == playing {
			f(c)
		}
	}
}

// ConnectionOf returns the connection of a PlayerController, or nil.
func (s *Server) ConnectionOf(pc *engine.Actor) *Conn {
	if pc == nil {
		return nil
	}
	if i := slices.IndexFunc(s.conns, func(c *Conn) bool { return c.state == playing && c.player == pc.ID() }); i >= 0 {
		return s.conns[i]
	}
	return nil
}

func (s *Server) report(sev engine.Severity, text string) {
	if s.cfg.Report != nil {
		s.cfg.Report(sev, text)
	}
}

// mostWarned is how many texts are remembered so that they are not reported twice. Beyond it the oldest is
// forgotten, and may be reported again, so that a server that has warned a lot keeps warning.
const mostWarned = 1000

// once reports a text only once, among the latest mostWarned.
func (s *Server) once(sev engine.Severity, text string) {
	if s.warned[text] {
		return
	}
	if len(s.warnings) == mostWarned {
		delete(s.warned, s.warnings[s.warnedAt])
		s.warnings[s.warnedAt] = text
		s.warnedAt = (s.warnedAt + 1) % mostWarned
	} else {
		s.warnings = append(s.warnings, text)
	}
	s.warned[text] = true
	s.report(sev, text)
}

// LogClass switches the detailed log of what is sent of a class on or off (R13.4); lines go to out.
func (s *Server) LogClass(class string, on bool, out func(text string)) {
	if on {
		s.logClass[class], s.logLine = true, out
		return
	}
	delete(s.logClass, class)
}

// Epoch returns the number of the class table in force, and its hash.
func (s *Server) Epoch() (epoch uint8, table wire.Hash) { return s.set.Epoch, s.set.Hash }

// NetOf returns an actor's number on the wire, the same on every connection; 0 if it does not replicate.
func (s *Server) NetOf(id engine.ActorID) uint32 {
	if e := s.find(id); e != nil {
		return e.net
	}
	return 0
}

// ByNet returns the actor of a number on the wire, or nil.
func (s *Server) ByNet(net uint32) *engine.Actor {
	if e := s.byNet[net]; e != nil {
		return e.actor
	}
	return nil
}

// ChannelOf returns the number of an actor's channel, the same on every connection; 0 if it has none.
func (s *Server) ChannelOf(id engine.ActorID) uint16 {
	if e := s.find(id); e != nil {
		return uint16(e.slot)
	}
	return 0
}

// FunctionOf returns the number of an actor's replicated function, 65 535 if it does not exist.
func (s *Server) FunctionOf(a *engine.Actor, name string) uint16 {
	if k := s.set.Of(a.Class); k != nil {
		if i := slices.IndexFunc(k.Functions, func(f *engine.Function) bool { return f.Name == name }); i >= 0 {
			return uint16(i)
		}
	}
	return 65535
}

// SetFlat switches priorities off: actors take turns by waiting time alone. It exists for comparisons.
func (s *Server) SetFlat(on bool) { s.flat = on }

// find returns the entity of an actor, or nil.
func (s *Server) find(id engine.ActorID) *entity {
	if n := int(uint32(id)); n < len(s.byActor) {
		if e := s.byActor[n]; e != nil && e.id == id {
			return e
		}
	}
	return nil
}
