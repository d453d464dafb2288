//go:build unix

package hostile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	// honest is how many players play beside an attack.
	honest = 8
	// matchMinutes is how long a match is, quiet how long it is left alone, in seconds.
	matchMinutes = 0.5
	quiet        = 8
	// settled is when an attack's figures count: what it is to be stopped by may take so long to notice it.
	settled = 10 * time.Second
	// calm is how long after its beginning the quiet part of a match is measured.
	calm = 2 * time.Second
)

// phase is what a host said of one part of a match.
type phase struct {
	ticks, perSecond, p50, p99, longest float64 // ticks a second; milliseconds
	live                                float64 // MB in use after a collection
	resident                            float64 // MB, the most in that time
	players                             int
}

var healthLine = regexp.MustCompile(`^health: (\d+) ticks in [\d.]+ s \(([\d.]+)/s\), \d+ dropped; a tick took p50 ([\d.]+) ms, p99 ([\d.]+) ms, at most ([\d.]+) ms; ([\d.]+) MB live, .* (\d+) players$`)

// stage is a host with honest players and some attacks.
type stage struct {
	t       *testing.T
	attacks []*attack
	dir     string
	host    *process
	bots    *process
	addr    string // for players
	web     string // for browsers, "" for none
	at      int    // lines of the host that were looked at in order
	asked   int

	before, after phase
	clients       []*process // hostile ones
	problems      []string
}

// wrong notes what did not hold.
func (s *stage) wrong(format string, args ...any) {
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

// slow prints a figure of wall time that is worse than asked. It is no fault: a busy machine makes any host slow.
func (s *stage) slow(format string, args ...any) { s.t.Logf("figure: "+format, args...) }

// play runs a match with attacks, up to the beginning of the next one, and judges it.
func play(t *testing.T, attacks []*attack) {
	s := &stage{t: t, attacks: attacks, dir: t.TempDir()}
	defer func() {
		verdict := "ok"
		if t.Failed() {
			verdict = "failed"
		}
		for _, a := range attacks {
			t.Logf("verdict %v %s", a, verdict) // tests/long reads it
		}
	}()
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	if s.attacks[0].refused {
		s.judgeRefusal()
	} else if err := s.run(); err != nil {
		s.wrong("%v", err)
	}
	if !s.attacks[0].refused {
		s.judge()
	}
	if len(s.problems) == 0 {
		return
	}
	t.Errorf("%s\n%s", strings.Join(s.problems, "\n"), s.host.tail(12))
}

// modFolder is where the files of a mod are. Its path names the mod, whether a host goes by the folder that --scripts gives or
// by its place below scripts/mods.
func (s *stage) modFolder(a *attack) string {
	return filepath.Join(s.dir, "extra", "scripts", "mods", a.name)
}

// write writes the files of an attack.
func (s *stage) write(a *attack) error {
	for name, text := range a.files {
		path := filepath.Join(s.modFolder(a), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// open writes the files and starts the host.
func (s *stage) open() error {
	text, err := os.ReadFile("stage/StagedMatch.lua")
	if err != nil {
		return err
	}
	folder := filepath.Join(s.dir, "scripts", "stage")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "StagedMatch.lua"), text, 0o644); err != nil {
		return err
	}
	url := fmt.Sprintf("arena?game=StagedMatch?minplayers=%d?timelimit=%v?postmatch=1?attackat=%d", honest, matchMinutes, quiet)
	args := []string{"--listen", "127.0.0.1:0", "--log", "text", "--seed", "1"}
	web := "off"
	var spawn []string
	for _, a := range s.attacks {
		if !a.script() {
			if a.client.Via != "udp" || a.kind == "pages" {
				web = "127.0.0.1:0"
			}
			args = append(args, a.client.Host...)
			continue
		}
		if err := os.MkdirAll(s.modFolder(a), 0o755); err != nil {
			return err
		}
		if !a.late {
			if err := s.write(a); err != nil {
				return err
			}
			spawn = append(spawn, a.spawn...)
		}
		args = append(args, "--scripts", s.modFolder(a))
		for option, class := range map[string]string{"pawn": a.pawn, "player": a.player, "hud": a.hud} {
			if class != "" {
				url += "?" + option + "=" + class
			}
		}
		if a.game != "" {
			url = strings.Replace(url, "game=StagedMatch", "game="+a.game, 1)
		}
	}
	if len(spawn) > 0 {
		url += "?attack=" + strings.Join(spawn, ",")
	}
	args = append(args, "--web", web, url)
	var env []string
	if p := s.password(); p != "" {
		env = append(env, "TIDELOCK_PASSWORD="+p)
	}
	s.host = start(s.t, s.dir, env, built, args...)
	return nil
}

// readyLine says where players come in.
var readyLine = regexp.MustCompile(`players on UDP ([0-9.:]+)(?:, browsers on http://localhost:(\d+))?`)

// run plays a match and the beginning of the next.
func (s *stage) run() error {
	ready, err := s.awaitHost(`^ready: `)
	if err != nil {
		return err
	}
	m := readyLine.FindStringSubmatch(ready)
	if m == nil {
		return fmt.Errorf("the host's line %q names no address", ready)
	}
	s.addr = m[1]
	if m[2] != "" {
		s.web = "127.0.0.1:" + m[2]
	}
	args := []string{"bots", s.addr, "-n", strconv.Itoa(honest), "--every", "0s"}
	if p := s.password(); p != "" {
		args = append(args, "--password", p)
	}
	s.bots = start(s.t, s.dir, nil, built, args...)

	if _, err := s.awaitHost(`stage: the match begins`); err != nil {
		return err
	}
	<-time.After(calm) // a match that has just begun is not what a quiet one is
	if _, err := s.health(); err != nil {
		return err
	}
	if _, err := s.awaitHost(`stage: the attack begins`); err != nil {
		return err
	}
	if s.before, err = s.health(); err != nil {
		return err
	}
	if err := s.attack(); err != nil {
		return err
	}
	<-time.After(settled)
	// A host that is late has no more of the match to show: it is judged by what is left, and by the rest after that.
	if _, err := s.health(); err != nil {
		return err
	}
	if _, err := s.awaitHost(`stage: the match is over`); err != nil {
		return err
	}
	if s.after, err = s.health(); err != nil {
		return err
	}
	if s.after.players == 0 {
		s.wrong("nobody of %d honest players is left", honest) // and so no next match
		return s.end()
	}
	if _, err := s.awaitHost(`stage: the match begins`); err != nil {
		return err
	}
	last, err := s.health()
	if err != nil {
		return err
	}
	if last.players < honest && !s.attacks[0].leave {
		s.wrong("%d of %d honest players are in the next match", last.players, honest)
	}
	return s.end()
}

// attack begins what does not begin by itself.
func (s *stage) attack() error {
	for _, a := range s.attacks {
		switch {
		case !a.script():
			text, err := a.client.encode(s)
			if err != nil {
				return err
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			s.clients = append(s.clients, start(s.t, s.dir, []string{childVariable + "=" + text}, self))
		case a.late:
			if err := s.write(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// end ends everybody as an operator would.
func (s *stage) end() error {
	if err := s.bots.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("the honest players are gone: %w\n%s", err, s.bots.tail(8))
	}
	code, err := s.bots.Ended()
	if err != nil {
		return err
	}
	if !s.attacks[0].leave {
		s.judgeBots(code)
	}
	for _, c := range s.clients {
		c.Hush() // that is how it is told
		code, err := c.Ended()
		if err != nil {
			return err
		}
		s.t.Logf("what became of it:\n%s", c.tail(12))
		if code != 0 {
			s.wrong("the hostile client failed with %d\n%s", code, c.tail(10))
		}
	}
	if err := s.host.Say("quit"); err != nil {
		return fmt.Errorf("the host takes no commands any more: %w", err)
	}
	code, err = s.host.Ended()
	if err != nil {
		return err
	}
	if code != 0 {
		s.wrong("the host ended with %d", code)
	}
	return nil
}

// awaitHost waits for the next line of the host that matches.
func (s *stage) awaitHost(pattern string) (string, error) {
	line, next, err := s.host.Await(s.at, pattern)
	if err != nil {
		return "", err
	}
	s.at = next
	return line, nil
}

// health asks the host how it has run since it was asked last.
func (s *stage) health() (p phase, err error) {
	if err := s.host.Say("health"); err != nil {
		return p, fmt.Errorf("the host is gone: %w\n%s", err, s.host.tail(20))
	}
	line, next, err := s.host.Await(s.asked, healthLine.String())
	if err != nil {
		return p, err
	}
	s.asked = next
	m := healthLine.FindStringSubmatch(line)
	for i, to := range []*float64{&p.ticks, &p.perSecond, &p.p50, &p.p99, &p.longest, &p.live} {
		*to, _ = strconv.ParseFloat(m[i+1], 64) // digits and a point
	}
	p.players, _ = strconv.Atoi(m[7]) // digits
	p.resident = float64(s.host.takeResident()) / (1 << 20)
	return p, nil
}

// groups are attacks that share a host: scripts of a kind that allows it, which replace nothing of the match. With few of each
// kind, as .ci/run has them, kinds share a host, and what comes over the network and what is saved are in the first match as well.
func groups(attacks []*attack, few bool) [][]*attack {
	var out [][]*attack
	open := map[string]int{} // where in out a group has room
	for _, a := range attacks {
		key, most := a.kind, kinds[a.kind].together
		if few {
			key, most = fmt.Sprint("match ", kinds[a.kind].match), len(attacks)
		}
		at, ok := open[key]
		switch {
		case most == 1 || a.replaces() || a.late && !few:
			out = append(out, []*attack{a})
		case ok && len(out[at]) < most:
			out[at] = append(out[at], a)
		default:
			open[key] = len(out)
			out = append(out, []*attack{a})
		}
	}
	return out
}

// replaces reports whether an attack changes the match for all others.
func (a *attack) replaces() bool {
	return a.alone || a.leave || a.refused || a.game+a.pawn+a.player+a.hud != ""
}

// password is what honest players must know, "" for none.
func (s *stage) password() string {
	for _, a := range s.attacks {
		if !a.script() && a.client.Password != "" {
			return a.client.Password
		}
	}
	return ""
}
