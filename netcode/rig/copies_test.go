package rig_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
)

// TestCopies: what the server says that a client has is what the client has had: every position was the copy's at some time, one
// without an age is its present one; alone and among clients whose state is shared, with loss and without; and looking
// changes nothing that is sent (R13.2).
func TestCopies(t *testing.T) {
	for _, clients := range []int{1, 6} {
		for _, loss := range []float64{0, 0.1} {
			if sent, unseen := copies(t, clients, loss, true), copies(t, clients, loss, false); unseen != sent {
				t.Errorf("%d clients, loss %g: %d bytes were sent while somebody looked, %d while nobody did", clients, loss, sent, unseen)
			}
		}
	}
}

func copies(t *testing.T, clients int, loss float64, look bool) (sent uint64) {
	t.Helper()
	r := rig.New(blob())
	r.Config.Limits.Budget = 200_000
	r.Config.Relevancy.NoSight = true
	r.Start()
	for range clients {
		r.Join(path(40*time.Millisecond, loss))
	}
	r.Run(3)
	var blobs []*engine.Actor
	for i := range 12 {
		blobs = append(blobs, r.Spawn("Blob", engine.SpawnParams{Location: geom.Vector{X: float64(100 * i)}}))
	}
	p := r.Peers[clients-1]
	had := map[*engine.Actor][]geom.Vector{}
	placed, old, unplaced, current := 0, 0, 0, 0
	rng := rand.New(rand.NewPCG(5, 6))
	for tick := range 400 {
		for i, a := range blobs {
			if i%3 == 0 || i%3 == 1 && tick%40 < 10 {
				a.SetLocation(a.Location.Add(geom.Vector{X: 1 + rng.Float64()*20, Y: rng.Float64() * 20}))
			}
		}
		r.Step(1)
		for _, a := range blobs {
			if k := p.Copy(a); k != nil {
				had[a] = append(had[a], k.Location)
			}
		}
		if !look {
			continue
		}
		r.Server.EachCopy(r.Server.ConnectionOf(p.Controller()), func(x server.Copy) {
			if !slices.Contains(blobs, x.Actor) {
				return
			}
			k := p.Copy(x.Actor)
			if x.State != server.CopyOpen && x.State != server.CopyWaiting || x.Role != engine.RoleSimulatedProxy {
				t.Errorf("tick %d: %s is %s with role %s", tick, x.Actor, x.State, x.Role)
			}
			close := func(at geom.Vector) bool { return at.Distance(x.Place) < 0.01 }
			switch {
			case !x.Placed:
				unplaced++
			case k == nil:
				t.Fatalf("tick %d: the client has no copy of %s", tick, x.Actor)
			case !slices.ContainsFunc(had[x.Actor], close):
				t.Fatalf("tick %d: the copy of %s never was at %v; it is at %v", tick, x.Actor, x.Place, k.Location)
			case x.Age == 0 && !close(k.Location):
				t.Fatalf("tick %d: the copy of %s is at %v, said to be at %v", tick, x.Actor, k.Location, x.Place)
			case x.Age == 0:
				current++
			case x.Age > 0.5:
				old++
			default:
				placed++
			}
		})
	}
	if look && (placed < 500 || current < 500 || old > placed/10 || unplaced > placed) {
		t.Errorf("%d clients, loss %g: %d placed, %d of them old, %d not, %d current", clients, loss, placed, old, unplaced, current)
	}
	return r.Server.ConnectionOf(p.Controller()).Session().Conn.Stats().BytesOut
}
