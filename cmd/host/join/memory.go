package join

import (
	"github.com/tidelock/tidelock/netcode/link"
)

// watchMemory leaves a host whose scripts keep too much memory (G8, G17). A class of a mod that takes no part
// in moves is dropped here as it would be on the host; dropping others would make this a different game than
// the host's.
func (p *Player) watchMemory() {
	m := p.Match()
	if m == nil {
		return
	}
	d := m.VM.WatchMemory()
	switch {
	case d.Name == "":
	case m.VM.MayDecide(d):
		m.VM.Decide(d)
	default:
		p.client.Leave(link.Reason{Code: "memory", Text: "the host's scripts take too much memory here: " + d.Name + " " + d.String()})
	}
}
