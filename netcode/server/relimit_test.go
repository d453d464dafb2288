package server

import "testing"

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
