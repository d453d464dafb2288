package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/tests/tier"
)

// What cmd/host/deploy/ has for service managers, containers, Prometheus and Kubernetes is held to their own tools, and to the host (C7).

const (
	deployDir = "../cmd/host/deploy/"
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

// toolOf returns the path of a program that checks a file; without it the test is skipped, or fails in CI.
func toolOf(t *testing.T, name, debian string) string {
	t.Helper()
	tool, err := exec.LookPath(name)
	if err != nil {
		if tier.IsChange() && runtime.GOOS == "linux" {
			t.Fatalf("%s is missing; install the package %s", name, debian)
		}
		t.Skipf("%s is not installed (Debian: %s)", name, debian)
	}
	return tool
}

// objects reads a file of YAML as values by their paths of keys and numbers, one map for each object of the file. Aliases and merges are followed.
func objects(t *testing.T, file string) (list []map[string]any) {
	t.Helper()
	for d := yaml.NewDecoder(strings.NewReader(read(t, deployDir+file))); ; {
		var object any
		if err := d.Decode(&object); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		flat := map[string]any{}
		var walk func(path string, v any)
		walk = func(path string, v any) {
			flat[path] = v
			switch v := v.(type) {
			case map[string]any:
				for key, inner := range v { // any order: into a map
					walk(strings.TrimPrefix(path+"/"+key, "/"), inner)
				}
			case []any:
				for n, inner := range v {
					walk(path+"/"+strconv.Itoa(n), inner)
				}
			}
		}
		walk("", object)
		list = append(list, flat)
	}
}

// texts are the values of a list, by its path.
func texts(object map[string]any, path string) (out []string) {
	list, _ := object[path].([]any)
	for _, v := range list {
		out = append(out, fmt.Sprint(v))
	}
	return out
}

// TestUnit: systemd finds nothing to say about the unit file, and its watchdog leaves the host's own the time that it takes.
func TestUnit(t *testing.T) {
	text := read(t, deployDir+"tidelock.service")
	if !strings.Contains(text, "ExecStart="+unitProgram+" ") {
		t.Fatalf("the unit does not start %s", unitProgram)
	}
	for _, want := range []string{"\nType=notify\n", "\nWatchdogSec=60\n", "\nRestart=on-failure\n", "\nRestartPreventExitStatus=2\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the unit has no line %q", strings.TrimSpace(want))
		}
	}
	tool := toolOf(t, "systemd-analyze", "systemd")
	// It wants the program to be there.
	program := filepath.Join(t.TempDir(), "host")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(t.TempDir(), "tidelock.service")
	if err := os.WriteFile(unit, []byte(strings.ReplaceAll(text, unitProgram, program)), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tool, "verify", "--man=no", unit).CombinedOutput(); err != nil || strings.Contains(string(out), "tidelock") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

// TestShownStarts: the host accepts the arguments with which the unit, the image, the compose file and the fleet start it.
func TestShownStarts(t *testing.T) {
	starts := map[string][]string{}
	for line := range strings.Lines(read(t, deployDir+"tidelock.service")) {
		if start, ok := strings.CutPrefix(line, "ExecStart="+unitProgram+" "); ok {
			starts["unit"] = strings.Fields(strings.ReplaceAll(start, "/etc/tidelock/host.toml", os.DevNull))
		}
	}
	for line := range strings.Lines(read(t, deployDir+"Containerfile")) {
		if list, ok := strings.CutPrefix(line, "CMD "); ok {
			var args []string
			if err := json.Unmarshal([]byte(list), &args); err != nil {
				t.Fatal(err)
			}
			starts["image"] = args
		}
	}
	compose := objects(t, "compose.yaml")[0]
	for _, name := range []string{"host-1", "host-2", "host-3"} {
		starts[name] = texts(compose, "services/"+name+"/command")
	}
	starts["fleet"] = texts(objects(t, "fleet.yaml")[0], hostBox+"args")
	if len(starts) != 6 {
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

// TestImage: the container file builds an image of the host alone, which runs, where buildah works. It needs no registry.
func TestImage(t *testing.T) {
	tier.Change(t) // compiles the host in a container
	tool := toolOf(t, "buildah", "buildah")
	dir := t.TempDir()
	store := []string{"--storage-driver", "vfs", "--root", filepath.Join(dir, "root"), "--runroot", filepath.Join(dir, "run")}
	if os.Getuid() != 0 { // layers belong to other users then
		t.Cleanup(func() {
			if out, err := exec.Command(tool, "unshare", "rm", "-rf", filepath.Join(dir, "root")).CombinedOutput(); err != nil {
				t.Logf("buildah unshare: %v\n%s", err, out)
			}
		})
	}
	run := func(args ...string) (string, error) {
		out, err := exec.Command(tool, append(append([]string{args[0]}, store...), args[1:]...)...).CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	if out, err := run("from", "scratch"); err != nil {
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
	if out, err := run("build", "--isolation", "chroot", "-f", deployDir+"Containerfile", "-t", "tidelock", image); err != nil {
		t.Fatalf("buildah build: %v\n%s", err, out)
	}
	if out, err := run("inspect", "--type", "image", "--format", "{{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.User}} {{.OCIv1.Config.StopSignal}}", "tidelock"); err != nil || out != "[/host] 65532:65532 SIGTERM" {
		t.Errorf("buildah inspect: %v\n%s", err, out)
	}
	container, err := run("from", "localhost/tidelock")
	if err != nil {
		t.Fatalf("buildah from: %v\n%s", err, container)
	}
	if out, err := run("run", "--isolation", "chroot", container, "/host", "serve", "--listen", "127.0.0.1:0", "--web", "off", "--run-for", "1s", "--log", "json", "flat"); err != nil || !strings.Contains(out, "\nready: flat") && !strings.HasPrefix(out, "ready: flat") {
		t.Errorf("buildah run: %v\n%s", err, out)
	}
}

// flagOf returns the value of a flag in arguments, "" without it.
func flagOf(args []string, flag string) string {
	for i, a := range args {
		if a == flag && i+1 < len(args) {
			return args[i+1]
		}
		if v, ok := strings.CutPrefix(a, flag+"="); ok {
			return v
		}
	}
	return ""
}

// TestCompose: three hosts that drain before they are replaced, three nodes of NATS that nobody outside reaches, and Prometheus, which finds
// all hosts. That whatever the file names is there, and that its keys are known, is docker-compose's to say (TestComposeTool).
func TestCompose(t *testing.T) {
	c := objects(t, "compose.yaml")[0]
	var hosts, nodes, natsURLs []string
	seen := map[string]string{}
	for name := range c["services"].(map[string]any) { // any order: findings are about one service each, and lists are sorted
		at := func(key string) any { return c["services/"+name+"/"+key] }
		for _, p := range texts(c, "services/"+name+"/ports") {
			outside, inside, _ := strings.Cut(strings.TrimPrefix(p, "127.0.0.1:"), ":")
			_, protocol, _ := strings.Cut(inside, "/")
			if at := outside + "/" + protocol; seen[at] != "" {
				t.Errorf("%s and %s both publish port %s", name, seen[at], at)
			} else {
				seen[at] = name
			}
		}
		for _, v := range texts(c, "services/"+name+"/volumes") {
			if file, ok := strings.CutPrefix(v, "./"); ok {
				read(t, deployDir+file[:strings.Index(file, ":")])
			}
		}
		args := texts(c, "services/"+name+"/command")
		switch {
		case strings.HasPrefix(name, "host-"):
			hosts = append(hosts, name+flagOf(args, "--web"))
			drain, err := time.ParseDuration(flagOf(args, "--drain-time"))
			grace, err2 := time.ParseDuration(fmt.Sprint(at("stop_grace_period")))
			if err != nil || err2 != nil || at("stop_signal") != "SIGUSR1" || grace < drain+time.Minute {
				t.Errorf("%s: stopped by %s it has %s for a drain of %s", name, at("stop_signal"), grace, drain)
			}
			if at("restart") != "on-failure" { // a host that has drained stays away
				t.Errorf("%s: restart is %s", name, at("restart"))
			}
			isSecret(t, c, name, flagOf(args, "--admin-token"))
			natsURLs = append(natsURLs, strings.Split(flagOf(args, "--cluster"), ",")...)
		case strings.HasPrefix(name, "nats-"):
			nodes = append(nodes, name)
			if at("environment/NATS_NAME") != name || at("ports") != nil || !slices.Equal(texts(c, "services/"+name+"/networks"), []string{"inside"}) {
				t.Errorf("%s: %v", name, c["services/"+name])
			}
		}
	}
	slices.Sort(hosts)
	slices.Sort(nodes)
	slices.Sort(natsURLs)
	if want := []string{"host-1:7780", "host-2:7780", "host-3:7780"}; !slices.Equal(hosts, want) {
		t.Errorf("hosts are %v", hosts)
	}
	if want := []string{"nats://nats-1:4222", "nats://nats-2:4222", "nats://nats-3:4222"}; !slices.Equal(slices.Compact(natsURLs), want) || len(nodes) != 3 {
		t.Errorf("the hosts connect to %v, and the nodes are %v", natsURLs, nodes)
	}
	if c["networks/inside/internal"] != true {
		t.Errorf("the network of NATS is %v", c["networks/inside"])
	}

	p := objects(t, "prometheus.yml")[0]
	if targets := texts(p, "scrape_configs/0/static_configs/0/targets"); !slices.Equal(targets, hosts) {
		t.Errorf("Prometheus asks %v", targets)
	}
	isSecret(t, c, "prometheus", fmt.Sprint(p["scrape_configs/0/authorization/credentials_file"]))

	nats := read(t, deployDir+"nats.conf")
	for _, n := range nodes {
		if !strings.Contains(nats, `"nats://`+n+`:6222"`) {
			t.Errorf("nats.conf has no route to %s", n)
		}
	}
	for _, want := range []string{"sync_interval: always", "server_name: $NATS_NAME", `store_dir: "/data"`} {
		if !strings.Contains(nats, want) {
			t.Errorf("nats.conf has no %q", want)
		}
	}
}

// isSecret fails where the token's file is no secret of a service.
func isSecret(t *testing.T, compose map[string]any, service, file string) {
	t.Helper()
	if name, ok := strings.CutPrefix(file, "/run/secrets/"); !ok || !slices.Contains(texts(compose, "services/"+service+"/secrets"), name) {
		t.Errorf("%s: its token %s is no secret of it", service, file)
	}
}

// TestComposeTool: docker-compose accepts the file.
func TestComposeTool(t *testing.T) {
	tool := toolOf(t, "docker-compose", "docker-compose")
	if out, err := exec.Command(tool, "-f", deployDir+"compose.yaml", "config", "-q").CombinedOutput(); err != nil || len(bytes.TrimSpace(out)) > 0 {
		t.Errorf("docker-compose config: %v\n%s", err, out)
	}
}

// TestNATSConfig: a NATS server accepts its file, where there is one.
func TestNATSConfig(t *testing.T) {
	tool, err := exec.LookPath("nats-server")
	if err != nil {
		t.Skip("nats-server is not on the path; TestCompose reads its file")
	}
	cmd := exec.Command(tool, "-t", "-c", deployDir+"nats.conf")
	cmd.Env = append(os.Environ(), "NATS_NAME=nats-1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("nats-server -t: %v\n%s", err, out)
	}
}

// TestPrometheus: promtool accepts the configuration and the rules, and every figure of the rules is one that a host shows.
func TestPrometheus(t *testing.T) {
	board := metrics.NewBoard(time.Now)
	board.Publish(time.Now(), func(f *metrics.Figures) { f.Cluster.In = true })
	shown := httptest.NewRecorder()
	metrics.Handler(board, "test").ServeHTTP(shown, httptest.NewRequest("GET", "/metrics", nil))
	rules := read(t, deployDir+"rules.yml")
	for _, name := range regexp.MustCompile(`tidelock_[a-z_]+`).FindAllString(rules, -1) {
		if !strings.Contains(shown.Body.String(), "\n# TYPE "+name+" ") {
			t.Errorf("rules.yml: no host shows %s", name)
		}
	}
	tool := toolOf(t, "promtool", "prometheus")
	// The token's file is on the operator's machine only.
	if out, err := exec.Command(tool, "check", "config", "--syntax-only", deployDir+"prometheus.yml").CombinedOutput(); err != nil {
		t.Errorf("promtool check config: %v\n%s", err, out)
	}
	if out, err := exec.Command(tool, "check", "rules", deployDir+"rules.yml").CombinedOutput(); err != nil {
		t.Errorf("promtool check rules: %v\n%s", err, out)
	}
}

// fleetKeys are those of Agones and Kubernetes that the file uses (https://agones.dev/site/docs/reference/fleet/): any other is a slip.
var fleetKeys = strings.Fields(`apiVersion kind metadata name labels app spec replicas scheduling strategy type rollingUpdate maxSurge
	maxUnavailable template container ports portPolicy containerPort protocol health initialDelaySeconds periodSeconds failureThreshold
	eviction safe sdkServer logLevel terminationGracePeriodSeconds securityContext runAsNonRoot fsGroup containers image args resources
	requests limits cpu memory allowPrivilegeEscalation readOnlyRootFilesystem capabilities drop volumeMounts mountPath readOnly volumes
	emptyDir secret secretName defaultMode fleetName policy buffer bufferSize minReplicas maxReplicas`)

const (
	gameServer = "spec/template/spec/"
	hostPod    = gameServer + "template/spec/"
	hostBox    = hostPod + "containers/0/"
)

// TestFleet: the fleet and its autoscaler have what Agones requires, belong together, and leave a host the time that it needs.
func TestFleet(t *testing.T) {
	list := objects(t, "fleet.yaml")
	fleet, scaler := list[0], list[1]
	for _, object := range list {
		for path := range object { // any order: findings are about one key each
			if key := path[strings.LastIndex(path, "/")+1:]; len(key) > 1 && !slices.Contains(fleetKeys, key) {
				t.Errorf("fleet.yaml: %s is no key that is known", path)
			}
		}
	}
	args := texts(fleet, hostBox+"args")
	for _, c := range []struct {
		of   map[string]any
		key  string
		want any
	}{
		{fleet, "apiVersion", "agones.dev/v1"},
		{fleet, "kind", "Fleet"},
		{fleet, "spec/scheduling", "Packed"},
		{fleet, "spec/strategy/type", "RollingUpdate"},
		{fleet, gameServer + "container", fleet[hostBox+"name"]},
		{fleet, gameServer + "ports/0/container", fleet[hostBox+"name"]},
		{fleet, gameServer + "ports/0/protocol", "UDP"},
		{fleet, gameServer + "ports/0/portPolicy", "Dynamic"},
		{fleet, gameServer + "ports/0/containerPort", 7777},
		{fleet, gameServer + "eviction/safe", "Never"},
		{fleet, hostPod + "securityContext/runAsNonRoot", true},
		{scaler, "apiVersion", "autoscaling.agones.dev/v1"},
		{scaler, "kind", "FleetAutoscaler"},
		{scaler, "spec/fleetName", fleet["metadata/name"]},
		{scaler, "spec/policy/type", "Buffer"},
	} {
		if got := c.of[c.key]; got == nil || got != c.want {
			t.Errorf("fleet.yaml: %s is %v, expected %v", c.key, got, c.want)
		}
	}
	if flagOf(args, "--listen") != ":7777" {
		t.Errorf("the host listens on %s, not on its container's port", flagOf(args, "--listen"))
	}
	buffer := func(key string) any { return scaler["spec/policy/buffer/"+key] }
	for _, c := range []struct {
		name string
		is   any
		// least is what Agones requires, or the host needs: it sends a sign of life every 2 seconds.
		least any
	}{
		{"replicas", fleet["spec/replicas"], 1},
		{"bufferSize", buffer("bufferSize"), 1},
		{"minReplicas", buffer("minReplicas"), buffer("bufferSize")},
		{"maxReplicas", buffer("maxReplicas"), buffer("minReplicas")},
		{"periodSeconds", fleet[gameServer+"health/periodSeconds"], 4},
		{"failureThreshold", fleet[gameServer+"health/failureThreshold"], 2},
		{"initialDelaySeconds", fleet[gameServer+"health/initialDelaySeconds"], 10},
		{"terminationGracePeriodSeconds", fleet[hostPod+"terminationGracePeriodSeconds"], 15},
	} {
		if n, ok := c.is.(int); !ok || n < c.least.(int) {
			t.Errorf("fleet.yaml: %s is %v, expected at least %v", c.name, c.is, c.least)
		}
	}
	volumes := map[any]bool{}
	for i := 0; fleet[fmt.Sprintf("%svolumes/%d", hostPod, i)] != nil; i++ {
		volumes[fleet[fmt.Sprintf("%svolumes/%d/name", hostPod, i)]] = true
	}
	secret := false
	for i := 0; fleet[fmt.Sprintf("%svolumeMounts/%d", hostBox, i)] != nil; i++ {
		m := func(key string) any { return fleet[fmt.Sprintf("%svolumeMounts/%d/%s", hostBox, i, key)] }
		if !volumes[m("name")] {
			t.Errorf("there is no volume %v", m("name"))
		}
		secret = secret || m("readOnly") == true && strings.HasPrefix(flagOf(args, "--cluster-credentials"), m("mountPath").(string)+"/")
	}
	if !secret {
		t.Errorf("the credentials %q are on no volume that can only be read", flagOf(args, "--cluster-credentials"))
	}
}
