package scenario

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"

	"github.com/tidelock/tidelock/cmd/host/crossing"
	"github.com/tidelock/tidelock/cmd/host/directory"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/profiles"
	"github.com/tidelock/tidelock/engine/bus"
	"github.com/tidelock/tidelock/engine/store"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// storeDelay is how long an answer of the store takes, in seconds, unless a scenario says otherwise: some ticks.
const storeDelay = 0.05

// storage is what a host has beyond its worlds: its ends of the store and of the bus, whose answers take time. A run begins with an
// empty store.
type storage struct {
	stage  *stage
	site   *site
	client *store.Client
	// node is the host on the network, cluster the world's end of it.
	node      *bus.Simulated
	cluster   *bus.Client
	directory *directory.Directory
	crossing  *crossing.Crossing
	// profiles are those of the present server.
	profiles *match.Profiles
	runs     int
	asked    []question // in order of due
	cut      bool       // the host is cut off from the store and from others
}

type question struct {
	store.Request
	due float64
}

// begin makes what a new process has.
func (s *storage) begin() error {
	s.kill()
	s.runs++
	id := fmt.Sprintf("%s-%d", s.site.id(), s.runs)
	s.client = &store.Client{Port: s}
	s.node = s.stage.bus.Host(id)
	s.node.Cut(s.cut)
	s.cluster = &bus.Client{Bus: s.node, Host: id}
	quiet := slog.New(slog.DiscardHandler)
	// A store that others use, too, gives a profile to who proves to hold it; by itself a host holds all of them.
	s.profiles = match.NewProfiles(profiles.Options{Store: s.client, Host: id, Exclusive: len(s.stage.sites) == 1, Log: quiet})
	var err error
	if s.directory, err = directory.New(directory.Options{Bus: s.cluster, Self: s.site.entry, Log: quiet}); err != nil {
		return err
	}
	s.crossing, err = crossing.New(crossing.Options{Bus: s.cluster, Host: s.site, Log: quiet, Random: &names{run: id}})
	s.profiles.OnLost(func(id, text string) { s.crossing.Lost(id, text) })
	return err
}

// names are the names of hops: the same in every run.
type names struct {
	run string
	n   uint64
}

// Read implements io.Reader.
func (n *names) Read(b []byte) (int, error) {
	n.n++
	clear(b)
	copy(b, n.run)
	if len(b) >= 8 {
		binary.BigEndian.PutUint64(b[len(b)-8:], n.n)
	}
	return len(b), nil
}

// id returns the host's name as far as [bus.CheckHost] permits.
func (h *site) id() string {
	out := []byte(h.name)
	for i, c := range out {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			out[i] = '-'
		}
	}
	return string(out[:min(len(out), 32)])
}

// kill ends the process: what was on its way to the store arrives there, and nobody is told.
func (s *storage) kill() {
	if s.node != nil {
		s.node.Leave()
		s.cluster.Close()
		s.node = nil
	}
	for _, q := range s.asked {
		if q.Kind == store.Commit && !s.cut {
			_, _ = s.stage.memory.Commit(q.Writes) // it was on its way
		}
	}
	s.asked = nil
}

// Send implements [store.Port].
func (s *storage) Send(r store.Request) {
	s.asked = append(s.asked, question{r, s.stage.now + s.stage.fault.Delay})
}

// deliver answers what is due, between two ticks.
func (s *storage) deliver() {
	s.answer(s.stage.now)
	now := s.stage.clock()
	s.stage.bus.Deliver(now)
	s.cluster.Deliver(now)
	s.directory.Tick(now)
	s.tick()
	s.crossing.Tick(now)
}

func (s *storage) tick() { s.profiles.Tick(s.stage.clock()) }

// end answers all that waits: a host writes it before it ends. What cannot be written is lost, as the log of a host would say.
func (s *storage) end() {
	s.directory.Close()
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

// errCut is the answer of the store to a host that is cut off.
var errCut = errors.New("the store cannot be reached; nothing was stored")

func (s *storage) answer(until float64) {
	for range mostAnswers {
		if len(s.asked) == 0 || s.asked[0].due > until {
			return
		}
		q := s.asked[0]
		s.asked = s.asked[1:]
		reply := store.Reply{ID: q.ID}
		switch {
		case s.stage.fault.Down != "":
			reply.Err = errors.New(s.stage.fault.Down)
		case s.cut:
			reply.Err = errCut
		default:
			reply = store.Answer(&s.stage.memory, &q.Request)
		}
		s.client.Deliver(reply)
	}
}

// Store changes how the store answers from now on.
func (s *stage) Store(f script.StoreFault) { s.fault = f }
