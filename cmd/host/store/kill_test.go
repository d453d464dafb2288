package store

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/tests/tier"
)

var kills = flag.Int("kills", 20, "how many times TestKill kills a process that writes")

// writerVariable names the file that a child process of the tests writes until it is killed.
const writerVariable = "TIDELOCK_STORE_WRITER"

// pairs is how many pairs of records the writer writes; each pair is one transaction, and both have the same number.
const pairs = 50

// writeUntilKilled is the child: it writes pairs through a service, and prints each number when it is acknowledged.
func writeUntilKilled() int {
	b, err := Open(os.Getenv(writerVariable), Options{})
	if err != nil || b.Broken() != nil {
		fmt.Println("failed", err)
		return 1
	}
	s := Start(b, ServiceOptions{})
	var last [pairs]uint64
	for i := range pairs {
		r, err := b.Get(pairKey(i, "a"))
		if err != nil {
			fmt.Println("failed", err)
			return 1
		}
		if r.Revision > 0 {
			last[i] = binary.BigEndian.Uint64(r.Value)
		}
	}
	said := make(chan string, 1000)
	rng := tier.Named(fmt.Sprint("writer ", last)) // each process draws others
	go func() {                                    // ends with the process
		for {
			i := rng.IntN(pairs)
			n := last[i] + 1
			last[i] = n
			value := append(binary.BigEndian.AppendUint64(nil, n), make([]byte, rng.IntN(3000))...)
			if rng.IntN(50) == 0 {
				value = append(value, make([]byte, 40_000)...)
			}
			line := fmt.Sprintf("%d %d\n", i, n)
			for s.Submit(Job{Kind: Commit, Writes: []store.Write{{Key: pairKey(i, "a"), Value: value, If: store.Any}, {Key: pairKey(i, "b"), Value: value, If: store.Any}}, Done: func(r Result) {
				if r.Err != nil {
					line = "failed " + r.Err.Error() + "\n"
				}
				said <- line
			}}) != nil {
				time.Sleep(time.Millisecond) // the queue is full
			}
		}
	}()
	for line := range said {
		if _, err := io.WriteString(os.Stdout, line); err != nil {
			return 1
		}
	}
	return 0
}

func pairKey(i int, half string) string { return fmt.Sprintf("profile/%02d/%s", i, half) }

// TestKill kills a process that writes, again and again: every write that was acknowledged is there, and no half of a transaction.
func TestKill(t *testing.T) {
	exe, err := os.Executable()
	must(t, err)
	path := filepath.Join(t.TempDir(), "store.db")
	var acknowledged [pairs]uint64
	total := 0
	rng := tier.Rand(t)
	for kill := range *kills {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), writerVariable+"="+path)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		left := 1 + rng.IntN(400) // acknowledgements until it is killed; it writes on while they are read
		for lines.Scan() {
			var i int
			var n uint64
			if _, err := fmt.Sscanf(lines.Text(), "%d %d", &i, &n); err != nil {
				if strings.HasPrefix(lines.Text(), "failed") {
					_ = cmd.Process.Kill() // it is ending
					t.Fatalf("after %d kills: %s", kill, lines.Text())
				}
				continue // the line that it was killed in
			}
			acknowledged[i] = max(acknowledged[i], n)
			total++
			if left--; left == 0 {
				time.Sleep(time.Duration(rng.IntN(3000)) * time.Microsecond) // anywhere within a commit
				must(t, cmd.Process.Kill())
			}
		}
		if left > 0 {
			t.Fatalf("it ended by itself: %v", cmd.Wait())
		}
		_ = cmd.Wait() // it was killed
		b := open(t, path, Options{})
		if b.Broken() != nil {
			t.Fatalf("after %d kills: %v", kill+1, b.Broken())
		}
		s, err := b.Snapshot()
		must(t, err)
		if r := s.Check(); !r.OK() {
			t.Fatalf("after %d kills: %v", kill+1, r.Lines())
		}
		s.Close()
		for i := range pairs {
			a, errA := b.Get(pairKey(i, "a"))
			z, errB := b.Get(pairKey(i, "b"))
			if errA != nil || errB != nil || string(a.Value) != string(z.Value) {
				t.Fatalf("pair %d after %d kills: half a transaction: %v %v", i, kill+1, errA, errB)
			}
			n := uint64(0)
			if a.Revision > 0 {
				n = binary.BigEndian.Uint64(a.Value)
			}
			if n < acknowledged[i] {
				t.Fatalf("pair %d after %d kills: %d was acknowledged, %d is there", i, kill+1, acknowledged[i], n)
			}
			acknowledged[i] = n // it may be more
		}
		must(t, b.Close())
	}
	t.Logf("%d kills, %d acknowledged transactions", *kills, total)
}
