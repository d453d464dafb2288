package match

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/level"
)

// URL is a parsed start URL.
type URL struct {
	Level   string
	Options string // "?name=value?name=value", as GameInfo:InitGame gets it
}

// ParseURL parses a start URL: arena?game=DeathMatch?maxplayers=16.
func ParseURL(s string) URL {
	lv, opts, found := strings.Cut(s, "?")
	if found {
		opts = "?" + opts
	}
	return URL{Level: lv, Options: opts}
}

// Option returns the value of an option, and whether the URL has it. Names are compared without case.
func (u URL) Option(name string) (string, bool) {
	for _, p := range strings.Split(u.Options, "?") {
		k, v, _ := strings.Cut(p, "=")
		if k != "" && strings.EqualFold(k, name) {
			return v, true
		}
	}
	return "", false
}

// levelOptions returns the options for reading the level: scale, in uu per map unit, overrides the level's own.
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

// Options that are not kept on every travel.
const (
	once  = "next"  // the next level: used once
	scale = "scale" // belongs to a level; kept while the level stays
)

// Onward returns the URL of a travel from here: its options, and those of this URL that it does not name. A URL
// such as "?bots=4" keeps the level.
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

// NetLevel returns the level as it is sent to clients, with the options needed to read it in the same way; ""
// without one.
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

// publicOptions are those that everybody may know (Match.Rules). Others may be secrets of a game.
var publicOptions = []string{"bots", "goalscore", "maps", "maxspectators", "minplayers", "skill", "timelimit", "warmup"}

// Rules returns the options of this match that everybody may know, without joining, by their names in lower case.
func (m *Match) Rules() map[string]string {
	rules := map[string]string{}
	for _, name := range publicOptions {
		if v, has := m.url.Option(name); has {
			rules[name] = v
		}
	}
	return rules
}

// Locked reports whether this match has a password of its own (?password=).
func (m *Match) Locked() bool {
	v, _ := m.url.Option("password")
	return v != ""
}

// hostOptions are the options that the host itself reads.
var hostOptions = []string{"game", scale}

// playerOptions are options of players (R8.4). A start URL may have those of the player at the server's own
// machine, who joins only after the match was set up.
var playerOptions = []string{"name", "spectator", "team"}

// questions lists the unknown options of a URL, each as a line for the user.
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

// doubtOptions warns about options that neither the host nor the game has read by the end of the setup: most
// are misspelt. asked is the URL that was requested for this level; options kept from the level before were
// checked there.
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

// LocalPlayer returns the options of the player at the server's own machine: those of the start URL, and a name
// if it has none.
func (m *Match) LocalPlayer(name string) string {
	if _, named := m.url.Option("name"); named {
		return m.url.Options
	}
	return m.url.Options + "?name=" + name
}
