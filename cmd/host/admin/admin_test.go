package admin_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/admin"
	"github.com/tidelock/tidelock/cmd/host/assets/assetstest"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/control"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/versions"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/server"
)

const token = "the-admin-token-of-this-test"

// world is a match without a network; its turns run at once, one at a time.
type world struct {
	mu     sync.Mutex
	m      *match.Match
	travel []string
	scale  float64
}

func (w *world) Current() (*match.Match, *server.Server) { return w.m, nil }
func (w *world) SetPace(scale float64) error             { w.scale = scale; return nil }
func (w *world) StepTicks(int) error                     { w.scale = 0; return nil }
func (w *world) Pace() (float64, int)                    { return w.scale, 0 }
func (w *world) Levels() []string                        { return []string{"arena", "flat"} }
func (w *world) TravelTo(url string) error               { w.travel = append(w.travel, url); return nil }

func (w *world) Do(_ context.Context, f func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return f()
}

// site is a handler with its world.
type site struct {
	*admin.Handler
	t     *testing.T
	world *world
	now   time.Time
	log   bytes.Buffer

	players *access.List
	options admin.Options
	saved   map[string]string // texts by path
}

func newSite(t *testing.T) *site {
	t.Helper()
	a, sources := assetstest.Shipped(t)
	m, err := match.Open(match.Options{Sources: sources, Content: a.Content(), URL: "flat?game=DeathMatch?bots=2", NetMode: engine.NMDedicatedServer})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	for range 120 {
		m.World.Step(1.0 / 60)
	}
	s := &site{t: t, world: &world{m: m, scale: 1}, now: time.Unix(1000, 0)}
	log := slog.New(slog.NewTextHandler(&s.log, nil))
	players, err := access.Open(filepath.Join(t.TempDir(), "access.toml"))
	if err != nil {
		t.Fatal(err)
	}
	var r command.Registry
	r.Log = func(who command.Caller, line string, err error) {
		log.Info("command", "who", who.Name, "line", line, "err", err)
	}
	if err := r.Add(control.Commands(control.Options{Host: s.world, Turns: s.world, Access: players, Log: log})...); err != nil {
		t.Fatal(err)
	}
	s.players = players
	s.saved = map[string]string{}
	s.options = admin.Options{Commands: &r, Host: s.world, Turns: s.world, Version: "1", Reads: map[string]http.Handler{"/metrics": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "up 1\n") })}, Rate: 60, Log: log, Now: func() time.Time { return s.now }, BodyWithin: 50 * time.Millisecond, Grant: func(key string) error { return players.SetRole(key, access.Owner) }}
	s.options.Source = func(path string) (versions.Source, error) {
		return versions.Source{Path: path, Text: s.saved[path], Sum: "1"}, nil
	}
	s.options.Save = func(_ context.Context, path, sum, text string) ([]string, error) {
		if sum != "1" {
			return nil, errors.New(path + ":1:2: error: no")
		}
		s.saved[path] = text
		return []string{"nothing that runs"}, nil
	}
	s.open(token)
	return s
}

// open begins a handler with a token.
func (s *site) open(token string) {
	s.t.Helper()
	s.options.Token = token
	h, err := admin.New(s.options)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(h.Close)
	s.Handler = h
}

var (
	here  = admin.Visitor{Addr: netip.MustParseAddr("127.0.0.1"), Local: true}
	there = admin.Visitor{Addr: netip.MustParseAddr("192.0.2.7")}
)

// ask sends a request; head are headers, name and value in turn.
func (s *site) ask(v admin.Visitor, method, path, body string, head ...string) (status int, answer string) {
	s.t.Helper()
	var b io.Reader
	if body != "" {
		b = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, "http://localhost:7780"+path, b)
	for i := 0; i < len(head); i += 2 {
		r.Header.Add(head[i], head[i+1])
	}
	w := httptest.NewRecorder()
	s.Serve(w, r, v)
	if o := w.Header().Get("Access-Control-Allow-Origin"); o != "" {
		s.t.Errorf("%s lets %s read it", path, o)
	}
	return w.Code, strings.TrimSpace(w.Body.String())
}

const bearer, kind, asJSON = "Authorization", "Content-Type", "application/json"

// TestWhoMayWhat: reading needs this machine or a token; changing needs a role, from any address, and no request that another site's
// page can send has one (W2.4).
func TestWhoMayWhat(t *testing.T) {
	s := newSite(t)
	good := []string{bearer, "Bearer " + token, kind, asJSON}
	with := func(more ...string) []string { return append(slices.Clone(good), more...) }
	for _, c := range []struct {
		name         string
		who          admin.Visitor
		method, path string
		body         string
		head         []string
		want         int
	}{
		{"a read at this machine", here, "GET", "/api/v1/server", "", nil, 200},
		{"a read from elsewhere", there, "GET", "/api/v1/server", "", nil, 401},
		{"a stream from elsewhere", there, "GET", "/api/v1/stream", "", nil, 401},
		{"a read from elsewhere with the token", there, "GET", "/api/v1/server", "", good, 200},
		{"a read with a wrong token", here, "GET", "/api/v1/server", "", []string{bearer, "Bearer no"}, 401},
		{"a token that is no bearer's", there, "GET", "/api/v1/server", "", []string{bearer, token}, 401},
		{"two tokens", there, "GET", "/api/v1/server", "", []string{bearer, "Bearer " + token, bearer, "Bearer x"}, 401},
		{"an empty token", there, "GET", "/api/v1/server", "", []string{bearer, "Bearer "}, 401},
		{"a token in the address", there, "GET", "/api/v1/server?token=" + token, "", nil, 401},
		{"a token in a cookie", there, "GET", "/api/v1/server", "", []string{"Cookie", "token=" + token}, 401},
		{"a change at this machine without a role", here, "POST", "/api/v1/exec", `{"line":"eval 1"}`, []string{kind, asJSON}, 401},
		{"a change with the token", there, "POST", "/api/v1/exec", `{"line":"eval 1"}`, good, 200},
		{"a look through exec without a role", here, "POST", "/api/v1/exec", `{"line":"status"}`, []string{kind, asJSON}, 200},
		{"a form of another site", here, "POST", "/api/v1/exec", `{"line":"eval 1"}`, []string{bearer, "Bearer " + token, kind, "text/plain"}, 415},
		{"a form as browsers encode it", here, "POST", "/api/v1/exec", `line=eval`, []string{bearer, "Bearer " + token, kind, "application/x-www-form-urlencoded"}, 415},
		{"no type at all", here, "POST", "/api/v1/exec", `{"line":"eval 1"}`, []string{bearer, "Bearer " + token}, 415},
		{"a page of another site", here, "POST", "/api/v1/exec", `{"line":"eval 1"}`, with("Origin", "https://evil.example"), 403},
		{"a page of another port", here, "POST", "/api/v1/exec", `{"line":"eval 1"}`, with("Origin", "http://localhost:9"), 403},
		{"an origin that hides", here, "POST", "/api/v1/exec", `{"line":"eval 1"}`, with("Origin", "null"), 403},
		{"a site that the browser names", here, "POST", "/api/v1/exec", `{"line":"eval 1"}`, with("Sec-Fetch-Site", "cross-site"), 403},
		{"another name of the same site", here, "POST", "/api/v1/exec", `{"line":"eval 1"}`, with("Sec-Fetch-Site", "same-site"), 403},
		{"its own page", here, "POST", "/api/v1/exec", `{"line":"eval 1"}`, with("Origin", "http://localhost:7780", "Sec-Fetch-Site", "same-origin"), 200},
		{"a profile at this machine without a role", here, "GET", "/debug/pprof/heap?debug=1", "", nil, 401},
		{"a profile with the token", there, "GET", "/debug/pprof/goroutine?debug=1", "", good, 200},
		{"figures at this machine", here, "GET", "/metrics", "", nil, 200},
		{"figures from elsewhere", there, "GET", "/metrics", "", nil, 401},
		{"figures from elsewhere with the token", there, "GET", "/metrics", "", good, 200},
		{"a post to the figures", here, "POST", "/metrics", "{}", good, 404},
		{"a command by GET", here, "GET", "/api/v1/eval", "", good, 404},
		{"another method", here, "DELETE", "/api/v1/server", "", good, 405},
		{"a GET with a body", here, "GET", "/api/v1/server", "{}", nil, 400},
		{"no command", here, "POST", "/api/v1/xyzzy", "{}", good, 404},
		{"traversal", here, "GET", "/inspect/../../../etc/passwd", "", nil, 404},
		{"encoded traversal", here, "GET", "/inspect/%2e%2e/admin.go", "", nil, 404},
		{"the page from elsewhere", there, "GET", "/inspect", "", nil, 200},
		{"a post to the page", here, "POST", "/inspect", "{}", good, 405},
		{"a body without end", here, "POST", "/api/v1/exec", `{"line":"` + strings.Repeat("x", 100_000) + `"}`, good, 413},
		{"an empty body", here, "POST", "/api/v1/exec", "", good, 400},
		{"half a body", here, "POST", "/api/v1/exec", `{"line":`, good, 400},
		{"two bodies", here, "POST", "/api/v1/exec", `{"line":"status"}{"line":"status"}`, good, 400},
		{"a field too many", here, "POST", "/api/v1/exec", `{"line":"status","more":1}`, good, 400},
		{"no actor", here, "GET", "/api/v1/actors/Nobody", "", nil, 404},
		{"no number", here, "GET", "/api/v1/traffic?connection=x", "", nil, 400},
	} {
		s.now = s.now.Add(time.Hour) // guesses are forgotten
		status, answer := s.ask(c.who, c.method, c.path, c.body, c.head...)
		if status != c.want {
			t.Errorf("%s: status %d, want %d: %.200s", c.name, status, c.want, answer)
		}
		if status >= 400 && !strings.HasPrefix(c.path, "/debug") {
			var f struct{ Error string }
			if err := json.Unmarshal([]byte(answer), &f); err != nil || f.Error == "" || strings.Contains(f.Error, token) {
				t.Errorf("%s: %.200s", c.name, answer)
			}
		}
	}
	if strings.Contains(s.log.String(), token) {
		t.Error("the token is in the log")
	}
}

// TestGuesses: an address that guesses tokens waits longer and longer, even with the right one, and nobody else does (G16).
func TestGuesses(t *testing.T) {
	s := newSite(t)
	waits := 0
	for range 50 {
		if status, _ := s.ask(there, "GET", "/api/v1/server", "", bearer, "Bearer wrong"); status == http.StatusTooManyRequests {
			waits++
		}
	}
	if waits < 30 {
		t.Errorf("only %d of 50 guesses had to wait", waits)
	}
	if status, _ := s.ask(there, "GET", "/api/v1/server", "", bearer, "Bearer "+token); status != http.StatusTooManyRequests {
		t.Errorf("a guess in between was checked: status %d", status)
	}
	if status, _ := s.ask(here, "GET", "/api/v1/server", "", bearer, "Bearer "+token); status != 200 {
		t.Errorf("another address: status %d", status)
	}
	if n := strings.Count(s.log.String(), "event=admin_token"); n == 0 || n > 20 {
		t.Errorf("%d lines about guesses", n)
	}
	s.now = s.now.Add(time.Hour)
	if status, _ := s.ask(there, "GET", "/api/v1/server", "", bearer, "Bearer "+token); status != 200 {
		t.Errorf("an hour later: status %d", status)
	}
}

// TestClaim: a code makes one browser at this machine the owner, once, for five minutes.
func TestClaim(t *testing.T) {
	s := newSite(t)
	claim := func(v admin.Visitor, code string, head ...string) (int, string) {
		status, answer := s.ask(v, "POST", "/api/v1/claim", fmt.Sprintf(`{"code":%q}`, code), append(head, kind, asJSON)...)
		var got struct{ Token string }
		_ = json.Unmarshal([]byte(answer), &got) // an error has none
		return status, got.Token
	}
	code := s.NewCode()
	if status, _ := claim(there, code); status != 403 {
		t.Errorf("from elsewhere: status %d", status)
	}
	if status, _ := claim(here, code, "Origin", "https://evil.example"); status != 403 {
		t.Errorf("from another site's page: status %d", status)
	}
	status, secret := claim(here, code)
	if status != 200 || secret == "" || secret == token || secret == code {
		t.Fatalf("status %d, secret %q", status, secret)
	}
	if status, _ := claim(here, code); status != 401 {
		t.Errorf("a second time: status %d", status)
	}
	if status, answer := s.ask(here, "POST", "/api/v1/eval", `{"lua":"1 + 1"}`, bearer, "Bearer "+secret, kind, asJSON); status != 200 || answer != `{"answer":["2"]}` {
		t.Errorf("the browser's change: status %d: %s", status, answer)
	}
	s.now = s.now.Add(time.Hour)
	old := s.NewCode()
	code = s.NewCode()
	if status, _ := claim(here, old); status != 401 {
		t.Errorf("a code that another replaced: status %d", status)
	}
	s.now = s.now.Add(5 * time.Minute)
	if status, _ := claim(here, code); status != 401 {
		t.Errorf("after five minutes: status %d", status)
	}
	if status, _ := s.ask(here, "GET", "/api/v1/server", "", bearer, "Bearer "+secret); status != 200 {
		t.Errorf("the browser an hour later: status %d", status)
	}
	// The key that the browser plays with is the owner, too, and what is no key uses no code up.
	const key = "key-00112233445566778899aabbccddeeff"
	code = s.NewCode()
	for player, want := range map[string]int{"key-0": 400, "x\ny": 400} {
		if status, _ := s.ask(here, "POST", "/api/v1/claim", fmt.Sprintf(`{"code":%q,"player":%q}`, code, player), kind, asJSON); status != want {
			t.Errorf("player %q: status %d", player, status)
		}
	}
	if role := s.players.RoleOf(key); role != access.None {
		t.Error(role)
	}
	if status, _ := s.ask(here, "POST", "/api/v1/claim", fmt.Sprintf(`{"code":"x","player":%q}`, key), kind, asJSON); status != 401 || s.players.RoleOf(key) != access.None {
		t.Errorf("a wrong code with a key: status %d", status)
	}
	if status, _ := s.ask(here, "POST", "/api/v1/claim", fmt.Sprintf(`{"code":%q,"player":%q}`, code, key), kind, asJSON); status != 200 || s.players.RoleOf(key) != access.Owner {
		t.Errorf("status %d, role %v", status, s.players.RoleOf(key))
	}
	// The next host with this token knows the browser; one with another token does not, nor does it know forged secrets.
	for _, c := range []struct {
		token, secret string
		want          int
	}{
		{token, secret, 200},
		{token, secret + "x", 401},
		{token, strings.Replace(secret, "browser.", "browser.x", 1), 401},
		{token, "browser.", 401},
		{"another token of some length", secret, 401},
		{"", secret, 401},
	} {
		s.open(c.token)
		if status, answer := s.ask(here, "POST", "/api/v1/eval", `{"lua":"1 + 1"}`, bearer, "Bearer "+c.secret, kind, asJSON); status != c.want {
			t.Errorf("token %q, secret %q: status %d: %s", c.token, c.secret, status, answer)
		}
	}
	// The same without a restart: the old token and its browsers are strangers from then on, and the new token is not.
	s.open(token)
	const other = "another token of some length"
	for _, c := range []struct {
		set     string
		changed bool
		good    []string
		bad     []string
	}{
		{token, false, []string{token, secret}, []string{other}},
		{other, true, []string{other}, []string{token, secret}},
		{token, true, []string{token, secret}, []string{other}},
	} {
		if s.SetToken(c.set) != c.changed {
			t.Errorf("SetToken(%q) said %v", c.set, !c.changed)
		}
		for want, secrets := range map[int][]string{200: c.good, 401: c.bad} { // any order: requests of their own
			for _, x := range secrets {
				if status, _ := s.ask(here, "POST", "/api/v1/eval", `{"lua":"1 + 1"}`, bearer, "Bearer "+x, kind, asJSON); status != want {
					t.Errorf("with the token %q, %q: status %d", c.set, x, status)
				}
			}
		}
	}
	for _, x := range []string{secret, code, old} {
		if strings.Contains(s.log.String(), x) {
			t.Error("a secret is in the log")
		}
	}
}

// TestSave: only the owner saves a file, within bounds, and the log has who did. Over HTTP there is no other role.
func TestSave(t *testing.T) {
	s := newSite(t)
	good := []string{bearer, "Bearer " + token, kind, asJSON}
	body := func(text string) string {
		b, err := json.Marshal(map[string]string{"path": "scripts/A.lua", "sum": "1", "text": text})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, c := range []struct {
		name, body string
		head       []string
		want       int
	}{
		{"without a role", body("x"), []string{kind, asJSON}, 401},
		{"with a field that there is not", `{"path":"a","sum":"1","text":"","mode":"0777"}`, good, 400},
		{"too large", body(strings.Repeat("x", 2*versions.MaxSource)), good, 413},
		{"what is refused", `{"path":"a","sum":"2","text":""}`, good, 409},
	} {
		if status, answer := s.ask(here, "POST", "/api/v1/save", c.body, c.head...); status != c.want || len(s.saved) > 0 {
			t.Errorf("%s: status %d, want %d: %s; saved %v", c.name, status, c.want, answer, s.saved)
		}
	}
	text := strings.Repeat("\tx\n", versions.MaxSource/4) // JSON doubles tabs and line ends
	if status, answer := s.ask(here, "POST", "/api/v1/save", body(text), good...); status != 200 || s.saved["scripts/A.lua"] != text {
		t.Errorf("status %d: %s", status, answer)
	}
	if !strings.Contains(s.log.String(), `line="save scripts/A.lua"`) {
		t.Errorf("the log has not who saved:\n%s", s.log.String())
	}
}

// TestReads: what the API tells is what the world has.
func TestReads(t *testing.T) {
	s := newSite(t)
	w := s.world.m.World
	get := func(path string, into any) {
		t.Helper()
		status, answer := s.ask(here, "GET", path, "")
		if err := json.Unmarshal([]byte(answer), into); status != 200 || err != nil {
			t.Fatalf("%s: status %d, %v: %.300s", path, status, err, answer)
		}
	}
	var host struct {
		Level, Game, Mode string
		Tick              uint64
		Actors, Rate      int
	}
	get("/api/v1/server", &host)
	if host.Level != "flat" || host.Game != "DeathMatch" || host.Mode != "dedicated" || host.Tick != uint64(w.Frame()) || host.Actors != w.Live() || host.Rate != 60 {
		t.Errorf("%+v", host)
	}
	var actors []struct {
		ID          int64
		Name, Class string
		Player      string
		At          [3]float64
		Pawn        bool
	}
	get("/api/v1/actors", &actors)
	n, pawns := 0, 0
	w.EachActor(func(a *engine.Actor) {
		if a.Outer != nil {
			return
		}
		if x := actors[n]; x.ID != int64(a.ID()) || x.Name != a.Name || x.Class != a.Class.Name || x.At != [3]float64{a.Location.X, a.Location.Y, a.Location.Z} {
			t.Errorf("%+v is %v", x, a)
		}
		if actors[n].Pawn && actors[n].Player != "" {
			pawns++
		}
		n++
	})
	if n != len(actors) || pawns != 2 {
		t.Errorf("%d actors of %d, %d pawns of players", len(actors), n, pawns)
	}
	var one struct {
		Name      string
		Classes   []string
		Variables []struct {
			Name, Type, Value, Rule string
			Replicated              bool
		}
	}
	pawn := w.ActorsOf("ShooterPawn")[0]
	for _, name := range []string{fmt.Sprint(pawn.ID()), strings.ToLower(pawn.Name)} {
		get("/api/v1/actors/"+name, &one)
		if one.Name != pawn.Name || one.Classes[0] != "ShooterPawn" || len(one.Variables) != len(pawn.Class.PropertyNames()) {
			t.Errorf("%s: %+v", name, one)
		}
	}
	for _, v := range one.Variables {
		if v.Name == "Health" && (v.Value != fmt.Sprint(pawn.Get(pawn.Class.Property("Health")).Num) || !v.Replicated || !strings.HasPrefix(v.Rule, "scripts/core/Pawn.lua:")) {
			t.Errorf("%+v", v)
		}
	}
	var list []string
	get("/api/v1/complete?line=teleport+", &list)
	if len(list) != 2 {
		t.Errorf("players are completed to %q", list)
	}
	for _, empty := range []string{"connections", "traffic"} {
		if _, answer := s.ask(here, "GET", "/api/v1/"+empty, ""); answer != "[]" {
			t.Errorf("%s without a network: %s", empty, answer)
		}
	}
}

// TestCommandsAsPosts: arguments of a body arrive as they were given, whatever is in them, and never as another argument or another command.
func TestCommandsAsPosts(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct {
		path, body, want string
		status           int
	}{
		{"eval", `{"lua":"'a  \"b\" ; quit'"}`, `"a  \"b\" ; quit"`, 200},
		{"eval", `{}`, `the body has no "lua"`, 400},
		{"eval", `{"lua":"1","x":2}`, "fields that the command does not know", 400},
		{"eval", `{"lua":["1"]}`, "neither text", 400},
		{"eval", `{"lua":"1\n2"}`, "control characters", 400},
		{"spawn", `{"class":"Crate","x":1,"y":-2.5,"z":300}`, "Crate_", 200},
		{"spawn", `{"class":"Crate 1 2 3"}`, `there is no class "Crate 1 2 3"`, 409},
		{"spawn", `{"class":"Crate","y":2}`, "missing before", 400},
		{"log-net", `{"class":"Crate","on":true}`, "no network", 409},
		{"level", `{"level":"arena?bots=1"}`, "", 200},
		{"slomo", `{"scale":9}`, "not a number from 0.01 to 4", 400},
		{"pause", `{"on":true}`, "", 200},
		{"status", `{}`, "paused (pause off)", 200},
		{"pause", `{}`, "", 200},
	} {
		status, answer := s.ask(here, "POST", "/api/v1/"+c.path, c.body, bearer, "Bearer "+token, kind, asJSON)
		var got struct {
			Answer []string
			Error  string
		}
		if err := json.Unmarshal([]byte(answer), &got); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(got.Answer, "\n") + got.Error; status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: status %d: %s, want %d: %s", c.path, c.body, status, text, c.status, c.want)
		}
	}
	if s.world.scale != 1 {
		t.Errorf("the second pause left the match at %g times its speed", s.world.scale)
	}
	if !slices.Equal(s.world.travel, []string{"arena?bots=1"}) {
		t.Errorf("travelled to %q", s.world.travel)
	}
}

// TestOpenAPI: the description has every read, answers for each, and a POST for every command; what it does not have does not exist.
func TestOpenAPI(t *testing.T) {
	s := newSite(t)
	_, text := s.ask(here, "GET", "/api/v1/openapi.json", "")
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct {
					Schema struct {
						Required   []string
						Properties map[string]struct{ Type string }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil || !strings.HasPrefix(doc.OpenAPI, "3.") {
		t.Fatalf("%v: %.200s", err, text)
	}
	var commands []struct {
		Name   string
		Params []struct {
			Name     string
			Optional bool
		}
	}
	_, text = s.ask(here, "GET", "/api/v1/commands", "")
	if err := json.Unmarshal([]byte(text), &commands); err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		post, ok := doc.Paths["/api/v1/"+strings.ReplaceAll(c.Name, " ", "-")]["post"]
		schema := post.RequestBody.Content[asJSON].Schema
		if !ok || len(schema.Properties) != len(c.Params) {
			t.Errorf("%s is described as %+v", c.Name, post)
		}
		for _, p := range c.Params {
			if slices.Contains(schema.Required, p.Name) == p.Optional || schema.Properties[p.Name].Type == "" {
				t.Errorf("%s: %s is described as %+v", c.Name, p.Name, schema)
			}
		}
	}
	reads := 0
	for path, methods := range doc.Paths {
		if _, ok := methods["get"]; !ok || strings.HasSuffix(path, "/stream") {
			continue
		}
		reads++
		path = strings.Replace(path, "{actor}", s.world.m.Game.Name, 1)
		if status, answer := s.ask(here, "GET", path, ""); status == 404 && !strings.Contains(answer, "no actor") {
			t.Errorf("%s is described, but not there: %s", path, answer)
		}
	}
	if reads < 10 {
		t.Errorf("%d reads are described", reads)
	}
	// Every handler of a read is described.
	for _, name := range admin.Reads(s.Handler) {
		if _, ok := doc.Paths["/api/v1/"+name]["get"]; !ok {
			t.Errorf("%s is not described", name)
		}
	}
}

// TestStream: a stream is told the state as it changes, a slow one the newest, and all end with the handler.
func TestStream(t *testing.T) {
	s := newSite(t)
	lines := s.stream("")
	s.world.mu.Lock()
	s.world.m.World.Step(1.0 / 60)
	want := uint64(s.world.m.World.Frame())
	s.world.mu.Unlock()
	var last struct{ Host struct{ Tick uint64 } }
	for last.Host.Tick < want {
		name, data := lines.next()
		if err := json.Unmarshal([]byte(data), &last); name != "state" || err != nil || last.Host.Tick > want {
			t.Fatalf("%s, %v: told of tick %d, the world is at %d", name, err, last.Host.Tick, want)
		}
	}
	s.Close()
	if _, err := io.Copy(io.Discard, lines.r); err != nil {
		t.Errorf("the end: %v", err)
	}
}

// TestSlowBody: a client that does not send its body is answered and cut off, and nobody waits for it.
func TestSlowBody(t *testing.T) {
	s := newSite(t)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.Serve(w, r, here) }))
	defer web.Close()
	c, err := net.Dial("tcp", web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = fmt.Fprintf(c, "POST /api/v1/exec HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"line\":")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(c)
	a, err := http.ReadResponse(r, nil)
	if err != nil || a.StatusCode != http.StatusRequestTimeout {
		t.Fatalf("%v, %v", a, err)
	}
	if _, err := io.Copy(io.Discard, a.Body); err != nil {
		t.Error(err)
	}
	if _, err := r.ReadByte(); err == nil {
		t.Error("the connection goes on")
	}
}

// events reads a stream of server-sent events.
type events struct {
	t *testing.T
	r *bufio.Reader
}

// stream requests the stream from a server that ends with the test.
func (s *site) stream(query string) *events {
	s.t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.Serve(w, r, here) }))
	s.t.Cleanup(web.Close)
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, web.URL+"/api/v1/stream"+query, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil || a.StatusCode != 200 || a.Header.Get(kind) != "text/event-stream" {
		s.t.Fatalf("%v, %v", a, err)
	}
	s.t.Cleanup(func() { _ = a.Body.Close() }) // the test is over
	return &events{s.t, bufio.NewReader(a.Body)}
}

// next returns the name and the data of the next event.
func (e *events) next() (name, data string) {
	e.t.Helper()
	for {
		line, err := e.r.ReadString('\n')
		if err != nil {
			e.t.Fatal(err)
		}
		if n, ok := strings.CutPrefix(line, "event: "); ok {
			name = strings.TrimSpace(n)
		}
		if d, ok := strings.CutPrefix(line, "data: "); ok {
			return name, strings.TrimSpace(d)
		}
	}
}
