package tests

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/tests/tier"
)

// What the proxy of TestInstall serves.
const (
	installedModule  = "github.com/tidelock/tidelock"
	installedVersion = "v0.0.1"
)

// TestInstall does what people do with a released version, which a proxy in a folder has: go install of the host, which runs in an empty folder
// and builds the browser's client from its own version; and a program of another module that imports this one.
func TestInstall(t *testing.T) {
	tier.Change(t) // compiles the host and the browser's client
	dir := t.TempDir()
	env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOSUMDB=off", "GOTOOLCHAIN=local",
		"GOPROXY=file://"+filepath.Join(dir, "proxy")+",file://"+filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download"),
		"GOMODCACHE="+filepath.Join(dir, "modules"), "GOBIN="+filepath.Join(dir, "bin"), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"))
	goCommand := func(in string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = in, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	publish(t, filepath.Join(dir, "proxy", installedModule, "@v"))
	defer func() { // the module cache is read-only; t.Context has ended when t.TempDir removes it
		cmd := exec.Command("go", "clean", "-modcache")
		cmd.Dir, cmd.Env = empty, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}()
	goCommand(empty, "install", installedModule+"/cmd/host@"+installedVersion)

	wasm, said := installedClient(t, empty, env)
	if !bytes.HasPrefix(wasm, []byte("\x00asm\x01\x00\x00\x00")) {
		t.Errorf("the client begins with % x; the host says %s", wasm[:min(8, len(wasm))], said)
	}
	for _, c := range []struct{ variable, says string }{
		{"PATH=" + empty, "there is no go command in PATH"},
		{"GOPROXY=off", "fetching the client's source, " + installedModule + "@" + installedVersion},
	} {
		without := append(slices.Clone(env), c.variable, "GOMODCACHE="+filepath.Join(dir, "none"))
		if wasm, said := installedClient(t, empty, without); wasm != nil || !strings.Contains(said, c.says) {
			t.Errorf("%s: a client of %d bytes, and the page says %q", c.variable, len(wasm), said)
		}
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) != 1 || left[0].Name() != "store.db" {
		t.Errorf("the host left %v (%v), expected its store alone", left, err)
	}

	other := filepath.Join(dir, "other")
	for name, text := range map[string]string{
		"go.mod": "module example.test/other\n\ngo 1.26.0\n\nrequire " + installedModule + " " + installedVersion + "\n",
		"main.go": `package main

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/scriptvm"
)

func main() { println(engine.NearestName("Pawm", []string{"Pawn"}), scriptvm.Natives() != nil, kcplink.MaxInfo) }
`,
	} {
		write(t, filepath.Join(other, name), []byte(text))
	}
	goCommand(other, "build", "-o", filepath.Join(dir, "bin"), ".")
}

// installedClient runs the installed host until the end of its build of the client, and returns the client that it serves, nil for none, and
// what it tells browsers of it.
func installedClient(t *testing.T, dir string, env []string) (wasm []byte, said string) {
	t.Helper()
	bin := env[slices.IndexFunc(env, func(v string) bool { return strings.HasPrefix(v, "GOBIN=") })][len("GOBIN="):]
	host := exec.CommandContext(t.Context(), filepath.Join(bin, "host"), "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0", "--commands=false")
	host.Dir, host.Env = dir, env
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	host.Stderr = host.Stdout
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	await := func(texts ...string) string {
		t.Helper()
		for lines.Scan() {
			if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(lines.Text(), text) }) {
				return lines.Text()
			}
		}
		t.Fatalf("the host ended without a line with %q", texts)
		return ""
	}
	ready := ""
	for ended := false; ready == "" || !ended; {
		line := await("ready: ", "Browser client ready", "No browser client")
		if strings.HasPrefix(line, "ready: ") {
			ready = line
		} else {
			ended = true
		}
	}
	_, page, _ := strings.Cut(ready, "browsers on ")
	page, _, _ = strings.Cut(page, ",")
	get := func(path string) []byte {
		t.Helper()
		r, err := http.Get(page + path) //nolint:noctx // it is on this machine
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close() //nolint:errcheck // it was read
		b, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", path, r.Status, err)
		}
		return b
	}
	var join struct{ Client struct{ Text, Wasm string } }
	if err := json.Unmarshal(get("/join.json"), &join); err != nil {
		t.Fatal(err)
	}
	if join.Client.Wasm != "" {
		wasm = get(join.Client.Wasm)
	}
	if err := host.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	await(`"event":"stopped"`)
	if err := host.Wait(); err != nil {
		t.Error(err)
	}
	return wasm, join.Client.Text
}

// publish writes the files of a module proxy (go.dev/ref/mod#goproxy-protocol) for what git has of this module.
func publish(t *testing.T, dir string) {
	t.Helper()
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	files := tracked(t, ".")
	nested := map[string]bool{}
	for _, name := range files {
		if path.Base(name) == "go.mod" && name != "go.mod" {
			nested[path.Dir(name)] = true
		}
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, name := range files {
		within := false
		for d := path.Dir(name); d != "."; d = path.Dir(d) {
			within = within || nested[d]
		}
		if within {
			continue // a module of its own
		}
		b, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		w, err := z.Create(installedModule + "@" + installedVersion + "/" + name)
		if err == nil {
			_, err = w.Write(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"list": []byte(installedVersion + "\n"), installedVersion + ".info": []byte(`{"Version":"` + installedVersion + `"}`),
		installedVersion + ".mod": mod, installedVersion + ".zip": packed.Bytes(),
	} {
		write(t, filepath.Join(dir, name), b)
	}
}

func write(t *testing.T, file string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
