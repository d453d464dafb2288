package view

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/canvas"
)

// picture is the content of a view at one moment.
type picture struct {
	Status
	match string // state of the match, with the remaining time
	over  bool
	// condition is the player's state, in a style; hands the latched keys, body the pawn's location.
	condition   []string
	style       string
	hands, body string
	players     []standing
	teams       []team
	near        []neighbour
	feed        []engine.Message
	hud         []canvas.Call
	me          string // the player's name as it stands in a sentence
	log         func(most int) []logLine
	count       func() []tally
	// chart draws the surroundings; nil if there are none.
	chart func(width, height int) []string
	// keys says that a person can press some; help and pages show these or the log in place of the match.
	keys, help, pages bool
	keyHelp           string // what keys do
	leave             string
	// commands says that a command can be typed; prompt is the line being typed, nil for none.
	commands bool
	// commandHelp says what a command can be, "" for those of the host.
	commandHelp string
	prompt      func(width int) string
}

// tally is the number of actors of a class.
type tally struct {
	class string
	n     int
}

// count counts the actors of a world by class, the most frequent first.
func count(w *engine.World, has func(*engine.Actor) bool) []tally {
	by := map[string]int{}
	w.EachActor(func(a *engine.Actor) {
		if has == nil || has(a) {
			by[a.Class.Name]++
		}
	})
	out := make([]tally, 0, len(by))
	for c, n := range by {
		out = append(out, tally{c, n})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].n > out[j].n || out[i].n == out[j].n && out[i].class < out[j].class })
	return out
}

// Room of the parts of a view, in columns and rows.
const (
	listLeast  = 40 // columns of the lists next to the chart
	listShare  = 3  // divisor of the remaining width for the lists
	chartLeast = 30 // columns; a narrower one is not drawn
	chartRows  = 6  // rows; a lower one is not drawn
	shownNear  = 6
	legendRows = 2
)

// draw returns the picture as lines of a terminal of some size: exactly as many as it has, none wider.
func (p *picture) draw(width, height int) []string {
	if width < 1 || height < 1 {
		return nil
	}
	head := p.head(width)
	feed, log := bottom(height)
	var foot []string
	if height >= 3 {
		foot = []string{styled(faint, joined(p.hints(), "  ", width))}
		if p.prompt != nil {
			foot[0] = p.prompt(width)
		}
	}
	body := height - len(head) - len(foot) - feed - log
	if body < 0 { // the head is dropped before the feed
		feed, log = max(0, feed+log+body), 0
		body = 0
		head = head[:min(len(head), height-len(foot))]
		feed = max(0, min(feed, height-len(head)-len(foot)))
	}
	out := slices.Clone(head)
	switch {
	case p.pages:
		out = append(out, fill(p.logRows(width, body+feed+log), body+feed+log)...)
	default:
		out = append(out, fill(p.middle(width, body), body)...)
		out = append(out, fill(p.feedRows(width, feed), feed)...)
		out = append(out, fill(p.logRows(width, log), log)...)
	}
	return append(out, foot...)
}

// bottom returns how many rows the feed and the log get.
func bottom(height int) (feed, log int) {
	return max(1, min(8, height/6)), max(0, min(4, height/12))
}

// fill extends rows to n.
func fill(rows []string, n int) []string {
	rows = rows[:min(n, len(rows))]
	for len(rows) < n {
		rows = append(rows, "")
	}
	return rows
}

// head returns the rows on top: the match, the connection, the player, the leaders.
func (p *picture) head(width int) []string {
	if p.Waiting != "" {
		return []string{cut(styled(strong, "Tidelock")+"  "+p.Waiting, width), ""}
	}
	title := styled(strong, "Tidelock") + "  " + cmp.Or(p.Level, "no level") + " (" + p.Game + ")"
	if p.match != "" {
		title += ", " + p.match
	}
	lead := lead(p.players, p.teams, p.over)
	if lead != "" {
		lead = strings.ToUpper(lead[:1]) + lead[1:] + "."
	}
	return []string{
		ends(title, p.Place+"  "+clock(p.Playing), width),
		styled(faint, joined(p.Figures, "  ", width)),
		ends(styled(p.style, joined(p.condition, "  ", width)), p.hands, width),
		cut(lead, width),
		"",
	}
}

// middle returns the rows between head and feed.
func (p *picture) middle(width, height int) []string {
	if p.help {
		rows := strings.Split(p.keyHelp, "\n")
		if p.commands {
			rows = append(rows, ":                 type "+cmp.Or(p.commandHelp, hostCommands))
		}
		for i := range rows {
			rows[i] = cut(rows[i], width)
		}
		return rows
	}
	if rows := hudRows(p.hud, width, height/3); len(rows) > 0 {
		rows = append(rows, "")
		return append(rows, p.about(width, height-len(rows))...)
	}
	return p.about(width, height)
}

// about returns the lists with the chart next to them.
func (p *picture) about(width, height int) []string {
	list := width
	side := 0
	if p.chart != nil && height >= chartRows {
		list = listLeast + max(0, width-listLeast-chartLeast-1)/listShare
		if side = width - list - 1; side < chartLeast {
			list, side = width, 0
		}
	}
	rows := p.lists(list, height)
	if side == 0 {
		return rows
	}
	rows = fill(rows, height)
	right := p.plan(side, height)
	for i := range rows {
		rows[i] = pad(rows[i], list) + " " + right[i]
	}
	return rows
}

// plan returns the chart with its legend.
func (p *picture) plan(width, height int) []string {
	legend := p.legend(width)
	if height-len(legend) < chartRows-legendRows {
		legend = nil
	}
	return append(p.chart(width, height-len(legend)), legend...)
}

// legend explains the signs of the chart.
func (p *picture) legend(width int) []string {
	var parts []string
	for k, s := range signs {
		text := s.text
		switch {
		case kind(k) == isFriend && p.teams == nil:
			continue
		case kind(k) == isEnemy && p.teams != nil:
			text = "enemy"
		}
		parts = append(parts, styled(s.style, string(s.sign))+" "+text)
	}
	parts = append(parts, string(wall)+" wall")
	return wrapped(parts, "  ", width, legendRows)
}

// lists returns the players, nearby actors, and information for modders.
func (p *picture) lists(width, height int) []string {
	if p.Waiting != "" {
		return nil
	}
	near := min(len(p.near), shownNear, max(0, (height-4)/3))
	rest := height - near
	if near > 0 {
		rest--
	}
	rows := p.playerRows(width, max(2, rest))
	if near > 0 && len(rows)+1+near <= height {
		rows = append(rows, "")
		for _, n := range p.near[:near] {
			rows = append(rows, cut(fmt.Sprintf("%6.0f uu %c  %s", n.Distance, n.Towards, styled(signs[n.Kind].style, n.Name)), width))
		}
	}
	if p.count == nil || len(rows)+3 > height {
		return rows
	}
	parts := []string{"body " + p.body}
	for i, t := range p.count() {
		text := fmt.Sprintf("%d %s", t.n, t.class)
		if i == 0 {
			text = "actors " + text
		}
		parts = append(parts, text)
	}
	rows = append(rows, "", styled(faint, cut(parts[0], width)))
	for _, l := range wrapped(parts[1:], ", ", width-1, height-len(rows)) {
		rows = append(rows, styled(faint, l))
	}
	return rows
}

// playerRows returns the table of players, at most so many rows: the first ones, and always the viewer.
func (p *picture) playerRows(width, most int) []string {
	if len(p.players) == 0 {
		return nil
	}
	out := []string{styled(faint, cut("score deaths    ping  player", width))}
	n := len(p.players)
	if n > most-1 {
		n = max(1, most-2) // plus a row for the others
	}
	shown := p.players[:n]
	if me := slices.IndexFunc(p.players, func(s standing) bool { return s.Own }); me >= n {
		shown = append(slices.Clone(shown[:n-1]), p.players[me])
	}
	for _, s := range shown {
		out = append(out, p.playerRow(&s, width))
	}
	if more := len(p.players) - len(shown); more > 0 {
		out = append(out, cut(fmt.Sprintf("%22s and %d more", "", more), width))
	}
	return out
}

func (p *picture) playerRow(s *standing, width int) string {
	ping := ""
	switch {
	case s.Own:
		ping = p.Ping
	case !s.Bot && s.Ping > 0:
		ping = fmt.Sprintf("%d ms", s.Ping)
	}
	style, name := "", s.Name
	var notes []string
	if s.Own {
		notes, style = append(notes, "you"), own
	}
	if text := s.note(); text != "" {
		notes = append(notes, text)
	}
	for _, t := range p.teams {
		if !s.Watch && s.Team == t.Number {
			notes = append(notes, t.Name)
		}
	}
	if notes != nil {
		name += " (" + strings.Join(notes, ", ") + ")"
	}
	return styled(style, cut(fmt.Sprintf("%5g %6d %7s  %s", s.Score, s.Deaths, ping, name), width))
}

// feedRows returns the latest messages.
func (p *picture) feedRows(width, most int) []string {
	list := p.feed[max(0, len(p.feed)-most):]
	out := make([]string, len(list))
	for i := range list {
		out[i] = cut(messageLine(&list[i], p.me), width)
	}
	return out
}

// logRows returns the latest lines of the log.
func (p *picture) logRows(width, most int) []string {
	list := p.log(most)
	out := make([]string, len(list))
	for i, l := range list {
		style := faint
		if l.fault {
			style = hostile
		}
		out[i] = styled(style, cut(l.text, width))
	}
	return out
}

// hints returns the parts of the last line.
func (p *picture) hints() []string {
	leave := "Ctrl-C " + p.leave
	switch {
	case !p.keys:
		return []string{leave}
	case p.help:
		return []string{leave, "H hides the keys"}
	case p.pages:
		return []string{leave, "L hides the log"}
	}
	hints := []string{leave, "H shows the keys", "L the log", "M zooms the chart"}
	if p.commands {
		hints = append(hints, ": a command")
	}
	return hints
}

// helpText lists the keys besides the actions of the match.
const helpText = `arrows  X         move, stop; a move is latched: the opposite key stops it
Q E  I K  T       turn, look up and down, face the nearest enemy
B                 let the brain play, or play again
V  N P            watch or play; watch the next or previous player
ENTER  Y          say something to all, to the team
M  H  L           zoom the chart, show the keys, show the log
Ctrl-C  Ctrl-Z    leave, suspend`

// hostCommands describes what can be typed where the player sits at the host.
const hostCommands = `a command of the host (help lists them): ENTER runs it, ESC drops it`
