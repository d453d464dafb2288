package profile

import (
	"cmp"
	"slices"
	"strings"
)

// Report is what the last minute cost. All times are seconds per tick, on average.
type Report struct {
	// Seconds is how long the host has been measured, at most a minute. Ticks and Measured are how many ticks there were,
	// and how many of them were measured by function.
	Seconds  float64 `json:"seconds"`
	Ticks    int     `json:"ticks"`
	Measured int     `json:"measured"`
	// Tick is the time of a tick, Longest that of the longest.
	Tick    float64 `json:"tick"`
	Longest float64 `json:"longest"`
	// Phases add up to Tick.
	Phases [Phases]PhaseTime `json:"phases"`
	// Timeline has a moment for each second with ticks, the oldest first.
	Timeline []Moment `json:"timeline"`
	// Classes and Functions are the costliest first; their exclusive times each add up to that of the phase scripts.
	Classes   []ClassTime    `json:"classes"`
	Functions []FunctionTime `json:"functions"`
	// Stacks is a forest: a stack comes after its parent.
	Stacks []Stack `json:"stacks"`
	// Samples is how many there were. Cut is of how many a part did not fit the bounds; it counts for the caller.
	Samples int64 `json:"samples"`
	Cut     int64 `json:"cut"`
}

// PhaseTime is the time of a phase.
type PhaseTime struct {
	Name string  `json:"name"`
	Time float64 `json:"time"`
}

// Moment is one second of the timeline.
type Moment struct {
	// Ago is how many seconds ago it began.
	Ago   int `json:"ago"`
	Ticks int `json:"ticks"`
	// Longest is the time of its longest tick in seconds; Phases are seconds per tick, in the order of Report.Phases.
	Longest float64         `json:"longest"`
	Phases  [Phases]float64 `json:"phases"`
}

// ClassTime is the time of a class's functions: exclusive with the natives that they call, inclusive with everything that
// they call.
type ClassTime struct {
	Class     string  `json:"class"`
	Exclusive float64 `json:"exclusive"`
	Inclusive float64 `json:"inclusive"`
	// Calls by the engine per tick; calls by other functions of scripts are not counted.
	Calls float64 `json:"calls"`
}

// FunctionTime is the time of a function: exclusive without, inclusive with what it calls.
type FunctionTime struct {
	Function
	Exclusive float64 `json:"exclusive"`
	Inclusive float64 `json:"inclusive"`
	// Calls by the engine per tick; 0 for natives.
	Calls float64 `json:"calls"`
}

// Stack is a function as called by its parent.
type Stack struct {
	// Parent is an index of Stacks, -1 for what the engine called; Function an index of Functions.
	Parent   int `json:"parent"`
	Function int `json:"function"`
	// Self is the time in the function itself, Total with all that it called.
	Self  float64 `json:"self"`
	Total float64 `json:"total"`
}

// phases divides the times by phase, in seconds per tick. Measured ticks say how much of a phase is scripts and movement;
// share is that of other ticks, where there is none.
func (t *times) phases(other *times) (out [Phases]float64) {
	if t.ticks == 0 {
		return out
	}
	for c := range coarse {
		own := t.split[c][Profiler-Rest]
		by := &t.split[c]
		sum := by[0] + by[1] + by[2]
		if sum == 0 && other != nil {
			by = &other.split[c]
			sum = by[0] + by[1] + by[2]
		}
		whole := float64(t.all[c] - own)
		out[Profiler] += float64(own)
		if sum == 0 {
			out[c] += whole
			continue
		}
		part := func(k int) float64 { return whole * float64(by[k]) / float64(sum) }
		out[c] += part(0)
		out[Scripts] += part(int(Scripts - Rest))
		out[Movement] += part(int(Movement - Rest))
	}
	for p := range out {
		out[p] /= 1e9 * float64(t.ticks)
	}
	return out
}

// Phases returns the time by phase in seconds per tick, on average over the last minute, and that of the longest tick. It
// is cheap, for a line of text; the sum is the time of a tick.
func (p *Profile) Phases() (by [Phases]float64, longest float64) {
	if p == nil {
		return by, 0
	}
	t := p.sum()
	return t.phases(nil), float64(t.longest) / 1e9
}

func (p *Profile) sum() (t times) {
	p.turn(p.now())
	for i := range p.sums {
		t.add(&p.sums[i])
	}
	return t
}

// Snapshot is what a report is computed from, as it was at one moment. Nothing changes it, so any goroutine may read it.
type Snapshot struct {
	some         bool // of a profile
	seconds      float64
	second       int64
	sum          times
	line         [seconds]times
	functions    []Function
	calls, nodes []int64 // by function and by node
	of, parents  []int32 // by node: its function, and its parent
	samples, cut int64
}

// Snapshot copies the figures, which takes some ten microseconds. It is for the goroutine of the ticks, between two of them; the report of
// it takes up to a millisecond anywhere. A nil profile has an empty one.
func (p *Profile) Snapshot() *Snapshot {
	if p == nil {
		return &Snapshot{}
	}
	s := &Snapshot{some: true, sum: p.sum(), second: p.second, line: p.line, functions: slices.Clone(p.tree.functions)}
	s.seconds = float64(p.now()-p.start)/1e9 - float64(max(0, p.slot-slots+1)*slotSeconds)
	s.calls = make([]int64, len(p.tree.calls))
	for i := range p.tree.calls {
		for _, n := range p.tree.calls[i] {
			s.calls[i] += n
		}
	}
	s.nodes, s.of, s.parents = make([]int64, len(p.tree.nodes)), make([]int32, len(p.tree.nodes)), make([]int32, len(p.tree.nodes))
	for i := range p.tree.nodes {
		n := &p.tree.nodes[i]
		s.nodes[i], s.of[i], s.parents[i] = n.time(), n.function, n.parent
	}
	for i := range slots {
		s.samples += p.tree.samples[i]
		s.cut += p.tree.cut[i]
	}
	return s
}

// Report computes the report of the present figures, see [Profile.Snapshot]. It shares no memory with the profile.
func (p *Profile) Report() Report { return p.Snapshot().Report() }

// Report computes the report, in up to a millisecond.
func (s *Snapshot) Report() Report {
	r := Report{Timeline: []Moment{}, Classes: []ClassTime{}, Functions: []FunctionTime{}, Stacks: []Stack{}}
	for i := range Phases {
		r.Phases[i].Name = i.String()
	}
	if !s.some {
		return r
	}
	t := s.sum
	r.Seconds, r.Samples, r.Cut = s.seconds, s.samples, s.cut
	r.Ticks, r.Measured, r.Longest = t.ticks, t.measured, float64(t.longest)/1e9
	by := t.phases(nil)
	for i, x := range by {
		r.Phases[i].Time = x
	}
	if t.ticks > 0 {
		for _, x := range t.all {
			r.Tick += float64(x) / 1e9 / float64(t.ticks)
		}
	}
	for at := max(0, s.second-seconds+1); at <= s.second; at++ {
		if m := &s.line[at%seconds]; m.ticks > 0 {
			r.Timeline = append(r.Timeline, Moment{Ago: int(s.second - at), Ticks: m.ticks, Longest: float64(m.longest) / 1e9, Phases: m.phases(&t)})
		}
	}
	s.divide(&r, by[Scripts])
	return r
}

// divide divides the scripts' time among stacks, functions and classes.
func (s *Snapshot) divide(r *Report, scripts float64) {
	total := make([]float64, len(s.nodes))
	whole := 0.0
	for i, time := range s.nodes {
		total[i] = float64(time)
		whole += total[i]
	}
	if whole == 0 {
		return
	}
	scale := scripts / whole
	self := slices.Clone(total)
	for i, parent := range slices.Backward(s.parents) {
		if parent >= 0 {
			total[parent] += total[i]
		}
	}
	functions := make([]FunctionTime, len(s.functions))
	for i := range functions {
		functions[i].Function = s.functions[i]
		functions[i].Calls = float64(s.calls[i]) / float64(max(1, s.sum.measured))
	}
	classes := map[string]*ClassTime{}
	class := func(name string) *ClassTime {
		c := classes[name]
		if c == nil {
			c = &ClassTime{Class: name}
			classes[name] = c
		}
		return c
	}
	place := make([]int, len(s.nodes))
	for i := range s.nodes {
		if total[i] == 0 {
			continue
		}
		f := &functions[s.of[i]]
		f.Exclusive += self[i] * scale
		owner := i // natives belong to the class that calls them
		for s.parents[owner] >= 0 && s.functions[s.of[owner]].Native {
			owner = int(s.parents[owner])
		}
		name := s.functions[s.of[owner]].Class
		class(name).Exclusive += self[i] * scale
		again, sameClass := false, owner != i
		for at := s.parents[i]; at >= 0; at = s.parents[at] {
			again = again || s.of[at] == s.of[i]
			up := &s.functions[s.of[at]]
			sameClass = sameClass || !up.Native && up.Class == name
		}
		if !again {
			f.Inclusive += total[i] * scale
		}
		if !sameClass {
			class(name).Inclusive += total[i] * scale
		}
		parent := -1
		if s.parents[i] >= 0 {
			parent = place[s.parents[i]]
		}
		place[i] = len(r.Stacks)
		r.Stacks = append(r.Stacks, Stack{Parent: parent, Function: int(s.of[i]), Self: self[i] * scale, Total: total[i] * scale})
	}
	order := make([]int, 0, len(functions))
	for i := range functions {
		if functions[i].Inclusive > 0 || functions[i].Calls > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &functions[a], &functions[b]
		return cmp.Or(cmp.Compare(y.Exclusive, x.Exclusive), cmp.Compare(y.Inclusive, x.Inclusive), strings.Compare(x.Class, y.Class), strings.Compare(x.Name, y.Name))
	})
	to := make([]int, len(functions))
	for i, f := range order {
		to[f] = i
		r.Functions = append(r.Functions, functions[f])
		if !functions[f].Native && functions[f].Calls > 0 {
			class(functions[f].Class).Calls += functions[f].Calls
		}
	}
	for i := range r.Stacks {
		r.Stacks[i].Function = to[r.Stacks[i].Function]
	}
	for _, c := range classes { // any order: sorted below
		r.Classes = append(r.Classes, *c)
	}
	slices.SortFunc(r.Classes, func(a, b ClassTime) int {
		return cmp.Or(cmp.Compare(b.Exclusive, a.Exclusive), strings.Compare(a.Class, b.Class))
	})
}
