package engine

import (
	"fmt"
	"strings"
	"testing"
)

// bagged returns an actor with a fast array, Bag, and a function that writes the array as key:number@revision.
func bagged(t *testing.T) (*World, *Actor, *Property, func() string) {
	t.Helper()
	item := &Type{Kind: KindStruct, Fields: []Field{
		{Name: "N", Type: &Type{Kind: KindInt, Ranged: true, Max: 99}},
		{Name: "Text", Type: &Type{Kind: KindString, MaxLen: MaxStringBytes}},
	}}
	w, _ := open(t, &ClassSpec{Name: "Bagged", Parent: "Actor", Properties: []PropertySpec{{Name: "Bag", Type: &Type{Kind: KindFastArray, Elem: item}}}})
	a := spawn(t, w, "Bagged", SpawnParams{})
	p := a.Class.Property("Bag")
	return w, a, p, func() string {
		var out []string
		for _, it := range a.Fast(p).Items() {
			out = append(out, fmt.Sprintf("%d:%d@%d", it.Key, it.Words[0], it.Rev))
		}
		return strings.Join(out, " ")
	}
}

func thing(n int, text string) Value {
	return Value{Kind: KindStruct, List: []Value{Int(n), String(text)}}
}

// C2: what a profile has comes back under its keys; what is the same stays, keys are never given twice, and an item that comes back is
// told from the one that was there.
func TestFastRestore(t *testing.T) {
	w, a, p, shown := bagged(t)
	restore := func(last uint32, items ...KeyedItem) {
		t.Helper()
		if left, why := a.FastRestore(p, last, items); left != 0 || why != nil {
			t.Error(left, why)
		}
	}
	restore(0)
	if a.Fast(p) != nil {
		t.Error("nothing made an array")
	}
	restore(9, KeyedItem{2, thing(20, "")}, KeyedItem{5, thing(50, "")})
	eq(t, shown(), "2:20@1 5:50@1")
	add := func(n int) uint32 {
		key, err := a.FastAdd(p, thing(n, ""))
		must(t, err)
		return key
	}
	eq(t, add(1), uint32(10))
	must(t, a.FastSet(p, 5, thing(51, "")))
	must(t, a.FastRemove(p, 2))
	eq(t, shown(), "5:51@2 10:1@1")
	before, mark := w.HashState(), w.Mark()
	restore(9, KeyedItem{2, thing(20, "")}, KeyedItem{5, thing(50, "")}, KeyedItem{7, thing(70, "")})
	eq(t, shown(), "2:20@2 5:50@3 7:70@2")
	w.Rollback(mark)
	eq(t, shown(), "5:51@2 10:1@1")
	if w.HashState() != before {
		t.Error("a rollback of FastRestore left something")
	}
	restore(9, KeyedItem{2, thing(20, "")}, KeyedItem{5, thing(51, "")})
	if shown() != "2:20@2 5:51@2" { // 5 is the same
		t.Error(shown())
	}
	eq(t, add(3), uint32(11))
	restore(0)
	eq(t, shown(), "")
	eq(t, add(4), uint32(12))
	restore(0, KeyedItem{40, thing(4, "")}) // Last is wrong
	eq(t, add(5), uint32(41))
	restore(1<<32 - 1)
	if _, err := a.FastAdd(p, thing(1, "")); err == nil || !strings.Contains(err.Error(), "has given all its keys") {
		t.Error(err)
	}
}

// Items that do not fit are left out, and the others are there: of another type, more than MaxFastItems, more than MaxFastBytes.
func TestFastRestoreLeaves(t *testing.T) {
	_, a, p, shown := bagged(t)
	left, why := a.FastRestore(p, 3, []KeyedItem{{1, thing(1, "")}, {2, thing(100, "")}, {3, Int(1)}})
	if left != 2 || why == nil || !strings.Contains(why.Error(), "item 2: member N:") || shown() != "1:1@1" {
		t.Error(left, why, shown())
	}
	var many []KeyedItem
	for i := range MaxFastItems + 2 {
		many = append(many, KeyedItem{uint32(i + 1), thing(i%100, "")})
	}
	if left, why := a.FastRestore(p, 0, many); left != 2 || why == nil || !strings.Contains(why.Error(), "item 1025: a fastarray holds 1024 items at most") || a.Fast(p).Len() != MaxFastItems {
		t.Error(left, why)
	}
	for i := range many {
		many[i].Value = thing(1, strings.Repeat("x", 500))
	}
	left, why = a.FastRestore(p, 0, many)
	if n := a.Fast(p).Len(); left+n != len(many) || n < 200 || n > MaxFastBytes/500 || !strings.Contains(fmt.Sprint(why), "bytes on the wire") {
		t.Error(left, n, why)
	}
	if err := a.FastSet(p, 1, thing(1, strings.Repeat("x", 999))); err == nil || !strings.Contains(err.Error(), "full") {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("keys that do not ascend are taken")
		}
	}()
	_, _ = a.FastRestore(p, 0, []KeyedItem{{2, thing(1, "")}, {2, thing(1, "")}})
}
