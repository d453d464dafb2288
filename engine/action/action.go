package action

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidelock/tidelock/engine"
)

const (
	// MaxName and MaxLabel bound a name and a label, in bytes.
	MaxName, MaxLabel = 32, 40
	// MaxKeys bounds the keys of each direction of an action, and its buttons.
	MaxKeys = 4
)

// Fields lists the keys of a declaration, for messages.
var Fields = []string{"name", "label", "kind", "keys", "negative", "negative_label", "buttons", "touch", "terminal", "terminal_negative"}

// Kinds are the words for the kinds of actions.
var Kinds = []string{engine.ActionButton.String(), engine.ActionAxis.String()}

// Touches lists the words for the touch-screen control of an action.
var Touches = []string{"button", "stick-x", "stick-y", "none"}

// Buttons lists those of a gamepad in the standard layout of the Gamepad API, in its order.
var Buttons = []string{"a", "b", "x", "y", "lb", "rb", "lt", "rt", "back", "start", "ls", "rs", "up", "down", "left", "right"}

// Sticks are the axes of a gamepad that an action may have; the right stick looks around. lx is 1 to the right, ly forwards.
var Sticks = []string{"lx", "ly"}

// Mouse lists the names of the mouse buttons and the wheel.
var Mouse = []string{"Mouse0", "Mouse1", "Mouse2", "Mouse3", "Mouse4", "WheelUp", "WheelDown"}

// keys lists the other keys of a keyboard, by KeyboardEvent.code. isKey knows letters, digits and the number
// pad.
var keys = []string{
	"Space", "Tab", "Enter", "Backspace", "CapsLock", "ShiftLeft", "ShiftRight", "Minus", "Equal", "BracketLeft", "BracketRight",
	"Backslash", "Semicolon", "Quote", "Comma", "Period", "Slash", "IntlBackslash", "Insert", "Delete", "Home", "End", "PageUp", "PageDown",
	"ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "F2", "F4", "F7", "F8", "F9", "F10",
	"NumpadAdd", "NumpadSubtract", "NumpadMultiply", "NumpadDivide", "NumpadDecimal", "NumpadEnter",
}

// kept maps keys reserved by the browser, the system or the page to the reason why no action may use them.
var kept = map[string]string{
	"ControlLeft": "with it browsers close tabs (Ctrl+W)", "ControlRight": "with it browsers close tabs (Ctrl+W)",
	"AltLeft": "it opens the browser's menus", "AltRight": "it opens the browser's menus",
	"MetaLeft": "it belongs to the system", "MetaRight": "it belongs to the system", "ContextMenu": "it belongs to the system",
	"Escape": "it opens the page's menu", "F1": "it opens the browser's help", "F3": "it shows the page's numbers", "Backquote": "it opens the page's console", "F5": "it loads the page again",
	"F6": "it belongs to the browser", "F11": "it belongs to the browser", "F12": "it belongs to the browser",
}

// Kept returns the keys that no action may use, sorted.
func Kept() []string { return slices.Sorted(maps.Keys(kept)) }

func isKey(key string) bool {
	if slices.Contains(Mouse, key) || slices.Contains(keys, key) {
		return true
	}
	one := func(prefix string, from, to byte) bool {
		rest, ok := strings.CutPrefix(key, prefix)
		return ok && len(rest) == 1 && rest[0] >= from && rest[0] <= to
	}
	return one("Key", 'A', 'Z') || one("Digit", '0', '9') || one("Numpad", '0', '9')
}

// allKeys returns the names of all keys, for finding the nearest one.
func allKeys() []string {
	out := append(slices.Clone(keys), Mouse...)
	for c := 'A'; c <= 'Z'; c++ {
		out = append(out, "Key"+string(c))
	}
	for c := '0'; c <= '9'; c++ {
		out = append(out, "Digit"+string(c), "Numpad"+string(c))
	}
	return out
}

// CheckName checks the name of an action.
func CheckName(name string) error {
	ok := len(name) > 0 && len(name) <= MaxName && name[0] >= 'A' && name[0] <= 'Z'
	for i := range len(name) {
		c := name[i]
		ok = ok && (c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9')
	}
	if !ok {
		return fmt.Errorf("expected a name of an action: a capital, then letters and digits, at most %d, got %q", MaxName, clip(name))
	}
	return nil
}

// Kind returns the kind for a word; "" is a button.
func Kind(word string) (engine.ActionKind, error) {
	switch word {
	case "", engine.ActionButton.String():
		return engine.ActionButton, nil
	case engine.ActionAxis.String():
		return engine.ActionAxis, nil
	}
	return 0, fmt.Errorf("unknown kind %q%s; expected %s", clip(word), engine.Nearest(word, Kinds), strings.Join(Kinds, " or "))
}

// Check checks an action except its kind, and completes it: a missing label becomes the name. field is the key
// that is wrong.
func Check(a *engine.Action) (field string, err error) {
	if err := CheckName(a.Name); err != nil {
		return "name", err
	}
	if a.Label == "" {
		a.Label = a.Name
	}
	if a.Touch == "none" {
		a.Touch = ""
	}
	axis := a.Kind == engine.ActionAxis
	for _, f := range []struct{ field, text string }{{"label", a.Label}, {"negative_label", a.NegativeLabel}} {
		if len(f.text) > MaxLabel || !utf8.ValidString(f.text) || strings.ContainsFunc(f.text, unicode.IsControl) {
			return f.field, fmt.Errorf("expected one line of at most %d bytes", MaxLabel)
		}
	}
	for _, f := range []struct {
		field string
		keys  []string
	}{{"keys", a.Keys}, {"negative", a.Negative}} {
		if err := checkKeys(f.keys); err != nil {
			return f.field, err
		}
	}
	if !axis && (len(a.Negative) > 0 || a.NegativeLabel != "" || a.TerminalNegative != "") {
		return "negative", fmt.Errorf(`a button has no negative direction; write kind = "axis", or leave out negative, negative_label and terminal_negative`)
	}
	if err := checkButtons(a.Buttons, axis); err != nil {
		return "buttons", err
	}
	if a.Touch != "" && !slices.Contains(Touches, a.Touch) {
		return "touch", fmt.Errorf("unknown touch %q%s; expected %s", clip(a.Touch), engine.Nearest(a.Touch, Touches), strings.Join(Touches, ", "))
	}
	if strings.HasPrefix(a.Touch, "stick") && !axis {
		return "touch", fmt.Errorf(`a stick moves an axis; write kind = "axis", or touch = "button"`)
	}
	for _, f := range []struct{ field, text string }{{"terminal", a.Terminal}, {"terminal_negative", a.TerminalNegative}} {
		if f.text != "" && (len(f.text) != 1 || f.text[0] < ' ' || f.text[0] > '~' || f.text[0] >= 'A' && f.text[0] <= 'Z') {
			return f.field, fmt.Errorf("expected one character of a keyboard, letters small, got %q", clip(f.text))
		}
		if f.text != "" && OfProgram(f.text[0]) {
			return f.field, fmt.Errorf("host join uses %q itself; choose a character other than %s", f.text, program)
		}
	}
	return "", nil
}

// program lists the characters that `host join` uses itself: turning, looking, its brain, its pages.
const program = "xeqikbnptmhlvy:?"

// OfProgram reports whether `host join` itself uses a character, so that no action can.
func OfProgram(c byte) bool { return strings.IndexByte(program, c) >= 0 }

func checkKeys(list []string) error {
	if len(list) > MaxKeys {
		return fmt.Errorf("%d keys; at most %d", len(list), MaxKeys)
	}
	for i, k := range list {
		if why := kept[k]; why != "" {
			return fmt.Errorf("%q cannot be the key of an action: %s", k, why)
		}
		if !isKey(k) {
			return fmt.Errorf("unknown key %q%s; expected a KeyboardEvent.code as KeyH, Digit1 or Space, or one of %s", clip(k), engine.Nearest(k, allKeys()), strings.Join(Mouse, " "))
		}
		if slices.Contains(list[:i], k) {
			return fmt.Errorf("%q stands twice", k)
		}
	}
	return nil
}

func checkButtons(list []string, axis bool) error {
	if len(list) > MaxKeys {
		return fmt.Errorf("%d buttons; at most %d", len(list), MaxKeys)
	}
	words := Buttons
	if axis {
		words = append(slices.Clone(Buttons), Sticks...)
	}
	for i, b := range list {
		if !slices.Contains(words, b) {
			return fmt.Errorf("unknown button %q%s; expected %s", clip(b), engine.Nearest(b, words), strings.Join(words, " "))
		}
		if slices.Contains(list[:i], b) {
			return fmt.Errorf("%q stands twice", b)
		}
	}
	return nil
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
