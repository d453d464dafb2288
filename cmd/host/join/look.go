package join

import (
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

const (
	// sight is how far away in uu what is nearby may be, shownNear how much of it a view keeps.
	sight, shownNear = 4000, 12
)

// picture looks at the player's world.
func (p *Player) picture(f Figures, lines []string) picture {
	w := p.client.Welcome()
	pic := picture{
		Host: p.opt.Shown, Level: Clean(w.Level), Game: Clean(w.Game), Tick: w.Tick, Net: w.Net, Figures: f, Lines: lines,
	}
	world := p.World()
	if world == nil {
		return pic
	}
	count := map[string]int{}
	world.EachActor(func(a *engine.Actor) {
		if p.client.NetOf(a.ID()) != 0 {
			count[a.Class.Name]++
		}
	})
	for c, n := range count {
		pic.Classes = append(pic.Classes, tally{c, n})
	}
	sort.Slice(pic.Classes, func(i, j int) bool {
		a, b := pic.Classes[i], pic.Classes[j]
		return a.N > b.N || a.N == b.N && a.Class < b.Class
	})
	pic.Match = matchText(world)
	pic.Body = p.body()
	if a := p.Pawn(); a != nil && !a.IsA("SpectatorPawn") {
		health, _ := number(a, "Health")
		most, _ := number(a, "HealthMax")
		armour, _ := number(a, "Armour")
		pic.Health, pic.HealthMax, pic.Armour = int(health), int(most), int(armour)
		pic.Weapon = p.weapon(a)
	}
	if a := p.watched(); a != nil {
		pic.Watching = playerName(a)
	}
	pic.Players = p.standings()
	return pic
}

// matchText is how the match stands, "" where the game does not say.
func matchText(w *engine.World) string {
	state := w.Actor(w.GameState)
	if state == nil {
		return ""
	}
	q := state.Class.Property("MatchState")
	if q == nil {
		return ""
	}
	text := map[string]string{"WaitingToStart": "waiting", "InProgress": "in progress", "WaitingPostMatch": "over"}[state.Get(q).Str]
	if text == "" {
		text = Clean(state.Get(q).Str)
	}
	if ends, ok := number(state, "MatchStateEnds"); ok && ends > 0 {
		left := time.Duration(math.Max(0, ends-w.ServerTime()) * float64(time.Second))
		text += fmt.Sprintf(", %d:%02d left", int(left.Minutes()), int(left.Seconds())%60)
	}
	return text
}

// body says where the player's pawn is.
func (p *Player) body() string {
	a := p.Pawn()
	if a == nil {
		return "none"
	}
	text := a.Class.Name + " at " + vectorText(a.Location)
	if h := a.Class.Property("Health"); h != nil && !a.IsA("SpectatorPawn") {
		text += fmt.Sprintf(", health %g", a.Get(h).Num)
	}
	return text
}

// weapon says what a pawn has in the hand and what is in that.
func (p *Player) weapon(pawn *engine.Actor) string {
	a := reference(pawn, "Weapon")
	if a == nil {
		return ""
	}
	text := a.Class.Name
	if q := a.Class.Property("ItemName"); q != nil && a.Get(q).Str != "" {
		text = Clean(a.Get(q).Str)
	}
	for i, name := range [...]string{"GetAmmo", "GetSpareAmmo"} {
		if a.Dispatch.Functions[name] == nil {
			break
		}
		if out := p.Call(a, name); len(out) > 0 && out[0].Kind == engine.KindFloat {
			text += fmt.Sprintf([...]string{" %g", " +%g"}[i], out[0].Num)
		}
	}
	return text
}

// watched is whom the player watches in place of his pawn, or nil.
func (p *Player) watched() *engine.Actor {
	w := p.World()
	if w == nil {
		return nil
	}
	if pc := w.LocalPlayer(); pc != nil {
		return reference(pc, "ViewTarget")
	}
	return nil
}

// view is where the player's eyes are and where they look; false where he has none.
func (p *Player) view() (at geom.Vector, view geom.Rotator, ok bool) {
	w := p.World()
	if w == nil || w.LocalPlayer() == nil {
		return at, view, false
	}
	if a := p.watched(); a != nil {
		return a.Location, a.Rotation, true
	}
	pc := w.LocalPlayer()
	view = viewRotation(pc)
	if a := p.Pawn(); a != nil {
		return a.Location, view, true
	}
	return pc.Location, view, true
}

// viewRotation is where a player looks.
func viewRotation(pc *engine.Actor) geom.Rotator {
	if q := pc.Class.Property("ViewRotation"); q != nil {
		return pc.Get(q).Rot
	}
	return pc.Rotation
}

// playerName is what a pawn's player is called, or what the pawn is.
func playerName(pawn *engine.Actor) string {
	if s := reference(pawn, "PlayerReplicationInfo"); s != nil {
		if q := s.Class.Property("PlayerName"); q != nil && s.Get(q).Str != "" {
			return Clean(s.Get(q).Str)
		}
	}
	return Clean(pawn.Name)
}

// standings are the players of the match, the best first.
func (p *Player) standings() []standing {
	var out []standing
	w := p.World()
	if w == nil {
		return nil
	}
	var own *engine.Actor
	if pc := w.LocalPlayer(); pc != nil {
		own = reference(pc, "PlayerReplicationInfo")
	}
	for _, a := range w.ActorsOf("PlayerReplicationInfo") {
		num := func(name string) float64 {
			x, _ := number(a, name)
			return x
		}
		s := standing{Score: num("Score"), Deaths: int(num("Deaths")), Ping: int(num("Ping")), Own: a == own}
		if q := a.Class.Property("PlayerName"); q != nil {
			s.Name = Clean(a.Get(q).Str)
		}
		switch {
		case num("bIsSpectator") != 0:
			s.Note = "watches"
		case num("bBot") != 0:
			s.Note = "bot"
		}
		out = append(out, s)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Score > out[j].Score })
	return out
}

// ownName is what the game calls the player, "" while that is not known.
func (p *Player) ownName() string {
	for _, s := range p.standings() {
		if s.Own {
			return s.Name
		}
	}
	return ""
}

// shown are the actors about a place that a view tells of, the nearest first.
func (p *Player) shown(at geom.Vector) []*engine.Actor {
	own := p.Pawn()
	if a := p.watched(); a != nil {
		own = a
	}
	var out []*engine.Actor
	p.World().EachActor(func(a *engine.Actor) {
		worth := a.IsA("Pawn") || a.IsA("Pickup") || a.IsA("Projectile") || a.IsA("Mover")
		if worth && a != own && !a.Deleted() && (!a.BHidden || a.IsA("Mover")) && a.Location.Distance(at) < sight {
			out = append(out, a)
		}
	})
	sort.SliceStable(out, func(i, j int) bool { return out[i].Location.Distance(at) < out[j].Location.Distance(at) })
	return out
}

// near tells of actors nearby, as seen by one who looks somewhere.
func near(list []*engine.Actor, at geom.Vector, view geom.Rotator) (out []neighbour) {
	for _, a := range list {
		if a.IsA("Mover") || len(out) == shownNear {
			continue
		}
		n := neighbour{Name: Clean(a.Name), Class: a.Class.Name, Distance: a.Location.Distance(at)}
		if a.IsA("Pawn") {
			n.Name = playerName(a)
		}
		n.Towards = arrow(int(a.Location.Sub(at).Rotation().Yaw) - int(view.Yaw))
		out = append(out, n)
	}
	return out
}

// marks are the same on the chart, with the player himself on top.
func marks(list []*engine.Actor, at geom.Vector, view geom.Rotator) (out []mark) {
	for i := len(list) - 1; i >= 0; i-- { // the nearest on top
		a := list[i]
		switch {
		case a.IsA("Pawn"):
			out = append(out, mark{a.Location, initial(playerName(a)), hostile})
		case a.IsA("Pickup"):
			out = append(out, mark{a.Location, '+', useful})
		case a.IsA("Projectile"):
			out = append(out, mark{a.Location, '*', flying})
		default:
			out = append(out, mark{a.Location, '=', moving})
		}
	}
	return append(out, mark{at, arrow(int(view.Yaw)), bright})
}
