package view

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
)

var update = flag.Bool("update", false, "write the golden views")

// aPicture is a match in the middle.
func aPicture() *picture {
	p := &picture{
		Status: Status{
			Place: "localhost", Level: "arena", Game: "DeathMatch", Playing: 61 * time.Second, Ping: "17 ms",
			Figures: []string{"ping 17 ms", "loss 1.2 % in, 0.0 % out", "in 14.3 kB/s", "out 2100 B/s", "corrections 0", "jitter 4 ms", "actors 21"},
		},
		match: "in progress, 12:31 left", condition: []string{"health ████████████████░░░░ 80", "armour 25", "sounding rifle 24 +60"},
		hands: "forward left", body: "ShooterPawn at (1, 2, 3), health 80", me: "Ann", keys: true, leave: "leaves",
		players: []standing{
			{Name: "Bo", Score: 12, Deaths: 3, Team: -1, Bot: true},
			{Name: "Ann", Score: 7, Deaths: 5, Team: -1, Own: true},
			{Name: "Cleo of Orkney", Score: 7, Deaths: 2, Ping: 31, Team: -1},
			{Name: "Eve", Team: -1, Watch: true, Ping: 9},
		},
		near: []neighbour{{"Bo", 502, '←', isEnemy}, {"HealthPickup", 693, '↖', isItem}},
		feed: []engine.Message{
			{Text: "DeathMatch on arena: 4 players, to 25", Kind: "event"},
			{Text: `Bo blew up "Cleo of Orkney" (12 : 7)`, Kind: "kill"},
			{Text: "Bo shot Ann (12 : 7)", Kind: "kill"},
			{Text: "Bo: nobody escapes", Kind: "chat"},
		},
		log: func(int) []logLine {
			return []logLine{{"joined: localhost, arena, DeathMatch as Ann", false}, {"scripts/Rocket.lua:3: attempt to index nil", true}}
		},
		count: func() []tally { return []tally{{"Pickup", 9}, {"ShooterPawn", 5}, {"Rocket", 1}} },
	}
	p.chart = func(width, height int) []string {
		rows := make([]string, height)
		for i := range rows {
			rows[i] = strings.Repeat(string(floor), width)
		}
		if height > 2 {
			rows[2] = styled(own, "↑") + strings.Repeat(string(wall), width-1)
		}
		return rows
	}
	return p
}

// teamGame makes a match of teams of it.
func teamGame(p *picture) *picture {
	p.Game = "TeamDeathMatch"
	p.teams = []team{{"flood", 1, 19}, {"ebb", 0, 12}}
	for i := range p.players {
		p.players[i].Team = i % 2
	}
	p.players[3].Team = -1
	return p
}

// Each golden file is what a terminal of the size in its name shows.
func TestViews(t *testing.T) {
	views := map[string]func(p *picture){
		"alive-80x24":  func(*picture) {},
		"alive-120x40": func(*picture) {},
		"alive-60x20":  func(*picture) {},
		"alive-40x12":  func(*picture) {},
		"alive-20x6":   func(*picture) {},
		"dead-80x24":   func(p *picture) { p.condition, p.style = []string{"You are dead. You come back in 2 s."}, own },
		"teams-80x24":  func(p *picture) { teamGame(p) },
		"over-80x24": func(p *picture) {
			p.over, p.match = true, "over, 0:07 left"
			p.condition = []string{"The match is over. The next one starts in 7 s."}
		},
		"teams-over-80x24": func(p *picture) { teamGame(p).over = true },
		"help-80x24":       func(p *picture) { h := handed(); p.help, p.keyHelp = true, h.help() },
		"log-80x24":        func(p *picture) { p.pages = true },
		"keyless-80x24":    func(p *picture) { p.keys = false },
		"waiting-80x24": func(p *picture) {
			*p = picture{Status: Status{Waiting: "connecting to localhost …"}, log: p.log, leave: "leaves"}
		},
	}
	for name, change := range views {
		p := aPicture()
		change(p)
		var w, h int
		if _, err := fmt.Sscanf(name[strings.LastIndexByte(name, '-')+1:], "%dx%d", &w, &h); err != nil {
			t.Fatal(err)
		}
		lines := p.draw(w, h)
		for i := range lines {
			lines[i] = strings.TrimRight(unstyled(lines[i]), " ")
		}
		got, file := strings.Join(lines, "\n")+"\n", filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(file); err != nil || got != string(want) {
			t.Errorf("%s: %v; got\n%s\nwant\n%s", name, err, got, want)
		}
	}
}

// A view has as many lines as the terminal and none that is wider, whatever there is to show: else the top scrolls away.
func TestViewsFit(t *testing.T) {
	for _, change := range []func(*picture){
		func(*picture) {}, func(p *picture) { h := handed(); p.help, p.keyHelp = true, h.help() }, func(p *picture) { p.pages = true }, func(p *picture) { p.chart = nil },
		func(p *picture) { p.Waiting = "loading" }, func(p *picture) { teamGame(p) },
	} {
		p := aPicture()
		for i := range 100 {
			p.players = append(p.players, standing{Name: strings.Repeat("日", i), Score: 1e6})
			p.near = append(p.near, neighbour{strings.Repeat("x", i), 1e6, '↑', isItem})
			p.feed = append(p.feed, engine.Message{Text: strings.Repeat("y", i)})
			p.Figures = append(p.Figures, strings.Repeat("z", i))
		}
		p.log = func(most int) []logLine {
			return []logLine{{strings.Repeat("日", 99), true}, {"x", false}}[:min(most, 2)]
		}
		change(p)
		for w := 1; w < 140; w += 3 {
			for h := 1; h < 50; h++ {
				lines := p.draw(w, h)
				if len(lines) != h {
					t.Fatalf("%d×%d: %d lines:\n%s", w, h, len(lines), strings.Join(lines, "\n"))
				}
				for _, l := range lines {
					if n := width(l); n > w {
						t.Fatalf("%d×%d: a line of %d columns: %q", w, h, n, l)
					}
				}
			}
		}
	}
}

// However many players there are, one finds oneself among them.
func TestOwnRowIsShown(t *testing.T) {
	p := aPicture()
	p.players = nil
	for i := range 30 {
		p.players = append(p.players, standing{Name: fmt.Sprintf("P%d", i), Score: float64(30 - i), Own: i == 28})
	}
	text := unstyled(strings.Join(p.draw(80, 24), "\n"))
	if !strings.Contains(text, "P28 (you)") || !strings.Contains(text, "and 23 more") {
		t.Error(text)
	}
}

func TestLead(t *testing.T) {
	players := func(scores ...float64) (out []standing) {
		for i, s := range scores {
			out = append(out, standing{Name: string(rune('A' + i)), Score: s})
		}
		return out
	}
	me := func(list []standing, i int) []standing {
		list[i].Own = true
		return list
	}
	for _, c := range []struct {
		players []standing
		over    bool
		want    string
	}{
		{nil, false, ""},
		{players(3), false, ""},
		{players(0, 0), false, "nobody has scored yet"},
		{players(0, 0), true, "nobody has scored yet"},
		{players(3, 1), false, "A leads with 3"},
		{me(players(3, 1), 0), false, "you lead with 3, B has 1"},
		{me(players(3, 1), 0), true, "you win with 3, B has 1"},
		{me(players(5, 3, 3), 2), false, "A leads with 5; you have 3, place 2 of 3"},
		{me(players(5, 5, 3), 2), false, "A and B lead with 5; you have 3, place 3 of 3"},
		{me(players(5, 5, 3), 0), true, "A and B draw with 5"},
		{players(5, 5, 5, 5, 1), false, "4 players lead with 5"},
		{players(-1, -2), true, "A wins with -1"},
	} {
		if got := lead(c.players, nil, c.over); got != c.want {
			t.Errorf("%+v: %q, want %q", c.players, got, c.want)
		}
	}
}
