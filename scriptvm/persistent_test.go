package scriptvm

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/tests/tier"
)

const hero = `
local Hero = class("Hero", "PlayerState")
Hero.persistent {
	Bag = fastarray(struct { Kind = str("", { max = 20 }), Count = int(1, { min = 0, max = 99 }), At = vector(0, 0, 0), Facing = rotator(0, 0, 0), Marks = array(false, 2) }),
	Equipped = int(0), -- a key of Bag
	Pose = struct { X = float(0), How = enum("Up", "Down"), Names = array("", 2) },
}
function Hero:All()
	local list = {}
	for key, item in self.Bag:Pairs() do list[#list + 1] = ("%d=%s:%d"):format(key, item.Kind, item.Count) end
	return table.concat(list, " ")
end
`

// result calls a function of an actor and returns what it returns.
func (b *bench) result(a *engine.Actor, name string, args ...engine.Value) engine.Value {
	b.t.Helper()
	v, err := b.v.Call(a, name, args...)
	if err != nil {
		b.t.Fatal(err)
	}
	if len(v) == 0 {
		return engine.Value{}
	}
	return v[0]
}

// profileOf encodes what a profile keeps of an actor and decodes it, as a store does.
func profileOf(t rapid.TB, v *VM, a *engine.Actor, profile *store.Table) *store.Table {
	t.Helper()
	b, err := store.Append(nil, v.Persistent(a, profile))
	if err != nil {
		t.Fatal(err)
	}
	x, err := store.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return x.(*store.Table)
}

// TestPersistentUnfit: what does not fit its variable any more is one line, and the rest is there.
func TestPersistentUnfit(t *testing.T) {
	game := store.OfMod("")
	item := func(pairs ...any) *store.Table {
		x := &store.Table{}
		for i := 0; i < len(pairs); i += 2 {
			x.Pairs = append(x.Pairs, store.Pair{Key: pairs[i], Value: pairs[i+1]})
		}
		return x
	}
	many := &store.Table{}
	for i := range engine.MaxFastItems + 3 {
		many.Pairs = append(many.Pairs, store.Pair{Key: float64(i + 1), Value: item("Count", 1.0)})
	}
	for _, c := range []struct {
		name     string
		bag      any
		all, say string
	}{
		{"an item", item("Items", item(1.0, item("Kind", "rope"), 3.0, item("Count", 100.0), 4.0, item("Count", "x")), "Last", 4.0), "1=rope:1", "Hero.Bag: 2 of the profile's 3 items do not fit any more and are left out: item 3: member Count: expected int(0…99), got 100"},
		{"a member", item("Items", item(2.0, item("Colour", "red", "Kind", "rope"), 3.0, item("Colour", "red"))), "2=rope:1 3=:1", "Hero.Bag: the profile has a member Colour, which the struct does not have any more; it is dropped"},
		{"too many", item("Items", many), "", "Hero.Bag: 3 of the profile's 1027 items do not fit any more and are left out: item 1025: a fastarray holds 1024 items at most"},
		{"a number", 5.0, "", "Hero.Bag: the profile's value does not fit any more: expected fastarray(struct{"},
		{"an array", &store.Table{Array: []any{1.0}}, "", "it is empty again"},
		{"no key", item("Items", item(0.5, item())), "", "it is empty again"},
		{"the last key", item("Items", item(), "Last", -1.0), "", "it is empty again"},
		{"an item that is a number", item("Items", item(1.0, 5.0, 2.0, &store.Table{Array: []any{1.0}}), "Last", 4.0), "", "2 of the profile's 2 items"},
		{"by hand", item("Items", &store.Table{Array: []any{item("Kind", "rope"), item("Kind", "key")}}), "1=rope:1 2=key:1", ""},
		{"empty", item("Items", item(), "Last", 0.0), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, hero)
			a := b.spawn("Hero")
			b.v.SetPersistent(a, item(game, item("Bag", c.bag, "Equipped", 7.0)))
			if c.all != "" {
				if got := b.result(a, "All").Str; got != c.all {
					t.Error(got)
				}
			}
			if len(b.reports) > 1 || !strings.Contains(b.errors(), c.say) || c.say == "" && b.errors() != "" {
				t.Error(b.errors())
			}
			if got := b.get(a, "Equipped").Num; got != 7 {
				t.Error(got)
			}
		})
	}
}

// TestPersistentAnything: whatever scripts do with a bag, another VM gets all of it from the profile, and the same profile from it.
func TestPersistentAnything(t *testing.T) {
	b, other := newBench(t, hero), newBench(t, hero)
	tier.Check(t, func(rt *rapid.T) {
		a, c := b.spawn("Hero"), other.spawn("Hero")
		bag := a.Class.Property("Bag")
		var profile *store.Table
		given := map[uint32]bool{}
		drawn := func() engine.Value {
			f := func() float64 { return float64(rapid.IntRange(-9, 9).Draw(rt, "number")) / 4 }
			return engine.Value{Kind: engine.KindStruct, List: []engine.Value{
				engine.String(rapid.SampledFrom([]string{"", "rope", "\xff\x00"}).Draw(rt, "kind")), engine.Int(rapid.IntRange(0, 99).Draw(rt, "count")),
				engine.Vec(geom.V(f(), f(), f())), engine.Rotation(geom.Rotator{Yaw: uint16(rapid.IntRange(0, 65535).Draw(rt, "yaw"))}),
				{Kind: engine.KindArray, List: []engine.Value{engine.Bool(rapid.Bool().Draw(rt, "mark")), engine.Bool(false)}},
			}}
		}
		for range rapid.IntRange(0, 20).Draw(rt, "changes") {
			items := a.Fast(bag).Items()
			key := uint32(0)
			if len(items) > 0 {
				key = items[rapid.IntRange(0, len(items)-1).Draw(rt, "item")].Key
			}
			switch rapid.IntRange(0, 5).Draw(rt, "change") {
			case 0, 1, 2:
				k, err := a.FastAdd(bag, drawn())
				if err != nil || given[k] {
					rt.Fatalf("key %d is given twice, or %v", k, err)
				}
				given[k] = true
			case 3:
				if key != 0 {
					_ = a.FastSet(bag, key, drawn())
				}
			case 4:
				if key != 0 {
					_ = a.FastRemove(bag, key)
				}
			case 5: // the next match, or back to what is stored
				if profile = profileOf(rt, b.v, a, profile); rapid.Bool().Draw(rt, "new") {
					a = b.spawn("Hero")
				}
				b.v.SetPersistent(a, profile)
			}
		}
		pose := engine.Value{Kind: engine.KindStruct, List: []engine.Value{
			engine.Float(1.5), engine.String("Down"), {Kind: engine.KindArray, List: []engine.Value{engine.String("a"), engine.String("b")}},
		}}
		if err := a.Set(a.Class.Property("Pose"), pose); err != nil {
			rt.Fatal(err)
		}
		profile = profileOf(rt, b.v, a, profile)
		other.v.SetPersistent(c, profile)
		if got, want := fmt.Sprintf("%v", shownBag(c)), fmt.Sprintf("%v", shownBag(a)); got != want {
			rt.Fatalf("loaded %s\nsaved  %s", got, want)
		}
		x, errX := store.Append(nil, profile)
		y, errY := store.Append(nil, other.v.Persistent(c, nil))
		if string(x) != string(y) || errX != nil || errY != nil {
			rt.Fatalf("%q\n%q", x, y)
		}
		b.clean()
		other.clean()
	})
}

func shownBag(a *engine.Actor) (out []string) {
	out = append(out, fmt.Sprint(a.Get(a.Class.Property("Pose"))))
	p := a.Class.Property("Bag")
	for _, it := range a.Fast(p).Items() {
		x, _ := a.FastGet(p, it.Key)
		out = append(out, fmt.Sprintf("%d %v", it.Key, x))
	}
	return out
}
