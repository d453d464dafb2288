//go:build unix

package hostile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// kinds are the kinds of attacks, each a folder below attacks/: what they are about, how many of them may share a host where they
// are scripts, and in which of .ci/run's matches one of them is played. Those that take much of something do not share that with others.
var kinds = map[string]struct {
	about    string
	together int
	match    int
}{
	"actors":     {"more actors than a world can have", 1, 1},
	"clients":    {"scripts of a server that hurt its players' machines", 1, 0},
	"faults":     {"faults that somebody else is to be blamed for", 8, 0},
	"log":        {"logs without end", 2, 0},
	"memory":     {"memory without end", 1, 1},
	"modules":    {"shared modules that others rely on", 8, 0},
	"mods":       {"files and folders of a mod", 1, 0},
	"natives":    {"natives that do not end, or are given odd values", 6, 0},
	"pages":      {"players and strangers who come by WebSocket and WebTransport", 1, 0},
	"peers":      {"players who send what no client sends", 1, 0},
	"quarantine": {"functions of others that an attack wants quarantined", 8, 0},
	"reload":     {"saved files", 1, 0},
	"size":       {"values and calls too large to cross", 6, 0},
	"strangers":  {"packets of strangers, passwords, handshakes", 1, 0},
	"time":       {"processor time", 1, 2},
	"wire":       {"bandwidth and reliable queues of players", 1, 3},
}

// attack is a file below attacks/.
type attack struct {
	kind, name string
	path       string

	// rules are those of the specification that hold against it (docs/security.md), tries says what it tries, in a sentence.
	rules []string
	tries string
	// expect are lines of the host's log, as regular expressions, that must come; said are such lines of the bots' output.
	expect, said []*regexp.Regexp
	// never are such lines of the host that must not come.
	never []*regexp.Regexp
	// ci is set for the attack of its kind that .ci/run runs.
	ci bool

	// Of a script:

	// files are its files by their path in the mod: the file itself, and those that follow in it after a line "-- file: PATH".
	files map[string]string
	// spawn are the classes that the stage spawns, Name or Name*30; none for none.
	spawn []string
	// game, pawn, player and hud replace classes of the match.
	game, pawn, player, hud string
	// late is set where the files are saved only when the attack begins: what a reload must refuse or take.
	late bool
	// alone is set where it must not share a host with others of its kind.
	alone bool
	// leave is set where the honest players may be sent off by their own machines, with a line (said) each: a server's scripts
	// are hostile to them.
	leave bool
	// refused is set where the host must refuse to start with the mod, and expect are lines of that.
	refused bool

	// Of a hostile client (.toml):
	client *hostile
}

// String is KIND/NAME.
func (a *attack) String() string { return a.kind + "/" + a.name }

// script reports whether it is a mod.
func (a *attack) script() bool { return a.client == nil }

// hostile is what a .toml file says, see programs.
type hostile struct {
	Rules  []string `toml:"rules"`
	Tries  string   `toml:"tries"`
	Expect []string `toml:"expect"`
	Never  []string `toml:"never"`
	CI     bool     `toml:"ci"`
	// Program is what is run, one of programs; Clients how many of them, in how many Seconds each ends at the latest.
	Program string `toml:"program"`
	Clients int    `toml:"clients"`
	Seconds int    `toml:"seconds"`
	// Via is how they come: udp, ws or wt; Seed is what they do by chance.
	Via  string `toml:"via"`
	Seed uint64 `toml:"seed"`
	// Mutations are how a client of the program "mutate" changes what it sends, see mutations; Share is how much of it, 0 to 1.
	Mutations []string `toml:"mutations"`
	Share     float64  `toml:"share"`
	// Joined is set for a client of the program "mutate" that is honest until it is in the match.
	Joined bool `toml:"joined"`
	// Host are more flags of the host.
	Host []string `toml:"host"`
	// Password is what honest players know.
	Password string `toml:"password"`
}

// readAttacks reads all files below attacks/, in order.
func readAttacks() ([]*attack, error) {
	paths, err := filepath.Glob("attacks/*/*")
	if err != nil {
		return nil, err
	}
	sort.Strings(paths)
	var out []*attack
	var wrong []error
	for _, p := range paths {
		a, err := readAttack(p)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", p, err))
			continue
		}
		out = append(out, a)
	}
	return out, errors.Join(wrong...)
}

func readAttack(path string) (*attack, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	kind, base := filepath.Base(filepath.Dir(path)), filepath.Base(path)
	end := filepath.Ext(base)
	a := &attack{kind: kind, name: strings.TrimSuffix(base, end), path: path}
	switch end {
	case ".lua":
		err = a.readScript(string(b), base)
	case ".toml":
		err = a.readClient(string(b))
	default:
		err = fmt.Errorf("expected a name that ends with .lua or .toml")
	}
	if err != nil {
		return nil, err
	}
	if _, ok := kinds[kind]; !ok {
		return nil, fmt.Errorf("unknown kind %q; it is listed in kinds (attack_test.go)", kind)
	}
	if len(a.rules) == 0 || a.tries == "" {
		return nil, errors.New("expected a head with the rules and what it tries")
	}
	if len(a.expect)+len(a.said) == 0 {
		return nil, errors.New("expected at least one line that must come (expect, said)")
	}
	return a, nil
}

// className finds the classes of a file.
var className = regexp.MustCompile(`(?m)^local \w+ = class\("(\w+)"`)

// repeated is what stands for a text so many times: @repeat(100000, {)@. What is too large to be kept in a file is written so.
var repeated = regexp.MustCompile(`@repeat\((\d+), (.+?)\)@`)

// maxRepeated bounds it.
const maxRepeated = 2 << 20

// readScript reads the head of a script: the comment that it begins with, lines of a key, a colon and a value.
func (a *attack) readScript(text, base string) error {
	as := ""
	spawns := false
	texts := map[string]*string{"game": &a.game, "pawn": &a.pawn, "player": &a.player, "hud": &a.hud, "as": &as}
	lists := map[string]*[]*regexp.Regexp{"expect": &a.expect, "never": &a.never, "said": &a.said}
	flags := map[string]*bool{"ci": &a.ci, "late": &a.late, "alone": &a.alone, "leave": &a.leave, "refused": &a.refused}
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "-- ")
		if !ok {
			break
		}
		key, value, ok := strings.Cut(line, ": ")
		if !ok {
			return fmt.Errorf("the head has a line %q; expected a key, a colon and a value", line)
		}
		value = strings.TrimSpace(value)
		var err error
		switch {
		case key == "rules":
			a.rules = strings.Fields(value)
		case key == "tries":
			a.tries = strings.TrimSpace(a.tries + " " + value)
		case key == "spawn":
			spawns = true
			if value != "none" {
				a.spawn = strings.Split(value, ",")
			}
		case texts[key] != nil:
			*texts[key] = value
		case lists[key] != nil:
			err = addPatterns(lists[key], value)
		case flags[key] != nil:
			*flags[key], err = strconv.ParseBool(value)
		default:
			err = errors.New("unknown key; see readScript")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	classes := className.FindAllStringSubmatch(text, -1)
	if as == "" {
		as = base
		if len(classes) > 0 {
			as = classes[0][1] + ".lua"
		}
	}
	if !spawns && len(classes) > 0 {
		a.spawn = []string{classes[0][1]}
	}
	a.files = map[string]string{}
	for i, part := range strings.Split(text, "\n-- file: ") {
		if i > 0 {
			as, part, _ = strings.Cut(part, "\n")
		}
		a.files[strings.TrimSpace(as)] = repeated.ReplaceAllStringFunc(part, func(s string) string {
			m := repeated.FindStringSubmatch(s)
			n, _ := strconv.Atoi(m[1]) // digits
			return strings.Repeat(m[2], min(n, maxRepeated))
		})
	}
	return nil
}

func addPatterns(to *[]*regexp.Regexp, patterns ...string) error {
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return err
		}
		*to = append(*to, re)
	}
	return nil
}

func (a *attack) readClient(text string) error {
	h := &hostile{Via: "udp", Clients: 1, Seconds: 20, Share: 1}
	meta, err := toml.Decode(text, h)
	if err != nil {
		return err
	}
	if keys := meta.Undecoded(); len(keys) > 0 {
		return fmt.Errorf("unknown key %q", keys[0])
	}
	if programs[h.Program] == nil {
		return fmt.Errorf("unknown program %q; see programs (client_test.go)", h.Program)
	}
	for _, m := range h.Mutations {
		if mutations[m] == nil {
			return fmt.Errorf("unknown mutation %q; see mutations (mutate_test.go)", m)
		}
	}
	a.client, a.rules, a.tries, a.ci = h, h.Rules, h.Tries, h.CI
	return errors.Join(addPatterns(&a.expect, h.Expect...), addPatterns(&a.never, h.Never...))
}

// trimRoot is a script's path below its folder: core/Pawn.lua.
func trimRoot(path string) string {
	path = strings.TrimPrefix(path, "scripts/")
	return strings.TrimPrefix(path, "stage/")
}

// libName is the name by which a module is required, "" for class files.
func libName(path string) string {
	if !strings.HasPrefix(path, "lib/") {
		return ""
	}
	return strings.ReplaceAll(strings.TrimSuffix(path, ".lua"), "/", ".")
}
