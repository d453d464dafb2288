package canvas_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/canvas"
)

func TestColors(t *testing.T) {
	for s, want := range map[string]string{"#5BC0be": "#5bc0be", "#01020304": "#01020304", "#ffffffff": "#ffffff"} {
		if c, ok := canvas.ParseColor(s); !ok || c.String() != want {
			t.Errorf("%s: got %v, %v", s, c, ok)
		}
	}
	for _, s := range []string{"", "red", "#fff", "#12345g", "#1234567", "#123456789", "1234567"} {
		if c, ok := canvas.ParseColor(s); ok {
			t.Errorf("%q was taken as %v", s, c)
		}
	}
}

// TestJSON: the order of a call's parts is what the page and docs/hud.md rely on.
func TestJSON(t *testing.T) {
	var c canvas.Canvas
	c.Begin()
	for _, call := range []canvas.Call{
		{Kind: canvas.Text, X: 1.26, Y: -2, Text: "a\"\\<b>\u2028é\x1b", Size: 30, Color: 0xff000080, Align: canvas.AlignRight, Anchor: canvas.BottomLeft},
		{Kind: canvas.Bar, X: 1, Y: 2, W: 3, H: 4, Size: 7, Color: canvas.White, Back: 0x00000080, Anchor: canvas.Top},
		{Kind: canvas.Rect, X: 1, Y: 2, W: 3, H: 1e9, Color: canvas.White, Anchor: canvas.Center},
		{Kind: canvas.Line, X: 1, Y: 2, W: 3, H: -4, Size: 2, Color: canvas.White, Anchor: canvas.Right},
		{Kind: canvas.Image, X: 1, Y: 2, W: 3, H: 4, Text: "images/x.png", Color: canvas.White},
		{Kind: canvas.Icon, X: 1, Y: 2, Size: 5, Text: "skull", Color: canvas.White, Anchor: canvas.BottomRight},
	} {
		if err := c.Add(call); err != nil {
			t.Fatal(err)
		}
	}
	got := c.AppendJSON(nil)
	want := `[["text",1.3,-2,"a\"\\\u003cb\u003e é",30,"#ff000080","right","bottom-left"],["bar",1,2,3,4,1,"#ffffff","#00000080","top"],["rect",1,2,3,16384,"#ffffff","center"],` +
		`["line",1,2,3,-4,2,"#ffffff","right"],["image",1,2,3,4,"images/x.png","#ffffff","top-left"],["icon",1,2,5,"skull","#ffffff","bottom-right"]]`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !json.Valid(got) {
		t.Error("it is no JSON")
	}
}

func TestBounds(t *testing.T) {
	var c canvas.Canvas
	c.Begin()
	var err error
	for range canvas.MaxCalls + 1 {
		err = c.Add(canvas.Call{Kind: canvas.Rect})
	}
	if !errors.Is(err, canvas.ErrCalls) || len(c.Calls()) != canvas.MaxCalls {
		t.Errorf("%d calls, %v", len(c.Calls()), err)
	}
	c.Begin()
	for range canvas.MaxText/canvas.MaxLine + 1 {
		err = c.Add(canvas.Call{Kind: canvas.Text, Text: strings.Repeat("x", 5000)})
	}
	if !errors.Is(err, canvas.ErrText) || len(c.Calls()) != canvas.MaxText/canvas.MaxLine {
		t.Errorf("%d calls, %v", len(c.Calls()), err)
	}
}

// TestSteady: a frame that is as the last one is no change and allocates nothing.
func TestSteady(t *testing.T) {
	var c canvas.Canvas
	frame := func(health string) bool {
		c.Begin()
		for i := range 40 {
			if err := c.Add(canvas.Call{Kind: canvas.Text, X: float64(i), Text: "é" + health, Color: canvas.White}); err != nil {
				t.Fatal(err)
			}
		}
		return c.End()
	}
	if !frame("100") || !frame("90") || frame("90") {
		t.Error("a change was not told, or none was")
	}
	text := "90"
	b := make([]byte, 0, 1<<14)
	if n := testing.AllocsPerRun(20, func() {
		c.Begin()
		for i := range 40 {
			_ = c.Add(canvas.Call{Kind: canvas.Bar, X: float64(i), Text: text})
		}
		c.End()
		b = c.AppendJSON(b[:0])
	}); n > 1 {
		t.Errorf("%v allocations in a frame that stays", n)
	}
}
