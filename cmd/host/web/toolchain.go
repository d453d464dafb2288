package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// toolchain is a go command and where its files are.
type toolchain struct {
	command, root string
}

// exec returns the path of the glue between a browser and the program, which must have the compiler's version.
func (t *toolchain) exec() string { return filepath.Join(t.root, "lib", "wasm", execName) }

// goVersion returns the version of Go that built this program.
func goVersion() string { return runtime.Version() }

// goCandidates lists go commands that may have the right version, the likelier first.
func goCandidates() []string {
	var c []string
	if root := build.Default.GOROOT; filepath.IsAbs(root) { // unknown to a program built with -trimpath
		name := "go"
		if runtime.GOOS == "windows" {
			name = "go.exe"
		}
		c = append(c, filepath.Join(root, "bin", name))
	}
	if p, err := exec.LookPath("go"); err == nil {
		c = append(c, p)
	}
	return c
}

// findGo finds a go command of the required version. The Go version that built the host must build the client:
// the cached build is found by that version, and both must agree on the protocol.
func findGo(ctx context.Context, module, version string, candidates []string) (*toolchain, error) {
	var found []string
	var failed error
	for _, command := range candidates {
		if _, err := os.Stat(command); err != nil {
			continue
		}
		out, err := run(ctx, module, command, "env", "GOVERSION", "GOROOT")
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			failed = err
			continue
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if len(lines) != 2 {
			continue
		}
		got := strings.TrimSpace(lines[0])
		if got == version {
			return &toolchain{command, strings.TrimSpace(lines[1])}, nil
		}
		found = append(found, got)
	}
	const released = "or use a released host, which has the client compiled in"
	switch {
	case len(found) > 0:
		return nil, fmt.Errorf("the client must be built with %s like this host, and the Go found here is %s; build the host with it (go build ./cmd/host), %s",
			version, strings.Join(found, " and "), released)
	case failed != nil:
		return nil, fmt.Errorf("the Go toolchain does not work: %w; install %s from https://go.dev/dl, %s", failed, version, released)
	}
	return nil, fmt.Errorf("there is no Go toolchain here to build the client with; install %s from https://go.dev/dl, %s", version, released)
}

// ClientSource says where the client for browsers comes from: compiled in, or built in the checkout module ("" for none) by a Go
// toolchain, whose version it reads. The error says why there is no client.
func ClientSource(ctx context.Context, module string) (string, error) {
	files, err := embedded()
	switch {
	case err != nil:
		return "", err
	case files != nil:
		return "compiled in", nil
	case module == "":
		return "", errors.New("no client is compiled in, and this is no checkout to build it from; use a released host, or give --web off")
	}
	t, err := findGo(ctx, module, goVersion(), goCandidates())
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("built by %s, %s", t.command, goVersion()), nil
}

// buildArguments returns the arguments of the go command that builds the client into a file.
func buildArguments(out string) []string {
	// Without buildvcs: otherwise a repository of another user would be an error, and commits would change the
	// client.
	return []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, "./" + browserPackage}
}

func (t *toolchain) build(ctx context.Context, module, out string) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return fmt.Errorf("building the client: %w", err)
	}
	_, err = run(ctx, module, t.command, buildArguments(out)...)
	if err != nil {
		return fmt.Errorf("building the client failed: %w; correct that and restart the host", err)
	}
	return nil
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

// run runs a go command for the browser in the folder of the module, with low priority, and kills it and its
// children when ctx ends. It returns the command's standard output.
func run(ctx context.Context, module, command string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0")
	cmd.WaitDelay = reapTime
	var out, complaint firstBytes
	cmd.Stdout, cmd.Stderr = &out, &complaint
	apart(cmd)
	err := cmd.Start()
	if err == nil {
		yield(cmd)
		err = cmd.Wait()
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", &buildError{err: err, output: complaint.String(), line: firstLine(complaint.String())}
	}
	return out.String(), nil
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
