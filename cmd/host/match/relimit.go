package match

import (
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine"
)

// maxPlayers is the option and the variable of the number of players that a game admits.
const maxPlayers = "maxplayers"

// Relimit changes what classes and mods may take in this match, from its next tick on, and in those that follow it: shares of a tick, bytes,
// and actors, by name, as in [scriptvm.Options]; the maps must not change any more. Actors beyond a new bound stay.
func (m *Match) Relimit(shares map[string]float64, memory map[string]int64, actors engine.ActorLimits) {
	vm := &m.opt.VM
	vm.Shares, vm.Memory, vm.Actors = shares, memory, actors
	m.VM.Relimit(shares, memory, actors)
}

// SetMaxPlayers changes how many players this game admits, and those that follow it, as ?maxplayers= does; players beyond it stay. A game
// without such a bound, or with one of its own that excludes n, stays as it is: the error says which.
func (m *Match) SetMaxPlayers(n int) error {
	p := m.Game.Class.Property("MaxPlayers")
	if p == nil {
		return nil
	}
	if err := m.Game.Set(p, engine.Int(n)); err != nil {
		return err
	}
	m.VM.Changed(m.Game, p)
	m.url = m.url.with(maxPlayers, strconv.Itoa(n))
	return nil
}

// NamesMaxPlayers reports whether a URL says how many players the game admits.
func NamesMaxPlayers(url string) bool {
	_, named := ParseURL(url).Option(maxPlayers)
	return named
}

// with returns the URL with another value of an option.
func (u URL) with(name, value string) URL {
	var out strings.Builder
	for _, p := range strings.Split(u.Options, "?") {
		if k, _, _ := strings.Cut(p, "="); k != "" && !strings.EqualFold(k, name) {
			out.WriteString("?" + p)
		}
	}
	u.Options = out.String() + "?" + name + "=" + value
	return u
}
