package match

import (
	"fmt"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
)

// CodeTeleport is the code of a refusal because the host that a player comes from keeps them.
const CodeTeleport = "teleport"

// Hops is a host's part in sending players between hosts (C6). Package teleport implements it.
type Hops interface {
	// Expected reports whether a player is on their way to this host, or may come back to it.
	Expected(id string) bool
	// Prepare is called for such a player until ready; refused says why they cannot come in, else text what they wait for.
	Prepare(id string) (ready bool, text, refused string)
	// State returns what they bring along: what the last game gave them, what a script sent with them, and from which host;
	// back says that they come back to this host.
	State(id string) (state, data []byte, from string, back bool)
	// Reserved returns how many players are on their way to this host, for whom places are kept.
	Reserved() int
	// In is told that they are in the match, Away that they left before.
	In(id string)
	Away(id string)
}

// guest is a player from another host, on the way into the match.
type guest struct {
	id, from    string
	state, data scriptvm.Portable
	back        bool
}

// Expected implements server.Game.
func (g netGame) Expected(key string) bool {
	return g.m.opt.Hops != nil && g.m.opt.Hops.Expected(key)
}

// Carried implements server.Game.
func (g netGame) Carried(key string) any {
	h := g.m.opt.Hops
	if h == nil || !h.Expected(key) {
		return nil
	}
	state, data, from, back := h.State(key)
	if state == nil {
		return nil // they log in as others do
	}
	out := &guest{id: key, from: from, back: back}
	var err error
	if out.state, err = scriptvm.ReadPortable(state); err == nil {
		out.data, err = scriptvm.ReadPortable(data)
	}
	if err != nil { // what another host sends is not trusted
		g.m.VM.Report(engine.SevWarning, g.m.Game, fmt.Sprintf("what player %s brings along from host %s cannot be read, and is dropped: %v", key, from, err))
		return nil
	}
	return out
}

// receive makes the controller of a player from another host.
func (g netGame) receive(p *guest, options string) (*engine.Actor, string, string) {
	g.m.came = nil
	pc, err := g.m.arrive(p.state, options)
	if err == nil {
		g.m.came = p
	}
	return g.answer("HandleSeamlessTravelPlayer", pc, err)
}

// greet calls Teleported after PostLogin, for a player who came from another host.
func (m *Match) greet(pc *engine.Actor) {
	p := m.came
	m.came = nil
	if p == nil || pc.Deleted() {
		return
	}
	_, _ = m.VM.CallWith(pc, "Teleported", p.data, engine.String(p.from), engine.Bool(p.back)) // a fault was reported
}

// Leave ends a player whom another host takes, and returns what they take along, encoded.
func (m *Match) Leave(pc *engine.Actor) []byte { return m.Depart(pc).Bytes() }

// Snapshot returns what a player would take along now, encoded; they stay.
func (m *Match) Snapshot(pc *engine.Actor) ([]byte, error) {
	b, err := m.VM.Pack(m.Game, "GetSeamlessTravelState", engine.Ref(pc))
	if err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// MaxPlayers returns how many players the game admits, 0 for a game without such a bound.
func (m *Match) MaxPlayers() int {
	if p := m.Game.Class.Property("MaxPlayers"); p != nil {
		return int(m.Game.Get(p).Num)
	}
	return 0
}
