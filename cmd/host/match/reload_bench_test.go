package match_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets/assetstest"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// BenchmarkReload is one world's part in a reload of one class of the sample game: where other worlds of the process have
// compiled it already, and where it is the first.
func BenchmarkReload(b *testing.B) {
	a, shipped := assetstest.Shipped(b)
	crowd := func(n int) string {
		return fmt.Sprintf("local Crowd = class(\"Crowd\", \"DeathMatch\")\nfunction Crowd:Round() return %d end\n", n)
	}
	sources := func(n int) []classfile.Source {
		return append(slices.Clone(shipped), classfile.Source{Path: "crowd", Text: crowd(n), Multi: true})
	}
	for name, different := range map[string]int{"shared": 2, "first": 1 << 30} {
		b.Run(name, func(b *testing.B) {
			cache := classfile.NewCache(scriptvm.Natives())
			m, err := match.Open(match.Options{Sources: sources(0), Content: a.Content(), URL: "arena?game=Crowd", NetMode: engine.NMDedicatedServer, Seed: 1, VM: scriptvm.Options{Cache: cache}})
			if err != nil {
				b.Fatal(err)
			}
			defer m.Close()
			two := [2][]classfile.Source{sources(1), sources(2)}
			for _, s := range two {
				m.VM.Prepare(s).Apply(nil)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				two[i%2][len(shipped)].Text = crowd(i%different + 1)
				if r := m.VM.Prepare(two[i%2]).Apply(nil); r.Failed {
					b.Fatal(r.Diagnostics)
				}
			}
		})
	}
}
