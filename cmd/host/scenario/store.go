package scenario

import (
	"errors"
	"math"

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
	asked  []question // in order of due
	fault  script.StoreFault
}

type question struct {
	store.Request
	due float64
}

// begin makes the client of a new world.
func (s *storage) begin() *store.Client {
	s.asked = nil
	s.client = &store.Client{Port: s}
	return s.client
}

// Send implements [store.Port].
func (s *storage) Send(r store.Request) {
	s.asked = append(s.asked, question{r, s.stage.now + s.fault.Delay})
}

// deliver answers what is due, between two ticks.
func (s *storage) deliver() { s.answer(s.stage.now) }

// end answers all that waits: a host writes it before it ends.
func (s *storage) end() { s.answer(math.Inf(1)) }

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
