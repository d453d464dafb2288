package view

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// MatchText describes the state of the match, "" if the game does not provide it.
func MatchText(w *engine.World) string {
	state := w.Actor(w.GameState)
	word := Text(state, "MatchState")
	text := map[string]string{"WaitingToStart": "waiting", "InProgress": "in progress", "WaitingPostMatch": "over"}[word]
	if text == "" {
		text = word
	}
	if left, ok := timeLeft(w, state); ok && text != "" {
		text += fmt.Sprintf(", %d:%02d left", left/60, left%60)
	}
	return text
}

// timeLeft returns the remaining seconds of the present state of the match; false if it has no limit.
func timeLeft(w *engine.World, state *engine.Actor) (int, bool) {
	ends, ok := Number(state, "MatchStateEnds")
	if !ok || ends <= 0 {
		return 0, false
	}
	return int(math.Max(0, ends-w.ServerTime())), true
}

// standing is a player in the match.
type standing struct {
	Name   string
	Score  float64
	Deaths int
	Ping   int
	Team   int // -1 for none
	Own    bool
	Bot    bool
	Watch  bool // does not play
}

// note returns what is special about a player.
func (s *standing) note() string {
	switch {
	case s.Watch:
		return "watches"
	case s.Bot:
		return "bot"
	}
	return ""
}

// standings returns the players of the match, the best first and spectators last.
func standings(w *engine.World, pc *engine.Actor) []standing {
	me := Reference(pc, "PlayerReplicationInfo")
	var out []standing
	for _, a := range w.ActorsOf("PlayerReplicationInfo") {
		num := func(name string) float64 {
			x, _ := Number(a, name)
			return x
		}
		team := -1
		if n, ok := Number(a, "Team"); ok {
			team = int(n)
		}
		out = append(out, standing{
			Name: Text(a, "PlayerName"), Score: num("Score"), Deaths: int(num("Deaths")), Ping: int(num("Ping")), Team: team,
			Own: a == me, Bot: num("bBot") != 0, Watch: num("bIsSpectator") != 0,
		})
	}
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].Watch != out[j].Watch {
			return out[j].Watch
		}
		return out[i].Score > out[j].Score
	})
	return out
}

// OwnName returns a player's name in the match, "" if it is not known yet.
func OwnName(pc *engine.Actor) string {
	return Text(Reference(pc, "PlayerReplicationInfo"), "PlayerName")
}

// team is a team and its score.
type team struct {
	Name   string
	Number int
	Score  float64
}

// teams returns those of the match, the best first; nil in a game without teams.
func teams(w *engine.World, players []standing) []team {
	scores, _ := value(w.Actor(w.GameState), "TeamScores")
	names, _ := value(w.Actor(w.GameState), "TeamNames")
	var out []team
	for i, score := range scores.List {
		t := team{Number: i, Score: score.Num}
		if i < len(names.List) {
			t.Name = Clean(names.List[i].Str)
		}
		for _, s := range players {
			if s.Team == i && t.Name == "" {
				t.Name = fmt.Sprintf("team %d", i)
			}
		}
		if t.Name != "" {
			out = append(out, t)
		}
	}
	if len(out) < 2 {
		return nil
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Score > out[j].Score })
	return out
}

// lead describes who leads, or who has won.
func lead(players []standing, sides []team, over bool) string {
	if len(sides) > 0 {
		return teamLead(players, sides, over)
	}
	var playing []standing
	var me *standing
	for i := range players {
		if players[i].Watch {
			continue
		}
		playing = append(playing, players[i])
		if players[i].Own {
			me = &players[i]
		}
	}
	if len(playing) < 2 {
		return ""
	}
	first := playing[0].Score
	leaders := []string{}
	for _, s := range playing {
		if s.Score == first {
			leaders = append(leaders, s.Name)
		}
	}
	verb := map[bool][2]string{false: {"leads", "lead"}, true: {"wins", "draw"}}[over]
	var text string
	switch {
	case len(leaders) == len(playing) && first == 0:
		return "nobody has scored yet"
	case len(leaders) > 3:
		text = fmt.Sprintf("%d players %s with %g", len(leaders), verb[1], first)
	case len(leaders) > 1:
		text = fmt.Sprintf("%s %s with %g", strings.Join(leaders[:len(leaders)-1], ", ")+" and "+leaders[len(leaders)-1], verb[1], first)
	case me != nil && playing[0].Own && over:
		return fmt.Sprintf("you win with %g, %s has %g", first, playing[1].Name, playing[1].Score)
	case me != nil && playing[0].Own:
		return fmt.Sprintf("you lead with %g, %s has %g", first, playing[1].Name, playing[1].Score)
	default:
		text = fmt.Sprintf("%s %s with %g", leaders[0], verb[0], first)
	}
	if me == nil || me.Score == first {
		return text
	}
	place := 1
	for _, s := range playing {
		if s.Score > me.Score {
			place++
		}
	}
	return fmt.Sprintf("%s; you have %g, place %d of %d", text, me.Score, place, len(playing))
}

// teamLead describes the teams' scores.
func teamLead(players []standing, sides []team, over bool) string {
	scores := make([]string, len(sides))
	for i, t := range sides {
		scores[i] = fmt.Sprintf("%s %g", t.Name, t.Score)
	}
	text := strings.Join(scores, ", ")
	switch {
	case over && sides[0].Score > sides[1].Score:
		text = sides[0].Name + " wins: " + text
	case over:
		text = "a draw: " + text
	}
	for _, s := range players {
		for _, t := range sides {
			if s.Own && !s.Watch && s.Team == t.Number {
				text += "; you play for " + t.Name
			}
		}
	}
	return text
}

// seconds formats a remaining time.
func seconds(left float64) string {
	return fmt.Sprintf("%.0f s", math.Ceil(math.Max(0, left)))
}

// Body describes a pawn's location and state.
func Body(pawn *engine.Actor) string {
	if pawn == nil {
		return "none"
	}
	text := pawn.Class.Name + " at " + Place(pawn.Location)
	if h, ok := Number(pawn, "Health"); ok && !pawn.IsA("SpectatorPawn") {
		text += fmt.Sprintf(", health %g", h)
	}
	return text
}

// Place formats a location in whole uu.
func Place(v geom.Vector) string {
	whole := func(x float64) float64 { return math.Round(x) + 0 } // not -0
	return fmt.Sprintf("(%.0f, %.0f, %.0f)", whole(v.X), whole(v.Y), whole(v.Z))
}

// clock formats a duration.
func clock(d time.Duration) string {
	s := int(d.Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
