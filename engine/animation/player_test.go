package animation

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/tests/tier"
	"pgregory.net/rapid"
)

// library makes one of specs, or fails.
func library(t testing.TB, specs ...Spec) *Library {
	t.Helper()
	l, err := NewLibrary(specs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// told writes cues as a story: Fire, Begin( and End).
func told(cues []Cue) string {
	var out []string
	for _, c := range cues {
		out = append(out, c.Notify.Name+[...]string{")", "", "("}[c.Kind])
	}
	return strings.Join(out, " ")
}

// anyMontage draws a montage of sections that follow each other in any way, with notifies on a grid so that some fall
// together and some on the borders of sections.
func anyMontage(t *rapid.T) *Montage {
	s := Spec{Name: "m", Length: float64(rapid.IntRange(1, 20).Draw(t, "length")) / 4}
	n := rapid.IntRange(0, 8).Draw(t, "notifies")
	grid := int(s.Length * 4)
	for i := range n {
		x := Notify{Name: fmt.Sprint("n", i), Time: float64(rapid.IntRange(0, grid).Draw(t, "at")) / 4, Gameplay: rapid.Bool().Draw(t, "gameplay")}
		if rapid.Bool().Draw(t, "window") && x.Time < s.Length {
			x.End = x.Time + float64(rapid.IntRange(1, grid-int(x.Time*4)).Draw(t, "lasts"))/4
		}
		s.Notifies = append(s.Notifies, x)
	}
	k := rapid.IntRange(1, min(4, grid)).Draw(t, "sections")
	for i := range k {
		c := SectionSpec{Name: fmt.Sprint("s", i), Start: float64(i) / 4}
		switch to := rapid.IntRange(-2, k-1).Draw(t, "next"); to {
		case -2:
		case -1:
			c.Next = NextNone
		default:
			c.Next = fmt.Sprint("s", to)
		}
		s.Sections = append(s.Sections, c)
	}
	l, err := NewLibrary([]Spec{s}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l.Find("m")
}

// However time is cut, the same is told in the same order.
func TestAnyCutTellsTheSame(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		m := anyMontage(t)
		which := Which(rapid.Bool().Draw(t, "which"))
		rate := rapid.Float64Range(0.1, 4).Draw(t, "rate")
		section := rapid.IntRange(0, len(m.Sections)-1).Draw(t, "section")
		total := 0.0
		parts, whole := Start(m, section, rate), Start(m, section, rate)
		var a, b []Cue
		var over, end bool
		for range rapid.IntRange(1, 60).Draw(t, "ticks") {
			dt := rapid.Float64Range(0.0001, 0.4).Draw(t, "dt")
			var ended bool
			a, ended = parts.Advance(dt, a, which)
			over = over || ended
			total += dt
		}
		b, end = whole.Advance(total, b, which)
		// The last tick may end on either side of a moment by rounding: the shorter story begins the longer one.
		x, y := told(a), told(b)
		if len(x) > len(y) {
			x, y = y, x
		}
		if !strings.HasPrefix(y, x) || strings.Count(y[len(x):], " ") > 8 {
			t.Fatalf("in parts %q over %v, at once %q over %v", told(a), over, told(b), end)
		}
	})
}

// What is told is what a plain walk over the track tells; windows that begin end.
func TestEachOnceAndInOrder(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		m := anyMontage(t)
		p := Start(m, 0, 1)
		var cues []Cue
		ended := false
		for i := 0; i < 400 && !ended; i++ {
			cues, ended = p.Advance(rapid.Float64Range(0.001, 0.1).Draw(t, "dt"), cues, AllCues)
		}
		if !ended {
			cues = p.Stop(cues)
		}
		// In a single pass over sections without a jump back, each notify of them is told once.
		passes, at := 0, 0
		seen := map[int]bool{}
		for at >= 0 && !seen[at] {
			seen[at] = true
			passes++
			at = m.Sections[at].Next
		}
		open := map[string]int{}
		counts := map[string]int{}
		for _, c := range cues {
			switch c.Kind {
			case CueBegin:
				open[c.Notify.Name]++
				counts[c.Notify.Name]++
			case CueEnd:
				open[c.Notify.Name]--
			case CueFire:
				counts[c.Notify.Name]++
			}
			if n := open[c.Notify.Name]; n < 0 || n > 1 {
				t.Fatalf("%s is open %d times in %q", c.Notify.Name, n, told(cues))
			}
		}
		for name, n := range open {
			if n != 0 {
				t.Fatalf("%s stays open: %q", name, told(cues))
			}
		}
		if at >= 0 {
			return // it goes round: how often, the walk above does not say
		}
		last := -1
		forward := true
		for s := 0; s >= 0; s = m.Sections[s].Next {
			forward = forward && s > last
			last = s
		}
		if !forward || passes != len(m.Sections) {
			return
		}
		for i := range m.Track.Notifies {
			if n := &m.Track.Notifies[i]; counts[n.Name] != 1 {
				t.Fatalf("%s at %g told %d times: %q", n.Name, n.Time, counts[n.Name], told(cues))
			}
		}
	})
}

// Seek is Advance without what has passed: the same place, the same windows open.
func TestSeekIsWhereAdvanceIs(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		m := anyMontage(t)
		section := rapid.IntRange(0, len(m.Sections)-1).Draw(t, "section")
		passed := float64(rapid.IntRange(1, 400).Draw(t, "passed"))/16 + 0.013 // on no border
		walk, jump := Start(m, section, 1), Start(m, section, 1)
		var ended bool
		for range 64 {
			var e bool
			_, e = walk.Advance(passed/64, nil, AllCues)
			ended = ended || e
		}
		cues, over := jump.Seek(passed, nil, AllCues)
		if over != ended {
			t.Fatalf("over %v, walked %v", over, ended)
		}
		if over {
			return
		}
		if walk.Section != jump.Section || math.Abs(walk.Position-jump.Position) > 1e-9 {
			t.Fatalf("at %d %g, walked to %d %g", jump.Section, jump.Position, walk.Section, walk.Position)
		}
		opened := map[string]bool{}
		for _, c := range cues {
			if c.Kind != CueBegin {
				t.Fatalf("seeking tells %q", told(cues))
			}
			opened[c.Notify.Name] = true
		}
		// A window that began before a jump back and goes on behind it is open for the walker, too.
		for i := range m.Track.Notifies {
			n := &m.Track.Notifies[i]
			if n.window() && opened[n.Name] != (n.Time < jump.Position && jump.Position < n.End) {
				t.Fatalf("%s open %v at %g", n.Name, opened[n.Name], jump.Position)
			}
			if n.window() && walk.isOpen(i) != jump.isOpen(i) {
				t.Fatalf("%s open %v, walked %v", n.Name, jump.isOpen(i), walk.isOpen(i))
			}
		}
	})
}

func TestSeekFarInARound(t *testing.T) {
	m := library(t, Spec{Name: "m", Length: 3, Sections: []SectionSpec{{Name: "A"}, {Name: "B", Start: 1, Next: "C"}, {Name: "C", Start: 2, Next: "B"}}}).Find("m")
	p := Start(m, 0, 1)
	if _, over := p.Seek(1+2*1e6+1.5, nil, AllCues); over || p.Section != 2 || math.Abs(p.Position-2.5) > 1e-6 {
		t.Fatalf("%d %g %v", p.Section, p.Position, over)
	}
}

func TestStories(t *testing.T) {
	walk := Spec{Name: "walk", Length: 2, Notifies: []Notify{
		{Name: "Right", Time: 1.5},
		{Name: "Left", Time: 0.5},
		{Name: "Start", Time: 0},
		{Name: "Stop", Time: 2},
		{Name: "Swing", Time: 0.5, End: 1.5, Gameplay: true},
	}}
	parts := Spec{Name: "parts", Parts: []PartSpec{{Animation: "walk", From: 1}, {Animation: "walk", To: 1, Rate: 2}}}
	more := Spec{Name: "more", Track: "walk", Notifies: []Notify{{Name: "Extra", Time: 1}}, Rate: 2}
	loop := Spec{Name: "loop", Track: "walk", Sections: []SectionSpec{{Name: "A"}, {Name: "B", Start: 1, Next: "B"}}}
	l := library(t, walk, parts, more, loop)
	for _, c := range []struct {
		name  string
		which Which
		by    float64
		want  string
	}{
		{"walk", AllCues, 2, "Start Left Swing( Swing) Right Stop"},
		{"walk", GameplayCues, 2, "Swing( Swing)"},
		{"parts", AllCues, 1.5, "Swing( Swing) Right Stop Start Left Swing( Swing)"},
		{"more", AllCues, 1, "Start Left Swing( Extra Swing) Right Stop"},
		{"loop", AllCues, 4.01, "Start Left Swing( Swing) Right Stop Swing( Swing) Right Stop Swing( Swing) Right Stop Swing("},
	} {
		p := Start(l.Find(c.name), 0, 1)
		var cues []Cue
		for range 64 {
			cues, _ = p.Advance(c.by/64, cues, c.which)
		}
		if got := told(cues); got != c.want {
			t.Errorf("%s: got  %s\nwant %s", c.name, got, c.want)
		}
	}
	if got := l.Names(); !reflect.DeepEqual(got, []string{"loop", "more", "parts", "walk"}) || l.Numbered(2).Name != "more" || l.Numbered(0) != nil || l.Numbered(5) != nil {
		t.Error(got)
	}
	var none *Library
	if none.Find("x") != nil || none.Numbered(1) != nil || none.Space("x") != nil || none.Names() != nil {
		t.Error("the nil library has something")
	}
}

func TestJumpAndStopEndWindows(t *testing.T) {
	l := library(t, Spec{Name: "m", Length: 4, Notifies: []Notify{
		{Name: "Long", Time: 0.5, End: 3.5}, {Name: "Short", Time: 0.6, End: 1},
	}, Sections: []SectionSpec{{Name: "A"}, {Name: "B", Start: 2}, {Name: "C", Start: 3.75}}})
	p := Start(l.Find("m"), 0, 1)
	cues, _ := p.Advance(0.8, nil, AllCues)
	cues = p.Jump(1, cues, AllCues)
	cues = p.Jump(2, cues, AllCues)
	cues = p.Jump(1, cues, AllCues)
	cues = p.Jump(9, cues, AllCues)
	cues = p.Stop(cues)
	if got, want := told(cues), "Long( Short( Short) Long) Long( Long)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if p.Playing() {
		t.Error("it plays on")
	}
}

func TestRootAddsUpToTheTrack(t *testing.T) {
	l := library(t, Spec{Name: "m", Length: 1, Curves: []Curve{
		{Name: "RootX", Keys: []Key{{0, 0}, {0.21, 10}, {0.5, 120}, {0.9, 110}}},
		{Name: "RootZ", Keys: []Key{{0, 0}, {0.5, 30}, {1, 0}}},
	}})
	for _, dt := range []float64{1. / 20, 1. / 60, 1. / 144} {
		p := Start(l.Find("m"), 0, 1)
		var x, z, top float64
		for p.Playing() {
			v := p.Root(dt)
			x, z = x+v[0]*dt, z+v[2]*dt
			top = max(top, z)
			p.Advance(dt, nil, AllCues)
		}
		if math.Abs(x-110) > 1e-6 || math.Abs(z) > 1e-6 || math.Abs(top-30) > 2 {
			t.Errorf("at %g s: %g %g, top %g", dt, x, z, top)
		}
	}
}

func TestRootMotionPauses(t *testing.T) {
	var p Player
	if v := p.Root(0.1); v != [3]float64{} {
		t.Error(v)
	}
}

func TestTimelineBothWays(t *testing.T) {
	track, err := NewTrack(1, []Notify{{Name: "A", Time: 0}, {Name: "B", Time: 0.5}, {Name: "C", Time: 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rate, from float64
		loop       bool
		by         float64
		want       string
	}{
		{1, 0, false, 1.2, "A B C"},
		{-1, 1, false, 1.2, "C B A"},
		{1, 0, true, 2.01, "A B C A B C A"},
		{-2, 1, true, 1.01, "C B A C B A C"},
		{1, 0.6, false, 1, "C"},
	} {
		for _, n := range []int{1, 7, 200} {
			line := Timeline{Track: track, Rate: c.rate, Position: c.from, Loop: c.loop}
			var cues []Cue
			for range n {
				cues, _ = line.Advance(c.by/float64(n), cues)
			}
			if got := told(cues); got != c.want {
				t.Errorf("%+v in %d: %s", c, n, got)
			}
		}
	}
}

func TestPassesAreBounded(t *testing.T) {
	l := library(t, Spec{Name: "m", Length: MinLength, Notifies: []Notify{{Name: "N", Time: 0}}, Sections: []SectionSpec{{Name: "A", Next: "A"}}})
	p := Start(l.Find("m"), 0, MaxRate)
	if cues, ended := p.Advance(1e6, nil, AllCues); ended || len(cues) > MaxPasses {
		t.Errorf("%d cues, ended %v", len(cues), ended)
	}
	track, _ := NewTrack(MinLength, nil, nil)
	line := Timeline{Track: track, Rate: MaxRate, Loop: true}
	if _, ended := line.Advance(1e6, nil); ended {
		t.Error("a loop ended")
	}
}

func TestSpecsThatAreWrong(t *testing.T) {
	ok := Spec{Name: "ok", Length: 1}
	for _, c := range []struct {
		spec Spec
		says string
	}{
		{Spec{}, "expected one of length, parts and track, got 0"},
		{Spec{Length: 1, Track: "ok"}, "got 2"},
		{Spec{Length: -1}, "length: expected"},
		{Spec{Length: math.NaN()}, "length: expected"},
		{Spec{Track: "no"}, `no animation "no"`},
		{Spec{Track: "x"}, "does it hold itself?"},
		{Spec{Parts: []PartSpec{{Animation: "ok", From: 1}}}, "part 1"},
		{Spec{Parts: []PartSpec{{Animation: "ok", Rate: -1}}}, "part 1"},
		{Spec{Length: 1, Rate: 1000}, "rate: expected"},
		{Spec{Length: 1, Notifies: []Notify{{Name: "", Time: 0}}}, "expected a name"},
		{Spec{Length: 1, Notifies: []Notify{{Name: "N", Time: 2}}}, "notify N: time"},
		{Spec{Length: 1, Notifies: []Notify{{Name: "N", Time: 0.5, End: 0.4}}}, "notify N: end"},
		{Spec{Length: 1, Notifies: make([]Notify, MaxNotifies+1)}, "notifies; at most"},
		{Spec{Length: 1, Curves: []Curve{{Name: "C"}}}, "curve C: expected 1 to"},
		{Spec{Length: 1, Curves: []Curve{{Name: "C", Keys: []Key{{0, math.Inf(1)}}}}}, "finite"},
		{Spec{Length: 1, Curves: []Curve{{Name: "C", Keys: []Key{{0, 1}, {0, 2}}}}}, "two keys at 0"},
		{Spec{Length: 1, Curves: []Curve{{Name: "C", Keys: []Key{{0, 1}}}, {Name: "C", Keys: []Key{{0, 1}}}}}, "there are two"},
		{Spec{Length: 1, Sections: []SectionSpec{{Name: "A", Start: 0.5}}}, "starts at 0"},
		{Spec{Length: 1, Sections: []SectionSpec{{Name: "A"}, {Name: "A", Start: 0.5}}}, "a name of its own"},
		{Spec{Length: 1, Sections: []SectionSpec{{Name: "A"}, {Name: "B"}}}, "section A: expected to start before"},
		{Spec{Length: 1, Sections: []SectionSpec{{Name: "A", Next: "B"}}}, `no section "B"`},
		{Spec{Length: 1, Notifies: slicesOf(MaxOpen+1, Notify{Name: "W", Time: 0.1, End: 0.9})}, "windows are open"},
	} {
		c.spec.Name = "x"
		_, err := NewLibrary([]Spec{ok, c.spec}, nil)
		var bad *SpecError
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.spec, err)
		} else if bad, _ = err.(*SpecError); bad == nil || bad.Name != "x" {
			t.Errorf("%v is of %+v", err, bad)
		}
	}
	if _, err := NewLibrary([]Spec{ok, ok}, nil); err == nil {
		t.Error("two of one name")
	}
}

func slicesOf(n int, x Notify) []Notify {
	out := make([]Notify, n)
	for i := range out {
		out[i] = x
	}
	return out
}
