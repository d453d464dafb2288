package versions

import (
	"fmt"
	"strings"
)

const (
	// around is how many equal lines are shown before and after a change.
	around = 3
	// maxTable bounds the work of comparing two texts, in pairs of lines; what differs more is shown as replaced.
	maxTable = 4 << 20
	// maxShown bounds the lines that are shown of one file.
	maxShown = 500
)

// Difference is how a file differs between two versions.
type Difference struct {
	Path string `json:"path"`
	// Added and Removed count lines.
	Added   int `json:"added"`
	Removed int `json:"removed"`
	// Lines are those of a unified diff: "@@ -3,7 +3,8 @@" before each part, then " ", "-" or "+" before each line.
	Lines []string `json:"lines"`
}

// edit is a line of a comparison: ' ' in both, '-' in the old text, '+' in the new one.
type edit struct {
	kind byte
	text string
}

// Diff compares two texts of a file by line.
func Diff(path, old, text string) Difference {
	d := Difference{Path: path, Lines: []string{}}
	edits := compare(linesOf(old), linesOf(text))
	for _, e := range edits {
		switch e.kind {
		case '+':
			d.Added++
		case '-':
			d.Removed++
		}
	}
	for i, oldAt, newAt := 0, 1, 1; i < len(edits); {
		if edits[i].kind == ' ' {
			i, oldAt, newAt = i+1, oldAt+1, newAt+1
			continue
		}
		begin := max(0, i-around)
		end, last := i, i
		for end = i; end < len(edits) && end-last <= 2*around; end++ {
			if edits[end].kind != ' ' {
				last = end
			}
		}
		end = min(len(edits), last+1+around)
		oldFrom, newFrom := oldAt-(i-begin), newAt-(i-begin)
		part := make([]string, 0, end-begin)
		olds, news := 0, 0
		for _, e := range edits[begin:end] {
			part = append(part, string(e.kind)+e.text)
			if e.kind != '+' {
				olds++
			}
			if e.kind != '-' {
				news++
			}
		}
		d.Lines = append(d.Lines, fmt.Sprintf("@@ -%d,%d +%d,%d @@", oldFrom, olds, newFrom, news))
		d.Lines = append(d.Lines, part...)
		i, oldAt, newAt = end, oldFrom+olds, newFrom+news
	}
	if n := len(d.Lines) - maxShown; n > 0 {
		d.Lines = append(d.Lines[:maxShown], fmt.Sprintf("… %d more lines", n))
	}
	return d
}

// linesOf splits a text; the empty text has no lines.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// compare finds a shortest list of edits (the longest common subsequence, by a table).
func compare(a, b []string) (out []edit) {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for _, l := range a[:head] {
		out = append(out, edit{' ', l})
	}
	out = append(out, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, l := range a[len(a)-tail:] {
		out = append(out, edit{' ', l})
	}
	return out
}

// middle is compare without what is equal at both ends.
func middle(a, b []string) (out []edit) {
	wide := len(b) + 1
	var common []int32 // of a[i:] and b[j:], at i*wide+j
	if (len(a)+1)*wide <= maxTable {
		common = make([]int32, (len(a)+1)*wide)
		for i := len(a) - 1; i >= 0; i-- {
			for j := len(b) - 1; j >= 0; j-- {
				if a[i] == b[j] {
					common[i*wide+j] = common[(i+1)*wide+j+1] + 1
				} else {
					common[i*wide+j] = max(common[(i+1)*wide+j], common[i*wide+j+1])
				}
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) && common != nil {
		switch {
		case a[i] == b[j]:
			out = append(out, edit{' ', a[i]})
			i, j = i+1, j+1
		case common[(i+1)*wide+j] >= common[i*wide+j+1]:
			out = append(out, edit{'-', a[i]})
			i++
		default:
			out = append(out, edit{'+', b[j]})
			j++
		}
	}
	for ; i < len(a); i++ {
		out = append(out, edit{'-', a[i]})
	}
	for ; j < len(b); j++ {
		out = append(out, edit{'+', b[j]})
	}
	return out
}
