package tests

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
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

// decode reads a file of YAML into structures that name every key that it may have.
func decode(t *testing.T, file string, into ...any) {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(read(t, deployDir+file)))
	d.KnownFields(true)
	for _, x := range into {
		if err := d.Decode(x); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	if err := d.Decode(new(any)); err != io.EOF { //nolint:errorlint // as documented
		t.Errorf("%s: there is more: %v", file, err)
	}
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
	c := readCompose(t)
	for name, s := range c.Services { // any order: into a map
		if strings.HasPrefix(name, "host-") {
			starts[name] = s.Command
		}
	}
	fleet, _ := readFleet(t)
	starts["fleet"] = fleet.host(t).Args
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

// compose is cmd/host/deploy/compose.yaml. Keys are those of the Compose specification that it uses.
type compose struct {
	Version  string                    `yaml:"version"`
	Host     service                   `yaml:"x-host"`
	NATS     service                   `yaml:"x-nats"`
	Services map[string]service        `yaml:"services"`
	Secrets  map[string]secretFile     `yaml:"secrets"`
	Networks map[string]map[string]any `yaml:"networks"`
	Volumes  map[string]map[string]any `yaml:"volumes"`
}

type secretFile struct {
	File string `yaml:"file"`
}

type service struct {
	Image           string            `yaml:"image"`
	Command         []string          `yaml:"command"`
	Restart         string            `yaml:"restart"`
	StopSignal      string            `yaml:"stop_signal"`
	StopGracePeriod string            `yaml:"stop_grace_period"`
	Environment     map[string]string `yaml:"environment"`
	Ports           []string          `yaml:"ports"`
	Networks        []string          `yaml:"networks"`
	Secrets         []string          `yaml:"secrets"`
	Volumes         []string          `yaml:"volumes"`
	DependsOn       []string          `yaml:"depends_on"`
}

func readCompose(t *testing.T) *compose {
	t.Helper()
	var c compose
	decode(t, "compose.yaml", &c)
	return &c
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
// all hosts; whatever the file names is there.
func TestCompose(t *testing.T) {
	c := readCompose(t)
	var hosts, nodes, natsURLs []string
	seen := map[string]string{}
	for name, s := range c.Services { // any order: findings are about one service each, and lists are sorted
		if s.Image == "" {
			t.Errorf("%s has no image", name)
		}
		for _, p := range s.Ports {
			outside, inside, _ := strings.Cut(strings.TrimPrefix(p, "127.0.0.1:"), ":")
			_, protocol, _ := strings.Cut(inside, "/")
			if at := outside + "/" + protocol; seen[at] != "" {
				t.Errorf("%s and %s both publish port %s", name, seen[at], at)
			} else {
				seen[at] = name
			}
		}
		for _, n := range s.Networks {
			if _, ok := c.Networks[n]; !ok {
				t.Errorf("%s: there is no network %s", name, n)
			}
		}
		for _, n := range s.Secrets {
			if _, ok := c.Secrets[n]; !ok {
				t.Errorf("%s: there is no secret %s", name, n)
			}
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if file, ok := strings.CutPrefix(from, "./"); ok {
				if _, err := os.Stat(deployDir + file); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			} else if _, ok := c.Volumes[from]; !ok {
				t.Errorf("%s: there is no volume %s", name, from)
			}
		}
		for _, d := range s.DependsOn {
			if _, ok := c.Services[d]; !ok {
				t.Errorf("%s: there is no service %s", name, d)
			}
		}
		switch {
		case strings.HasPrefix(name, "host-"):
			hosts = append(hosts, name+flagOf(s.Command, "--web"))
			drain, err := time.ParseDuration(flagOf(s.Command, "--drain-time"))
			grace, err2 := time.ParseDuration(s.StopGracePeriod)
			if err != nil || err2 != nil || s.StopSignal != "SIGUSR1" || grace < drain+time.Minute {
				t.Errorf("%s: stopped by %s it has %s for a drain of %s", name, s.StopSignal, s.StopGracePeriod, flagOf(s.Command, "--drain-time"))
			}
			if s.Restart != "on-failure" { // a host that has drained stays away
				t.Errorf("%s: restart is %s", name, s.Restart)
			}
			if file, ok := strings.CutPrefix(flagOf(s.Command, "--admin-token"), "/run/secrets/"); !ok || !slices.Contains(s.Secrets, file) {
				t.Errorf("%s: its token is no secret of it", name)
			}
			for url := range strings.SplitSeq(flagOf(s.Command, "--cluster"), ",") {
				natsURLs = append(natsURLs, url)
			}
		case strings.HasPrefix(name, "nats-"):
			nodes = append(nodes, name)
			if s.Environment["NATS_NAME"] != name || len(s.Ports) > 0 || !slices.Equal(s.Networks, []string{"inside"}) {
				t.Errorf("%s: %+v", name, s)
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
	if inside := c.Networks["inside"]; inside["internal"] != true {
		t.Errorf("the network of NATS is %v", inside)
	}

	var p prometheus
	decode(t, "prometheus.yml", &p)
	targets := p.Scrape[0].Static[0].Targets
	if !slices.Equal(targets, hosts) {
		t.Errorf("Prometheus asks %v", targets)
	}
	if file, ok := strings.CutPrefix(p.Scrape[0].Authorization.File, "/run/secrets/"); !ok || !slices.Contains(c.Services["prometheus"].Secrets, file) {
		t.Error("the token of Prometheus is no secret of it")
	}

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

// prometheus is cmd/host/deploy/prometheus.yml.
type prometheus struct {
	Global map[string]string `yaml:"global"`
	Rules  []string          `yaml:"rule_files"`
	Scrape []struct {
		Job           string `yaml:"job_name"`
		Authorization struct {
			Type string `yaml:"type"`
			File string `yaml:"credentials_file"`
		} `yaml:"authorization"`
		Static []struct {
			Targets []string `yaml:"targets"`
		} `yaml:"static_configs"`
	} `yaml:"scrape_configs"`
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

// object is what all objects of Kubernetes have.
type object struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   struct {
		Name   string            `yaml:"name"`
		Labels map[string]string `yaml:"labels"`
	} `yaml:"metadata"`
}

// fleet is an Agones Fleet, with the keys that the file uses (https://agones.dev/site/docs/reference/fleet/).
type fleet struct {
	object `yaml:",inline"`
	Spec   struct {
		Replicas   int    `yaml:"replicas"`
		Scheduling string `yaml:"scheduling"`
		Strategy   struct {
			Type          string `yaml:"type"`
			RollingUpdate struct {
				MaxSurge       string `yaml:"maxSurge"`
				MaxUnavailable string `yaml:"maxUnavailable"`
			} `yaml:"rollingUpdate"`
		} `yaml:"strategy"`
		Template struct {
			Metadata map[string]map[string]string `yaml:"metadata"`
			Spec     struct {
				Container string `yaml:"container"`
				Ports     []struct {
					Name          string `yaml:"name"`
					Container     string `yaml:"container"`
					PortPolicy    string `yaml:"portPolicy"`
					ContainerPort int    `yaml:"containerPort"`
					Protocol      string `yaml:"protocol"`
				} `yaml:"ports"`
				Health struct {
					InitialDelaySeconds int `yaml:"initialDelaySeconds"`
					PeriodSeconds       int `yaml:"periodSeconds"`
					FailureThreshold    int `yaml:"failureThreshold"`
				} `yaml:"health"`
				Eviction  map[string]string `yaml:"eviction"`
				SDKServer map[string]string `yaml:"sdkServer"`
				Template  struct {
					Metadata map[string]map[string]string `yaml:"metadata"`
					Spec     struct {
						Grace      int            `yaml:"terminationGracePeriodSeconds"`
						Security   map[string]any `yaml:"securityContext"`
						Containers []container    `yaml:"containers"`
						Volumes    []volume       `yaml:"volumes"`
					} `yaml:"spec"`
				} `yaml:"template"`
			} `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

type container struct {
	Name      string                       `yaml:"name"`
	Image     string                       `yaml:"image"`
	Args      []string                     `yaml:"args"`
	Resources map[string]map[string]string `yaml:"resources"`
	Security  map[string]any               `yaml:"securityContext"`
	Mounts    []mount                      `yaml:"volumeMounts"`
}

type mount struct {
	Name string `yaml:"name"`
	Path string `yaml:"mountPath"`
	Only bool   `yaml:"readOnly"`
}

type volume struct {
	Name     string          `yaml:"name"`
	EmptyDir *map[string]any `yaml:"emptyDir"`
	Secret   *struct {
		Name string `yaml:"secretName"`
		Mode int    `yaml:"defaultMode"`
	} `yaml:"secret"`
}

// autoscaler is an Agones FleetAutoscaler.
type autoscaler struct {
	object `yaml:",inline"`
	Spec   struct {
		Fleet  string `yaml:"fleetName"`
		Policy struct {
			Type   string `yaml:"type"`
			Buffer struct {
				Size int `yaml:"bufferSize"`
				Min  int `yaml:"minReplicas"`
				Max  int `yaml:"maxReplicas"`
			} `yaml:"buffer"`
		} `yaml:"policy"`
	} `yaml:"spec"`
}

func readFleet(t *testing.T) (*fleet, *autoscaler) {
	t.Helper()
	var f fleet
	var a autoscaler
	decode(t, "fleet.yaml", &f, &a)
	return &f, &a
}

// host returns the container of the host.
func (f *fleet) host(t *testing.T) *container {
	t.Helper()
	pod := f.Spec.Template.Spec
	i := slices.IndexFunc(pod.Template.Spec.Containers, func(c container) bool { return c.Name == pod.Container })
	if i < 0 {
		t.Fatalf("fleet.yaml: there is no container %q", pod.Container)
	}
	return &pod.Template.Spec.Containers[i]
}

// TestFleet: the fleet and its autoscaler have what Agones requires, belong together, and leave a host the time that it needs.
func TestFleet(t *testing.T) {
	f, a := readFleet(t)
	if f.APIVersion != "agones.dev/v1" || f.Kind != "Fleet" || f.Metadata.Name == "" || f.Spec.Replicas < 1 || f.Spec.Strategy.Type != "RollingUpdate" || f.Spec.Scheduling != "Packed" {
		t.Errorf("the fleet is %+v", f)
	}
	if a.APIVersion != "autoscaling.agones.dev/v1" || a.Kind != "FleetAutoscaler" || a.Spec.Fleet != f.Metadata.Name || a.Spec.Policy.Type != "Buffer" {
		t.Errorf("the autoscaler is %+v", a)
	}
	if b := a.Spec.Policy.Buffer; b.Size < 1 || b.Min < b.Size || b.Max < b.Min { // Agones refuses others
		t.Errorf("the buffer is %+v", b)
	}
	pod := f.Spec.Template.Spec
	host := f.host(t)
	if len(pod.Ports) != 1 || pod.Ports[0].Protocol != "UDP" || pod.Ports[0].PortPolicy != "Dynamic" || pod.Ports[0].Container != host.Name ||
		flagOf(host.Args, "--listen") != ":7777" || pod.Ports[0].ContainerPort != 7777 {
		t.Errorf("the ports are %+v, the host listens on %s", pod.Ports, flagOf(host.Args, "--listen"))
	}
	if h := pod.Health; h.PeriodSeconds < 4 || h.FailureThreshold < 2 || h.InitialDelaySeconds < 10 { // the host sends every 2 seconds
		t.Errorf("health is %+v", h)
	}
	if pod.Eviction["safe"] != "Never" || pod.Template.Spec.Grace < 15 || host.Image == "" || pod.Template.Spec.Security["runAsNonRoot"] != true {
		t.Errorf("the pod is %+v", pod.Template.Spec)
	}
	for _, m := range host.Mounts {
		if !slices.ContainsFunc(pod.Template.Spec.Volumes, func(v volume) bool {
			return v.Name == m.Name && (v.EmptyDir == nil) != (v.Secret == nil)
		}) {
			t.Errorf("there is no volume %s", m.Name)
		}
	}
	if file := flagOf(host.Args, "--cluster-credentials"); !slices.ContainsFunc(host.Mounts, func(m mount) bool {
		return strings.HasPrefix(file, m.Path+"/") && m.Only
	}) {
		t.Errorf("the credentials %q are on no volume", file)
	}
}
