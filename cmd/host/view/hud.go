package view

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/tidelock/tidelock/engine/canvas"
)

// lineApart is the largest distance on the canvas between elements of one terminal row.
const lineApart = 26

// piece is an element of the HUD that a terminal can show: a text, a bar, an icon by its name.
type piece struct {
	x, y  float64
	align canvas.Align
	text  string
	style string
}

// hudRows converts the match's HUD to rows of text, at most so many: texts, bars and icons approximately at
// their positions. Rectangles, lines and images are left out. If there are too many rows, those in the middle
// of the screen are dropped first.
func hudRows(calls []canvas.Call, width, most int) []string {
	if most < 1 || width < 1 {
		return nil
	}
	var list []piece
	for i := range calls {
		c := &calls[i]
		x, y := c.Anchor.At()
		p := piece{x: x + c.X, y: y + c.Y, align: c.Align}
		switch c.Kind {
		case canvas.Text:
			p.text, p.y = Clean(c.Text), p.y+c.Size/2
		case canvas.Bar:
			p.text, p.y = bar(c.Size, 1), p.y+c.H/2
		case canvas.Icon:
			p.text, p.y, p.style = "["+c.Text+"]", p.y+c.Size/2, faint
		case canvas.Rect, canvas.Line, canvas.Image:
			continue
		}
		if p.text != "" && c.Color&0xff >= 0x20 {
			list = append(list, p)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].y < list[j].y })
	var rows []string
	var middles []float64
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].y-list[0].y <= lineApart {
			n++
		}
		rows = append(rows, hudRow(list[:n], width))
		middles = append(middles, list[0].y)
		list = list[n:]
	}
	for len(rows) > most {
		worst := 0
		for i, y := range middles {
			if math.Abs(y-canvas.SizeY/2) < math.Abs(middles[worst]-canvas.SizeY/2) {
				worst = i
			}
		}
		rows, middles = slices.Delete(rows, worst, worst+1), slices.Delete(middles, worst, worst+1)
	}
	return rows
}

// hudRow places elements in a row, each approximately at its position and after the one before.
func hudRow(list []piece, to int) string {
	sort.SliceStable(list, func(i, j int) bool { return list[i].x < list[j].x })
	var b strings.Builder
	at := 0
	for _, p := range list {
		column := int(p.x / canvas.SizeX * float64(to))
		switch p.align {
		case canvas.AlignLeft:
		case canvas.AlignCenter:
			column -= width(p.text) / 2
		case canvas.AlignRight:
			column -= width(p.text)
		}
		if at > 0 {
			column = max(column, at+1)
		}
		column = max(0, min(column, to))
		b.WriteString(strings.Repeat(" ", max(0, column-at)))
		b.WriteString(styled(p.style, p.text))
		at = max(at, column) + width(p.text)
	}
	return cut(b.String(), to)
}
