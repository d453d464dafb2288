package scenario

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/profiles"
	"github.com/tidelock/tidelock/engine/bus"
	"github.com/tidelock/tidelock/engine/store"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// storeDelay is how long an answer of the store takes, in seconds, unless a scenario says otherwise: some ticks.
const storeDelay = 0.05

// storage is what outlives the worlds of a run: a store in memory whose answers take time. A run begins with an empty one.
type storage struct {
	stage  *stage
	memory store.Memory
	client *store.Client
	// network joins hosts; cluster is the server's end of it.
	network *bus.Network
	node    *bus.Simulated
	cluster *bus.Client
	// profiles are those of the present server.
	profiles *match.Profiles
	runs     int
	asked    []question // in order of due
	fault    script.StoreFault
}

type question struct {
	store.Request
	due float64
}

// begin makes what a new server has.
func (s *storage) begin() {
	s.asked = nil
	s.client = &store.Client{Port: s}
	s.runs++
	if s.network == nil {
		s.network = bus.NewNetwork(uint64(s.stage.seed))
	}
	if s.node != nil {
		s.node.Leave()
	}
	name := fmt.Sprintf("server-%d", s.runs)
	s.node = s.network.Host(name)
	s.cluster = &bus.Client{Bus: s.node, Host: name}
	s.profiles = match.NewProfiles(profiles.Options{
		Store: s.client, Host: fmt.Sprintf("server, run %d", s.runs), Exclusive: true, Log: slog.New(slog.DiscardHandler),
	})
}

// Send implements [store.Port].
func (s *storage) Send(r store.Request) {
	s.asked = append(s.asked, question{r, s.stage.now + s.fault.Delay})
}

// deliver answers what is due, between two ticks.
func (s *storage) deliver() {
	s.answer(s.stage.now)
	s.tick()
	now := time.Duration(s.stage.now * float64(time.Second))
	s.network.Deliver(now)
	s.cluster.Deliver(now)
}

func (s *storage) tick() { s.profiles.Tick(time.Duration(s.stage.now * float64(time.Second))) }

// end answers all that waits: a host writes it before it ends. What cannot be written is lost, as the log of a host would say.
func (s *storage) end() {
	s.profiles.Book.SaveAll(true)
	for range mostRounds {
		s.answer(math.Inf(1))
		s.tick()
		if s.profiles.Book.Idle() && len(s.asked) == 0 {
			return
		}
	}
}

// mostRounds bounds how often an answer of the last moment may lead to another request.
const mostRounds = 16

// mostAnswers bounds what is answered at once: answers may ask again forever.
const mostAnswers = 1 << 16

func (s *storage) answer(until float64) {
	for range mostAnswers {
		if len(s.asked) == 0 || s.asked[0].due > until {
			return
		}
		q := s.asked[0]
		s.asked = s.asked[1:]
		reply := store.Reply{ID: q.ID}
		if s.fault.Down == "" {
			reply = store.Answer(&s.memory, &q.Request)
		} else {
			reply.Err = errors.New(s.fault.Down)
		}
		s.client.Deliver(reply)
	}
}

// Store changes how the store answers from now on.
func (s *stage) Store(f script.StoreFault) { s.storage.fault = f }
