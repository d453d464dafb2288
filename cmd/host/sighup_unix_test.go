//go:build unix

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidelock/tidelock/tests/port"
)

// TestSettingsOfTheAdminListener: at SIGHUP the real program reads the admin token again, and who is a proxy in front of --admin.
func TestSettingsOfTheAdminListener(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	const first, second = "first_0123456789abcdef", "second_0123456789abcdef"
	write("token", first)
	write("host.toml", "")
	at := port.Reserve(t, 1)
	p := startProgram(t, dir, "serve", "flat?game=GameInfo", "--listen", "127.0.0.1:0", "--web", "off", "--admin", at, "--admin-token", "token")
	p.await(`(?m)^ready: `)
	// ask sends a command, as a program with a token does; host is the name by which it knows the host, from, if not empty, whose words a proxy forwards.
	ask := func(token, host, from string) int {
		t.Helper()
		r, err := http.NewRequest(http.MethodPost, "http://"+at+"/api/v1/say", strings.NewReader(`{"text":"hello"}`)) //nolint:noctx // the client has a timeout
		must(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		if host != "" {
			r.Host = host
		}
		if from != "" {
			r.Header.Set("X-Forwarded-For", from)
		}
		a, err := (&http.Client{Timeout: time.Minute}).Do(r)
		must(t, err)
		defer a.Body.Close() //nolint:errcheck // only its status is read
		return a.StatusCode
	}
	if old, forwarded := ask(first, "", ""), ask(first, "game.example", "5.6.7.8"); old != http.StatusOK || forwarded != http.StatusMisdirectedRequest {
		t.Fatalf("before: the token gives %d, want 200; what nobody may forward gives %d, want 421", old, forwarded)
	}
	write("token", second)
	write("host.toml", "web-trusted-proxy = [\"127.0.0.0/8\"]\n")
	p.signal(syscall.SIGHUP)
	p.await(`admin token changed`)
	p.await(`web-trusted-proxy`)
	if code := ask(second, "", ""); code != http.StatusOK {
		t.Errorf("the new token gives %d, want 200", code)
	}
	if code := ask(first, "", ""); code != http.StatusUnauthorized {
		t.Errorf("the old token gives %d, want 401", code)
	}
	code := 0
	for end := time.Now().Add(time.Minute); code != http.StatusOK && time.Now().Before(end); time.Sleep(20 * time.Millisecond) { // the line is told before it is so
		code = ask(second, "game.example", "5.6.7.8")
	}
	if code != http.StatusOK {
		t.Errorf("what a proxy forwards gives %d, want 200", code)
	}
	p.signal(syscall.SIGTERM)
	if code := p.code(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
