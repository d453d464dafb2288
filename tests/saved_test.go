package tests

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
)

func reopen(t testing.TB, m *match.Match, mode engine.NetMode) *match.Match {
	t.Helper()
	file, err := m.Save(nil).Seal()
	if err != nil {
		t.Fatal(err)
	}
	o, err := match.ReadSaved(file)
	if err != nil {
		t.Fatal(err)
	}
	var faults []string
	next, err := match.Load(match.Options{
		Sources: m.VM.Sources(), Content: shippedContent(t), NetMode: mode, Seed: 99,
		VM: scriptvm.Options{Cache: parsed, Report: func(r scriptvm.Report) { faults = append(faults, r.String()) }},
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(next.Close)
	return next
}

func TestSavedQuick(t *testing.T) {
	for _, url := range []string{"arena?game=TeamDeathMatch?bots=8", "estuary?game=DeathMatch?bots=8", "circuit?game=Race?bots=8", "crawl?game=DeathMatch?bots=8", "steps?game=DeathMatch?bots=8", "flat?game=DeathMatch?bots=8"} {
		m := openLevel(t, url)
		r := rand.New(rand.NewPCG(1, 2))
		for i := range 3 {
			for range 30 + r.IntN(400) {
				m.World.Step(1.0 / 60)
				m.World.ClearDirty()
			}
			next := reopen(t, m, engine.NMStandalone)
			for _, u := range m.TakeUnsaved() {
				fmt.Println("unsaved", u)
			}
			for _, u := range next.Warnings {
				fmt.Println("note", u)
			}
			a, b := m.SavedHash(), next.SavedHash()
			for _, d := range m.World.DebugDiff(next.World) {
				fmt.Println(d)
			}
			fmt.Println(url, i, m.World.Time, a == b, len(m.Save(nil).Memory()))
			next.Resume(true)
			fmt.Println("after Restored", next.SavedHash() == a)
			for k := range 600 {
				m.World.Step(1.0 / 60)
				m.World.ClearDirty()
				next.World.Step(1.0 / 60)
				next.World.ClearDirty()
				if k%20 == 0 && m.SavedHash() != next.SavedHash() {
					fmt.Println("differs after", k)
					for _, d := range m.World.DebugDiff(next.World) {
						fmt.Println(d)
					}
					break
				}
			}
		}
	}
}

func shippedContent(t testing.TB) fs.FS {
	t.Helper()
	a, err := assets.Open(assets.Options{Root: ".."})
	if err != nil {
		t.Fatal(err)
	}
	return a.Content()
}
