package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/settings"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/server"
)

// parsedArgs are the flags of a command line.
func parsedArgs(t *testing.T, environ []string, args ...string) *parsed {
	t.Helper()
	p, err := parse(args, &system{stdout: io.Discard, stderr: io.Discard, environ: environ})
	must(t, err)
	return p
}

func TestPlayersOfAURL(t *testing.T) {
	f := &playerFlags{MaxPlayers: 64}
	for _, c := range []struct {
		in, out string
		n       int
	}{
		{"arena", "arena?maxplayers=64", 64},
		{"arena?game=DeathMatch", "arena?game=DeathMatch?maxplayers=64", 64},
		{"arena?MaxPlayers=8?game=DeathMatch", "arena?MaxPlayers=8?game=DeathMatch", 8},
		{"arena?maxplayers=many", "arena?maxplayers=many", 64},
	} {
		if url, n := f.players(c.in); url != c.out || n != c.n {
			t.Errorf("%s: %s, %d", c.in, url, n)
		}
	}
}

// Every setting reaches what it is for.
func TestPlayerFlags(t *testing.T) {
	p := parsedArgs(
		t, nil, "serve", "--config", os.DevNull, "--tick", "64", "--net", "32", "--budget", "2600", "--connections-per-address", "3", "--handshakes-per-second", "4",
		"--handshakes-per-address", "5", "--packets-per-second", "60", "--bytes-per-second", "7000", "--calls-per-second", "8", "--offences", "9",
		"--validation", "drop", "--reliable-queue", "17", "--login-time", "11s", "--idle-time", "12s", "--download-rate", "13000",
		"--download-total", "14000",
		"--relevant-timeout", "3s", "--no-sight", "--dormancy-validation", "--mode", "listen",
	)
	f := &p.commands.Serve.playerFlags
	want := server.Config{
		Tick: 64, Net: 32, Validate: true, Relevancy: relevancy.Config{Timeout: 3, NoSight: true},
		Limits: server.Limits{
			Budget: 2600, LoginTime: 11, CallsPerSecond: 8, BytesPerSecond: 7000, Offences: 9, KeepOnRefusedCall: true, ReliableCalls: 17, DownloadRate: 13000, DownloadTotal: 14000,
		},
	}
	if got := f.config(64); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got, want := f.limits(20), (kcplink.Limits{
		Conns: 36, ConnsPerAddress: 3, Handshakes: 4, HandshakesPerAddress: 5, HalfOpenPerAddress: 64, PacketsIn: 60, FloodDrops: 120,
		Silence: 12 * time.Second, Heartbeat: 3 * time.Second,
	}); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if f.netMode() != engine.NMListenServer {
		t.Errorf("mode %v", f.netMode())
	}
	if got := parsedArgs(t, nil, "join").commands.Join.Addr; got != "localhost" { // the host that runs beside them
		t.Errorf("joins %q", got)
	}
}

func TestJoinCommands(t *testing.T) {
	for _, c := range []struct {
		listen string
		port   uint16
		first  string
		more   bool // other machines can join, by an address that depends on this one
		open   string
	}{
		{":7777", 7777, "host join localhost", true, ""},
		{":7777", 7778, "host join localhost:7778", true, ""},
		{"0.0.0.0:9", 9, "host join localhost:9", true, ""},
		{"[::]:7777", 7777, "host join localhost", true, ""},
		{"127.0.0.1:7777", 7777, "host join localhost", false, "only this machine; --listen :7777 opens it to others"},
		{"127.0.0.1:0", 5000, "host join localhost:5000", false, "only this machine; --listen :5000 opens it to others"},
		{"localhost:7777", 7778, "host join localhost:7778", false, "only this machine; --listen :7778 opens it to others"},
		{"[::1]:7777", 7777, "host join [::1]", false, "only this machine; --listen :7777 opens it to others"},
		{"192.0.2.1:7777", 7777, "host join 192.0.2.1", false, ""},
		{"play.example:7777", 7777, "host join play.example", false, ""},
	} {
		got, open := joinCommands("host", c.listen, c.port)
		if len(got) == 0 || got[0] != c.first || !c.more && len(got) != 1 || open != c.open {
			t.Errorf("%s: %q, open %q", c.listen, got, open)
		}
	}
}

// TestListensOnLoopback checks what the first command that anybody types opens: a port that only this machine reaches.
// An address from any source, a flag, a variable or the file, is taken as it is.
func TestListensOnLoopback(t *testing.T) {
	file := t.TempDir() + "/host.toml"
	must(t, os.WriteFile(file, []byte("listen = \":0\"\n"), 0o600))
	for _, c := range []struct {
		name     string
		args     []string
		env      []string
		loopback bool
	}{
		{"nothing given", []string{"--config", os.DevNull}, nil, true},
		{"flag", []string{"--config", os.DevNull, "--listen", ":0"}, nil, false},
		{"variable", []string{"--config", os.DevNull}, []string{"TIDELOCK_LISTEN=:0"}, false},
		{"file", []string{"--config", file}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parsedArgs(t, c.env, append([]string{"serve"}, c.args...)...)
			if !c.loopback { // opening it would reach beyond this machine
				if got := p.commands.Serve.Listen; got != ":0" {
					t.Errorf("listens on %q", got)
				}
				return
			}
			l, where, err := p.commands.Serve.link(p, 1, slog.New(slog.DiscardHandler))
			must(t, err)
			defer l.Close()
			if !l.Addr().Addr().IsLoopback() || !strings.HasPrefix(where, "UDP 127.0.0.1:") {
				t.Errorf("listens on %v, said %q", l.Addr(), where)
			}
		})
	}
}

// exampleFile is every setting with its default and what it is for.
const exampleFile = "../../docs/host.example.toml"

// docs/host.example.toml is made from the flags; TIDELOCK_UPDATE=1 writes it again.
func TestExampleFile(t *testing.T) {
	p := parsedArgs(t, nil, "serve", "--config", os.DevNull)
	help := map[string]string{}
	for _, n := range p.ctx.Model.Children {
		if n.Name != "serve" {
			continue
		}
		for _, f := range n.Flags {
			help[f.Name] = f.Help
		}
	}
	var b strings.Builder
	b.WriteString("# Settings of `host serve`, each with its default. Copy this file to the folder that the host is started in, as\n" +
		"# host.toml, and take the # off what should be otherwise. A variable of the environment (tick: TIDELOCK_TICK) wins\n" +
		"# over the file, a flag (--tick) over both; `host serve --print-config` shows what holds and where it comes from.\n")
	var keys []string
	for _, s := range p.settings.List(p.ctx) {
		fmt.Fprintf(&b, "\n# %s\n#%s = %s\n", help[s.Name], s.Name, s.Value)
		keys = append(keys, s.Name)
		if help[s.Name] == "" {
			t.Errorf("%s has no help", s.Name)
		}
	}
	for _, want := range []string{"listen", "mode", "net", "budget", "idle-time", "connections-per-address"} {
		if !slices.Contains(keys, want) {
			t.Errorf("%s is no setting", want)
		}
	}
	d := settings.DefaultLimits()
	limits := fmt.Sprintf("#share = %v\n#memory = %d\n#actors = %d\n", d.Share, d.Memory, d.Actors)
	b.WriteString("\n# Tables stand at the end of the file, one for each mod or class (docs/mods.md). Of a mod: whether it is used, the part of a tick\n" +
		"# that its classes may take together, the MB that its scripts may keep, and how many actors of them may live at once.\n" +
		"#[mods.hats]\n#enabled = true\n" + limits + "\n# The same of a class.\n#[classes.Rocket]\n" + limits)
	if os.Getenv("TIDELOCK_UPDATE") != "" {
		must(t, os.WriteFile(exampleFile, []byte(b.String()), 0o644))
	}
	got, err := os.ReadFile(exampleFile)
	must(t, err)
	if string(got) != b.String() {
		t.Errorf("%s is not what the flags say; TIDELOCK_UPDATE=1 go test ./cmd/host -run TestExampleFile writes it anew", exampleFile)
	}
	// With every # before a key taken off it is a file that says the defaults.
	var all []string
	for _, l := range strings.Split(b.String(), "\n") {
		all = append(all, strings.TrimPrefix(l, "#"))
		if strings.HasPrefix(l, "# ") {
			all[len(all)-1] = l
		}
	}
	file := t.TempDir() + "/host.toml"
	must(t, os.WriteFile(file, []byte(strings.Join(all, "\n")), 0o600))
	again := parsedArgs(t, nil, "serve", "--config", file)
	if g := again.settings.Guard(); g.OfMod("hats") != d || g.Classes["Rocket"] != d || len(g.Off) != 0 || len(g.Mods) != 1 || len(g.Classes) != 1 {
		t.Errorf("the tables say %+v", g)
	}
	for i, s := range again.settings.List(again.ctx) {
		if first := p.settings.List(p.ctx)[i]; s.Value != first.Value || !strings.HasPrefix(s.From, file) {
			t.Errorf("%s = %s from %s, by default %s", s.Name, s.Value, s.From, first.Value)
		}
	}
}
