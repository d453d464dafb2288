package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestHostObeys is an hour of a designer with the real program: a sound is saved, broken and mended while a player is in; a
// level is saved; `reload level` begins it again, and the player stays. Standard input's end is not the host's.
func TestHostObeys(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	must(t, err)
	root := t.TempDir()
	saveFile(t, root, "content/sounds/bell.toml", "caption = \"a bell\"\n")
	level, err := os.ReadFile(filepath.Join("..", "..", "content", "levels", "flat.map"))
	must(t, err)
	saveFile(t, root, "content/levels/flat.map", string(level))
	var mu sync.Mutex
	said := map[string]string{}
	start := func(args ...string) (*exec.Cmd, io.WriteCloser) {
		t.Helper()
		cmd := exec.Command(exe, args...)
		cmd.Args[0] = "host"
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir(), "TIDELOCK_GUEST=false")
		in, err := cmd.StdinPipe()
		must(t, err)
		note := writer(func(p []byte) {
			mu.Lock()
			defer mu.Unlock()
			said[args[0]] += string(p)
		})
		cmd.Stdout, cmd.Stderr = note, note
		must(t, cmd.Start())
		t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() }) // it may have ended
		return cmd, in
	}
	text := func(of string) string {
		mu.Lock()
		defer mu.Unlock()
		return said[of]
	}
	wait := func(of, pattern string) []string {
		t.Helper()
		re := regexp.MustCompile(pattern)
		for end := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
			if m := re.FindStringSubmatch(text(of)); m != nil {
				return m
			}
			if time.Now().After(end) {
				t.Fatalf("%s did not say %s\n%s\n%s", of, pattern, text("serve"), text("join"))
			}
		}
	}
	host, in := start("serve", "flat?game=GameInfo", "--listen", "127.0.0.1:0", "--log", "text")
	addr := wait("serve", `players on UDP ([^,]+), watching content`)[1]
	start("join", addr, "--name", "Ann", "--run-for", "10m")
	wait("serve", `\("Ann", .*\) joined`)

	saveFile(t, root, "content/sounds/bell.toml", "caption = \"a bell\"\nvolume = 99\n")
	wait("serve", `ERR content/sounds/bell.toml:2: volume: .*\n.* ERR not reloaded`)
	saveFile(t, root, "content/sounds/bell.toml", "caption = \"a gong\"\n")
	wait("serve", `INF reloaded files=content/sounds/bell.toml changes="sounds/bell.toml changed"`)
	saveFile(t, root, "content/levels/flat.map", strings.Replace(string(level), "(", "x(", 1))
	wait("serve", `ERR content/levels/flat.map:\d+: `)
	saveFile(t, root, "content/levels/flat.map", string(level))
	wait("serve", "level flat changed: used from the next match; `reload level` loads it now")
	if _, err := io.WriteString(in, "reload levl\nreload level\n"); err != nil {
		t.Fatal(err)
	}
	wait("serve", `did you mean .*reload level`)
	wait("serve", `(?s)INF travelled level=flat.*\("Ann", .*\) joined`)
	must(t, in.Close())
	saveFile(t, root, "content/sounds/bell.toml", "caption = \"a bell\"\n")
	wait("serve", `(?s)changed".*changed"`)
	if strings.Contains(text("serve"), "left") || strings.Contains(text("serve"), "stopping") {
		t.Errorf("the player or the host did not stay:\n%s", text("serve"))
	}
	if err := host.Process.Signal(os.Interrupt); err == nil {
		wait("serve", "stopped")
	}
}

// writer is a function that takes what is written.
type writer func(p []byte)

func (w writer) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}
