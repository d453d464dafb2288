package cluster

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// ServerVersion is the version of nats-server that is built if there is none.
const ServerVersion = "v2.15.2"

// oldestMinor is the oldest version 2.x of nats-server that stores several records at once, which hosts need.
const oldestMinor = 12

// serverModule is a module with one tool, nats-server. Its files have other names here: go:embed leaves out modules of their own.
//
//go:embed natsserver/server.mod natsserver/server.sum
var serverModule embed.FS

// FindServer returns the path of a nats-server: that on the PATH if it is new enough, else one that this function has built in the
// user's cache folder, else it builds that now, which takes a minute or two. say is told in one line what takes long, or why a
// program is not used.
func FindServer(ctx context.Context, say func(line string)) (string, error) {
	if p, err := exec.LookPath("nats-server"); err == nil {
		v, err := versionOf(ctx, p)
		if err == nil && v >= oldestMinor {
			return p, nil
		}
		say(fmt.Sprintf("%s is not used: version 2.%d or newer is needed; %s is built instead", p, oldestMinor, ServerVersion))
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder for nats-server: %w; install nats-server so that it is on the PATH", err)
	}
	dir := filepath.Join(cache, "tidelock", "nats-server-"+ServerVersion)
	program := filepath.Join(dir, "nats-server")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if _, err := versionOf(ctx, program); err == nil {
		return program, nil
	}
	if err := buildServer(ctx, dir, program, say); err != nil {
		return "", err
	}
	return program, nil
}

var versionText = regexp.MustCompile(`v?2\.(\d+)\.\d+`)

// versionOf returns the minor version of a nats-server 2.x.
func versionOf(ctx context.Context, program string) (int, error) {
	out, err := exec.CommandContext(ctx, program, "--version").Output() //nolint:gosec // a path that we looked up
	if err != nil {
		return 0, err
	}
	m := versionText.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("%s has no version 2.x", program)
	}
	return strconv.Atoi(string(m[1]))
}

// buildServer builds nats-server in a folder, unless another process does meanwhile.
func buildServer(ctx context.Context, dir, program string, say func(string)) error {
	goTool, err := exec.LookPath("go")
	if err != nil {
		return errors.New("nats-server is not on the PATH, and without Go it cannot be built; install one of the two")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // a program for the user
		return fmt.Errorf("there is no folder for nats-server: %w", err)
	}
	unlock, err := lock(filepath.Join(dir, "lock"))
	if err != nil {
		return fmt.Errorf("the folder of nats-server cannot be locked: %w", err)
	}
	defer unlock()
	if _, err := versionOf(ctx, program); err == nil {
		return nil
	}
	work, err := os.MkdirTemp(dir, "build")
	if err != nil {
		return fmt.Errorf("there is no folder for nats-server: %w", err)
	}
	defer os.RemoveAll(work)                                                                  //nolint:errcheck // in the cache
	for from, to := range map[string]string{"server.mod": "go.mod", "server.sum": "go.sum"} { // any order: two files
		b, err := serverModule.ReadFile("natsserver/" + from)
		if err == nil {
			err = os.WriteFile(filepath.Join(work, to), b, 0o644) //nolint:gosec // no secret
		}
		if err != nil {
			return err
		}
	}
	say("Building nats-server " + ServerVersion + " in " + dir + ", once: this takes a minute or two")
	c := exec.CommandContext(ctx, goTool, "build", "-C", work, "-o", filepath.Join(work, filepath.Base(program)), "github.com/nats-io/nats-server/v2") //nolint:gosec // fixed words
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		return fmt.Errorf("nats-server %s cannot be built: %w: %s", ServerVersion, err, lines[len(lines)-1])
	}
	return os.Rename(filepath.Join(work, filepath.Base(program)), program)
}
