package traffic

import (
	"fmt"
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
		specs = append(specs, &engine.ClassSpec{Name: n, Parent: "Actor", Mod: mod, Functions: []engine.FunctionSpec{{Name: "Say", Kind: engine.CallMulticast, Stated: true}}})
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
