package console

import (
	"strings"
	"unicode/utf8"
)

// Table formats rows as lines: the first left columns are aligned on the left, the others on the right. The
// last cell of a row that is shorter than the first row is a note of any length.
func Table(rows [][]string, left int) []string {
	width := make([]int, len(rows[0]))
	note := func(row []string, i int) bool { return i == len(row)-1 && len(row) < len(width) }
	for _, r := range rows {
		for i, c := range r {
			if !note(r, i) {
				width[i] = max(width[i], utf8.RuneCountInString(c))
			}
		}
	}
	out := make([]string, len(rows))
	for n, r := range rows {
		var b strings.Builder
		for i, c := range r {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", max(0, width[i]-utf8.RuneCountInString(c)))
			switch {
			case note(r, i):
				b.WriteString(c)
			case i < left:
				b.WriteString(c + pad)
			default:
				b.WriteString(pad + c)
			}
		}
		out[n] = strings.TrimRight(b.String(), " ")
	}
	return out
}
