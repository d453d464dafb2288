package server

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/relevancy"
)

// TestRelimit: new limits hold for who is in, too, but for a connection whose budget is its own; what is not given is the default.
func TestRelimit(t *testing.T) {
	s := &Server{cfg: Config{Limits: Limits{CallsPerSecond: 7}.withDefaults()}, conns: []*Conn{{Budget: 20000}, {Budget: 5000}}}
	s.Relimit(Limits{Budget: 30000})
	if s.conns[0].Budget != 30000 || s.conns[1].Budget != 5000 {
		t.Errorf("budgets %d and %d, expected 30000 and 5000", s.conns[0].Budget, s.conns[1].Budget)
	}
	if l := s.cfg.Limits; l != (Limits{Budget: 30000}.withDefaults()) {
		t.Errorf("%+v", l)
	}
}

// TestRetime: a budget is spread over the new number of net updates, and relevancy has the new timeout, within its bounds; sight stays.
func TestRetime(t *testing.T) {
	s := &Server{cfg: Config{Net: 30, Limits: Limits{}.withDefaults()}, index: relevancy.New(&engine.World{}, relevancy.Config{Timeout: 5, NoSight: true})}
	c := &Conn{s: s, Budget: 6000}
	s.Retime(20, 7)
	if c.worth() != 300 || s.index.Config().Timeout != 7 || !s.index.Config().NoSight {
		t.Errorf("%v bytes an update, %+v", c.worth(), s.index.Config())
	}
	if s.Retime(20, 100); s.index.Config().Timeout != relevancy.MaxTimeout {
		t.Errorf("%+v", s.index.Config())
	}
}
