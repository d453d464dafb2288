package engine

import "sort"

// Nearest is `; did you mean "X"?` for the candidate nearest to a misspelt name, or "" where none is near.
// Near means an edit distance of at most a third of the name, swaps of neighbours counting one.
func Nearest(name string, candidates []string) string {
	if n := NearestName(name, candidates); n != "" {
		return `; did you mean "` + n + `"?`
	}
	return ""
}

// NearestName is the candidate nearest to a misspelt name, or "" where none is near.
func NearestName(name string, candidates []string) string {
	if name == "" || len(name) > 100 {
		return ""
	}
	sorted := append([]string(nil), candidates...)
	sort.Strings(sorted)
	best, bestAt := "", max(1, len(name)/3)+1
	for _, c := range sorted {
		if c == name || len(c)-len(name) >= bestAt || len(name)-len(c) >= bestAt {
			continue
		}
		if d := editDistance(name, c, bestAt); d < bestAt {
			best, bestAt = c, d
		}
	}
	return best
}

// editDistance is the optimal string alignment distance without regard to case of letters beyond the
// first difference in case, which counts nothing: "onRep" and "OnRep" are the same slip.
func editDistance(a, b string, limit int) int {
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if lower(a[i-1]) == lower(b[j-1]) {
				cost = 0
			}
			v := min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && lower(a[i-1]) == lower(b[j-2]) && lower(a[i-2]) == lower(b[j-1]) {
				v = min(v, prev2[j-2]+1)
			}
			cur[j] = v
			least = min(least, v)
		}
		if least >= limit {
			return limit
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 32
	}
	return c
}
