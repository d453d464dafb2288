package nats_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/tidelock/tidelock/cmd/host/cluster/rig"
	"github.com/tidelock/tidelock/cmd/host/nats"
	"github.com/tidelock/tidelock/cmd/host/profiles"
	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/tests/tier"
)

var (
	faultKind    = flag.String("kind", "", "kind of faults of TestFaults: "+strings.Join(kinds, ", ")+" or all; none without")
	faultMoments = flag.Int("moments", 1, "how many random moments of each kind")
)

// The kinds of faults (C10).
var kinds = []string{"node", "leader", "host", "partition", "disk"}

// TestFaults lets the cluster fail at random moments while three hosts write. After each moment every acknowledged write is there, writes
// that belong together are there together, the sum of gold is constant, and all hosts go on (C10).
func TestFaults(t *testing.T) {
	if *faultKind == "" {
		t.Skip("no -kind: .ci/long runs it")
	}
	run := kinds
	if *faultKind != "all" {
		if run = []string{*faultKind}; !slices.Contains(kinds, *faultKind) {
			t.Fatalf("-kind %s: expected one of %v or all", *faultKind, kinds)
		}
	}
	for _, kind := range run {
		t.Run(kind, func(t *testing.T) {
			r := newFaults(t, kind)
			for range *faultMoments {
				r.moment(kind)
			}
			t.Logf("%s: %d moments, %d acknowledged writes and %d of profiles checked, %d times a profile was taken, %d of them from a living host; slowest to go on: %.1f s",
				kind, *faultMoments, r.stored, r.xps, r.held, r.lost, r.slowest.Seconds())
		})
	}
}

// faults is a cluster with writers.
type faults struct {
	t       *testing.T
	rig     *rig.Rig
	store   *nats.Store
	nc      *natsgo.Conn
	writers []*process
	runs    int
	small   string     // folder of the node with a small disk
	rand    *rand.Rand // which fails, and when

	mu      sync.Mutex
	acked   map[string]int     // by key
	xp      map[string]float64 // by player
	stored  int
	xps     int
	held    int
	lost    int
	slowest time.Duration
}

// process is a writer.
type process struct {
	name   string
	line   *rig.Line
	cmd    *exec.Cmd
	in     io.WriteCloser
	paused chan struct{}
	acks   int // of faults.mu
	ended  chan struct{}
}

func newFaults(t *testing.T, kind string) *faults {
	f := &faults{t: t, rand: tier.Rand(t), acked: map[string]int{}, xp: map[string]float64{}}
	var o rig.Options
	if kind == "disk" {
		f.small = smallDisk(t)
		o.Folder = func(node int) string {
			if node == 0 {
				return filepath.Join(f.small, "node")
			}
			return filepath.Join(t.TempDir(), "node")
		}
	}
	f.rig = rig.Start(t, 3, o)
	f.store = opened(t, nats.Options{Servers: f.rig.URL(), Replicas: 3}, nats.StoreOptions{})
	var err error
	f.nc, err = natsgo.Connect(f.rig.URL(), natsgo.MaxReconnects(-1), natsgo.RetryOnFailedConnect(true), natsgo.ReconnectWait(200*time.Millisecond), natsgo.PingInterval(2*time.Second), natsgo.IgnoreDiscoveredServers())
	must(t, err)
	t.Cleanup(f.nc.Close)
	var writes []store.Write
	for i := range players {
		b, err := profiles.Encode(&profiles.Record{Fence: 1, Data: tableOf(purse{gold: startGold})})
		must(t, err)
		writes = append(writes, store.Write{Key: profiles.Key(playerID(i)), Value: b})
	}
	must(t, errOf(f.store.Commit(writes)))
	for range 3 {
		f.writers = append(f.writers, f.start())
	}
	f.await(0)
	t.Cleanup(func() {
		for _, w := range f.writers {
			_ = w.cmd.Process.Kill()
			<-w.ended
		}
	})
	return f
}

// smallDisk mounts 32 MB.
func smallDisk(t *testing.T) string {
	if os.Geteuid() != 0 {
		t.Skip("a full disk is not tried: only root can mount a small one")
	}
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("a full disk is not tried: %s", out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	return dir
}

// start starts a writer.
func (f *faults) start() *process {
	f.t.Helper()
	f.runs++
	p := &process{name: fmt.Sprintf("w%d", f.runs), line: f.rig.Line(), paused: make(chan struct{}, 1), ended: make(chan struct{})}
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), writerURL+"="+p.line.URL(), writerName+"="+p.name)
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		f.t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	must(f.t, err)
	if testing.Verbose() {
		p.cmd.Stderr = os.Stderr
	}
	must(f.t, p.cmd.Start())
	go func() { // ends with the process, which the cleanup awaits
		defer close(p.ended)
		for s := bufio.NewScanner(out); s.Scan(); {
			f.take(p, s.Text())
		}
		_ = p.cmd.Wait() // it is killed
	}()
	return p
}

// take takes a line of a writer.
func (f *faults) take(p *process, line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	words := strings.Fields(line)
	switch words[0] {
	case "paused":
		p.paused <- struct{}{}
	case "held":
		f.held++
	case "lost":
		f.lost++
	case "xp":
		xp, _ := strconv.ParseFloat(words[2], 64)
		f.xp[words[1]] = max(f.xp[words[1]], xp)
		f.xps++
		p.acks++
	case "stored":
		n, _ := strconv.Atoi(words[1])
		for _, k := range words[2:] {
			f.acked[k] = max(f.acked[k], n)
		}
		f.stored++
		p.acks++
	default:
		f.t.Errorf("%s: %s", p.name, line)
	}
}

// await waits until every writer goes on: until it has so many acknowledged writes more and, the first time, began at all.
func (f *faults) await(more int) {
	f.t.Helper()
	begun := time.Now()
	from := map[*process]int{}
	f.mu.Lock()
	for _, w := range f.writers {
		from[w] = w.acks
	}
	f.mu.Unlock()
	for time.Since(begun) < 2*time.Minute {
		time.Sleep(20 * time.Millisecond)
		all := true
		f.mu.Lock()
		for _, w := range f.writers {
			all = all && w.acks > from[w]+more
		}
		f.mu.Unlock()
		if all {
			f.slowest = max(f.slowest, time.Since(begun))
			return
		}
	}
	f.t.Fatal("not all hosts go on within 2 minutes")
}

// leader returns the node that leads the records' stream.
func (f *faults) leader() *rig.Node {
	f.t.Helper()
	for range 100 {
		m, err := f.nc.Request("$JS.API.STREAM.INFO.KV_tidelock", nil, time.Second)
		if err == nil {
			var info struct {
				Cluster struct{ Leader string }
			}
			if json.Unmarshal(m.Data, &info) == nil {
				for _, n := range f.rig.Nodes {
					if n.Name() == info.Cluster.Leader {
						return n
					}
				}
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	f.t.Fatal("the stream has no leader")
	return nil
}

// between returns a time that the draw gives.
func (f *faults) between(a, b time.Duration) time.Duration {
	return a + time.Duration(f.rand.Int64N(int64(b-a)))
}

// moment lets something fail at a random moment, repairs it, and checks everything.
func (f *faults) moment(kind string) {
	f.t.Helper()
	time.Sleep(f.between(0, 1500*time.Millisecond))
	node := f.rig.Nodes[f.rand.IntN(3)]
	if kind == "leader" || kind == "partition" && f.rand.IntN(2) == 0 {
		node = f.leader()
	}
	switch kind {
	case "node", "leader":
		node.Kill()
		time.Sleep(f.between(0, 4*time.Second))
		node.Start()
	case "host":
		i := f.rand.IntN(len(f.writers))
		w := f.writers[i]
		must(f.t, w.cmd.Process.Kill())
		<-w.ended
		f.writers[i] = f.start()
	case "partition":
		if f.rand.IntN(2) == 0 { // a host alone: others take its profiles meanwhile
			line := f.writers[f.rand.IntN(len(f.writers))].line
			line.Cut(true)
			time.Sleep(10 * time.Second)
			line.Cut(false)
			break
		}
		node.Cut(true)
		time.Sleep(10 * time.Second)
		node.Join()
	case "disk":
		filler := filepath.Join(f.small, "filler")
		fill(f.t, filler)
		time.Sleep(f.between(2*time.Second, 6*time.Second))
		must(f.t, os.Remove(filler))
		f.rig.Nodes[0].Kill() // the operator restarts it
		f.rig.Nodes[0].Start()
	}
	f.await(5)
	f.check()
}

// fill writes a file until the disk is full.
func fill(t *testing.T, name string) {
	t.Helper()
	w, err := os.Create(name)
	must(t, err)
	for b := make([]byte, 1<<16); err == nil; {
		_, err = w.Write(b)
	}
	if !strings.Contains(err.Error(), "no space") {
		t.Fatal(err)
	}
	_ = w.Close() // it is full
}

// check stops all writers for a moment and compares what is stored with what was acknowledged.
func (f *faults) check() {
	f.t.Helper()
	for _, w := range f.writers {
		if _, err := io.WriteString(w.in, "pause\n"); err != nil {
			f.t.Fatal(w.name, err)
		}
	}
	for _, w := range f.writers {
		select {
		case <-w.paused:
		case <-w.ended:
			f.t.Fatal(w.name + " ended")
		case <-time.After(time.Minute):
			f.t.Fatal(w.name + " is not done within a minute")
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	get := func(key string) store.Record {
		f.t.Helper()
		var r store.Record
		var err error
		for range 20 {
			if r, err = f.store.Get(key); err == nil {
				return r
			}
			time.Sleep(500 * time.Millisecond)
		}
		f.t.Fatal(key, err)
		return r
	}
	gold := 0.0
	for i := range players {
		id := playerID(i)
		rec, err := profiles.Decode(get(profiles.Key(id)).Value)
		if err != nil {
			f.t.Fatal(id, err)
		}
		x := purseOf(rec.Data)
		gold += x.gold
		if x.xp < f.xp[id] {
			f.t.Errorf("%s has %v experience, %v was acknowledged", id, x.xp, f.xp[id])
		}
	}
	if gold != players*startGold {
		f.t.Errorf("there is %v gold, want %d", gold, players*startGold)
	}
	for key, n := range f.acked { // any order: each on its own
		got, err := strconv.Atoi(string(get(key).Value))
		if err != nil || got < n {
			f.t.Errorf("%s is %d, %d was acknowledged: %v", key, got, n, err)
		}
		if a, ok := strings.CutPrefix(key, "game/"); ok && strings.Contains(a, "/a") {
			if other := get(strings.Replace(key, "/a", "/b", 1)); string(other.Value) != strconv.Itoa(got) {
				f.t.Errorf("%s is %d and its other half %s", key, got, other.Value)
			}
		}
	}
	if f.t.Failed() {
		f.t.FailNow()
	}
	for _, w := range f.writers {
		if _, err := io.WriteString(w.in, "go\n"); err != nil {
			f.t.Fatal(w.name, err)
		}
	}
}
