package engine

import (
	"slices"
	"strings"
)

// Nearest returns `; did you mean "X"?` for the candidate nearest to a misspelt name, or "" if none is near
// enough (see [NearestName]).
func Nearest(name string, candidates []string) string {
	if n := NearestName(name, candidates); n != "" {
		return `; did you mean "` + n + `"?`
	}
	return ""
}

// maxNearest is the length in bytes beyond which a name is not compared: no name of the engine is as long, and the
// comparison takes time proportional to the product of two lengths.
const maxNearest = 100

// NearestName returns the candidate that a misspelt name was most likely meant to be, or "" if none is near
// enough. A slip is a missing, additional or wrong letter, or two neighbours swapped; case does not matter. One
// slip is allowed, two from 9 letters on and three from 16 on, by the shorter of the two names: with more,
// unrelated names would match, as NoSuch and Touch do. Short names that differ only in their first letter are
// different words (Pick is not a slip of Tick). Of equally near candidates the first in alphabetical order
// wins.
func NearestName(name string, candidates []string) string {
	if name == "" || len(name) > maxNearest {
		return ""
	}
	low := strings.ToLower(name)
	best, least := "", maxNearest
	for _, c := range candidates {
		if c == name || c == "" || len(c) > maxNearest {
			continue
		}
		other := strings.ToLower(c)
		allowed := slips(min(len(name), len(c)))
		if len(c)-len(name) > allowed || len(name)-len(c) > allowed {
			continue
		}
		d := slipsBetween(low, other)
		if d > allowed || d > least || d == least && c > best || anotherWord(low, other) {
			continue
		}
		best, least = c, d
	}
	return best
}

// slips returns how many slips are allowed in a name of n bytes.
func slips(n int) int {
	switch {
	case n < 2:
		return 0
	case n < 9:
		return 1
	case n < 16:
		return 2
	}
	return 3
}

// anotherWord reports whether two short names differ by their first letter and not by a swap: in words of up to
// five letters that makes another word more often than a slip.
func anotherWord(a, b string) bool {
	if len(a) != len(b) || len(a) > 5 || a[0] == b[0] {
		return false
	}
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return !slices.Equal(x, y)
}

// slipsBetween returns the optimal string alignment distance of two names of at most maxNearest bytes.
func slipsBetween(a, b string) int {
	var rows [3][maxNearest + 1]int
	for j := 0; j <= len(b); j++ {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, previous, row := &rows[(i+1)%3], &rows[(i+2)%3], &rows[i%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(previous[j]+1, row[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
