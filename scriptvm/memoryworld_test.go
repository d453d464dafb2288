package scriptvm

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// keepers are classes of a mod each that keep some megabytes once.
func keepers(mod string, classes, megabytes int) []classfile.Source {
	var out []classfile.Source
	for i := range classes {
		name := fmt.Sprintf("%s%d", strings.ToUpper(mod[:1])+mod[1:], i)
		out = append(out, classfile.Source{Path: "scripts/mods/" + mod + "/" + name + ".lua", Text: fmt.Sprintf(`
local %[1]s = class("%[1]s", "Actor")
function %[1]s:BeginPlay() self.list = {} end
function %[1]s:Tick(dt)
	for i = 1, 60 do
		if #self.list < %[2]d then self.list[#self.list + 1] = #self.list .. ("x"):rep(32000) end
	end
end
return %[1]s
`, name, megabytes*32)})
	}
	return out
}

// TestMemoryOfModsAndWorlds: the classes of a mod together, all mods together and all scripts together have limits of their
// own; what Options names has another one.
func TestMemoryOfModsAndWorlds(t *testing.T) {
	long(t)
	for name, c := range map[string]struct {
		mods    map[string][2]int // classes, megabytes each
		memory  map[string]int64
		world   int64
		dropped string // of the first decision
		where   string
	}{
		"within all":           {mods: map[string][2]int{"one": {1, 30}, "two": {1, 30}}},
		"a mod":                {mods: map[string][2]int{"one": {3, 30}, "two": {1, 10}}, dropped: "One", where: "mod one"},
		"a class with less":    {mods: map[string][2]int{"one": {1, 30}, "two": {1, 30}}, memory: map[string]int64{"Two0": 20 << 20}, dropped: "Two0"},
		"a mod with less":      {mods: map[string][2]int{"one": {2, 20}, "two": {1, 30}}, memory: map[string]int64{"one": 30 << 20}, dropped: "One", where: "mod one"},
		"a class with more":    {mods: map[string][2]int{"one": {1, 80}}, memory: map[string]int64{"One0": 100 << 20, "one": 100 << 20}},
		"mods leave an eighth": {mods: map[string][2]int{"one": {1, 32}, "two": {1, 30}}, world: 68 << 20, dropped: "One", where: "all mods"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			var files []classfile.Source
			for mod, n := range c.mods {
				files = append(files, keepers(mod, n[0], n[1])...)
			}
			b := newBench(t, "", files...)
			b.v.opt.Memory, b.v.opt.WorldMemory = c.memory, c.world
			for mod, n := range c.mods {
				for i := range n[0] {
					b.spawn(fmt.Sprintf("%s%d", strings.ToUpper(mod[:1])+mod[1:], i))
				}
			}
			d := b.watch(2.5)
			if c.dropped == "" {
				if len(d) > 0 {
					t.Errorf("dropped: %v", d)
				}
				return
			}
			if len(d) == 0 || !strings.HasPrefix(d[0].Name, c.dropped) || d[0].Where != c.where {
				t.Errorf("dropped: %+v, want %s of %q\n%s", d, c.dropped, c.where, b.errors())
			}
		})
	}
}

// TestReloadAfterDrop: a reload that succeeds runs the file again, so that the class has its locals again.
func TestReloadAfterDrop(t *testing.T) {
	source := hogSource(`kept[#kept + 1] = heap() self.count = (self.count or 0) + 1`)
	b := newBench(t, "", source, honest, hogStore)
	b.spawn("Hog")
	if d := b.watch(4); len(d) != 1 {
		t.Fatalf("dropped: %v\n%s", d, b.errors())
	}
	if got := b.quarantined(); got != "[Hog]" {
		t.Errorf("quarantined: %s", got)
	}
	b.reports = nil
	b.reloads("")
	b.run(0.1)
	if len(b.v.Quarantined()) != 0 || len(b.reports) != 0 {
		t.Errorf("after a reload: %v\n%s", b.v.Quarantined(), b.errors())
	}
}

// TestMemoryDecisionsRepeat: what is decided follows from the collector, what is done about it only from the decision and the
// world: two worlds that get the same one at the same tick stay the same.
func TestMemoryDecisionsRepeat(t *testing.T) {
	play := func() (sums []string) {
		b := newBench(t, "", hogSource(`self.count = (self.count or 0) + 1 kept[#kept + 1] = self.count kept["k" .. #kept] = 1 `), honest, hogStore)
		b.spawn("Honest")
		a := b.spawn("Hog")
		for tick := range 60 {
			b.w.Step(1.0 / 60)
			switch tick {
			case 20:
				b.v.Decide(MemoryDecision{Name: "Hog", Rebuild: true})
			case 40:
				b.v.Decide(MemoryDecision{Name: "Hog", Kept: 70 << 20, Limit: 64 << 20})
			}
			var names []string
			each(a.Script.(*object).table, func(k, _ lua.LValue) { names = append(names, k.String()) })
			sums = append(sums, fmt.Sprint(b.v.Quarantined(), names))
		}
		return append(sums, b.errors())
	}
	if first, second := play(), play(); strings.Join(first, "\n") != strings.Join(second, "\n") {
		t.Error("two runs differ")
	} else if !strings.Contains(first[59], "Hog") || strings.Contains(first[39], "[Hog]") {
		t.Errorf("tick 40 %s, tick 60 %s", first[39], first[59])
	}
}

// TestMemoryRows: the rows of Memory are near what the heap has.
func TestMemoryRows(t *testing.T) {
	long(t)
	for what, body := range map[string]string{
		"strings":           `for i = 1, 100 do kept[#kept + 1] = fresh() end`,
		"lists":             `for i = 1, 8000 do kept[#kept + 1] = { i, i + 1 } end`,
		"records":           `for i = 1, 4000 do kept[#kept + 1] = { a = i, b = i } end`,
		"grown records":     `for i = 1, 1500 do local t = {} t.a = i t.b = i kept[#kept + 1] = t end`,
		"keys":              `for i = 1, 10000 do kept["key" .. #kept .. "_" .. i .. "_" .. serial] = i end serial = serial + 1`,
		"closures":          `for i = 1, 8000 do kept[#kept + 1] = function() return i end end`,
		"vectors":           `for i = 1, 8000 do kept[#kept + 1] = vector(i, i, i) end`,
		"a list of numbers": `for i = 1, 20000 do kept[#kept + 1] = i + 0.5 end`,
	} {
		b := newBench(t, "", hogSource(body), hogStore)
		b.v.opt.Limits.Instructions = 1 << 30
		b.spawn("Hog")
		begin := keptBy(b.v, "Hog")
		before := liveHeap()
		b.run(0.15)
		grown := liveHeap() - before
		kept := keptBy(b.v, "Hog") - begin
		runtime.KeepAlive(b)
		if kept < grown*2/5 || kept > grown*5/2 {
			t.Errorf("%s: %d kB on the heap, %d kB by the walk\n%s", what, grown>>10, kept>>10, b.errors())
		}
	}
}

// keptBy is what a walk over all that scripts hold finds of a class.
func keptBy(v *VM, name string) int64 {
	v.beginWalk()
	for v.memory.walk != nil {
		v.goOnWalking(1 << 30)
	}
	rows := v.Memory()
	if i := slices.IndexFunc(rows, func(m Memory) bool { return m.Name == name }); i >= 0 {
		return rows[i].Kept
	}
	return 0
}
