package bots

import (
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// Anyone who stands still though they walk, turns away, by a quarter of a turn at least; anyone who gets on goes straight on
// for a while.
func TestMindTurnsAtAWall(t *testing.T) {
	for seed := range uint64(20) {
		m := newMind(seed)
		const dt = 1.0 / 60
		pawn := &engine.Actor{}
		yaw := func(tick int) geom.Rotator { return m.think(tick, dt, pawn).View }
		walk := func(from, ticks int) (turns int) {
			last := m.input.View
			for i := range ticks {
				pawn.Location.X += 440 * dt
				if v := yaw(from + i); v != last {
					last = v
					turns++
				}
			}
			return turns
		}
		if n := walk(0, 60); n > 1 {
			t.Errorf("seed %d: %d turns in a second of free way", seed, n)
		}
		before := m.input.View
		m.until = 1000 // so that nothing else turns it
		m.stuck = 0
		for i := range stuckFor + 2 {
			yaw(60 + i)
		}
		by := int16(m.input.View.Yaw - before.Yaw)
		if by > -halfTurn/2 && by < halfTurn/2 {
			t.Errorf("seed %d: turned by %d at a wall", seed, by)
		}
		// The server receives it a while later, and until then the body stands.
		before = m.input.View
		for i := range patience - 20 {
			yaw(80 + i)
		}
		if m.input.View != before {
			t.Errorf("seed %d: turned again before the body could move", seed)
		}
	}
}

func TestMindWithoutABody(t *testing.T) {
	m := newMind(1)
	fire := map[bool]int{}
	for tick := range 120 {
		in := m.think(tick, 1.0/60, nil)
		if in.Forward != 0 || in.Jump {
			t.Fatal("walks without a body")
		}
		fire[in.Fire]++
	}
	if fire[true] != 60 || fire[false] != 60 {
		t.Errorf("fire %v: expected it to be pressed again and again", fire)
	}
	// The new body stands elsewhere: that is no speed.
	pawn := &engine.Actor{}
	pawn.Location.X = 5000
	m.think(120, 1.0/60, pawn)
	if m.stuck > 0 {
		t.Error("stuck at once")
	}
}

func TestAccountIsAMean(t *testing.T) {
	var a account
	a.add(join.Figures{Ping: 10 * time.Millisecond, LossIn: 0.1, In: 1000, Stale: 4 * time.Millisecond, Actors: 10, Corrections: 2})
	a.add(join.Figures{Ping: 30 * time.Millisecond, LossIn: 0.3, In: 3000, Stale: 8 * time.Millisecond, Actors: 13, Corrections: 3})
	f := a.mean()
	if f.Ping != 20*time.Millisecond || f.LossIn != 0.2 || f.In != 2000 || f.Stale != 6*time.Millisecond || f.Actors != 12 || f.Corrections != 5 {
		t.Errorf("%+v", f)
	}
	if (&account{}).mean() != (join.Figures{}) {
		t.Error("nothing has no mean")
	}
}

func TestTable(t *testing.T) {
	rows := []row{
		{name: "Bot1", Figures: join.Figures{Ping: 30 * time.Millisecond, Jitter: 2 * time.Millisecond, In: 12345, Out: 500, Actors: 7, Score: 3, Kills: 4, Deaths: 2, Stuck: 1500 * time.Millisecond, Returns: 2}},
		{name: "Bot2", note: "localhost refused: the server is full (full)"},
		{name: "Bot10", Figures: join.Figures{Ping: 10 * time.Millisecond, Jitter: 9 * time.Millisecond, LossOut: 0.125, In: 999, Out: 600, Actors: 9, Corrections: 1, Score: -1, Deaths: 1}},
		{name: "Bot3", Figures: join.Figures{Ping: 20 * time.Millisecond, In: 2000, Out: 700, Actors: 8}},
	}
	want := `
          ping  jitter  loss in  loss out         in      out  stale  actors  corrections  score  kills  deaths  stuck  back
Bot1     30 ms    2 ms    0.0 %     0.0 %  12.3 kB/s  500 B/s   0 ms       7            0      3      4       2  1.5 s     2
Bot2     localhost refused: the server is full (full)
Bot10    10 ms    9 ms    0.0 %    12.5 %    999 B/s  600 B/s   0 ms       9            1     -1      0       1  0.0 s     0
Bot3     20 ms    0 ms    0.0 %     0.0 %   2000 B/s  700 B/s   0 ms       8            0      0      0       0  0.0 s     0
lowest   10 ms    0 ms    0.0 %     0.0 %    999 B/s  500 B/s   0 ms       7            0     -1      0       0  0.0 s     0
median   20 ms    2 ms    0.0 %     0.0 %   2000 B/s  600 B/s   0 ms       8            0      0      0       1  0.0 s     0
highest  30 ms    9 ms    0.0 %    12.5 %  12.3 kB/s  700 B/s   0 ms       9            1      3      4       2  1.5 s     2
`
	if got := "\n" + strings.Join(table(rows, true), "\n") + "\n"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := table(rows, false); len(got) != 4 || strings.Contains(strings.Join(got, "\n"), "Bot") {
		t.Errorf("got %q", got)
	}
	if got := table([]row{{name: "Bot1", note: "-"}}, false); got != nil {
		t.Errorf("a table of nothing: %q", got)
	}
}
