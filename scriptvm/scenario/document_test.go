package scenario

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm"
)

// docs/scenarios.md has a table of all that scenarios can use; these tests hold it to the code, in both directions.

// chapter is what the document says below a heading, up to the next.
func chapter(t *testing.T, heading string) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(b), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("docs/scenarios.md has no chapter %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// rowName finds what the first cell of a row names: `t:run(seconds)` is run, `down`, `up` are both.
var rowName = regexp.MustCompile("`(?:(?:t|peer|client|handle)[:.])?([A-Za-z_]+)")

// rows are the names in the first cells of a chapter's tables.
func rows(t *testing.T, heading string) []string {
	t.Helper()
	var out []string
	for _, line := range strings.Split(chapter(t, heading), "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		first, _, _ := strings.Cut(line[2:], " | ")
		for _, m := range rowName.FindAllStringSubmatch(first, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// same compares names that are documented with those that there are.
func same(t *testing.T, what string, documented, there []string) {
	t.Helper()
	sort.Strings(documented)
	there = slices.Clone(there)
	sort.Strings(there)
	for i := 1; i < len(documented); i++ {
		if documented[i] == documented[i-1] {
			t.Errorf("docs/scenarios.md has %s twice among %s", documented[i], what)
		}
	}
	for _, n := range there {
		if !slices.Contains(documented, n) {
			t.Errorf("docs/scenarios.md does not have %s among %s", n, what)
		}
	}
	for _, n := range documented {
		if !slices.Contains(there, n) {
			t.Errorf("docs/scenarios.md has %s among %s, which there is not", n, what)
		}
	}
}

// bound is a run with all methods and nothing to act on.
func bound(t *testing.T) *run {
	t.Helper()
	f, err := Load("f.lua", "scenario('s', function() end)", Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := f.newVM(&generator{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.sb.Close)
	r := &run{vm: v}
	v.run = r
	r.bind()
	return r
}

func TestDocumentedMembers(t *testing.T) {
	r := bound(t)
	same(t, "the methods of t", rows(t, "t"), r.tMethodNames)
	same(t, "the members of peers and clients", append(rows(t, "Peers"), rows(t, "Clients")...), r.peerMembers)
	same(t, "the members of handles", rows(t, "Handles"), []string{"alive", "Is"}) // readField's own
}

// taken are the options that a reader of options takes, from what it says of one that there is not.
func taken(t *testing.T, read func(L *lua.LState, x lua.LValue)) []string {
	t.Helper()
	r := bound(t)
	unknown := scriptvm.NewTable(0, 1)
	unknown.RawSetString("?", lua.LTrue)
	_, err := r.vm.sb.Call("", r.vm.sb.NewFunction("read", func(L *lua.LState) int { read(L, L.Get(1)); return 0 }), unknown)
	if err == nil {
		t.Fatal("it takes anything")
	}
	_, list, ok := strings.Cut(err.Error(), "it takes ")
	if !ok {
		t.Fatal(err)
	}
	return strings.Split(list, ", ")
}

func TestDocumentedOptions(t *testing.T) {
	lines := rows(t, "Options of lines")
	same(t, "the options of t:server", rows(t, "Options of t:server"), taken(t, func(L *lua.LState, x lua.LValue) { serverOptions(L, x) }))
	same(t, "the options of t:client", append(rows(t, "Options of t:client"), lines...),
		taken(t, func(L *lua.LState, x lua.LValue) { clientOptions(L, x) }))
	same(t, "the options of lines", lines, taken(t, func(L *lua.LState, x lua.LValue) {
		o := readOptions(L, "link", x)
		linkOptions(o, LinkOptions{})
		o.end()
	}))
	var keys []string
	for _, k := range inputKeys {
		keys = append(keys, k.name)
	}
	same(t, "the keys of input", rows(t, "Keys of input"), keys)

	_, err := Load("f.lua", "scenario('s', { ['?'] = 1 }, function() end)", Options{})
	if err == nil {
		t.Fatal("scenario takes any option")
	}
	_, list, _ := strings.Cut(err.Error(), "it takes ")
	for _, n := range strings.Split(list, ", ") {
		if !slices.Contains(rows(t, "Files"), n) {
			t.Errorf("docs/scenarios.md does not have the option %s of scenario", n)
		}
	}
}

// The presets' figures, row by row.
func TestDocumentedPresets(t *testing.T) {
	text := chapter(t, "Lines")
	for name, l := range presets() {
		cells := []string{"`" + name + "`", fmt.Sprintf("%g ms", 1000*l.Lag), "", fmt.Sprintf("%g %%", 100*l.LossDown), ""}
		if l.Jitter > 0 {
			cells[2] = fmt.Sprintf("%g ms", 1000*l.Jitter)
		}
		if l.Down > 0 {
			cells[4] = strings.Replace(fmt.Sprintf("%g B/s", l.Down), "2600", "2 600", 1)
		}
		row := strings.ReplaceAll("| "+strings.Join(cells, " | ")+" |", "|  |", "| |")
		if !strings.Contains(text, row+"\n") {
			t.Errorf("docs/scenarios.md does not have the row %s", row)
		}
	}
}

// What is in the tables that t gives.
func TestDocumentedTables(t *testing.T) {
	text := chapter(t, "Tables")
	keys := map[string]bool{}
	note := func(x *lua.LTable) {
		for k, _ := x.Next(lua.LNil); k != lua.LNil; k, _ = x.Next(k) {
			keys[k.String()] = true
		}
	}
	note(countTable(Count{}))
	note(bound(t).eventTable(&TraceEvent{Event: "called"}).(*lua.LTable))
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if !strings.Contains(text, "`"+k+"`") {
			t.Errorf("docs/scenarios.md does not say what %s is", k)
		}
	}
}
