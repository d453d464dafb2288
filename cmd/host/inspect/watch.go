package inspect

import (
	"math"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/navigation"
	"github.com/tidelock/tidelock/engine/rewind"
)

// WatchFor is for how long a match goes on remembering lines and claims after somebody read them, in seconds of the world.
const WatchFor = 5

// Sight is a line that a script queried.
type Sight struct {
	// Kind is "trace", "line" (of sight) or "shot".
	Kind string `json:"kind"`
	// Age is how many seconds of the world ago.
	Age     float64    `json:"age"`
	From    [3]float64 `json:"from"`
	To      [3]float64 `json:"to"`
	Blocked bool       `json:"blocked"`
	// By is the name of the actor whose script asked, "" for none.
	By string `json:"by"`
}

// Sights describes the lines that scripts queried in the last second. From the first call on they are remembered, until nobody has
// called for [WatchFor].
func Sights(m *match.Match) []Sight {
	m.VM.Watch(WatchFor)
	out := []Sight{}
	for _, s := range m.VM.Sights() {
		out = append(out, Sight{Kind: s.Kind.String(), Age: m.World.Time - s.Time, From: rounded(s.From), To: rounded(s.To), Blocked: s.Blocked, By: s.By})
	}
	return out
}

// Claim is a shot that was judged in the past (R11.3).
type Claim struct {
	// Age is how many seconds ago it was judged, Rewound how far before that the shooter saw the world.
	Age     float64 `json:"age"`
	Rewound float64 `json:"rewound"`
	// Refused says that it claimed more than the player's latency explains.
	Refused bool       `json:"refused"`
	By      string     `json:"by"`
	From    [3]float64 `json:"from"`
	To      [3]float64 `json:"to"`
	// Hit is the name of the actor that was hit, which may be gone since; Box that of its box.
	Hit     string   `json:"hit"`
	Box     string   `json:"box"`
	Targets []Target `json:"targets"`
}

// Target is where a target was put for a claim.
type Target struct {
	Actor string `json:"actor"`
	// Then is where it was at the claimed time, Now where it was when the claim was judged.
	Then   [3]float64 `json:"then"`
	Now    [3]float64 `json:"now"`
	Solids []Solid    `json:"solids"`
}

// Solid is a hit box, or a collision cylinder where it has no name.
type Solid struct {
	Name   string     `json:"name"`
	Centre [3]float64 `json:"centre"`
	// Axes are those of a box, X, Y and Z of each in turn. Half are its half extents along them, in uu.
	Axes [9]float64 `json:"axes"`
	Half [3]float64 `json:"half"`
}

// Claims describes the claims that were judged in the last ten seconds, and is remembered as [Sights] are.
func Claims(m *match.Match) []Claim {
	m.VM.Watch(WatchFor)
	out := []Claim{}
	for _, c := range m.VM.Claims() {
		x := Claim{
			Age: m.World.Time - c.Time, Rewound: c.Time - c.Seen, Refused: c.Refused, By: c.By, From: rounded(c.From), To: rounded(c.To),
			Hit: c.Hit, Box: c.Box, Targets: []Target{},
		}
		for i := range c.Targets {
			t := &c.Targets[i]
			x.Targets = append(x.Targets, Target{Actor: t.Actor, Then: rounded(t.Then), Now: rounded(t.Now), Solids: solids(t.Solids)})
		}
		out = append(out, x)
	}
	return out
}

// Boxes is what shots can hit of a pawn.
type Boxes struct {
	ID     int64   `json:"id"`
	Solids []Solid `json:"solids"`
}

// BoxesOf describes what shots can hit of all pawns now.
func BoxesOf(m *match.Match) []Boxes {
	out := []Boxes{}
	var buf []rewind.Solid
	m.World.EachActor(func(a *engine.Actor) {
		if a.Class.IsPawn() && a.Outer == nil {
			buf = m.VM.HitBoxes(a, buf[:0])
			out = append(out, Boxes{ID: int64(a.ID()), Solids: solids(buf)})
		}
	})
	return out
}

func solids(list []rewind.Solid) []Solid {
	out := make([]Solid, 0, len(list))
	for i := range list {
		s := &list[i]
		x := Solid{Name: s.Name, Centre: rounded(s.Centre), Half: s.Half}
		for k, a := range s.Axes {
			x.Axes[3*k], x.Axes[3*k+1], x.Axes[3*k+2] = round(a.X, 1e4), round(a.Y, 1e4), round(a.Z, 1e4)
		}
		out = append(out, x)
	}
	return out
}

// rounded returns a location to a hundredth of an uu, which is shorter as text.
func rounded(v geom.Vector) [3]float64 {
	return [3]float64{round(v.X, 100), round(v.Y, 100), round(v.Z, 100)}
}

func round(x, steps float64) float64 { return math.Round(x*steps) / steps }

// Navigation is the graph in which bots find their paths.
type Navigation struct {
	// Built is false while there is none: no script has requested a path on this level, or it is being built.
	Built bool `json:"built"`
	// Nodes are locations; Low lists the numbers of those where a body can only crouch.
	Nodes [][3]float64 `json:"nodes"`
	Low   []int32      `json:"low"`
	// Links are by kind: "walk", "drop", "jump" and "lift", each the numbers of two nodes in turn. One that leads both ways stands there
	// once, from the lower number.
	Links map[string][]int32 `json:"links"`
}

// NavigationOf describes the graph of a match's level.
func NavigationOf(m *match.Match) Navigation {
	n := Navigation{Nodes: [][3]float64{}, Low: []int32{}, Links: map[string][]int32{}}
	g := m.VM.Graph()
	if g == nil {
		return n
	}
	n.Built = true
	back := func(l navigation.Link, to navigation.NodeID) bool {
		for _, o := range g.Links(l.To) {
			if o.To == to && o.Kind == l.Kind {
				return true
			}
		}
		return false
	}
	for i := range navigation.NodeID(g.Len()) {
		x := g.Node(i)
		n.Nodes = append(n.Nodes, rounded(x.Location))
		if x.Low {
			n.Low = append(n.Low, int32(i))
		}
		for _, l := range g.Links(i) {
			if i > l.To && back(l, i) {
				continue
			}
			kind := l.Kind.String()
			n.Links[kind] = append(n.Links[kind], int32(i), int32(l.To))
		}
	}
	return n
}
