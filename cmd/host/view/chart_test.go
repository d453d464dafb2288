package view

import (
	"os"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

// The wall of level wall stands 500 uu ahead of who is at its middle; one sees it, floor before it, and oneself.
func TestChart(t *testing.T) {
	src, err := os.ReadFile("../../../content/levels/wall.map")
	if err != nil {
		t.Fatal(err)
	}
	lv, err := level.Parse("wall.map", src, level.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &engine.World{Level: lv}
	var c chart
	me := geom.Vector{Z: 88}
	rows := c.draw(w, 0, me, 31, 15, []mark{
		{at: geom.Vector{X: 256, Z: 88}, sign: 'B'}, {at: me, sign: arrow(16384), style: own}, {at: geom.Vector{X: 90000}, sign: 'Z'},
	})
	got := strings.ReplaceAll(strings.ReplaceAll(strings.Join(rows, "\n"), own, ""), plain, "")
	blank, open := strings.Repeat("·", 31), strings.Repeat("·", 15)
	want := strings.Join([]string{
		blank, blank, blank, blank, strings.Repeat("█", 31), open + "B" + open, blank, open + "→" + open, blank, blank, blank, blank, blank, blank, blank,
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for zoom := range zooms { // it is 20 uu thick: one row however little a row stands for
		rows = c.draw(w, zoom, geom.Vector{X: 480, Z: 88}, 11, 5, nil)
		if got := strings.Count(strings.Join(rows, "\n"), strings.Repeat(string(wall), 11)); got != 1 {
			t.Errorf("%d rows of wall:\n%s", got, strings.Join(rows, "\n"))
		}
	}
	if r := c.draw(&engine.World{}, 0, me, 3, 1, nil)[0]; r != "   " {
		t.Errorf("nothing looks like %q", r)
	}
}

func TestArrow(t *testing.T) {
	for yaw, want := range map[int]rune{0: '↑', 16384: '→', 32768: '↓', -16384: '←', 8192: '↗', 4000: '↑', 65535: '↑', 70000: '↗'} {
		if got := arrow(yaw); got != want {
			t.Errorf("%d: %c, want %c", yaw, got, want)
		}
	}
}

func TestInitial(t *testing.T) {
	for name, want := range map[string]rune{"ann": 'A', "Öle": 'Ö', "": '?', " x": '?', "\xff": '?'} {
		if got := initial(name); got != want {
			t.Errorf("%q: %c, want %c", name, got, want)
		}
	}
}
