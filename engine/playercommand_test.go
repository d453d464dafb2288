package engine

import "testing"

// TestPlayerCommands: lines come in order, once; a player who gives too many takes no room from others.
func TestPlayerCommands(t *testing.T) {
	w := &World{}
	one, two := ActorID(1), ActorID(2)
	for i := range 2 * MaxPlayerCommands {
		if ok := w.GiveCommand(one, "x"); ok != (i < MaxPlayerCommands) {
			t.Errorf("line %d: %t", i, ok)
		}
	}
	if !w.GiveCommand(two, "y") {
		t.Error("another player is refused")
	}
	var got []PlayerCommand
	take := func() { got = nil; w.TakeCommands(func(c PlayerCommand) { got = append(got, c) }) }
	if take(); len(got) != MaxPlayerCommands+1 || got[0] != (PlayerCommand{one, "x"}) || got[MaxPlayerCommands] != (PlayerCommand{two, "y"}) {
		t.Errorf("%v", got)
	}
	if take(); len(got) != 0 {
		t.Errorf("again: %v", got)
	}
	if !w.GiveCommand(one, "z") {
		t.Error("refused after they were taken")
	}
	n := 1
	for i := range 2 * maxCommands {
		if w.GiveCommand(ActorID(i+10), "x") {
			n++
		}
	}
	if n != maxCommands {
		t.Errorf("%d lines of all players", n)
	}
}
