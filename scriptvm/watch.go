package scriptvm

import (
	"cmp"
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/navigation"
	"github.com/tidelock/tidelock/engine/rewind"
)

const (
	// maxSights and maxClaims bound what is remembered while somebody watches; the oldest is forgotten first.
	maxSights, maxClaims = 512, 32
	// maxClaimTargets bounds the targets that are remembered of a claim, the nearest to its line first.
	maxClaimTargets = 4
	// sightsLast is how long traces are told, claimsLast how long claims are, in seconds of the world.
	sightsLast, claimsLast = 1, 10
)

// Watch remembers the lines that scripts query, and the claims that are judged, for some seconds of the world from now on. It
// ends by itself.
func (v *VM) Watch(seconds float64) {
	if v.watch == nil {
		v.watch = &watch{}
	}
	v.watch.until = max(v.watch.until, v.world.Time+seconds)
}

// watched returns what is to be written to, nil if nobody watches.
func (v *VM) watched() *watch {
	if v.watch != nil && v.world.Time > v.watch.until {
		v.watch = nil
	}
	return v.watch
}

// saw remembers a line; a is nil for none.
func (v *VM) saw(kind SightKind, a *engine.Actor, from, to geom.Vector, blocked bool) {
	if v.watch == nil {
		return
	}
	w := v.watched()
	if w == nil || !from.IsFinite() || !to.IsFinite() {
		return
	}
	s := Sight{Kind: kind, Time: v.world.Time, From: from, To: to, Blocked: blocked}
	if a != nil {
		s.By = a.Name
	}
	if len(w.sights) < maxSights {
		w.sights = append(w.sights, s)
		return
	}
	w.sights[w.next] = s
	w.next = (w.next + 1) % maxSights
}

// sawHit is saw of a trace that may have hit something.
func (v *VM) sawHit(kind SightKind, a *engine.Actor, from, to geom.Vector, hit engine.Hit, ok bool) {
	if ok {
		to = hit.Location
	}
	v.saw(kind, a, from, to, ok)
}

// judged remembers a claim, of a player or nil; hit is the zero value, or what was hit.
func (v *VM) judged(a, player *engine.Actor, s *rewind.Shot, refused bool, hit rewind.Hit, ok bool) {
	if v.watch == nil {
		return
	}
	to := s.End
	if ok {
		to = hit.Location
	}
	v.saw(SightShot, a, s.Start, to, ok)
	w := v.watched()
	remote := player != nil && !v.world.IsLocallyControlled(player)
	if w == nil || !s.Start.IsFinite() || !s.End.IsFinite() || !remote && v.world.Time-s.Time <= v.world.Delta { // the server's own bots see the present
		return
	}
	c := JudgedClaim{Time: v.world.Time, Seen: s.Time, Refused: refused, By: a.Name, From: s.Start, To: to, Box: hit.Name}
	if hit.Actor != nil {
		c.Hit = hit.Actor.Name
	}
	if !refused {
		c.Targets = v.judgedTargets(s)
	}
	if len(w.claims) == maxClaims {
		w.claims = slices.Delete(w.claims, 0, 1)
	}
	w.claims = append(w.claims, c)
}

// judgedTargets returns where the targets nearest to a shot were put.
func (v *VM) judgedTargets(s *rewind.Shot) (out []JudgedTarget) {
	type near struct {
		a    *engine.Actor
		away float64
		at   geom.Vector
	}
	var list []near
	way := s.End.Sub(s.Start)
	for _, a := range s.Targets {
		if p, ok := v.past.history.At(a, s.Time); ok && a != s.Shooter {
			t := p.Location.Sub(s.Start).Dot(way) / max(way.SizeSquared(), 1e-9)
			list = append(list, near{a, p.Location.Distance(s.Start.MulAdd(way, math.Max(0, math.Min(t, 1)))), p.Location})
		}
	}
	slices.SortStableFunc(list, func(a, b near) int { return cmp.Compare(a.away, b.away) })
	for _, n := range list[:min(len(list), maxClaimTargets)] {
		out = append(out, JudgedTarget{Actor: n.a.Name, Then: n.at, Now: n.a.Location, Solids: v.past.history.Solids(n.a, s.Time, nil)})
	}
	return out
}

// Sights returns the lines that scripts queried in the last second, the oldest first; nil while nobody watches.
func (v *VM) Sights() (out []Sight) {
	w := v.watched()
	if w == nil {
		return nil
	}
	for i := range w.sights {
		if s := w.sights[(w.next+i)%len(w.sights)]; v.world.Time-s.Time <= sightsLast {
			out = append(out, s)
		}
	}
	return out
}

// Claims returns the claims that were judged in the last ten seconds, the oldest first; nil while nobody watches.
func (v *VM) Claims() (out []JudgedClaim) {
	w := v.watched()
	if w == nil {
		return nil
	}
	for _, c := range w.claims {
		if v.world.Time-c.Time <= claimsLast {
			out = append(out, c)
		}
	}
	return out
}

// Graph returns the navigation graph of the level; nil while no script has requested a path, and while it is built.
func (v *VM) Graph() *navigation.Graph {
	if v.nav.of != v.world || v.nav.level != any(v.world.Level) {
		return nil
	}
	return v.nav.graph
}
