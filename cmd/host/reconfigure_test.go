package main

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestHostReconfigures is an operator with the real program: host.toml is written again, `reload config` reads it, and what is asked then has
// the new values; at last run-for ends the host.
func TestHostReconfigures(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	must(t, err)
	root := t.TempDir()
	saveFile(t, root, "host.toml", "max-players = 5\nlabel = [\"hub\"]\n")
	var mu sync.Mutex
	said := ""
	note := writer(func(p []byte) {
		mu.Lock()
		defer mu.Unlock()
		said += string(p)
	})
	text := func() string {
		mu.Lock()
		defer mu.Unlock()
		return said
	}
	cmd := exec.Command(exe, "serve", "flat?game=GameInfo", "--listen", "127.0.0.1:0", "--web", "off", "--log", "text")
	cmd.Args[0] = "host"
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir())
	cmd.Stdout, cmd.Stderr = note, note
	in, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() }) // it may have ended
	// wait waits until the host has said something since the last one.
	wait := func(pattern string) {
		t.Helper()
		re := regexp.MustCompile(pattern)
		for end := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
			if re.MatchString(text()) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("the host did not say %s\n%s", pattern, text())
			}
		}
	}
	tell := func(line string) {
		t.Helper()
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	wait(`ready: `)
	// The list of hosts is told with the ticks; ask until it is.
	shown := func(pattern string) {
		t.Helper()
		re := regexp.MustCompile(pattern)
		for end := time.Now().Add(2 * time.Minute); !re.MatchString(text()); time.Sleep(100 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("hosts did not show %s\n%s", pattern, text())
			}
			tell("hosts")
		}
	}
	shown(` hub +this host +0 +5 `)
	saveFile(t, root, "host.toml", "max-players = 9\nlabel = [\"arena\"]\nwatch-poll = \"1s\"\ncatch-up = 20\nstop-within = \"7s\"\nstore-quota = 9\n[mods.hats]\nshare = 0.5\n")
	tell("reload config")
	for _, line := range []string{`max-players is now 9`, `label is now \["arena"\]`, `watch-poll is now "1s"`, `catch-up is now 20`, `stop-within is now "7s"`, `store-quota is now 9`, `\[mods.hats\] share = 0.5\n`} {
		wait(line)
	}
	shown(` arena +this host +0 +9 `)
	saveFile(t, root, "host.toml", "max-players = 9\nlabel = [\"arena\"]\nrun-for = \"100ms\"\n")
	tell("reload config")
	wait(`INF stopping why="0.1 s are over"`)
	wait(`INF stopped`)
	if s := text(); strings.Contains(s, " ERR ") || strings.Contains(s, "next start") {
		t.Errorf("unexpected:\n%s", s)
	}
}
