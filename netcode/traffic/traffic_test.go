package traffic

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
)

func classesOf(t *testing.T, names ...string) *schema.Set {
	t.Helper()
	var specs []*engine.ClassSpec
	for _, n := range names {
		mod := ""
		if n != "Bell" {
			mod = "loud"
		}
		specs = append(specs, &engine.ClassSpec{
			Name: n, Parent: "Actor", Mod: mod, Properties: []engine.PropertySpec{{Name: "Loudness", Type: &engine.Type{Kind: engine.KindInt}}},
			Rules: []engine.RuleSpec{{Names: []string{"Loudness"}}}, Functions: []engine.FunctionSpec{{Name: "Say", Kind: engine.CallMulticast, Stated: true}},
		})
	}
	cs, errs := engine.BuildClasses(append([]*engine.ClassSpec{{Name: "Actor"}}, specs...), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return schema.New(cs, 1)
}

// TestEachMod: bytes can be summed by mod, classes that a reload took away included (G10).
func TestEachMod(t *testing.T) {
	var c Counters
	count := func(set *schema.Set, class string, bytes uint64) {
		k := set.Of(set.Classes.Find(class))
		n, _ := k.Number(k.Class.Functions["Say"])
		c.Function(k, n).Bytes += bytes
	}
	set := classesOf(t, "Bell", "Cannon", "Drum")
	c.Bind(set)
	count(set, "Bell", 5)
	count(set, "Cannon", 7)
	count(set, "Drum", 11)
	set = classesOf(t, "Bell", "Cannon")
	c.Bind(set)
	count(set, "Cannon", 100)
	got := ""
	c.EachMod(func(mod string, e Entry) { got += fmt.Sprintf("%q %d ", mod, e.Bytes) })
	if want := `"" 5 "loud" 118 `; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestEachBytes: what is counted by number is what is counted by name, of the present classes alone, and of those of which something was counted since.
func TestEachBytes(t *testing.T) {
	var c Counters
	c.EachBytes(0, func(int, int, uint64) { t.Error("there are bytes before there are classes") })
	for round, names := range [][]string{{"Bell", "Cannon", "Drum"}, {"Drum", "Bell"}} {
		set := classesOf(t, names...)
		c.Bind(set)
		if c.Bound() != set {
			t.Fatal("the numbers are of other classes")
		}
		earlier := map[string]uint64{}
		c.Each(func(_ Kind, name string, e Entry) { earlier[name] = e.Bytes })
		count := func(name string, more int) {
			k := set.Of(set.Classes.Find(name))
			n, _ := k.Number(k.Class.Functions["Say"])
			c.Function(k, n).Bytes += uint64(7 + more)
			c.Self(k).Bytes += uint64(100 + more)
			vars := c.Vars(k)
			vars[len(vars)-1].Bytes += uint64(1000 + more)
		}
		kinds := map[string]Kind{}
		// agree compares what there is since an earlier call, which is all of some classes.
		agree := func(since uint32, of ...string) uint32 {
			t.Helper()
			want, got := map[string]uint64{}, map[string]uint64{}
			c.Each(func(_ Kind, name string, e Entry) {
				class, _, _ := strings.Cut(name, ".")
				if more := e.Bytes - earlier[name]; more > 0 && slices.Contains(of, class) {
					want[name] = more
				}
			})
			now := c.EachBytes(since, func(class, member int, bytes uint64) {
				kind, name := MemberName(set, class, member)
				got[name] += bytes
				kinds[name] = kind
			})
			if fmt.Sprint(got) != fmt.Sprint(want) || len(want) != 3*len(of) {
				t.Errorf("round %d, since %d: by number %v, by name %v", round, since, got, want)
			}
			return now
		}
		for i, name := range names {
			count(name, i+round)
		}
		since := agree(0, names...)
		agree(since)
		count("Bell", 5)
		again := agree(since, "Bell")
		agree(again)
		agree(since, "Bell")
		agree(0, names...)
		if kinds["Bell"] != Class || kinds["Bell.Say"] != Function || kinds["Bell.Loudness"] != Property {
			t.Errorf("kinds %v", kinds)
		}
		for _, x := range [][2]int{{1 << 20, 0}, {0, 1 << 20}, {0, -1}} {
			if _, name := MemberName(set, x[0], x[1]); name != "" {
				t.Errorf("%v is called %q", x, name)
			}
		}
	}
}
