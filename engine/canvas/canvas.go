// Package canvas is what a HUD draws in a frame: a bounded list of texts, bars, rectangles, lines, images and
// icons, which viewers draw with their own means (W4.1).
//
//	c.Begin()
//	err := c.Add(canvas.Call{Kind: canvas.Text, X: 40, Y: -80, Size: 48, Text: "100", Color: canvas.White, Anchor: canvas.BottomLeft})
//	if c.End() { tell(c.AppendJSON(nil)) }
//
// Lengths refer to a screen of 1920 by 1080. Positions are offsets to the right and down from an anchor, and
// locate the upper left corner of what is drawn. A Canvas is reused from frame to frame: unchanged frames
// allocate nothing. It knows neither scripts nor screens.
//
// Guarantees: Knows neither scripts nor screens; an unchanged frame allocates nothing.
package canvas

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/tidelock/tidelock/engine"
)

const (
	// SizeX and SizeY are the size of the screen.
	SizeX, SizeY = 1920, 1080
	// MaxCalls bounds the calls of a frame, MaxText the bytes of all their texts.
	MaxCalls, MaxText = 512, 16384
	// MaxLine is the length of a text in bytes; a longer one is cut.
	MaxLine = 512
	// MaxName is the maximum length of an image's name in bytes.
	MaxName = 128
	// limit bounds positions and lengths: beyond it nothing is visible.
	limit = 16384
)

// Errors of Add, which drop the call.
var (
	ErrCalls = errors.New("more than " + strconv.Itoa(MaxCalls) + " calls in a frame; those beyond are not drawn")
	ErrText  = errors.New("more than " + strconv.Itoa(MaxText) + " bytes of text in a frame; what goes beyond is not drawn")
)

// Kind says what a call draws.
type Kind uint8

// The kinds.
const (
	Text Kind = iota
	Bar
	Rect
	Line
	Image
	Icon
)

var kindNames = [...]string{"text", "bar", "rect", "line", "image", "icon"}

// String returns the kind's name in the viewers' protocol.
func (k Kind) String() string { return kindNames[k] }

// Anchor is the point of the screen from which a position counts.
type Anchor uint8

// The anchors.
const (
	TopLeft Anchor = iota
	Top
	TopRight
	Left
	Center
	Right
	BottomLeft
	Bottom
	BottomRight
)

// Anchors are the names of the anchors, in their order.
var Anchors = [...]string{"top-left", "top", "top-right", "left", "center", "right", "bottom-left", "bottom", "bottom-right"}

// String is the anchor's name.
func (a Anchor) String() string { return Anchors[a] }

// At returns the position of the anchor on a screen of 1920 by 1080.
func (a Anchor) At() (x, y float64) { return float64(a%3) * SizeX / 2, float64(a/3) * SizeY / 2 }

// Side returns the default alignment of a text at the anchor: away from the screen's edge.
func (a Anchor) Side() Align { return Align(a % 3) }

// Align is the point of a text that its position refers to.
type Align uint8

// The alignments.
const (
	AlignLeft Align = iota
	AlignCenter
	AlignRight
)

// Aligns are the names of the alignments, in their order.
var Aligns = [...]string{"left", "center", "right"}

// String is the alignment's name.
func (a Align) String() string { return Aligns[a] }

// Icons are the names of the icons that every viewer has.
var Icons = [...]string{
	"ammo", "armor", "arrow", "check", "clock", "cross", "dot", "flag", "health", "lock", "message", "ring", "shield", "skull", "star", "team", "warning",
}

// Color is red, green, blue and opacity, from the highest byte down.
type Color uint32

// White is the default color.
const White Color = 0xffffffff

// ParseColor reads "#rrggbb" and "#rrggbbaa".
func ParseColor(s string) (c Color, ok bool) {
	if len(s) != 7 && len(s) != 9 || s[0] != '#' {
		return 0, false
	}
	for _, b := range []byte(s[1:]) {
		switch {
		case b >= '0' && b <= '9':
			b -= '0'
		case b >= 'a' && b <= 'f':
			b -= 'a' - 10
		case b >= 'A' && b <= 'F':
			b -= 'A' - 10
		default:
			return 0, false
		}
		c = c<<4 | Color(b)
	}
	if len(s) == 7 {
		c = c<<8 | 0xff
	}
	return c, true
}

const digits = "0123456789abcdef"

// append appends the color as ParseColor reads it, without the opacity if it is full.
func (c Color) append(b []byte) []byte {
	n := 8
	if c&0xff == 0xff {
		n = 6
	}
	b = append(b, '#')
	for i := range n {
		b = append(b, digits[c>>(28-4*i)&15])
	}
	return b
}

// String is the color as "#rrggbb" or "#rrggbbaa".
func (c Color) String() string { return string(c.append(nil)) }

// Call is one element to draw. Kind decides which fields count:
//
//	Text   X, Y, Text, Size (height of the line), Color, Align, Anchor
//	Bar    X, Y, W, H, Size (the filled share, 0 to 1), Color, Back, Anchor
//	Rect   X, Y, W, H, Color, Anchor
//	Line   X, Y, W, H (the second point), Size (width), Color, Anchor
//	Image  X, Y, W, H, Text (its name), Color (multiplied with its colors), Anchor
//	Icon   X, Y, Size (height and width), Text (its name), Color, Anchor
type Call struct {
	Kind             Kind
	Anchor           Anchor
	Align            Align
	Color, Back      Color
	X, Y, W, H, Size float64
	Text             string

	raw string // Text before cleaning
}

// Canvas holds the calls of a frame. The zero value is empty.
type Canvas struct {
	calls, last []Call
	text        int
}

// Begin begins a frame.
func (c *Canvas) Begin() {
	c.calls, c.last = c.last[:0], c.calls
	c.text = 0
}

// End ends a frame and reports whether it differs from the one before.
func (c *Canvas) End() (changed bool) {
	if len(c.calls) != len(c.last) {
		return true
	}
	for i := range c.calls {
		if c.calls[i] != c.last[i] {
			return true
		}
	}
	return false
}

// Clear removes all calls: nothing is drawn until the next frame.
func (c *Canvas) Clear() { c.calls, c.last = c.calls[:0], c.last[:0] }

// Calls returns the calls of the latest frame, in drawing order. It is valid until Begin.
func (c *Canvas) Calls() []Call { return c.calls }

// Add draws an element. Positions and lengths are rounded to tenths and bounded; a text is cleaned to one line.
// Numbers must be finite. The errors are ErrCalls and ErrText.
func (c *Canvas) Add(call Call) error {
	if len(c.calls) >= MaxCalls {
		return ErrCalls
	}
	call.X, call.Y, call.W, call.H = tenths(call.X), tenths(call.Y), tenths(call.W), tenths(call.H)
	if call.Kind == Bar {
		call.Size = math.Round(max(0, min(1, call.Size))*1000) / 1000
	} else {
		call.Size = max(0, tenths(call.Size))
	}
	call.raw = call.Text
	if n := len(c.calls); n < len(c.last) && c.last[n].raw == call.raw {
		call.raw, call.Text = c.last[n].raw, c.last[n].Text
	} else if !plain(call.raw) {
		call.Text = engine.OneLine(call.raw, MaxLine)
	}
	if c.text+len(call.Text) > MaxText {
		return ErrText
	}
	c.text += len(call.Text)
	c.calls = append(c.calls, call)
	return nil
}

// tenths rounds to visible differences, so that a smaller one does not count as a change.
func tenths(x float64) float64 { return math.Round(max(-limit, min(limit, x))*10)/10 + 0 } // not -0

// plain reports whether a text needs no cleaning.
func plain(s string) bool {
	if len(s) > MaxLine {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// AppendJSON appends the calls as a list of lists:
//
//	["text",x,y,text,size,color,align,anchor]  ["bar",x,y,w,h,share,color,back,anchor]  ["rect",x,y,w,h,color,anchor]
//	["line",x1,y1,x2,y2,width,color,anchor]    ["image",x,y,w,h,name,color,anchor]      ["icon",x,y,size,name,color,anchor]
func (c *Canvas) AppendJSON(b []byte) []byte {
	b = append(b, '[')
	for i := range c.calls {
		if i > 0 {
			b = append(b, ',')
		}
		b = c.calls[i].append(b)
	}
	return append(b, ']')
}

func (c *Call) append(b []byte) []byte {
	b = append(b, '[', '"')
	b = append(b, c.Kind.String()...)
	b = append(b, '"')
	b = numbers(b, c.X, c.Y)
	switch c.Kind {
	case Text:
		b = numbers(quoted(b, c.Text), c.Size)
		b = colors(b, c.Color)
		b = append(append(append(b, ',', '"'), c.Align.String()...), '"')
	case Bar:
		b = colors(numbers(b, c.W, c.H, c.Size), c.Color, c.Back)
	case Rect:
		b = colors(numbers(b, c.W, c.H), c.Color)
	case Line:
		b = colors(numbers(b, c.W, c.H, c.Size), c.Color)
	case Image:
		b = colors(quoted(numbers(b, c.W, c.H), c.Text), c.Color)
	case Icon:
		b = colors(quoted(numbers(b, c.Size), c.Text), c.Color)
	}
	b = append(append(b, ',', '"'), c.Anchor.String()...)
	return append(b, '"', ']')
}

func numbers(b []byte, list ...float64) []byte {
	for _, x := range list {
		b = strconv.AppendFloat(append(b, ','), x, 'f', -1, 64)
	}
	return b
}

func colors(b []byte, list ...Color) []byte {
	for _, x := range list {
		b = append(x.append(append(b, ',', '"')), '"')
	}
	return b
}

// quoted appends a text as JSON writes it.
func quoted(b []byte, s string) []byte {
	b = append(b, ',')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' || s[i] < ' ' || s[i] >= utf8.RuneSelf {
			text, err := json.Marshal(s)
			if err != nil {
				panic("canvas: " + err.Error()) // every string can be encoded
			}
			return append(b, text...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
