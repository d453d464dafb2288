package match_test

import (
	"sync"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/engine/navigation"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// TestWorldsAtOnce: worlds of a process share classes, programs, levels and graphs, each on a goroutine of its own, with
// bots who fight and reloads between; the race detector sees what one of them should not write. The same seed makes the
// same match in all of them, no matter who made what they share.
func TestWorldsAtOnce(t *testing.T) {
	const worlds, ticks = 3, 90
	sources, a := builtIn(t)
	changed := append([]classfile.Source(nil), sources...)
	for i := range changed {
		if changed[i].Path == "scripts/shooter/Rocket.lua" {
			changed[i].Text += "\n-- another\n"
		}
	}
	cache, levels, graphs := classfile.NewCache(scriptvm.Natives()), &level.Cache{}, &navigation.Cache{}
	var hashes [worlds]uint64
	var classes [worlds]*engine.Classes
	var wg sync.WaitGroup
	for n := range worlds {
		wg.Go(func() {
			m, err := match.Open(match.Options{
				Sources: sources, Content: a.Content(), URL: "arena?game=DeathMatch?bots=3", NetMode: engine.NMDedicatedServer, Seed: 7, Levels: levels,
				VM: scriptvm.Options{Cache: cache, Navigation: graphs, Report: func(r scriptvm.Report) { t.Error(r) }},
			})
			if err != nil {
				t.Error(err)
				return
			}
			defer m.Close()
			for _, files := range [][]classfile.Source{changed, sources, changed} {
				for range ticks {
					m.World.Step(1.0 / 60)
				}
				if r := m.VM.Reload(files); r.Failed || len(r.Files) != 1 {
					t.Error(r.Files, r.Diagnostics)
				}
				schema.New(m.World.Classes, 1)
			}
			hashes[n], classes[n] = m.World.HashState(), m.World.Classes
		})
	}
	wg.Wait()
	for n := range worlds {
		if classes[n] != classes[0] {
			t.Errorf("world %d has classes of its own", n)
		}
		if hashes[n] != hashes[0] {
			t.Errorf("world %d is %x, the first is %x", n, hashes[n], hashes[0])
		}
	}
}
