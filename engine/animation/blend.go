package animation

import (
	"fmt"
	"math"
	"slices"
)

// SpaceSpec is a blend space as it was written: animations by one or two numbers, such as speed and direction.
type SpaceSpec struct {
	// Name is the path of the file below content/.
	Name    string
	Samples []Sample
}

// Sample assigns an animation to a point. Y is 0 in a space of one dimension.
type Sample struct {
	Animation string
	X, Y      float64
}

// Weight is the weight of an animation, above 0; the weights of one result sum to 1.
type Weight struct {
	Animation string
	Weight    float64
}

// MaxWeights is how many animations are blended at most.
const MaxWeights = 4

// Space is a blend space. Weights change continuously as the point moves; at a sample only its animation
// counts; outside of all samples the nearest point on their border is used. It is immutable.
type Space struct {
	samples []Sample
	line    []int    // one dimension: samples in order of X
	cells   [][]int  // two: triangles and quadrangles of samples that contain no other one, their corners in order
	border  [][2]int // the edges around them all
}

// NewSpace makes a space from its samples.
func NewSpace(s *SpaceSpec) (*Space, error) {
	n := len(s.Samples)
	if n == 0 || n > MaxSamples {
		return nil, fmt.Errorf("expected 1 to %d samples, got %d", MaxSamples, n)
	}
	sp := &Space{samples: append([]Sample(nil), s.Samples...)}
	flat := true
	for i, a := range sp.samples {
		if !finite(a.X) || !finite(a.Y) || math.Abs(a.X) > 1e6 || math.Abs(a.Y) > 1e6 {
			return nil, fmt.Errorf("sample %d: expected numbers of at most 1000000", i+1)
		}
		flat = flat && a.Y == sp.samples[0].Y
		for j := range i {
			if sp.samples[j].X == a.X && sp.samples[j].Y == a.Y {
				return nil, fmt.Errorf("samples %d and %d are at the same point", j+1, i+1)
			}
		}
	}
	if flat {
		for i := range sp.samples {
			sp.line = append(sp.line, i)
		}
		slices.SortFunc(sp.line, func(a, b int) int {
			if sp.samples[a].X < sp.samples[b].X {
				return -1
			}
			return 1
		})
		return sp, nil
	}
	sp.divide()
	if len(sp.cells) == 0 {
		return nil, fmt.Errorf("all samples lie on one line that is not level: give them one Y, or others beside the line")
	}
	return sp, nil
}

// Weights appends the blend at a point to buf: at most four animations whose weights sum to 1. NaN counts as 0.
func (sp *Space) Weights(x, y float64, buf []Weight) []Weight {
	if x != x {
		x = 0
	}
	if y != y {
		y = 0
	}
	if sp.line != nil {
		return sp.along(x, buf)
	}
	for _, cell := range sp.cells {
		if w, ok := sp.inside(cell, x, y); ok {
			for i, k := range cell {
				buf = sp.add(buf, k, w[i])
			}
			return buf
		}
	}
	best, at, on := math.Inf(1), 0.0, sp.border[0]
	for _, e := range sp.border {
		a, b := sp.samples[e[0]], sp.samples[e[1]]
		dx, dy := b.X-a.X, b.Y-a.Y
		t := max(0, min(1, ((x-a.X)*dx+(y-a.Y)*dy)/(dx*dx+dy*dy)))
		if d := math.Hypot(a.X+t*dx-x, a.Y+t*dy-y); d < best {
			best, at, on = d, t, e
		}
	}
	return sp.add(sp.add(buf, on[0], 1-at), on[1], at)
}

func (sp *Space) add(buf []Weight, sample int, w float64) []Weight {
	if w <= 1e-9 {
		return buf
	}
	return append(buf, Weight{sp.samples[sample].Animation, w})
}

func (sp *Space) along(x float64, buf []Weight) []Weight {
	n := len(sp.line)
	for i, k := range sp.line {
		b := sp.samples[k]
		if x > b.X {
			continue
		}
		if i == 0 {
			return sp.add(buf, k, 1)
		}
		a := sp.samples[sp.line[i-1]]
		t := (x - a.X) / (b.X - a.X)
		return sp.add(sp.add(buf, sp.line[i-1], 1-t), k, t)
	}
	return sp.add(buf, sp.line[n-1], 1)
}

// cross returns twice the area of a triangle, above 0 if it turns left.
func cross(a, b, c Sample) float64 { return (b.X-a.X)*(c.Y-a.Y) - (b.Y-a.Y)*(c.X-a.X) }

// divide finds the cells: for each circle through three samples that contains no other one, the samples on it,
// in order. A square of samples is one cell of four, so that its centre blends all four equally; more than four
// are cut into triangles.
func (sp *Space) divide() {
	s := sp.samples
	n := len(s)
	seen := map[[MaxSamples]bool]bool{}
	for i := range n {
		for j := i + 1; j < n; j++ {
			for k := j + 1; k < n; k++ {
				on, ok := sp.circle(i, j, k)
				if !ok {
					continue
				}
				var key [MaxSamples]bool
				for _, p := range on {
					key[p] = true
				}
				if seen[key] {
					continue
				}
				seen[key] = true
				if len(on) <= MaxWeights {
					sp.cells = append(sp.cells, on)
					continue
				}
				for p := 1; p+1 < len(on); p++ {
					sp.cells = append(sp.cells, []int{on[0], on[p], on[p+1]})
				}
			}
		}
	}
	edges := map[[2]int]int{}
	for _, c := range sp.cells {
		for i := range c {
			a, b := c[i], c[(i+1)%len(c)]
			edges[[2]int{min(a, b), max(a, b)}]++
		}
	}
	for _, c := range sp.cells { // in order, so that ties are resolved the same way
		for i := range c {
			e := [2]int{min(c[i], c[(i+1)%len(c)]), max(c[i], c[(i+1)%len(c)])}
			if edges[e] == 1 {
				sp.border = append(sp.border, e)
			}
		}
	}
}

// circle returns the samples on the circle through three of them, in order around its centre; false if they are
// collinear or the circle contains another sample.
func (sp *Space) circle(i, j, k int) ([]int, bool) {
	a, b, c := sp.samples[i], sp.samples[j], sp.samples[k]
	d := 2 * cross(a, b, c)
	scale := math.Hypot(b.X-a.X, b.Y-a.Y) * math.Hypot(c.X-a.X, c.Y-a.Y)
	if math.Abs(d) <= 1e-9*scale {
		return nil, false
	}
	bx, by, cx, cy := b.X-a.X, b.Y-a.Y, c.X-a.X, c.Y-a.Y
	bb, cc := bx*bx+by*by, cx*cx+cy*cy
	ux, uy := (cy*bb-by*cc)/d, (bx*cc-cx*bb)/d
	r := math.Hypot(ux, uy)
	mx, my := a.X+ux, a.Y+uy
	var on []int
	for p, x := range sp.samples {
		dist := math.Hypot(x.X-mx, x.Y-my)
		if p != i && p != j && p != k && dist < r*(1-1e-9) {
			return nil, false
		}
		if p == i || p == j || p == k || dist <= r*(1+1e-9) {
			on = append(on, p)
		}
	}
	slices.SortFunc(on, func(p, q int) int {
		if math.Atan2(sp.samples[p].Y-my, sp.samples[p].X-mx) < math.Atan2(sp.samples[q].Y-my, sp.samples[q].X-mx) {
			return -1
		}
		return 1
	})
	return on, true
}

// inside returns the weights of a cell's corners at a point of it: areas in a triangle; Wachspress's in a
// quadrangle, which are the bilinear ones in a rectangle.
func (sp *Space) inside(cell []int, x, y float64) (w [MaxWeights]float64, ok bool) {
	p := Sample{X: x, Y: y}
	n := len(cell)
	var side [MaxWeights]float64 // area towards the edge from corner i to the next
	total := 0.0
	for i := range cell {
		a, b := sp.samples[cell[i]], sp.samples[cell[(i+1)%n]]
		side[i] = cross(a, b, p)
		if side[i] < -1e-9*(math.Hypot(b.X-a.X, b.Y-a.Y)+1) {
			return w, false
		}
		side[i] = max(side[i], 0)
	}
	for i := range cell {
		before := (i + n - 1) % n
		w[i] = cross(sp.samples[cell[before]], sp.samples[cell[i]], sp.samples[cell[(i+1)%n]])
		for j := range cell { // all edges that do not touch the corner
			if j != i && j != before {
				w[i] *= side[j]
			}
		}
		total += w[i]
	}
	if !(total > 0) {
		return w, false
	}
	for i := range cell {
		w[i] /= total
	}
	return w, true
}

// SyncGroup keeps animations of different lengths in phase: the left foot touches the ground at the same time
// in a walk of 2 s and a run of 1 s. The zero value is at the beginning.
type SyncGroup struct {
	// Phase is the progress of the group through its cycle, in 0…1.
	Phase float64
}

// Advance advances by dt seconds. The animation with the greatest weight leads, the first of equals: its length
// determines the speed of the group. It returns the leader, or nil if all weights are 0; [SyncGroup.Position]
// returns the position of each animation.
func (g *SyncGroup) Advance(dt float64, l *Library, weights []Weight) *Montage {
	var lead *Montage
	heaviest := 0.0
	for _, w := range weights {
		if m := l.Find(w.Animation); m != nil && w.Weight > heaviest {
			lead, heaviest = m, w.Weight
		}
	}
	if lead == nil {
		return nil
	}
	g.Phase += dt * lead.Rate / lead.Track.Length
	g.Phase -= math.Floor(g.Phase)
	return lead
}

// Position returns the position of an animation of the group, in seconds of its track.
func (g *SyncGroup) Position(m *Montage) float64 { return g.Phase * m.Track.Length }
