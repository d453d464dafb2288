package animation

import "testing"

// versionOf is what a file says now.
func versionOf(t *testing.T, s Spec) *Montage {
	t.Helper()
	s.Name = "x"
	return library(t, s).Find("x")
}

// What plays goes on in a new version of its file: at its place in its section, with the windows that both have.
func TestReplace(t *testing.T) {
	old := Spec{
		Length: 4, Sections: []SectionSpec{{Name: "In", Start: 0}, {Name: "Hold", Start: 2, Next: "Hold"}},
		Notifies: []Notify{{Name: "Both", Time: 2, End: 3.5}, {Name: "Old", Time: 2, End: 3.5}},
	}
	for name, c := range map[string]struct {
		to      Spec
		said    string
		section string
		at      float64
		next    string // told up to the end of the section
	}{
		"the same": {old, "", "Hold", 2.5, "Both) Old)"},
		"the section lies elsewhere": {Spec{
			Length: 6, Sections: []SectionSpec{{Name: "In"}, {Name: "Hold", Start: 3}},
			Notifies: []Notify{{Name: "Both", Time: 3, End: 4}, {Name: "New", Time: 3, End: 5}},
		}, "Old) New(", "Hold", 3.5, "Both) New)"},
		"the section is shorter": {Spec{Length: 2.25, Sections: []SectionSpec{{Name: "In"}, {Name: "Hold", Start: 2}}}, "Both) Old)", "Hold", 2.25, ""},
		"the section is gone":    {Spec{Length: 4, Sections: []SectionSpec{{Name: "All"}, {Name: "Rest", Start: 3}}}, "Both) Old)", "All", 2.5, ""},
		"it is shorter":          {Spec{Length: 1}, "Both) Old)", "Default", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := Start(versionOf(t, old), 1, 2)
			cues, _ := p.Advance(0.25, nil, AllCues)
			if told(cues) != "Both( Old(" || p.Position != 2.5 {
				t.Fatal(told(cues), p.Position)
			}
			m := versionOf(t, c.to)
			cues = p.Replace(m, nil, AllCues)
			if told(cues) != c.said || p.Montage != m || m.Sections[p.Section].Name != c.section || p.Position != c.at || p.Rate != 2 {
				t.Errorf("%q, in %s at %g, rate %g", told(cues), m.Sections[p.Section].Name, p.Position, p.Rate)
			}
			if cues, _ = p.Advance((m.Sections[p.Section].End-p.Position)/2-1e-6, nil, AllCues); told(cues) != c.next {
				t.Errorf("then %q", told(cues))
			}
		})
	}
	// One that plays at another rate now does so from here on; one that was not begun has told nothing, and will.
	fast := old
	fast.Rate = 3
	p := Start(versionOf(t, old), 1, 2)
	if cues := p.Replace(versionOf(t, fast), nil, AllCues); len(cues) > 0 || p.Rate != 6 || p.Position != 2 {
		t.Error(told(cues), p.Rate, p.Position)
	}
	if cues, _ := p.Advance(0.01, nil, AllCues); told(cues) != "Both( Old(" {
		t.Error(told(cues))
	}
	var none Player
	if cues := none.Replace(versionOf(t, old), nil, AllCues); len(cues) > 0 || none.Playing() {
		t.Error("what plays nothing plays something")
	}
}
