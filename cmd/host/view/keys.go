package view

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/action"
	"github.com/tidelock/tidelock/engine/geom"
)

// key is a key of a terminal: a character, or one of those below.
type key rune

// Keys that are not characters, beyond Unicode's range.
const (
	keyUp key = 0x110000 + iota
	keyDown
	keyRight
	keyLeft
	ctrlC     key = 3
	backspace key = 8
	tab       key = '\t'
	lineFeed  key = '\n'
	enter     key = '\r'
	ctrlU     key = 21
	escape    key = 27
	erase     key = 127
)

const (
	// waitingKeys is how many keys may wait for a tick; more are dropped.
	waitingKeys = 64
	// hold is how long a key counts as held after the terminal reports it: longer than the delay until a held
	// key repeats.
	hold = 550 * time.Millisecond
	// tapped is the same for keys that act when they are pressed.
	tapped = 100 * time.Millisecond
	// turnStep and tiltStep are rotator units that one press turns the view: 10 and 5 degrees.
	turnStep, tiltStep = 1820, 910
	// steepest is how far up and down a view goes, in rotator units.
	steepest = 16384
)

// parseKeys splits the input of a terminal (ECMA-48): arrows are ESC [ A to D, or ESC O A to D; other sequences
// are skipped. An ESC that begins no sequence is the Escape key.
func parseKeys(b []byte) (out []key) {
	arrows := [...]key{keyUp, keyDown, keyRight, keyLeft}
	for i := 0; i < len(b); i++ {
		if b[i] != 0x1b {
			out = append(out, key(b[i]))
			continue
		}
		if i+1 >= len(b) || b[i+1] != '[' && b[i+1] != 'O' {
			out = append(out, escape)
			continue
		}
		i += 2
		for i < len(b) && (b[i] < 0x40 || b[i] > 0x7e) {
			i++
		}
		if i < len(b) && b[i] >= 'A' && b[i] <= 'D' {
			out = append(out, arrows[b[i]-'A'])
		}
	}
	return out
}

// command is a key's request to the program instead of the pawn.
type command uint8

const (
	nothing command = iota
	leaveMatch
	toggleBrain
	nextPlayer
	previousPlayer
	faceEnemy
	zoomMap
	showHelp
	showLog
	watchOrPlay
	typeCommand
	sayToAll
	sayToTeam
)

// hands turns keys into a player's input: keys of the match's actions, as far as a terminal has them (W4.3),
// and keys of the program. A terminal reports presses but no releases, so moves are latched: W goes forward
// until S stops it, and S again goes back.
type hands struct {
	set     *engine.ActionSet // from which keys was made
	keys    map[key]stroke
	latched map[string]int // -1, 0 or 1 of an axis with both directions; 1 of crouching
	until   map[string]time.Duration
	turn    int // rotator units by which the view has still to turn
	tilt    int
}

// stroke is the effect of a key on an action.
type stroke struct {
	name string
	way  int // 1, or -1 for an axis's negative direction
	kind strokeKind
}

type strokeKind uint8

const (
	held    strokeKind = iota // held until the key must have repeated
	taps                      // down for a moment
	latches                   // a step along an axis
	toggles
)

// tappedActions act once when they are pressed: if they were held, a second press would not count.
var tappedActions = []string{"Jump", "Reload", "Use", "NextWeapon", "PrevWeapon"}

// learn sets the actions that the player has now. nil changes nothing.
func (h *hands) learn(set *engine.ActionSet) {
	if set == nil || set == h.set {
		return
	}
	h.set, h.keys = set, map[key]stroke{}
	if h.latched == nil {
		h.latched, h.until = map[string]int{}, map[string]time.Duration{}
	}
	for i := range set.List {
		a := &set.List[i]
		kind := held
		switch {
		case a.Kind == engine.ActionAxis && a.TerminalNegative != "":
			kind = latches
		case a.Name == "Crouch":
			kind = toggles
		case slices.Contains(tappedActions, a.Name) || strings.HasPrefix(a.Name, "Weapon"):
			kind = taps
		}
		h.bind(a.Terminal, stroke{a.Name, 1, kind})
		h.bind(a.TerminalNegative, stroke{a.Name, -1, kind})
	}
	// An action without a terminal key gets the letter of its keyboard key, if that is free.
	for i := range set.List {
		a := &set.List[i]
		for _, k := range a.Keys {
			if letter, is := strings.CutPrefix(k, "Key"); is && a.Terminal == "" && a.Class != "" {
				h.bind(strings.ToLower(letter), stroke{a.Name, 1, held})
			}
		}
	}
	for k, s := range map[key]stroke{keyUp: {"MoveForward", 1, latches}, keyDown: {"MoveForward", -1, latches}, keyRight: {"MoveRight", 1, latches}, keyLeft: {"MoveRight", -1, latches}} {
		if set.Find(s.name) >= 0 {
			h.keys[k] = s
		}
	}
}

// bind assigns a key to an action, if the key is free.
func (h *hands) bind(character string, s stroke) {
	if len(character) != 1 || action.OfProgram(character[0]) {
		return
	}
	k := key(character[0])
	if _, taken := h.keys[k]; !taken {
		h.keys[k] = s
	}
}

func (h *hands) press(k key, now time.Duration) command {
	if k >= 'A' && k <= 'Z' {
		k += 'a' - 'A'
	}
	if s, is := h.keys[k]; is {
		switch s.kind {
		case latches:
			h.latched[s.name] = max(-1, min(1, h.latched[s.name]+s.way))
		case toggles:
			h.latched[s.name] = 1 - h.latched[s.name]
		case taps:
			h.until[s.name] = now + tapped
		case held:
			h.until[s.name] = now + hold
		}
		return nothing
	}
	switch k { // ORDER: action.OfProgram
	case 'x':
		for _, s := range h.keys {
			if s.kind == latches {
				delete(h.latched, s.name)
			}
		}
	case 'e':
		h.turn += turnStep
	case 'q':
		h.turn -= turnStep
	case 'i':
		h.tilt += tiltStep
	case 'k':
		h.tilt -= tiltStep
	case 'b':
		return toggleBrain
	case 'n', tab:
		return nextPlayer
	case 'p':
		return previousPlayer
	case 't':
		return faceEnemy
	case 'm':
		return zoomMap
	case 'h', '?':
		return showHelp
	case 'l':
		return showLog
	case 'v':
		return watchOrPlay
	case ':':
		return typeCommand
	case enter, lineFeed:
		return sayToAll
	case 'y':
		return sayToTeam
	case ctrlC, 4: // Ctrl-D, too
		return leaveMatch
	default: // a key without a meaning, or with one at the prompt only
	}
	return nothing
}

// input returns the held keys. view is where the player looks.
func (h *hands) input(now time.Duration, view geom.Rotator) engine.Input {
	in := engine.Input{}
	if h.set != nil {
		for i := range h.set.List {
			name := h.set.List[i].Name
			v := float64(h.latched[name])
			if now < h.until[name] {
				v = 1
			}
			if v != 0 {
				in.SetAction(name, v)
			}
		}
	}
	pitch := int(int16(view.Pitch)) + h.tilt
	in.View = geom.Rot(max(-steepest, min(steepest, pitch)), int(view.Yaw)+h.turn, 0)
	h.turn, h.tilt = 0, 0
	return in
}

// face turns the view to a direction at the next input.
func (h *hands) face(view geom.Rotator, to geom.Vector) {
	want := to.Rotation()
	h.turn = int(int16(want.Yaw - view.Yaw))
	h.tilt = int(math.Round(float64(int16(want.Pitch)))) - int(int16(view.Pitch))
}

// text describes the latched keys, "" for none.
func (h *hands) text() string {
	var out []string
	for _, m := range []struct {
		name      string
		way       int
		described string
	}{{"MoveForward", 1, "forward"}, {"MoveForward", -1, "back"}, {"MoveRight", 1, "right"}, {"MoveRight", -1, "left"}, {"Crouch", 1, "crouched"}} {
		if h.latched[m.name] == m.way {
			out = append(out, m.described)
		}
	}
	return strings.Join(out, " ")
}

// help lists the keys: those of the match's actions, then those of the program. Every row fits a terminal of 80
// columns.
func (h *hands) help() string {
	var cells []string
	if h.set != nil {
		for i := range h.set.List {
			a := &h.set.List[i]
			if strings.HasPrefix(a.Name, "Weapon") {
				continue // listed in one cell, below
			}
			if k := h.keyOf(a.Name, 1); k != "" {
				label := a.Label
				if other := h.keyOf(a.Name, -1); other != "" {
					k, label = k+" "+other, label+", "+a.NegativeLabel
				}
				cells = append(cells, Clean(k+" "+strings.ToLower(label)))
			}
		}
		if first := h.keyOf("Weapon1", 1); first != "" {
			cells = append(cells, Clean(first+"-9 take a weapon"))
		}
	}
	return strings.Join(append(wrapped(cells, "  ", helpWidth, len(cells)), helpText), "\n")
}

// helpWidth is how wide the rows of the actions' keys are at most, in columns.
const helpWidth = 78

// keyOf returns the displayed key of an action, "" for none.
func (h *hands) keyOf(name string, way int) string {
	best := key(0)
	for k, s := range h.keys {
		if s.name == name && s.way == way && k < 0x80 && (best == 0 || k < best) {
			best = k
		}
	}
	if best == 0 {
		return ""
	}
	if best == ' ' {
		return "SPACE"
	}
	return strings.ToUpper(string(rune(best)))
}
