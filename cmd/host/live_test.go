package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/settings"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/scriptvm"
)

// hostingFile has a table of when a new value of each setting takes effect.
const hostingFile = "../../docs/hosting.md"

// liveSetup is a host's settings from a file, which change rewrites.
type liveSetup struct {
	t       *testing.T
	file    string
	sys     *system
	p       *parsed
	assets  *assets.Assets
	level   slog.LevelVar
	applied []serveCmd
}

func newLiveSetup(t *testing.T) *liveSetup {
	t.Helper()
	h := &liveSetup{t: t, file: filepath.Join(t.TempDir(), "host.toml"), sys: &system{stdout: io.Discard, stderr: io.Discard}}
	h.write("")
	var err error
	if h.p, err = parse([]string{"serve", "--config", h.file}, h.sys); err != nil {
		t.Fatal(err)
	}
	if h.assets, err = assets.Open(assets.Options{Root: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *liveSetup) write(text string) {
	h.t.Helper()
	must(h.t, os.WriteFile(h.file, []byte(text), 0o600))
}

// change has the file read again with another text.
func (h *liveSetup) change(text string) (lines []string, err error) {
	h.t.Helper()
	h.write(text)
	lines, apply, err := h.p.commands.Serve.reconfigure(h.sys, h.p, h.assets, &h.level, func(c serveCmd, _ *settings.Guard) { h.applied = append(h.applied, c) })
	if err == nil {
		apply()
	}
	return lines, err
}

// otherValue is a valid value of a setting that is not its present one, in TOML.
func otherValue(t *testing.T, name string, now any) string {
	t.Helper()
	if v, ok := map[string]string{
		"mode": `"listen"`, "validation": `"drop"`, "log": `"json"`, "log-level": `"debug"`, "net": "20", "download-rate": "2000", "download-total": "3000",
		"relevant-timeout": `"7s"`, "watch-poll": `"3s"`, "scripts": `["x"]`, "web-trusted-proxy": `["127.0.0.0/8"]`, "cluster-replicas": "3", "label": `["hub"]`,
		"public-address": `"play.example.org:7777"`, "public-web": `"https://play.example.org/"`,
	}[name]; ok {
		return v
	}
	switch v := reflect.ValueOf(now); {
	case v.Type() == reflect.TypeFor[time.Duration]():
		return fmt.Sprintf("%q", time.Duration(v.Int())+time.Second)
	case v.CanInt():
		return fmt.Sprint(v.Int() + 1)
	case v.CanUint():
		return fmt.Sprint(v.Uint() + 1)
	case v.Kind() == reflect.Bool:
		return fmt.Sprint(!v.Bool())
	case v.Kind() == reflect.String:
		return fmt.Sprintf("%q", v.String()+"x")
	}
	t.Fatalf("%s: no other value for %v", name, now)
	return ""
}

// TestEverySettingChanges: of each setting alone a new value is told in one line, which says when it takes effect; what is live reaches the
// match and only that; and the table of the documents has it.
func TestEverySettingChanges(t *testing.T) {
	names := newLiveSetup(t)
	var table strings.Builder
	for _, s := range names.p.settings.List(names.p.ctx) {
		fmt.Fprintf(&table, "| `%s` | %s |\n", s.Name, changesOf(s.Name))
		if s.Name == "server-name" || s.Name == "token-key" {
			continue // only beside each other
		}
		t.Run(s.Name, func(t *testing.T) {
			h := newLiveSetup(t)
			c := &h.p.commands.Serve
			field := reflect.ValueOf(c).Elem().FieldByIndex(fieldOf(reflect.TypeFor[serveCmd](), s.Name))
			before := field.Interface()
			value := otherValue(t, s.Name, before)
			lines, err := h.change(s.Name + " = " + value + "\n")
			if err != nil || len(lines) != 1 {
				t.Fatalf("%s = %s: %q, %v; expected one line", s.Name, value, lines, err)
			}
			says := map[change]string{
				changesLive: s.Name + " is now ", changesNextLevel: "takes effect when the next match begins", changesRestart: "takes effect at the next start",
			}[changesOf(s.Name)]
			if !strings.Contains(lines[0], says) || !strings.Contains(lines[0], s.Name) {
				t.Errorf("%q does not say %q", lines[0], says)
			}
			if s.Name == "password" && strings.Contains(lines[0], value) {
				t.Errorf("%q shows the password", lines[0])
			}
			live := changesOf(s.Name) != changesRestart
			if changed := !reflect.DeepEqual(field.Interface(), before); changed != live || len(h.applied) != map[bool]int{true: 1}[live] {
				t.Errorf("changed %v and applied %d times; expected %v", changed, len(h.applied), live)
			}
			// The second time there is nothing to tell, but what waits for a restart.
			if lines, err := h.change(s.Name + " = " + value + "\n"); err != nil || live && len(lines) != 0 {
				t.Errorf("again: %q, %v", lines, err)
			}
		})
	}
	doc, err := os.ReadFile(hostingFile)
	must(t, err)
	const head = "| setting | a new value takes effect |\n|---|---|\n"
	before, rest, found := strings.Cut(string(doc), head)
	_, after, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatalf("%s has no table that begins with %q", hostingFile, head)
	}
	want := before + head + table.String() + "\n" + after
	if os.Getenv("TIDELOCK_UPDATE") != "" {
		must(t, os.WriteFile(hostingFile, []byte(want), 0o644))
	} else if string(doc) != want {
		t.Errorf("%s has another table of settings; TIDELOCK_UPDATE=1 go test ./cmd/host -run TestEverySettingChanges writes it anew", hostingFile)
	}
}

// TestWrongSettingsChangeNothing: what may not be at the start may not be later either; then the whole file is left out.
func TestWrongSettingsChangeNothing(t *testing.T) {
	for text, says := range map[string]string{
		"budget = 30000\nnet = 61\n":                                    "--net: 61 net updates a second exceed the 60 ticks",
		"budget = 30000\npassword = \" \"\n":                            "password is empty, which would keep nobody out",
		"budget = 30000\npassword = \"a\"\ntoken-key = \"k\"\n":         "--password and --token-key are both given",
		"budget = 30000\ntitle = \"" + strings.Repeat("x", 65) + "\"\n": "--title: 65 bytes",
		"budget = 30000\nrelevant-timeout = \"1s\"\n":                   "1s is out of bounds",
		"budget = 30000\nserver-name = \"x\"\n":                         "--server-name is for connect tokens",
		"budget = 30000\nlog-level = \"loud\"\n":                        "is not one of debug",
		"budget = 30000\nlabel = [\"hub\", \"hub=1\"]\n":                "\"hub\" is given twice",
		"budget = 30000\nweb-trusted-proxy = [\"127.0.0.1\"]\n":         "is no CIDR",
		"budget = 30000\npublic-web = \"play\"\n":                       "--public-web: ",
	} {
		h := newLiveSetup(t)
		_, err := h.change(text)
		if err == nil || !strings.Contains(err.Error(), says) || h.p.commands.Serve.Budget != 20000 || len(h.applied) != 0 {
			t.Errorf("%q: %v, budget %d; expected %q", text, err, h.p.commands.Serve.Budget, says)
		}
	}
}

// TestPasswordWhileInMatch: a new password is asked of the next players, those who are in stay, and without one everybody may come.
func TestPasswordWhileInMatch(t *testing.T) {
	t.Parallel()
	h := newGuardedHost(t, &kcplink.Server{})
	flags := newLiveSetup(t).p.commands.Serve.playerFlags
	ann := h.visitor(newPlayerKey(t), "Ann", "")
	h.comesIn("a player without a password", ann)
	flags.Password = "sesame"
	must(t, h.game.relimit(&flags))
	h.isRefused("a player without the new password", h.visitor(newPlayerKey(t), "Bob", ""), "password", "the password is wrong or missing")
	if ann.Over() {
		t.Errorf("a player who was in is out: %v", ann.Outcome())
	}
	flags.Password = ""
	must(t, h.game.relimit(&flags))
	h.comesIn("a player after it was removed", h.visitor(newPlayerKey(t), "Cid", ""))
}

// TestRetimedMatch: net and relevant-timeout hold for the next match, too, and so do sight and dormancy-validation. A host that keeps no worlds
// cannot save them by itself.
func TestRetimedMatch(t *testing.T) {
	t.Parallel()
	h := newGuardedHost(t, &kcplink.Server{})
	flags := newLiveSetup(t).p.commands.Serve.playerFlags
	flags.Net, flags.RelevantTimeout, flags.Sight, flags.DormancyValidation = 12, 3*time.Second, false, true
	must(t, h.game.relimit(&flags))
	if r := h.game.rules; r.Net != 12 || r.Relevancy != (relevancy.Config{Timeout: 3, NoSight: true}) || !r.Validate {
		t.Errorf("the next match has %+v", r)
	}
	if err := h.game.keeper.SetEvery(60); err != scriptvm.ErrNoWorlds { //nolint:errorlint // as it is
		t.Errorf("%v", err)
	}
	must(t, h.game.keeper.SetEvery(0))
}
