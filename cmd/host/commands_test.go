//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestHostObeys is an hour of a designer with the real program: a sound is saved, broken and mended while a player is in; a
// level is saved; `reload level` begins it again, and the player stays. Standard input's end is not the host's.
func TestHostObeys(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	saveFile(t, root, "content/sounds/bell.toml", "caption = \"a bell\"\n")
	level, err := os.ReadFile(filepath.Join("..", "..", "content", "levels", "flat.map"))
	must(t, err)
	saveFile(t, root, "content/levels/flat.map", string(level))
	host := startProgram(t, root, "serve", "flat?game=GameInfo", "--listen", "127.0.0.1:0", "--log", "text")
	addr := host.await(`players on UDP ([^,]+), watching content`)[1]
	startProgram(t, root, "join", addr, "--name", "Ann", "--run-for", "10m")
	host.await(`\("Ann", .*\) joined`)

	saveFile(t, root, "content/sounds/bell.toml", "caption = \"a bell\"\nvolume = 99\n")
	host.await(`ERR content/sounds/bell.toml:2: volume: .*\n.* ERR not reloaded`)
	saveFile(t, root, "content/sounds/bell.toml", "caption = \"a gong\"\n")
	host.await(`INF reloaded files=content/sounds/bell.toml changes="sounds/bell.toml changed"`)
	saveFile(t, root, "content/levels/flat.map", strings.Replace(string(level), "(", "x(", 1))
	host.await(`ERR content/levels/flat.map:\d+: `)
	saveFile(t, root, "content/levels/flat.map", string(level))
	host.await("level flat changed: used from the next match; `reload level` loads it now")
	host.types("reload levl\nreload level")
	host.await(`did you mean .*reload level`)
	host.await(`(?s)INF travelled level=flat.*\("Ann", .*\) joined`)
	must(t, host.in.(io.Closer).Close())
	saveFile(t, root, "content/sounds/bell.toml", "caption = \"a bell\"\n")
	host.await(`(?s)changed".*changed"`)
	if strings.Contains(host.text(), "left") || strings.Contains(host.text(), "stopping") {
		t.Error("the player or the host did not stay")
	}
	host.signal(syscall.SIGINT)
	host.await("stopped")
}
