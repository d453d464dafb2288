package match

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/level"
)

// URL is a start URL taken apart.
type URL struct {
	Level   string
	Options string // "?name=value?name=value", as GameInfo:InitGame gets it
}

// ParseURL takes a start URL apart: arena?game=DeathMatch?maxplayers=16.
func ParseURL(s string) URL {
	lv, opts, found := strings.Cut(s, "?")
	if found {
		opts = "?" + opts
	}
	return URL{Level: lv, Options: opts}
}

// Option is the value of an option, and whether the URL has it. Names are compared without case.
func (u URL) Option(name string) (string, bool) {
	for _, p := range strings.Split(u.Options, "?") {
		k, v, _ := strings.Cut(p, "=")
		if k != "" && strings.EqualFold(k, name) {
			return v, true
		}
	}
	return "", false
}

// levelOptions are those that say how the level is read: scale, in uu a map unit, goes before the level's own.
func (u URL) levelOptions() (level.Options, error) {
	text, has := u.Option(scale)
	if !has {
		return level.Options{}, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= level.MinScale && n <= level.MaxScale) {
		return level.Options{}, fmt.Errorf("scale=%s: expected a number from %g to %d, uu a map unit", text, level.MinScale, level.MaxScale)
	}
	return level.Options{Scale: n}, nil
}

// Options that do not go along on every journey.
const (
	once  = "next"  // which level comes next: good for one
	scale = "scale" // a level's own; it stays while the level does
)

// Onward is the URL of a journey from here: its options, and of this URL's those that it does not name. A start such as
// "?bots=4" stays in the level.
func (u URL) Onward(to string) string {
	next := ParseURL(to)
	if next.Level == "" {
		next.Level = u.Level
	}
	out := next.Level + next.Options
	for _, p := range strings.Split(u.Options, "?") {
		k, _, _ := strings.Cut(p, "=")
		if strings.EqualFold(k, scale) && next.Level != u.Level {
			continue
		}
		if _, named := next.Option(k); k != "" && !named && !strings.EqualFold(k, once) {
			out += "?" + p
		}
	}
	return out
}

// NetLevel is the level as it is sent to clients, with the options that they need to read it as it was read here; "" without
// one.
func (m *Match) NetLevel() string {
	if m.Level == nil {
		return ""
	}
	name := m.World.LevelName()
	if s, has := m.url.Option(scale); has {
		name += "?" + scale + "=" + s
	}
	return name
}

// hostOptions are those that the host itself reads.
var hostOptions = []string{"game", scale}

// playerOptions are options of players (R8.4). A start URL may have those of the player at the server's own machine, who joins
// only after the match was set up.
var playerOptions = []string{"name", "spectator", "team"}

// questions are the options of a URL that are in nobody's list of names, each as a line for who typed it.
func (u URL) questions(known []string) []string {
	var out []string
	told := map[string]bool{}
	for _, p := range strings.Split(u.Options, "?") {
		name, _, _ := strings.Cut(p, "=")
		if name == "" || told[strings.ToLower(name)] || isOneOf(name, known) {
			continue
		}
		told[strings.ToLower(name)] = true
		out = append(out, fmt.Sprintf("start option %q: nothing asks for it, and it is without effect%s", name, engine.Nearest(strings.ToLower(name), known)))
	}
	return out
}

func isOneOf(name string, list []string) bool {
	return slices.ContainsFunc(list, func(x string) bool { return strings.EqualFold(name, x) })
}

// doubtOptions warns of options that neither the host nor the game has requested until the match was set up: most are
// misspelt. asked is what was said for this level; what a journey took along from the level before was doubted there.
func (m *Match) doubtOptions(asked URL) {
	out, err := m.VM.Call(m.Game, "TakeOptionNames")
	if err != nil {
		return // a fault, which was reported
	}
	known := slices.Clone(hostOptions)
	for _, v := range out {
		known = append(known, v.Str)
	}
	if m.World.NetMode != engine.NMDedicatedServer {
		known = append(known, playerOptions...)
	}
	for _, q := range asked.questions(known) {
		m.VM.Report(engine.SevWarning, m.Game, q)
	}
}

// LocalPlayer returns the options of the player at the server's own machine: those of the start URL, and a name where it
// has none.
func (m *Match) LocalPlayer(name string) string {
	if _, named := m.url.Option("name"); named {
		return m.url.Options
	}
	return m.url.Options + "?name=" + name
}
