package view

import (
	"math"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// key is a key of a terminal: a character, or one of those below.
type key rune

// Keys that are no characters, beyond what Unicode has.
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
	// hold is for how long a key that a terminal tells of only once counts as held: longer than it takes until a key that
	// is held down repeats.
	hold = 550 * time.Millisecond
	// tapped is the same for keys that act when they are pressed.
	tapped = 100 * time.Millisecond
	// turnStep and tiltStep are rotator units that one press turns the view: 10 and 5 degrees.
	turnStep, tiltStep = 1820, 910
	// steepest is how far up and down a view goes, in rotator units.
	steepest = 16384
)

// parseKeys takes apart what a terminal sends in one piece (ECMA-48): arrows are ESC [ A to D, or ESC O A to D; other
// sequences are passed over. An ESC that begins none is the key.
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

// command is what a key asks of the program and not of the player's body.
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
)

// hands turn keys into a player's input. A terminal tells of presses and never of releases, so moves are latched: W
// goes forward until S stops it, and S once more goes back.
type hands struct {
	forward, strafe int
	crouch          bool
	weapon          int
	until           [7]time.Duration // by held key, below
	turn, tilt      int              // rotator units that the view is still to turn
}

// ORDER: hands.until.
const (
	jumping = iota
	rising
	firing
	altFiring
	reloading
	using
	switching
)

func (h *hands) press(k key, now time.Duration) command {
	step := func(at *int, by int) { *at = max(-1, min(1, *at+by)) }
	switch k {
	case 'w', 'W', keyUp:
		step(&h.forward, 1)
	case 's', 'S', keyDown:
		step(&h.forward, -1)
	case 'd', 'D', keyRight:
		step(&h.strafe, 1)
	case 'a', 'A', keyLeft:
		step(&h.strafe, -1)
	case 'x', 'X':
		h.forward, h.strafe = 0, 0
	case 'c', 'C':
		h.crouch = !h.crouch
	case 'e', 'E':
		h.turn += turnStep
	case 'q', 'Q':
		h.turn -= turnStep
	case 'i', 'I':
		h.tilt += tiltStep
	case 'k', 'K':
		h.tilt -= tiltStep
	case ' ':
		h.until[jumping] = now + tapped
	case 'j', 'J':
		h.until[rising] = now + hold
	case 'f', 'F':
		h.until[firing] = now + hold
	case 'g', 'G':
		h.until[altFiring] = now + hold
	case 'r', 'R':
		h.until[reloading] = now + tapped
	case 'u', 'U':
		h.until[using] = now + tapped
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		h.weapon, h.until[switching] = int(k-'0'), now+tapped
	case 'b', 'B':
		return toggleBrain
	case 'n', 'N', tab:
		return nextPlayer
	case 'p', 'P':
		return previousPlayer
	case 't', 'T':
		return faceEnemy
	case 'm', 'M':
		return zoomMap
	case 'h', 'H', '?':
		return showHelp
	case 'l', 'L':
		return showLog
	case 'v', 'V':
		return watchOrPlay
	case ':':
		return typeCommand
	case ctrlC, 4: // Ctrl-D, too
		return leaveMatch
	default: // a key without a meaning, or with one at the prompt only
	}
	return nothing
}

// input is what is held down now. view is where the player looks.
func (h *hands) input(now time.Duration, view geom.Rotator) engine.Input {
	held := func(i int) bool { return now < h.until[i] }
	in := engine.Input{
		Forward: float64(h.forward), Strafe: float64(h.strafe), Crouch: h.crouch, Jump: held(jumping), Fire: held(firing),
		AltFire: held(altFiring), Reload: held(reloading), Use: held(using),
	}
	if held(rising) {
		in.Up = 1
	}
	if held(switching) {
		in.Weapon = h.weapon
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

// text says what is latched, "" for nothing.
func (h *hands) text() string {
	out := ""
	add := func(s string) {
		if out != "" {
			out += " "
		}
		out += s
	}
	switch h.forward {
	case 1:
		add("forward")
	case -1:
		add("back")
	}
	switch h.strafe {
	case 1:
		add("right")
	case -1:
		add("left")
	}
	if h.crouch {
		add("crouched")
	}
	return out
}
