package bots

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tidelock/tidelock/cmd/host/console"
	"github.com/tidelock/tidelock/cmd/host/join"
)

// account sums the figures of many seconds.
type account struct {
	n   int
	sum join.Figures
}

func (a *account) add(f join.Figures) {
	a.n++
	s := &a.sum
	s.Ping += f.Ping
	s.Jitter += f.Jitter
	s.LossIn += f.LossIn
	s.LossOut += f.LossOut
	s.In += f.In
	s.Out += f.Out
	s.Stale += f.Stale
	s.Actors += f.Actors
	s.Corrections += f.Corrections
	s.Score, s.Kills, s.Deaths, s.Stuck, s.Returns = f.Score, f.Kills, f.Deaths, f.Stuck, f.Returns
}

// mean returns the average per second; corrections are summed, and figures of the match are the last ones.
func (a *account) mean() (f join.Figures) {
	if a.n == 0 {
		return f
	}
	f, d, n := a.sum, time.Duration(a.n), float64(a.n)
	f.Ping, f.Jitter, f.Stale = f.Ping/d, f.Jitter/d, f.Stale/d
	f.LossIn, f.LossOut, f.In, f.Out = f.LossIn/n, f.LossOut/n, f.In/n, f.Out/n
	f.Actors = (f.Actors + a.n/2) / a.n
	return f
}

// row is one line of a table.
type row struct {
	name string
	join.Figures
	// note replaces the figures if there are none.
	note string
}

// columns are the columns of a table, with their text and sort value.
var columns = []struct {
	head string
	text func(*join.Figures) string
	rank func(*join.Figures) float64
}{
	{"ping", func(f *join.Figures) string { return join.Millis(f.Ping) }, func(f *join.Figures) float64 { return f.Ping.Seconds() }},
	{"jitter", func(f *join.Figures) string { return join.Millis(f.Jitter) }, func(f *join.Figures) float64 { return f.Jitter.Seconds() }},
	{"loss in", func(f *join.Figures) string { return join.Percent(f.LossIn) }, func(f *join.Figures) float64 { return f.LossIn }},
	{"loss out", func(f *join.Figures) string { return join.Percent(f.LossOut) }, func(f *join.Figures) float64 { return f.LossOut }},
	{"in", func(f *join.Figures) string { return join.BytesRate(f.In) }, func(f *join.Figures) float64 { return f.In }},
	{"out", func(f *join.Figures) string { return join.BytesRate(f.Out) }, func(f *join.Figures) float64 { return f.Out }},
	{"stale", func(f *join.Figures) string { return join.Millis(f.Stale) }, func(f *join.Figures) float64 { return f.Stale.Seconds() }},
	{"actors", func(f *join.Figures) string { return fmt.Sprint(f.Actors) }, func(f *join.Figures) float64 { return float64(f.Actors) }},
	{"corrections", func(f *join.Figures) string { return fmt.Sprint(f.Corrections) }, func(f *join.Figures) float64 { return float64(f.Corrections) }},
	{"score", func(f *join.Figures) string { return fmt.Sprint(f.Score) }, func(f *join.Figures) float64 { return f.Score }},
	{"kills", func(f *join.Figures) string { return fmt.Sprint(f.Kills) }, func(f *join.Figures) float64 { return float64(f.Kills) }},
	{"deaths", func(f *join.Figures) string { return fmt.Sprint(f.Deaths) }, func(f *join.Figures) float64 { return float64(f.Deaths) }},
	{"stuck", func(f *join.Figures) string { return fmt.Sprintf("%.1f s", f.Stuck.Seconds()) }, func(f *join.Figures) float64 { return f.Stuck.Seconds() }},
	{"back", func(f *join.Figures) string { return fmt.Sprint(f.Returns) }, func(f *join.Figures) float64 { return float64(f.Returns) }},
}

// maxRows bounds the bots that a table lists; the others are only in its summary.
const maxRows = 64

// table writes rows, if each is set, and for each column the lowest, the median and the highest. Without rows
// it returns nothing.
func table(rows []row, each bool) []string {
	lines := [][]string{{""}}
	for _, c := range columns {
		lines[0] = append(lines[0], c.head)
	}
	var counted []*join.Figures
	for i := range rows {
		r := &rows[i]
		cells := []string{r.name}
		if r.note == "" {
			counted = append(counted, &r.Figures)
			for _, c := range columns {
				cells = append(cells, c.text(&r.Figures))
			}
		} else {
			cells = append(cells, r.note)
		}
		if each && i < maxRows {
			lines = append(lines, cells)
		}
	}
	if len(lines) == 1 && len(counted) == 0 {
		return nil
	}
	if len(counted) > 0 {
		for _, q := range []struct {
			name string
			at   int
		}{{"lowest", 0}, {"median", len(counted) / 2}, {"highest", len(counted) - 1}} {
			cells := []string{q.name}
			for _, c := range columns {
				list := slices.Clone(counted)
				slices.SortStableFunc(list, func(a, b *join.Figures) int { return cmp.Compare(c.rank(a), c.rank(b)) })
				cells = append(cells, c.text(list[q.at]))
			}
			lines = append(lines, cells)
		}
	}
	return console.Table(lines, 1)
}
