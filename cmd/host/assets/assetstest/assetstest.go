// Package assetstest opens scripts and content for tests: those that are compiled in, or those of a folder.
//
// It deliberately does not: compile scripts or open a match (package match), since tests do that in different ways.
//
//	a, sources := assetstest.Shipped(t)
//	m, err := match.Open(match.Options{Sources: sources, Content: a.Content(), URL: "flat"})
//
// Guarantees: Not part of any program.
package assetstest

import (
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// Shipped returns the compiled-in scripts and content, whatever folders the working directory has.
func Shipped(t testing.TB) (*assets.Assets, []classfile.Source) {
	t.Helper()
	return Open(t, assets.Options{Root: t.TempDir()})
}

// Open returns the scripts and content that the options name. It ends the test if they cannot be read.
func Open(t testing.TB, o assets.Options) (*assets.Assets, []classfile.Source) {
	t.Helper()
	a, err := assets.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	list, err := a.Scripts(nil)
	if err != nil {
		t.Fatal(err)
	}
	sources := make([]classfile.Source, len(list))
	for i, s := range list {
		sources[i] = classfile.Source{Path: s.Path, Place: s.Place, Text: s.Text, Lib: s.Lib}
	}
	return a, sources
}
