//go:build unix

package main

import (
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidelock/tidelock/tests/port"
)

// TestHostReconfigures is an operator with the real program: host.toml and the admin token are written again, SIGHUP or `reload config` reads
// them, and what is asked then has the new values; who is a proxy in front of --admin is one of them. At last run-for ends the host.
func TestHostReconfigures(t *testing.T) {
	t.Parallel()
	const first, second = "first_0123456789abcdef", "second_0123456789abcdef"
	root := t.TempDir()
	tokenIn(t, root, first)
	saveFile(t, root, "host.toml", "max-players = 5\nlabel = [\"hub\"]\n")
	at := port.Reserve(t, 1)
	host := startProgram(t, root, "serve", "flat?game=GameInfo", "--listen", "127.0.0.1:0", "--web", "off", "--log", "text", "--admin", at, "--admin-token", "token")
	host.await(`ready: `)
	// soon repeats something until it holds: what is shown follows with the ticks.
	soon := func(what string, try func() bool) {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); !try(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("not within two minutes: %s", what)
			}
		}
	}
	shown := func(pattern string) {
		t.Helper()
		soon("hosts shows "+pattern, func() bool {
			host.types("hosts")
			return regexp.MustCompile(pattern).MatchString(host.text())
		})
	}
	// ask sends a command, as a program with a token does; if proxied, as a proxy forwards it.
	ask := func(token string, proxied bool) int {
		t.Helper()
		r, err := http.NewRequest(http.MethodPost, "http://"+at+"/api/v1/say", strings.NewReader(`{"text":"hello"}`)) //nolint:noctx // the client has a timeout
		must(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		if proxied {
			r.Host = "game.example"
			r.Header.Set("X-Forwarded-For", "5.6.7.8")
		}
		a, err := (&http.Client{Timeout: time.Minute}).Do(r)
		must(t, err)
		defer a.Body.Close() //nolint:errcheck // only its status is read
		return a.StatusCode
	}
	shown(` hub +this host +0 +5 `)
	if old, forwarded := ask(first, false), ask(first, true); old != http.StatusOK || forwarded != http.StatusMisdirectedRequest {
		t.Fatalf("before: the token gives %d, want 200; what nobody may forward gives %d, want 421", old, forwarded)
	}
	tokenIn(t, root, second)
	saveFile(t, root, "host.toml", "max-players = 9\nlabel = [\"arena\"]\nwatch-poll = \"1s\"\ncatch-up = 20\nstop-within = \"7s\"\nstore-quota = 9\n"+
		"web-trusted-proxy = [\"127.0.0.0/8\"]\n[mods.hats]\nshare = 0.5\n")
	host.signal(syscall.SIGHUP)
	for _, line := range []string{
		`max-players is now 9`, `label is now \["arena"\]`, `watch-poll is now "1s"`, `catch-up is now 20`, `stop-within is now "7s"`, `store-quota is now 9`,
		`\[mods.hats\] share = 0.5`, `admin token changed`,
	} {
		host.await(line)
	}
	shown(` arena +this host +0 +9 `)
	if code, old := ask(second, false), ask(first, false); code != http.StatusOK || old != http.StatusUnauthorized {
		t.Errorf("the new token gives %d, want 200, the old one %d, want 401", code, old)
	}
	soon("what a proxy forwards is accepted", func() bool { return ask(second, true) == http.StatusOK })
	saveFile(t, root, "host.toml", "max-players = 9\nlabel = [\"arena\"]\nweb-trusted-proxy = [\"127.0.0.0/8\"]\nrun-for = \"100ms\"\n")
	host.types("reload config")
	host.await(`INF stopping why="0.1 s are over"`)
	host.await(`INF stopped`)
	if s := host.text(); strings.Contains(s, " ERR ") || strings.Contains(s, "next start") {
		t.Errorf("unexpected:\n%s", s)
	}
}
