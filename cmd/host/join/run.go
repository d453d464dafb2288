package join

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tidelock/tidelock/cmd/host/console"
	"github.com/tidelock/tidelock/cmd/host/loop"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/link"
)

const (
	// drawEvery and sampleEvery, in ticks: the view is drawn four times a second, figures are of a second each.
	drawEvery, sampleEvery = Rate / 4, Rate
	// nameWithin is how long a player who is in waits to hear what the game calls him; a game without PlayerStates
	// never says.
	nameWithin = time.Second
)

// RunOptions of Run.
type RunOptions struct {
	Options
	// Follow names a class whose actors' changes are told, instead of figures; "" for none.
	Follow string
	// RunFor leaves after so long; 0 stays.
	RunFor time.Duration
	// Signals end it: the first says goodbye, a second leaves at once.
	Signals <-chan os.Signal
	// Out takes lines, or the view where Live is set. Size tells how large the terminal is.
	Out  io.Writer
	Live bool
	Size func() (width, height int)
}

// UnknownClass is a class to follow that the match does not have.
type UnknownClass struct{ Name, Hint string }

func (e *UnknownClass) Error() string {
	return fmt.Sprintf("--follow: the host's match has no class %q%s", e.Name, e.Hint)
}

// session is one run. Its fields belong to the loop's goroutine.
type session struct {
	RunOptions
	p       *Player
	stop    context.CancelFunc
	start   time.Time
	ticks   int
	figures Figures
	lines   []string
	said    bool // that the player is in
	screen  screen
	text    *console.Writer
	err     error
	bytes   [2]uint64 // in, out, as last seen
}

// Run joins and stays until a signal, the end of RunFor, or the end of the connection, which is an *Ended.
func Run(ctx context.Context, o RunOptions) error {
	run, stop := context.WithCancel(ctx)
	defer stop()
	s := &session{RunOptions: o, stop: stop, start: time.Now(), text: console.NewWriter(o.Out)}
	defer s.text.Close()
	s.screen = screen{write: func(t string) { _, _ = s.text.Write([]byte(t)) }, size: o.Size} // it never fails
	s.Options.Say = s.say
	if o.Follow != "" {
		f := &follower{class: o.Follow, say: s.print}
		s.Trace = f.hear
	}
	var err error
	if s.p, err = New(s.Options); err != nil {
		return err
	}
	l, err := loop.New(loop.Options{Rate: Rate, Step: s.step})
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { // the loop: ends by stop, awaited below
		err := l.Run(run)
		if e := s.leave(); err == nil {
			err = e
		}
		ended <- err
	}()
	return Await(ended, stop, o.RunFor, o.Signals, s.restore)
}

// restore gives the terminal back where the loop, which owns the view, hangs.
func (s *session) restore() {
	if s.Live {
		_, _ = s.text.Write([]byte(leaveScreen)) // it never fails
	}
}

// step is a tick.
func (s *session) step(dt float64) {
	s.p.Tick(time.Since(s.start), dt)
	s.ticks++
	if ss := s.p.client.Session(); ss != nil {
		st := ss.Conn.Stats()
		s.bytes = [2]uint64{st.BytesIn, st.BytesOut}
	}
	if s.p.Joined() && !s.said && !s.p.Over() && (s.p.ownName() != "" || s.p.now-s.p.since > nameWithin) {
		s.said = true
		if err := s.knows(); err != nil {
			s.err = err
			s.stop()
			return
		}
		s.print(s.welcome())
	}
	if s.p.Over() {
		s.stop()
		return
	}
	sample := s.ticks%sampleEvery == 0
	if sample {
		s.figures = s.p.Sample()
	}
	s.figures.State = s.p.client.State()
	switch {
	case s.Live && s.Follow == "" && s.ticks%drawEvery == 0:
		pic := s.p.picture(s.figures, s.lines)
		s.screen.draw(&pic)
	case !s.Live && s.Follow == "" && sample:
		pic := s.p.picture(s.figures, nil)
		s.print(pic.status())
	}
}

// knows judges the class to follow.
func (s *session) knows() error {
	if s.Follow == "" {
		return nil
	}
	cs := s.p.World().Classes
	if cs.Find(s.Follow) != nil {
		return nil
	}
	var names []string
	for _, c := range cs.All() {
		names = append(names, c.Name)
	}
	return &UnknownClass{s.Follow, engine.Nearest(s.Follow, names)}
}

// welcome is the line that scripts wait for. It begins with "joined: " in every version.
func (s *session) welcome() string {
	w := s.p.client.Welcome()
	level := Clean(w.Level)
	if level == "" {
		level = "no level"
	}
	as := ""
	if name := s.p.ownName(); name != "" {
		as = " as " + name
	}
	return fmt.Sprintf("joined: %s, %s, %s%s, %d ticks/s, %d net updates/s", s.Shown, level, Clean(w.Game), as, w.Tick, w.Net)
}

// leave says goodbye and tells how it was.
func (s *session) leave() error {
	if s.p.Joined() && s.p.client.State() == client.Playing && s.ticks%sampleEvery > Rate/2 {
		s.figures = s.p.Sample()
	}
	outcome := s.p.Outcome()
	err := s.p.Close(link.Reason{Code: "quit", Text: "the player left"})
	s.screen.end()
	if s.said {
		s.print(fmt.Sprintf("left: %s after %.1f s, %.1f kB in, %.1f kB out", s.Shown, time.Since(s.start).Seconds(), float64(s.bytes[0])/1000, float64(s.bytes[1])/1000))
	}
	switch {
	case s.err != nil:
		return s.err
	case outcome != nil:
		return outcome
	}
	return err
}

// say takes what scripts log and what goes wrong.
func (s *session) say(l Line) {
	text := "  " + l.Text
	if l.Fault {
		text = "! " + l.Text
	}
	s.print(text)
}

// print writes a line, or keeps it for the view.
func (s *session) print(text string) {
	if s.screen.on {
		s.lines = append(s.lines, text)
		if len(s.lines) > shownLines {
			s.lines = append(s.lines[:0], s.lines[1:]...)
		}
		return
	}
	_, _ = s.text.Write([]byte(text + "\n")) // it never fails
}
