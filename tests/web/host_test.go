//go:build unix

package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/tidelock/tidelock/tests/port"
	"github.com/tidelock/tidelock/tests/program"
)

// served is `host serve` with the scripts of testdata/scripts over those of the checkout.
type served struct {
	level   string
	scripts string // folder, of this host alone
	content string // another
	access  string // file with the roles of players, kept over restarts
	flags   []string
	web     string // host:port of the listener for browsers
	udp     string // host:port for other players

	*program.Process
	mu     sync.Mutex
	lines  []string
	told   int // how often it told where everybody is
	bodies map[string]body
}

// host is such a host as a test has it.
type host struct {
	*served
	t    *testing.T
	from int // lines of the log before the test
}

// body is where the server has a player's.
type body struct {
	telling               int // number of the telling
	at                    [3]float64
	speed                 float64 // uu/s
	health, score, deaths int
}

var readyLine = regexp.MustCompile(`^ready: .* players on UDP ([0-9.:]+), browsers on http://localhost:([0-9]+),`)

// startHost starts a host that plays level; it ends with the test. Browsers find the client there: what was built for these
// sources before is taken from the user's cache.
func startHost(t *testing.T, level string, flags ...string) *host {
	t.Helper()
	h := newHost(t, level, flags...)
	h.begin()
	return h
}

// newHost is a host to start with begin, once its files are in place. It may be started again at its address.
func newHost(t *testing.T, level string, flags ...string) *host {
	t.Helper()
	needs(t)
	h := &host{served: serve(t, t.TempDir(), level, flags...), t: t}
	h.web, h.udp = port.Reserve(t, 1), port.Reserve(t, 1)
	return h
}

func serve(t *testing.T, dir, level string, flags ...string) *served {
	t.Helper()
	if !slices.Contains(flags, "--cluster") { // of its own: another host may run in the same folder
		flags = append(flags, "--store", filepath.Join(dir, "store.db"))
	}
	s := &served{
		level: level, scripts: filepath.Join(dir, "tests"), content: filepath.Join(dir, "content"), access: filepath.Join(dir, "access.toml"),
		flags: flags, web: "127.0.0.1:0", udp: "127.0.0.1:0",
	}
	if err := errors.Join(os.CopyFS(s.scripts, os.DirFS("testdata/scripts")), os.Mkdir(s.content, 0o755)); err != nil {
		t.Fatal(err)
	}
	return s
}

// begin starts the host, and waits until it has the client; it ends with the test.
func (h *host) begin() {
	h.t.Helper()
	h.start()
	h.t.Cleanup(func() { h.End(syscall.SIGTERM) })
	h.awaitClient()
}

// joinHost is the host, with the level flat and WebGame, of all tests that need none of their own. A test's players have left when it ends.
func joinHost(t *testing.T) *host {
	t.Helper()
	needs(t)
	if shared.match == nil {
		h := &host{served: serve(t, shared.dir, "flat?game=WebGame"), t: t}
		h.start()
		shared.match = h.served
		h.awaitClient()
	}
	h := &host{served: shared.match, t: t}
	h.from = len(h.log(""))
	t.Cleanup(func() {
		until(t, "the players of this test have left", func() bool {
			h.mu.Lock()
			defer h.mu.Unlock()
			return len(h.bodies) == 0
		})
	})
	return h
}

func (h *host) awaitClient() {
	h.t.Helper()
	t := h.t
	// With nothing in the build cache, on a machine with other work, it takes minutes.
	within(t, 3*patience, "the client is built", func() bool {
		var join struct {
			Client struct{ State, Text string }
		}
		r, err := http.Get("http://" + h.web + "/join.json")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Body.Close() }()
		if err := json.NewDecoder(r.Body).Decode(&join); err != nil {
			t.Fatal(err)
		}
		if join.Client.State == "failed" {
			t.Fatal(join.Client.Text)
		}
		return join.Client.State == "ready"
	})
}

func (h *host) start() {
	h.t.Helper()
	h.mu.Lock()
	h.bodies, h.told = nil, 0
	h.mu.Unlock()
	p, err := program.Launch(program.Options{Path: shared.host, Dir: root, Keep: h.line, Args: append(slices.Clone(h.flags), "--scripts", h.scripts,
		"--content", h.content, "--access", h.access, "--listen", h.udp, "--web", h.web, "--log", "json", "--seed", "1", h.level)})
	if err != nil {
		h.t.Fatal(err)
	}
	h.Process = p
	ready, _, err := p.Await(0, readyLine.String())
	if err != nil {
		p.Kill()
		h.t.Fatal(err, strings.Join(h.log(""), "\n"))
	}
	m := readyLine.FindStringSubmatch(ready)
	h.udp, h.web = m[1], "127.0.0.1:"+m[2]
}

// line keeps a line of the log, or what it tells of bodies: WEB, and for each player a name, a place, a speed, health, score and deaths.
// It is for the process to keep where it is no line of the log.
func (s *served) line(text string, _ int) bool {
	var entry struct{ Level, Msg string }
	if json.Unmarshal([]byte(text), &entry) != nil {
		if strings.HasPrefix(text, "ready: ") {
			return true
		}
		entry.Msg = text
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	players, ok := strings.CutPrefix(entry.Msg, "WEB")
	if !ok {
		s.lines = append(s.lines, entry.Level+" "+entry.Msg)
		return false
	}
	s.told++
	s.bodies = map[string]body{}
	for _, p := range strings.Split(strings.TrimSpace(players), ";") {
		if p == "" {
			continue
		}
		b, name := body{telling: s.told}, ""
		if _, err := fmt.Sscan(p, &name, &b.at[0], &b.at[1], &b.at[2], &b.speed, &b.health, &b.score, &b.deaths); err != nil {
			s.lines = append(s.lines, "ERROR "+err.Error()+": "+entry.Msg)
		}
		s.bodies[name] = b
	}
	return false
}

// log is the lines of the test so far that hold a text.
func (h *host) log(text string) (lines []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.lines[h.from:] {
		if strings.Contains(l, text) {
			lines = append(lines, l)
		}
	}
	return lines
}

// body is what the host told last of a player; ok is false for one who has no body now.
func (h *host) body(name string) (b body, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b, ok = h.bodies[name]
	return b, ok
}

// say types a command.
func (h *host) say(command string) {
	h.t.Helper()
	if err := h.Say(command); err != nil {
		h.t.Fatal(err)
	}
}

// signal sends one to the host.
func (h *host) signal(s syscall.Signal) {
	h.t.Helper()
	if err := h.Signal(s); err != nil {
		h.t.Fatal(err)
	}
}

// save writes a script as an editor does that replaces files.
func (h *host) save(name, text string) {
	h.t.Helper()
	h.replace(filepath.Join(h.scripts, name), []byte(text))
}

// put writes a file of content in the same way.
func (h *host) put(name string, data []byte) {
	h.t.Helper()
	h.replace(filepath.Join(h.content, filepath.FromSlash(name)), data)
}

func (h *host) replace(path string, data []byte) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	temp := filepath.Join(h.t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(temp, data, 0o600); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Rename(temp, path); err != nil {
		h.t.Fatal(err)
	}
}

// quiet fails the test for every warning and error of the host that holds none of the texts.
func (h *host) quiet(but ...string) {
	h.t.Helper()
	// A busy machine: ticks are dropped, and a shot of a browser that had no time comes too late.
	but = append(but, "cannot keep up", "ticks dropped", "ticks run over", "its claim is older than")
lines:
	for _, l := range append(h.log("WARN "), h.log("ERROR ")...) {
		for _, b := range but {
			if strings.Contains(l, b) {
				continue lines
			}
		}
		h.t.Errorf("the host said: %s", l)
	}
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// script is the text of one of the test's scripts.
func (h *host) script(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(h.scripts, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
