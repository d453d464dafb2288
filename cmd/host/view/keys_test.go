package view

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// handed are hands that know some actions.
func handed() hands {
	var h hands
	h.learn(&engine.ActionSet{List: []engine.Action{
		{Name: "MoveForward", Label: "Forward", NegativeLabel: "Back", Kind: engine.ActionAxis, Terminal: "w", TerminalNegative: "s"},
		{Name: "MoveRight", Label: "Right", NegativeLabel: "Left", Kind: engine.ActionAxis, Terminal: "d", TerminalNegative: "a"},
		{Name: "MoveUp", Label: "Rise", Kind: engine.ActionAxis, Terminal: "j"},
		{Name: "Jump", Label: "Jump", Terminal: " "},
		{Name: "Crouch", Label: "Crouch", Terminal: "c"},
		{Name: "Fire", Label: "Fire", Terminal: "f"},
		{Name: "Weapon1", Terminal: "1"},
		{Name: "Weapon3", Terminal: "3"},
		{Name: "Siren", Label: "Siren", Keys: []string{"KeyO"}, Class: "Car"},
		{Name: "Horn", Label: "Horn", Keys: []string{"KeyH"}, Class: "Car"},
		{Name: "Wipe", Label: "Wipe", Keys: []string{"KeyF", "KeyU"}, Class: "Car"},
	}})
	return h
}

// An action that says nothing of terminals has the letter of its key where that is free; what a terminal cannot have is not shown.
func TestHandsOfAClass(t *testing.T) {
	h := handed()
	h.press('o', 0)
	h.press('h', 0) // the program's
	h.press('f', 0) // of another action
	h.press('u', 0)
	in := h.input(0, geom.Rotator{})
	if in.Action("Siren") != 1 || in.Action("Horn") != 0 || !in.Fire || in.Action("Wipe") != 1 {
		t.Errorf("%+v", in)
	}
	help := h.help()
	for _, want := range []string{"W S forward, back", "SPACE jump", "O siren", "1-9 take a weapon", "Q E  I K"} {
		if !strings.Contains(help, want) {
			t.Errorf("%q is missing in\n%s", want, help)
		}
	}
	if strings.Contains(help, "horn") {
		t.Errorf("no key has the horn:\n%s", help)
	}
}

func TestParseKeys(t *testing.T) {
	for in, want := range map[string][]key{
		"w":              {'w'},
		"wf ":            {'w', 'f', ' '},
		"\x1b[A\x1b[B":   {keyUp, keyDown},
		"\x1bOC\x1bOD":   {keyRight, keyLeft},
		"\x1b":           {escape},
		"\x1b[":          nil,
		"\x1b[1;5Cx":     {keyRight, 'x'},
		"\x1b[3~q":       {'q'}, // Delete
		"\x03":           {ctrlC},
		"\x1b[200~a\x1b": {'a', escape},
		"\x1b\r":         {escape, enter},
	} {
		if got := parseKeys([]byte(in)); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", in, got, want)
		}
	}
}

// Moves are latched, the opposite key stops them; what fires is let go of by itself.
func TestHandsLatch(t *testing.T) {
	h := handed()
	press := func(keys string, now time.Duration) (last command) {
		for _, k := range keys {
			last = h.press(key(k), now)
		}
		return last
	}
	press("wa", 0)
	in := h.input(time.Hour, geom.Rotator{})
	if in.Forward != 1 || in.Strafe != -1 {
		t.Errorf("after an hour of W and A: %+v", in)
	}
	press("www", 0)
	if press("s", 0); h.input(0, geom.Rotator{}).Forward != 0 {
		t.Error("S does not stop W")
	}
	if press("s", 0); h.input(0, geom.Rotator{}).Forward != -1 {
		t.Error("S twice is not back")
	}
	if press("x", 0); h.text() != "" {
		t.Errorf("X leaves %q", h.text())
	}
	press("f 3j", time.Second)
	if in := h.input(time.Second, geom.Rotator{}); !in.Fire || !in.Jump || in.Weapon != 3 || in.Up != 1 {
		t.Errorf("%+v", in)
	}
	if in := h.input(time.Second+tapped, geom.Rotator{}); !in.Fire || in.Jump || in.Weapon != 0 || in.Up != 1 {
		t.Errorf("a tap is over, a hold is not: %+v", in)
	}
	if in := h.input(time.Second+hold, geom.Rotator{}); in.Fire || in.Up != 0 {
		t.Errorf("fires or rises for ever: %+v", in)
	}
	for k, want := range map[key]command{ctrlC: leaveMatch, 'b': toggleBrain, 'n': nextPlayer, 'p': previousPlayer, 'm': zoomMap, 'h': showHelp, 't': faceEnemy, 'l': showLog, 'v': watchOrPlay, ':': typeCommand, 'z': nothing, escape: nothing, enter: sayToAll, 'y': sayToTeam} {
		if got := h.press(k, 0); got != want {
			t.Errorf("%c: %v, want %v", k, got, want)
		}
	}
}

// A view turns by what was pressed, once, and not over its head.
func TestHandsTurn(t *testing.T) {
	h := handed()
	view := geom.Rot(0, 65000, 0)
	h.press('e', 0)
	h.press('e', 0)
	in := h.input(0, view)
	turned := view.Yaw
	turned += 2 * turnStep
	if in.View.Yaw != turned {
		t.Errorf("yaw %d, want %d", in.View.Yaw, turned)
	}
	if again := h.input(0, in.View); again.View != in.View {
		t.Error("turned twice")
	}
	for range 50 {
		h.press('i', 0)
	}
	if in := h.input(0, view); int16(in.View.Pitch) != steepest {
		t.Errorf("pitch %d", int16(in.View.Pitch))
	}
	for range 100 {
		h.press('k', 0)
	}
	if in := h.input(0, view); int16(in.View.Pitch) != -steepest {
		t.Errorf("pitch %d", int16(in.View.Pitch))
	}
	h.face(geom.Rot(100, 30000, 0), geom.Vector{X: 0, Y: -1})
	if in := h.input(0, geom.Rot(100, 30000, 0)); in.View.Yaw != 49152 || in.View.Pitch != 0 {
		t.Errorf("faces %v", in.View)
	}
}
