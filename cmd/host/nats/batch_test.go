package nats_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/tidelock/tidelock/cmd/host/cluster/rig"
	"github.com/tidelock/tidelock/cmd/host/nats"
	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/tests/tier"
)

// The tests of this file show that an atomic batch of JetStream is one: they are why transactions need no journal (C2).

// TestKilledInBatches: a server that is killed while it stores transactions has all of each or nothing, and every acknowledged one.
func TestKilledInBatches(t *testing.T) {
	t.Parallel()
	kills := tier.Choose(1, 4, 20) // each takes an election
	for _, nodes := range []int{1, 3} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			t.Parallel()
			r := rig.Start(t, nodes, rig.Options{})
			s := opened(t, nats.Options{Servers: r.URL(), Replicas: nodes}, nats.StoreOptions{})
			const callers, size = 4, 32
			keys := func(c int) (list []string) {
				for i := range size {
					list = append(list, fmt.Sprintf("profile/%d-%d", c, i))
				}
				return list
			}
			var acked [callers]int
			rng := tier.Rand(t)
			torn := 0
			for range kills {
				var wg sync.WaitGroup
				stop := make(chan struct{})
				for c := range callers {
					wg.Go(func() {
						for n := acked[c] + 1; ; n++ {
							select {
							case <-stop:
								return
							default:
							}
							var writes []store.Write
							for _, k := range keys(c) {
								writes = append(writes, store.Write{Key: k, Value: []byte(strconv.Itoa(n)), If: store.Any})
							}
							if _, err := s.Commit(writes); err == nil {
								acked[c] = n
							}
						}
					})
				}
				time.Sleep(200*time.Millisecond + time.Duration(rng.Int64N(int64(300*time.Millisecond))))
				for _, node := range r.Nodes { // all of them at once: nothing is left but what is on the disks
					node.Kill()
				}
				close(stop)
				wg.Wait()
				for _, node := range r.Nodes {
					node.Start()
				}
				must(t, s.Await(t.Context()))
				for c := range callers {
					seen := map[string]bool{}
					for _, k := range keys(c) {
						var x store.Record
						until(t, "records can be read", func() (ok bool) {
							var err error
							x, err = s.Get(k)
							return err == nil
						})
						seen[string(x.Value)] = true
						if n, _ := strconv.Atoi(string(x.Value)); n < acked[c] {
							t.Fatalf("%s is %d, %d was acknowledged", k, n, acked[c])
						} else if n > acked[c] {
							torn++
						}
					}
					if len(seen) != 1 {
						t.Fatalf("a transaction is there in part: %v", seen)
					}
				}
			}
			t.Logf("%d kills, %v transactions acknowledged by the callers, %d records of such as were stored without an answer", kills, acked, torn)
		})
	}
}

// TestAbandonedBatch: a batch whose end never came is nothing, and holds up nobody.
func TestAbandonedBatch(t *testing.T) {
	t.Parallel()
	r := rig.Start(t, 1, rig.Options{})
	s := opened(t, nats.Options{Servers: r.URL()}, nats.StoreOptions{})
	nc := stranger(t, r)
	rev := put(t, s, "game/a", "1", 0)
	for i := range 60 { // more than the server lets be open for one stream
		m := &natsgo.Msg{Subject: "$KV.tidelock.game.a", Data: sealed("game/a", []byte("\x01x")), Header: natsgo.Header{"Nats-Batch-Id": {fmt.Sprint("open-", i)}, "Nats-Batch-Sequence": {"1"}}}
		must(t, nc.PublishMsg(m))
	}
	must(t, nc.Flush())
	if x := get(t, s, "game/a"); x.Revision != rev {
		t.Error(x)
	}
	rev = put(t, s, "game/a", "2", rev)
	// A transaction waits until the server has forgotten them, or says that nothing was stored.
	until(t, "transactions go on", func() bool {
		revs, err := s.Commit([]store.Write{{Key: "game/a", Value: []byte("3"), If: rev}, {Key: "game/b", Value: []byte("3"), If: 0}})
		if err == nil {
			rev = revs[0]
			return true
		}
		if store.Unsure(err) {
			t.Fatal(err)
		}
		return false
	})
	if x := get(t, s, "game/b"); string(x.Value) != "3" || x.Revision != rev+1 {
		t.Error(x, rev)
	}
}

// TestRaces: of those who swap the same records at the same moment one has its will, and no transaction is there in part.
func TestRaces(t *testing.T) {
	t.Parallel()
	r := rig.Start(t, 3, rig.Options{})
	const callers, rounds = 4, 15
	var hosts []*nats.Store
	for range callers {
		hosts = append(hosts, opened(t, nats.Options{Servers: r.URL(), Replicas: 3}, nats.StoreOptions{}))
	}
	keys := []string{"profile/a", "profile/b", "profile/c"}
	begin := []store.Write{}
	for _, k := range keys {
		begin = append(begin, store.Write{Key: k, Value: []byte("0")})
	}
	revs, err := hosts[0].Commit(begin)
	must(t, err)
	for n := range rounds {
		won := make([][]store.Revision, callers)
		var wg sync.WaitGroup
		for c := range callers {
			wg.Go(func() {
				// Each takes two of the three, so that any two callers have one in common.
				var writes []store.Write
				for i, k := range keys {
					if i != c%3 {
						writes = append(writes, store.Write{Key: k, Value: fmt.Appendf(nil, "%d by %d", n, c), If: revs[i]})
					}
				}
				won[c], _ = hosts[c].Commit(writes) // the others conflict
			})
		}
		wg.Wait()
		winner := -1
		for c := range callers {
			if won[c] != nil {
				if winner >= 0 {
					t.Fatalf("round %d: %d and %d have both swapped a record", n, winner, c)
				}
				winner = c
			}
		}
		for i, k := range keys {
			x := get(t, hosts[0], k)
			if winner >= 0 && i != winner%3 {
				if string(x.Value) != fmt.Sprintf("%d by %d", n, winner) {
					t.Fatalf("round %d: %s is %q, %d has won", n, k, x.Value, winner)
				}
			} else if x.Revision != revs[i] {
				t.Fatalf("round %d: %s was written by one who lost: %q", n, k, x.Value)
			}
			revs[i] = x.Revision
		}
	}
}
