package classfile

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// withScripts loads the scripts of the tree and one file of testdata beside them, as host check does.
func withScripts(t *testing.T, name string, opt Options) string {
	t.Helper()
	own, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if opt.Cache == nil {
		opt.Cache = NewCache(Natives())
	}
	_, diags := Load(append(scripts(t), Source{Path: name, Text: string(own)}), opt)
	return text(diags)
}

// Calls, spawn tables, members, operators and assignments are held to the types of the registry and of declared variables.
func TestCalls(t *testing.T) {
	for _, name := range []string{"Probe", "Careless", "Surplus"} {
		got := withScripts(t, name+".lua", Options{Check: true})
		golden := "testdata/" + name + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || got != string(want) {
			t.Errorf("%s: %v\n%s", name, err, changed(got, string(want)))
		}
		if name != "Probe" {
			everyFunction(t, "testdata/"+name+".lua", got)
		}
	}
}

// changed are the lines that one of two texts has and the other has not.
func changed(got, want string) string {
	var b strings.Builder
	for _, side := range []struct{ sign, of, other string }{{"- ", want, got}, {"+ ", got, want}} {
		for line := range strings.Lines(side.of) {
			if !strings.Contains(side.other, line) {
				b.WriteString(side.sign + line)
			}
		}
	}
	return b.String()
}

// everyFunction expects that something is reported of each function F1, F2, … of a file, in the line behind its head.
func everyFunction(t *testing.T, file, got string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines, number := strings.Split(string(text), "\n"), 0
	for i, line := range lines {
		if !strings.HasPrefix(line, "function ") || !strings.Contains(line, ":F") {
			continue
		}
		number++
		if !strings.Contains(got, fmt.Sprintf("%s:%d:", filepath.Base(file), i+2)) {
			t.Errorf("%s:%d: nothing is reported of %s", file, i+2, lines[i+1])
		}
	}
	if number < 10 {
		t.Errorf("%s has %d functions", file, number)
	}
}

// What may be right is never reported; a cache that has used the trees up gives the same answer, and a load that is not host check does
// not ask.
func TestCallsAreSound(t *testing.T) {
	cache := NewCache(Natives())
	for _, name := range []string{"Sound", "Probe"} {
		want := ""
		if name == "Probe" {
			golden, err := os.ReadFile("testdata/Probe.txt")
			if err != nil {
				t.Fatal(err)
			}
			want = string(golden)
		}
		first, again := withScripts(t, name+".lua", Options{Cache: cache}), withScripts(t, name+".lua", Options{Cache: cache, Check: true})
		if first != "" || again != want {
			t.Errorf("%s without the check:\n%swith it:\n%s", name, first, again)
		}
	}
}
