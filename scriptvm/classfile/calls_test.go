package classfile

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// withScripts loads the scripts of the tree and one file of testdata beside them, as host check does.
func withScripts(t *testing.T, name string, opt Options) string {
	t.Helper()
	var src []Source
	err := filepath.WalkDir("../../scripts", func(p string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, ".lua") {
			return err
		}
		text, err := os.ReadFile(p)
		s := Source{Path: strings.TrimPrefix(filepath.ToSlash(p), "../../"), Text: string(text)}
		if strings.Contains(s.Path, "/lib/") {
			s.Lib = "lib." + strings.TrimSuffix(filepath.Base(p), ".lua")
		}
		src = append(src, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	_, diags := Load(append(src, Source{Path: name, Text: string(own)}), opt)
	return text(diags)
}

// Calls, spawn tables and assignments are held to the types of the registry and of declared variables.
func TestCalls(t *testing.T) {
	got := withScripts(t, "Probe.lua", Options{Check: true})
	const golden = "testdata/Probe.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got != string(want) {
		t.Errorf("%v\ngot:\n%swant:\n%s", err, got, want)
	}
}

// What may be right is never reported.
func TestCallsAreSound(t *testing.T) {
	if got := withScripts(t, "Sound.lua", Options{Check: true}); got != "" {
		t.Error(got)
	}
}

// A cache that has used the trees up gives the same answer, and a load that is not host check does not ask.
func TestCallsAfterALoad(t *testing.T) {
	cache := NewCache()
	if got := withScripts(t, "Sound.lua", Options{Cache: cache}); got != "" {
		t.Fatal(got)
	}
	if got := withScripts(t, "Sound.lua", Options{Cache: cache, Check: true}); got != "" {
		t.Error(got)
	}
	first := withScripts(t, "Probe.lua", Options{Cache: cache})
	again := withScripts(t, "Probe.lua", Options{Cache: cache, Check: true})
	want, _ := os.ReadFile("testdata/Probe.txt")
	if first != "" || again != string(want) {
		t.Errorf("without the check:\n%swith it:\n%s", first, again)
	}
}
