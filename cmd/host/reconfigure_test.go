//go:build unix

package main

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestHostReconfigures is an operator with the real program: host.toml is written again, `reload config` reads it, and what is asked then has
// the new values; at last run-for ends the host.
func TestHostReconfigures(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	saveFile(t, root, "host.toml", "max-players = 5\nlabel = [\"hub\"]\n")
	host := startProgram(t, root, "serve", "flat?game=GameInfo", "--listen", "127.0.0.1:0", "--web", "off", "--log", "text")
	host.await(`ready: `)
	// The list of hosts is told with the ticks; ask until it is.
	shown := func(pattern string) {
		t.Helper()
		re := regexp.MustCompile(pattern)
		for end := time.Now().Add(2 * time.Minute); !re.MatchString(host.text()); time.Sleep(100 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("hosts did not show %s\n%s", pattern, host.text())
			}
			host.types("hosts")
		}
	}
	shown(` hub +this host +0 +5 `)
	saveFile(t, root, "host.toml", "max-players = 9\nlabel = [\"arena\"]\nwatch-poll = \"1s\"\ncatch-up = 20\nstop-within = \"7s\"\nstore-quota = 9\n[mods.hats]\nshare = 0.5\n")
	host.types("reload config")
	for _, line := range []string{`max-players is now 9`, `label is now \["arena"\]`, `watch-poll is now "1s"`, `catch-up is now 20`, `stop-within is now "7s"`, `store-quota is now 9`, `\[mods.hats\] share = 0.5\n`} {
		host.await(line)
	}
	shown(` arena +this host +0 +9 `)
	saveFile(t, root, "host.toml", "max-players = 9\nlabel = [\"arena\"]\nrun-for = \"100ms\"\n")
	host.types("reload config")
	host.await(`INF stopping why="0.1 s are over"`)
	host.await(`INF stopped`)
	if s := host.text(); strings.Contains(s, " ERR ") || strings.Contains(s, "next start") {
		t.Errorf("unexpected:\n%s", s)
	}
}
