package match_test

import (
	"fmt"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// BenchmarkReload is one player's part in a reload of one class of the sample game, where others of the process have
// compiled it already.
func BenchmarkReload(b *testing.B) {
	a, err := assets.Open(assets.Options{})
	if err != nil {
		b.Fatal(err)
	}
	list, err := a.Scripts(nil)
	if err != nil {
		b.Fatal(err)
	}
	sources := func(n int) (out []classfile.Source) {
		for _, s := range list {
			out = append(out, classfile.Source{Path: s.Path, Text: s.Text, Lib: s.Lib})
		}
		return append(out, classfile.Source{Path: "crowd", Text: fmt.Sprintf("local Crowd = class(\"Crowd\", \"DeathMatch\")\nfunction Crowd:Round() return %d end\n", n), Multi: true})
	}
	cache := classfile.NewCache()
	m, err := match.Open(match.Options{Sources: sources(0), Content: a.Content(), URL: "arena?game=Crowd", NetMode: engine.NMDedicatedServer, Seed: 1, VM: scriptvm.Options{Cache: cache}})
	if err != nil {
		b.Fatal(err)
	}
	two := [2][]classfile.Source{sources(1), sources(2)}
	b.ReportAllocs()
	for i := range b.N {
		if r := m.VM.Prepare(two[i%2]).Apply(nil); r.Failed {
			b.Fatal(r.Diagnostics)
		}
	}
}
