package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// browserPackage is the package of the client, below the module's folder.
const browserPackage = "cmd/host/browser"

// Source is where the source of the browser's client is. The zero value is nowhere.
type Source struct {
	// Checkout is the folder with the go.mod of a checkout, "" for none.
	Checkout string
	// Module is a released module as PATH@VERSION, which the go command has in its module cache or fetches; "" for none.
	Module string
}

// released ends errors of machines on which the client cannot be built.
const released = "or use a released host, which has the client compiled in"

// toolchain runs the go command that the client is built with. Any version that accepts the module's go.mod will do: both ends speak the
// protocol of the same source.
type toolchain struct {
	command string // path, once it was found

	mu       sync.Mutex
	yielding bool
	running  *exec.Cmd // nil between commands
}

// find finds the go command. `go run` puts its own first in PATH.
func (t *toolchain) find() (err error) {
	if t.command, err = exec.LookPath("go"); err != nil {
		return fmt.Errorf("there is no go command in PATH to build the browser's client with; install Go from https://go.dev/dl, %s", released)
	}
	return nil
}

// ClientSource says where the client for browsers comes from: compiled in, or built by a Go toolchain, whose version it reads. The error
// says why there is no client.
func ClientSource(ctx context.Context, from Source) (string, error) {
	files, err := embedded()
	switch {
	case err != nil:
		return "", err
	case files != nil:
		return "compiled in", nil
	case from == Source{}:
		return "", errors.New("no client is compiled in, and this is no checkout to build it from; use a released host, or give --web off")
	}
	t := &toolchain{}
	if err := t.find(); err != nil {
		return "", err
	}
	version, err := t.run(ctx, from.Checkout, nil, "env", "GOVERSION")
	if err != nil {
		return "", fmt.Errorf("the go command %s does not work: %w; install Go from https://go.dev/dl, %s", t.command, err, released)
	}
	return fmt.Sprintf("built by %s, %s", t.command, strings.TrimSpace(version)), nil
}

// folder returns the folder of the module that contains the client. It fetches a released module that the module cache lacks; temp is a
// folder outside all modules.
func (t *toolchain) folder(ctx context.Context, from Source, temp string) (string, error) {
	if from.Module == "" {
		return from.Checkout, nil
	}
	out, err := t.run(ctx, temp, nil, "mod", "download", "-json", from.Module)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	var module struct{ Dir, Error string }
	if json.Unmarshal([]byte(out), &module) == nil && module.Error != "" {
		err = errors.New(module.Error) // the command fails, too, and says nothing else
	}
	if err != nil {
		return "", fmt.Errorf("fetching the client's source, %s: %w; check the network and restart the host, %s", from.Module, err, released)
	}
	return module.Dir, nil
}

// buildFlags are those of the build and of the list of what it compiles. -buildvcs=false, because a repository of another user would be an
// error, and commits would change the client.
var buildFlags = []string{"-trimpath", "-buildvcs=false", "-ldflags=-s -w"}

// stale lists the packages that a build of the client has to compile. The client's own is always one, because it is not installed.
func (t *toolchain) stale(ctx context.Context, module string) (map[string]bool, error) {
	args := append([]string{"list", "-deps", "-f", "{{if .Stale}}{{.ImportPath}}{{end}}"}, buildFlags...)
	out, err := t.run(ctx, module, nil, append(args, "./"+browserPackage)...)
	if err != nil {
		return nil, err
	}
	list := map[string]bool{}
	for _, name := range strings.Fields(out) {
		list[name] = true
	}
	return list, nil
}

// build builds the client into a file, and returns the path of wasm_exec.js, the glue between a browser and the program, which must be of
// the compiler's version. begun is told, at each change, how many of the packages that are compiled before the client's own have begun;
// one more means that its own has.
func (t *toolchain) build(ctx context.Context, module, out string, begun func(n, of int)) (glue string, err error) {
	defer func() {
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("building the browser's client failed: %w; correct that and restart the host, %s", err, released)
		}
	}()
	root, err := t.run(ctx, module, nil, "env", "GOROOT")
	if err != nil {
		return "", err
	}
	stale, err := t.stale(ctx, module)
	if err != nil {
		return "", err
	}
	count := &counter{stale: stale, of: len(stale) - 1, begun: begun}
	begun(0, count.of)
	args := append([]string{"build", "-v", "-o", out}, buildFlags...)
	if _, err := t.run(ctx, module, count, append(args, "./"+browserPackage)...); err != nil {
		return "", err
	}
	return filepath.Join(strings.TrimSpace(root), "lib", "wasm", execName), nil
}

// counter counts the packages that go build -v names when it begins to compile them, and passes other lines on.
type counter struct {
	stale map[string]bool // not begun
	of    int
	begun func(n, of int)
	next  io.Writer
	line  []byte // not ended yet
}

func (c *counter) Write(b []byte) (int, error) {
	c.line = append(c.line, b...)
	for {
		line, rest, ended := bytes.Cut(c.line, []byte("\n"))
		if !ended {
			return len(b), nil
		}
		if name := string(line); c.stale[name] {
			delete(c.stale, name)
			c.begun(c.of+1-len(c.stale), c.of)
		} else if _, err := c.next.Write(c.line[:len(line)+1]); err != nil {
			return 0, err
		}
		c.line = rest
	}
}

// yield makes the running command and later ones give way to a match on the same machine.
func (t *toolchain) yield() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.yielding = true; t.running != nil {
		yield(t.running)
	}
}

// buildError is a command that failed.
type buildError struct {
	err error
	// output is the beginning of its output, and line the first line that describes the error.
	output, line string
}

func (e *buildError) Error() string {
	if e.line == "" {
		return e.err.Error()
	}
	return e.line
}

func (e *buildError) Unwrap() error { return e.err }

// maxOutput bounds the kept output of a command, in bytes.
const maxOutput = 64 << 10

// firstBytes keeps the beginning of what is written to it.
type firstBytes struct{ bytes.Buffer }

func (f *firstBytes) Write(b []byte) (int, error) {
	if room := maxOutput - f.Len(); room > 0 {
		_, _ = f.Buffer.Write(b[:min(room, len(b))]) // a bytes.Buffer has no errors
	}
	return len(b), nil
}

// reapTime is how long to wait for the output of a killed command.
const reapTime = 5 * time.Second

// run runs the go command for the browser in a folder, and kills it and its children when ctx ends. It returns the command's standard
// output, of a command that failed, too. count, if not nil, filters what is not an error in its standard error.
func (t *toolchain) run(ctx context.Context, dir string, count *counter, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, t.command, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0")
	cmd.WaitDelay = reapTime
	var complaint firstBytes
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if count != nil {
		count.next = &complaint
		cmd.Stderr = count
	}
	apart(cmd)
	t.mu.Lock()
	err := cmd.Start()
	if err == nil {
		if t.running = cmd; t.yielding {
			yield(cmd)
		}
		t.mu.Unlock()
		err = cmd.Wait()
		t.mu.Lock()
		t.running = nil
	}
	t.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		err = &buildError{err: err, output: complaint.String(), line: firstLine(complaint.String())}
	}
	return out.String(), err
}

// firstLine returns the first line of a go command's output that is not the name of a package or of a download.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "go: downloading ") {
			return line
		}
	}
	return ""
}
