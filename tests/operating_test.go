package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// What docs/operating/ has for service managers and containers is held to their own tools, and to the host.

const (
	unitFile      = "../docs/operating/tidelock.service"
	containerFile = "../docs/operating/Containerfile"
	// unitProgram is where the unit expects the host.
	unitProgram = "/usr/local/bin/host"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestUnit: systemd finds nothing to say about the unit file.
func TestUnit(t *testing.T) {
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		if inCI() && runtime.GOOS == "linux" {
			t.Fatal("systemd-analyze is missing; install the package systemd")
		}
		t.Skip("systemd-analyze is not installed (Debian: systemd)")
	}
	// It wants the program to be there.
	program := filepath.Join(t.TempDir(), "host")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	text := read(t, unitFile)
	if !strings.Contains(text, "ExecStart="+unitProgram+" ") {
		t.Fatalf("the unit does not start %s", unitProgram)
	}
	unit := filepath.Join(t.TempDir(), "tidelock.service")
	if err := os.WriteFile(unit, []byte(strings.ReplaceAll(text, unitProgram, program)), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tool, "verify", "--man=no", unit).CombinedOutput(); err != nil || strings.Contains(string(out), "tidelock") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

// TestShownStarts: the host accepts the arguments with which the unit and the image start it.
func TestShownStarts(t *testing.T) {
	starts := map[string][]string{}
	for line := range strings.Lines(read(t, unitFile)) {
		if start, ok := strings.CutPrefix(line, "ExecStart="+unitProgram+" "); ok {
			starts["unit"] = strings.Fields(strings.ReplaceAll(start, "/etc/tidelock/host.toml", os.DevNull))
		}
	}
	for line := range strings.Lines(read(t, containerFile)) {
		if list, ok := strings.CutPrefix(line, "CMD "); ok {
			var args []string
			if err := json.Unmarshal([]byte(list), &args); err != nil {
				t.Fatal(err)
			}
			starts["image"] = args
		}
	}
	if len(starts) != 2 {
		t.Fatalf("found %v", starts)
	}
	for what, args := range starts { // any order: each on its own
		cmd := exec.Command(builtHost(t), append(args, "--print-config")...)
		cmd.Dir = t.TempDir()
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "log = \"json\"") && !strings.Contains(string(out), "log = json") {
			t.Errorf("%s: host %s: %v\n%s", what, strings.Join(args, " "), err, out)
		}
	}
}

// TestImage: the container file builds an image of the host alone, where buildah works.
func TestImage(t *testing.T) {
	tool, err := exec.LookPath("buildah")
	if err != nil {
		t.Skip("buildah is not installed")
	}
	dir := t.TempDir()
	store := []string{"--storage-driver", "vfs", "--root", filepath.Join(dir, "root"), "--runroot", filepath.Join(dir, "run")}
	if os.Getuid() != 0 { // layers belong to other users then
		t.Cleanup(func() {
			if out, err := exec.Command(tool, "unshare", "rm", "-rf", filepath.Join(dir, "root")).CombinedOutput(); err != nil {
				t.Logf("buildah unshare: %v\n%s", err, out)
			}
		})
	}
	if out, err := exec.Command(tool, append(store, "from", "scratch")...).CombinedOutput(); err != nil {
		t.Skipf("buildah does not work here: %v\n%s", err, out)
	}
	image := t.TempDir()
	for _, dir := range []string{"cache", "data"} {
		if err := os.Mkdir(filepath.Join(image, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", filepath.Join(image, "host"), "./cmd/host")
	build.Dir, build.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(tool, append(store, "build", "--isolation", "chroot", "-f", containerFile, "-t", "tidelock", image)...).CombinedOutput(); err != nil {
		t.Fatalf("buildah build: %v\n%s", err, out)
	}
	out, err := exec.Command(tool, append(store, "inspect", "--type", "image", "--format", "{{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.User}}", "tidelock")...).CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != "[/host] 65532:65532" {
		t.Errorf("buildah inspect: %v\n%s", err, out)
	}
}
