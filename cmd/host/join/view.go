package join

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

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
	// Match is how the match stands, with the time that is left.
	Match string
	// Classes are how many actors of which class the player has, the most frequent first.
	Classes []tally
	// Body is where the player's pawn is and how it fares; Weapon what it has in the hand. Watching names whom he watches
	// in place of it, Hands what he has latched.
	Body, Weapon, Watching, Hands string
	Health, HealthMax, Armour     int
	Players                       []standing
	Near                          []neighbour
	Lines                         []string
	// Chart draws the surroundings, where there is room; nil draws none.
	Chart func(width, height int) []string
	// Help shows the keys.
	Help, Keys bool
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
	Note   string // "bot", "watches", …
}

// neighbour is an actor nearby.
type neighbour struct {
	Name, Class string
	Distance    float64 // uu
	Towards     rune    // an arrow, up for straight ahead
}

// status is the picture as one line, for where there is no terminal.
func (pic *picture) status() string {
	switch pic.State {
	case client.Connecting, client.Loading, client.Closed:
		return pic.State.String()
	case client.Playing:
	}
	text := fmt.Sprintf("playing %.0f s: ping %s, jitter %s, loss in %s out %s, in %s, out %s, actors %d, corrections %d, body %s", pic.Playing.Seconds(),
		Millis(pic.Ping), Millis(pic.Jitter), Percent(pic.LossIn), Percent(pic.LossOut), BytesRate(pic.In), BytesRate(pic.Out), pic.Actors,
		pic.Corrections, pic.Body)
	if pic.Match != "" {
		text += fmt.Sprintf(", score %g, match %s", pic.Score, pic.Match)
	}
	return text
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

// Room of the parts of a view, in characters.
const (
	textWidth  = 72 // left of the chart
	chartLeast = 24 // across; narrower it is not drawn
	barWidth   = 20
)

// draw is the picture as lines of a terminal of some size. The chart stands at the right where there is room.
func (pic *picture) draw(width, height int) []string {
	text := width
	var rows []string
	if side := width - textWidth - 1; pic.Chart != nil && side >= chartLeast && pic.State == client.Playing {
		text = textWidth
		rows = pic.Chart(side, max(0, height-2))
	}
	out := pic.text(text, height)
	for i := range out {
		if i > 0 && i <= len(rows) {
			out[i] = pad(cut(out[i], text), text) + " " + rows[i-1]
		} else {
			out[i] = cut(out[i], width)
		}
	}
	return out
}

// text is the picture without its chart.
func (pic *picture) text(width, height int) []string {
	out := []string{"Tidelock  " + pic.title()}
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	add("")
	if pic.State == client.Playing {
		add("ping    %-9s jitter %-9s loss %s in, %s out", Millis(pic.Ping), Millis(pic.Jitter), Percent(pic.LossIn), Percent(pic.LossOut))
		add("in      %-9s out    %-9s corrections %d", BytesRate(pic.In), BytesRate(pic.Out), pic.Corrections)
		add("actors  %-9s %s", fmt.Sprint(pic.Actors), pic.classes())
		add("body    %s", pic.Body)
		if pic.HealthMax > 0 {
			text := fmt.Sprintf("health  %s %d", bar(pic.Health, pic.HealthMax), pic.Health)
			if pic.Armour > 0 {
				text += fmt.Sprintf("  armour %d", pic.Armour)
			}
			if pic.Weapon != "" {
				text += "  " + pic.Weapon
			}
			out = append(out, text)
		}
		if pic.Watching != "" {
			add("watch   %s", pic.Watching)
		}
		if pic.Hands != "" {
			add("hands   %s", pic.Hands)
		}
		add("")
		rest := height - len(out) - 3
		near := min(len(pic.Near), max(0, rest/4))
		if pic.Help { // what was asked for goes before who is near
			rest -= strings.Count(helpText, "\n") + 1
			near = 0
		}
		pic.drawPlayers(&out, max(3, rest-near-4))
		if near > 0 {
			add("")
			for _, n := range pic.Near[:near] {
				add("%8.0f uu %c  %-20s %s", n.Distance, n.Towards, n.Name, n.Class)
			}
		}
		add("")
	}
	foot := "Ctrl-C leaves"
	if pic.Keys {
		foot = "H shows the keys, Ctrl-C leaves"
		if pic.Help {
			foot = "H hides the keys, Ctrl-C leaves"
		}
	}
	if pic.Help {
		out = append(out, strings.Split(helpText, "\n")...)
	}
	room := max(0, height-len(out)-2)
	lines := pic.Lines
	if len(lines) > room {
		lines = lines[len(lines)-room:]
	}
	out = append(out, lines...)
	for len(out) < height-1 {
		out = append(out, "")
	}
	return append(out[:min(len(out), height-1)], foot)
}

// helpText is all that keys do.
const helpText = `W S A D, arrows   move; a move is latched: the opposite key, or X, stops it
Q E  I K  T       turn, look up and down, face the nearest other player
SPACE  C          jump, crouch and stand
F  G  R  U  1-9   fire, second fire, load, use, take a weapon
N P  B            watch the next or previous player, let the brain play
M  H  Ctrl-C      zoom the map, hide this, leave`

// drawPlayers adds the table of players, so many of them at most: the first, and in any case the one who looks.
func (pic *picture) drawPlayers(out *[]string, most int) {
	add := func(format string, args ...any) { *out = append(*out, fmt.Sprintf(format, args...)) }
	add("%8s %7s %7s  player", "score", "deaths", "ping")
	shown := pic.Players[:min(most, len(pic.Players))]
	if own := slices.IndexFunc(pic.Players, func(s standing) bool { return s.Own }); own >= len(shown) && len(shown) > 0 {
		shown = append(slices.Clone(shown[:len(shown)-1]), pic.Players[own])
	}
	for _, s := range shown {
		note, ping := "", fmt.Sprintf("%d ms", s.Ping)
		if s.Note != "" {
			note = " (" + s.Note + ")"
		}
		if s.Own {
			note, ping = " (you)"+note, Millis(pic.Ping)
		}
		add("%8g %7d %7s  %s%s", s.Score, s.Deaths, ping, s.Name, note)
	}
	if more := len(pic.Players) - len(shown); more > 0 {
		add("%25s and %d more", "", more)
	}
}

// bar shows a share of something.
func bar(part, whole int) string {
	n := max(0, min(barWidth, part*barWidth/max(1, whole)))
	return strings.Repeat("█", n) + strings.Repeat("░", barWidth-n)
}

// pad fills a line up with spaces.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
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
	match := ""
	if pic.Match != "" {
		match = ", " + pic.Match
	}
	return fmt.Sprintf("%s  %s (%s)%s  %d ticks/s, %d net updates/s  %s", pic.Host, level, pic.Game, match, pic.Tick, pic.Net, pic.Playing.Round(time.Second))
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
	plain       = "\x1b[0m"
	bright      = "\x1b[1;33m" // oneself
	hostile     = "\x1b[1;31m" // others
	useful      = "\x1b[32m"   // pickups
	flying      = "\x1b[35m"   // what flies
	moving      = "\x1b[36m"   // pieces of the level that move
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
