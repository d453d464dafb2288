package scenario

import (
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// Network joins the peers of one run. The stage drives it: Receive before the server's tick, Send after
// it, and each client's Tick in its turn, all with the simulated time. It owns no world of its own; those of
// clients it asks the stage for ([Peers]).
type Network interface {
	// Serve puts a server on the network, again after each restart.
	Serve(server *match.Match, o script.ServerOptions) error
	// Stop takes it off, telling the players why.
	Stop(reason string)
	// Receive hands the server what is due by now. Send is the net update after every tick/net-th tick, and
	// after the others what cannot wait for it (R6.5).
	Receive(now float64)
	Send(now float64, netUpdate bool)
	// Connect begins to join a client; it does not wait. Its world comes to be when the server lets it in.
	Connect(o script.ClientOptions) (Connection, error)
	// Why tells why a client has an actor or one of its variables, or has not (R13.2).
	Why(c Connection, a *engine.Actor, property string) (code, text string, err error)
	Close()
}

// Connection is one client's end.
type Connection interface {
	script.Client
	// Rate is how often it ticks in a simulated second, the speed of its own clock included.
	Rate() float64
	// Tick receives what is due by now, ticks the client's world and sends.
	Tick(now float64)
	// Player is the client's PlayerController on the server, 0 before it has joined.
	Player() engine.ActorID
	// ToServer is the server's actor that one of the client's is a copy of, 0 where it is none.
	ToServer(id engine.ActorID) engine.ActorID
}

// NewNetwork makes the network of one run: its links' chance comes from seed.
type NewNetwork func(transport string, seed uint64, peers Peers) (Network, error)

// Peers is what a Network needs of the stage to make a client's world.
type Peers interface {
	// Open makes a client's world of the scripts of this run, in a level. What its scripts report is added to
	// log, and counts for the run.
	Open(name, level string, log *[]string) (*match.Match, error)
}

// noNetwork is what t:client says in a build without one.
const noNetwork = "clients need the network, which this build does not have yet"
