package view

import (
	"slices"
	"testing"

	"github.com/tidelock/tidelock/engine/canvas"
)

// TestHudRows: what stands beside each other on the screen stands in a row, about where it is there; of too many rows those in the
// middle go.
func TestHudRows(t *testing.T) {
	text := func(x, y float64, s string, a canvas.Align, at canvas.Anchor) canvas.Call {
		return canvas.Call{Kind: canvas.Text, X: x, Y: y, Size: 30, Text: s, Color: canvas.White, Align: a, Anchor: at}
	}
	calls := []canvas.Call{
		{Kind: canvas.Rect, W: 1920, H: 1080, Color: canvas.White},
		text(60, -90, "100", canvas.AlignLeft, canvas.BottomLeft),
		text(-60, -84, "30 / 60", canvas.AlignRight, canvas.BottomRight),
		{Kind: canvas.Icon, X: 20, Y: -90, Size: 30, Text: "health", Color: canvas.White, Anchor: canvas.BottomLeft},
		text(0, 20, "12:00", canvas.AlignCenter, canvas.Top),
		text(0, 0, "hint\x1b[2J", canvas.AlignCenter, canvas.Center),
		text(0, 40, "unseen", canvas.AlignCenter, canvas.Center),
		{Kind: canvas.Bar, X: 60, Y: -40, W: 300, H: 8, Size: 0.5, Color: canvas.White, Anchor: canvas.BottomLeft},
	}
	calls[6].Color = 0xffffff00
	want := []string{
		"                  12:00",
		"                 hint[2J",
		"[health] 100                   30 / 60",
		" ██████████░░░░░░░░░░",
	}
	for most := 4; most >= 0; most-- {
		got := hudRows(calls, 40, most)
		for i := range got {
			got[i] = unstyled(got[i])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d rows: got %q, want %q", most, got, want)
		}
		if most == 4 {
			want = slices.Delete(want, 1, 2)
		} else if most > 0 {
			want = nil
			break
		}
	}
	if got := hudRow([]piece{{text: "a long one"}, {text: "b", x: 1}}, 8); width(got) > 8 {
		t.Errorf("%q is wider than 8", got)
	}
}
