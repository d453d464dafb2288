package join

import (
	"fmt"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/client"
)

const (
	// shownLines is how many of the latest lines the view keeps, and shownClasses how many classes it counts.
	shownLines, shownClasses = 50, 6
)

// picture is what a view shows, taken from a player at one moment.
type picture struct {
	Host, Level, Game string
	Tick, Net         int
	Figures
	// Classes are how many actors of which class the player has, the most frequent first.
	Classes []tally
	// Body is where the player's pawn is and how it fares.
	Body    string
	Players []standing
	Lines   []string
}

type tally struct {
	Class string
	N     int
}

// standing is a player in the match.
type standing struct {
	Name   string
	Score  float64
	Deaths int
	Ping   int
	Own    bool
}

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
	pic.Body = p.body()
	pic.Players = p.standings()
	return pic
}

// body says where the player's pawn is.
func (p *Player) body() string {
	a := p.Pawn()
	if a == nil {
		return "none"
	}
	text := a.Class.Name + " at " + vectorText(a.Location)
	if h := a.Class.Property("Health"); h != nil {
		text += fmt.Sprintf(", health %g", a.Get(h).Num)
	}
	return text
}

// standings are the players of the match, the best first.
func (p *Player) standings() []standing {
	var out []standing
	w := p.World()
	if w == nil {
		return nil
	}
	var own engine.ActorID
	if pc := w.LocalPlayer(); pc != nil {
		if q := pc.Class.Property("PlayerReplicationInfo"); q != nil {
			own = pc.Get(q).Ref
		}
	}
	for _, a := range w.ActorsOf("PlayerReplicationInfo") {
		num := func(name string) float64 {
			if q := a.Class.Property(name); q != nil {
				return a.Get(q).Num
			}
			return 0
		}
		s := standing{Score: num("Score"), Deaths: int(num("Deaths")), Ping: int(num("Ping")), Own: a.ID() == own}
		if q := a.Class.Property("PlayerName"); q != nil {
			s.Name = Clean(a.Get(q).Str)
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

// status is the picture as one line, for where there is no terminal.
func (pic *picture) status() string {
	switch pic.State {
	case client.Connecting, client.Loading, client.Closed:
		return pic.State.String()
	case client.Playing:
	}
	return fmt.Sprintf("playing %.0f s: ping %s, jitter %s, loss in %s out %s, in %s, out %s, actors %d, corrections %d, body %s", pic.Playing.Seconds(),
		Millis(pic.Ping), Millis(pic.Jitter), Percent(pic.LossIn), Percent(pic.LossOut), BytesRate(pic.In), BytesRate(pic.Out), pic.Actors,
		pic.Corrections, pic.Body)
}

// Millis, Percent and BytesRate write figures as the views do.
func Millis(d time.Duration) string {
	return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
}

// Percent writes a share.
func Percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// BytesRate writes bytes a second.
func BytesRate(b float64) string {
	if b < 9950 {
		return fmt.Sprintf("%.0f B/s", b)
	}
	return fmt.Sprintf("%.1f kB/s", b/1000)
}

// draw is the picture as lines of a terminal of some size.
func (pic *picture) draw(width, height int) []string {
	out := []string{"Tidelock  " + pic.title()}
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	add("")
	if pic.State == client.Playing {
		add("ping    %-9s jitter %-9s loss %s in, %s out", Millis(pic.Ping), Millis(pic.Jitter), Percent(pic.LossIn), Percent(pic.LossOut))
		add("in      %-9s out    %-9s corrections %d", BytesRate(pic.In), BytesRate(pic.Out), pic.Corrections)
		add("actors  %-9s %s", fmt.Sprint(pic.Actors), pic.classes())
		add("body    %s", pic.Body)
		add("")
		add("%8s %7s %7s  player", "score", "deaths", "ping")
		most := max(3, height-len(out)-6)
		for i, s := range pic.Players {
			if i == most {
				add("%25s and %d more", "", len(pic.Players)-most)
				break
			}
			own, ping := "", fmt.Sprintf("%d ms", s.Ping)
			if s.Own {
				own, ping = " (you)", Millis(pic.Ping)
			}
			add("%8g %7d %7s  %s%s", s.Score, s.Deaths, ping, s.Name, own)
		}
		add("")
	}
	const foot = "Ctrl-C leaves"
	room := max(0, height-len(out)-2)
	lines := pic.Lines
	if len(lines) > room {
		lines = lines[len(lines)-room:]
	}
	out = append(out, lines...)
	for len(out) < height-1 {
		out = append(out, "")
	}
	out = append(out[:min(len(out), height-1)], foot)
	for i, l := range out {
		out[i] = cut(l, width)
	}
	return out
}

func (pic *picture) title() string {
	switch pic.State {
	case client.Connecting:
		return "connecting to " + pic.Host + " …"
	case client.Loading:
		return "loading the match of " + pic.Host + " …"
	case client.Playing, client.Closed:
	}
	level := pic.Level
	if level == "" {
		level = "no level"
	}
	return fmt.Sprintf("%s  %s (%s)  %d ticks/s, %d net updates/s  %s", pic.Host, level, pic.Game, pic.Tick, pic.Net, pic.Playing.Round(time.Second))
}

func (pic *picture) classes() string {
	var parts []string
	for i, t := range pic.Classes {
		if i == shownClasses {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprintf("%d %s", t.N, t.Class))
	}
	return strings.Join(parts, ", ")
}

// cut shortens a line to a terminal's width, so that it does not wrap and push the others down.
func cut(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	r := []rune(s)
	return string(r[:max(0, width-1)]) + "…"
}

// screen draws pictures over each other on a terminal.
type screen struct {
	write func(string)
	size  func() (width, height int)
	on    bool
}

// Sequences of terminals (ECMA-48, and xterm's for the second screen): what was there before comes back at the end.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l"
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	toTop       = "\x1b[H"
	clearLine   = "\x1b[K"
	clearRest   = "\x1b[J"
)

func (s *screen) draw(pic *picture) {
	var b strings.Builder
	if !s.on {
		s.on = true
		b.WriteString(enterScreen)
	}
	b.WriteString(toTop)
	lines := pic.draw(s.size())
	for i, l := range lines {
		b.WriteString(l)
		b.WriteString(clearLine)
		if i < len(lines)-1 {
			b.WriteString("\r\n")
		}
	}
	b.WriteString(clearRest)
	s.write(b.String())
}

func (s *screen) end() {
	if s.on {
		s.on = false
		s.write(leaveScreen)
	}
}
