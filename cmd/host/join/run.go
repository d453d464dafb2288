package join

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/tidelock/tidelock/cmd/host/console"
	"github.com/tidelock/tidelock/cmd/host/loop"
	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/cmd/host/watchdog"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/client/comeback"
	"github.com/tidelock/tidelock/netcode/link"
)

const (
	// drawEvery and sampleEvery, in ticks: the view is drawn ten times a second, figures are of a second each.
	drawEvery, sampleEvery = Rate / 10, Rate
	// waitingEvery, in ticks, is how often a player who is not in yet is told what for, where there is no terminal.
	waitingEvery = 5 * sampleEvery
	// nameWithin is how long a player who is in waits to learn what the game calls them; a game without PlayerStates
	// never says.
	nameWithin = time.Second
)

// RunOptions of Run.
type RunOptions struct {
	Options
	// Follow names a class whose actors' changes are told, instead of figures; "" for none.
	Follow string
	// RunFor leaves so long after the player came in, however long that took; 0 stays.
	RunFor time.Duration
	// Signals end it: the first says goodbye, a second leaves at once.
	Signals <-chan os.Signal
	// Out takes lines. Where Live is set it is a terminal, and shows the view, or with Follow still lines.
	Out  io.Writer
	Live bool
	// Keys, where it is a terminal and Live is set, is where the person plays.
	Keys io.Reader
	// Colour says that the terminal shows colors.
	Colour bool
	// Spectate joins to watch: the game is asked to allow it, and the next player is watched as soon as there is one.
	Spectate bool
	// Hung ends the process where a tick does not end (package watchdog): it must not return. It is given what gives the terminal
	// back, which may wait for what hangs. Nil has no watchdog.
	Hung func(giveBack func()) func(watchdog.Hang)
	// Divert, where not nil, is called once with what takes lines from elsewhere in the program, so that they do not spoil
	// the view.
	Divert func(line func(text string))
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
	said    bool      // that the player is in
	in      time.Time // when that was
	text    *console.Writer
	err     error
	bytes   [2]uint64   // in, out, as last seen
	left    atomic.Bool // lines are no longer for the view

	// screen is the terminal where Live is set, else nil; view what it shows and takes.
	screen *console.Screen
	view   *view.View
}

// Run joins and stays until a signal, the end of RunFor, or the end of the connection, which is an *Ended.
func Run(ctx context.Context, o RunOptions) error {
	run, stop := context.WithCancel(ctx)
	defer stop()
	s := &session{RunOptions: o, stop: stop, start: time.Now(), text: console.NewWriter(o.Out)}
	defer s.text.Close()
	s.Options.Say = s.say
	s.Options.ComeBack = &comeback.Options{Seed: o.Seed}
	if o.Spectate {
		s.Options.Options += "?spectator=1"
	}
	if o.Follow != "" {
		f := &follower{class: o.Follow, say: s.print}
		s.Trace = f.hear
	}
	var err error
	if s.p, err = New(s.Options); err != nil {
		return err
	}
	var hung func(watchdog.Hang)
	if s.Hung != nil {
		hung = s.Hung(s.close)
	}
	begin, over, stopWatch := Watched(s.p.Doing, func(h watchdog.Hang) { s.line(h.String(), true) }, hung)
	defer stopWatch()
	l, err := loop.New(loop.Options{Rate: Rate, Step: s.step, Begin: begin, End: over})
	if err != nil {
		return err
	}
	s.open()
	defer s.close()
	ended := make(chan error, 1)
	go func() { // the loop: ends by stop, awaited below
		defer func() {
			if r := recover(); r != nil { // what broke is read on a terminal that works
				s.close()
				panic(r)
			}
		}()
		err := l.Run(run)
		if e := s.leave(); err == nil {
			err = e
		}
		ended <- err
	}()
	return Await(run, ended, stop, o.Signals, s.close)
}

// Watched starts the watchdog of a loop of players. It gives what stands around every tick, and what ends the watch; nil where
// hung is nil. say is called on a goroutine of its own.
func Watched(doing func() (function, native string), say, hung func(watchdog.Hang)) (begin, over, stop func()) {
	if hung == nil {
		return nil, nil, func() {}
	}
	dog := watchdog.Start(watchdog.Options{Doing: doing, Watched: "loop.(*Loop).Run", Say: say, End: hung})
	return dog.Begin, dog.End, dog.Stop
}

// open takes the terminal, where there is one.
func (s *session) open() {
	if s.Live {
		s.screen, _ = console.OpenScreen(s.Keys, s.Out, s.Follow == "")
	}
	keys := s.screen != nil && s.screen.Keys()
	s.view = view.New(view.Options{Colour: s.Colour, Keys: keys, Leave: "leaves", Spectate: s.Spectate})
	if keys {
		go s.view.Read(s.Keys)
	}
	if s.Divert != nil {
		s.Divert(func(text string) { s.line(text, true) })
	}
}

// close gives the terminal back. Any goroutine may call it.
func (s *session) close() {
	if s.screen != nil {
		s.screen.Close()
	}
}

// shows reports whether the view is on the terminal, and lines belong into it.
func (s *session) shows() bool { return s.screen != nil && s.Follow == "" && !s.left.Load() }

// step is a tick.
func (s *session) step(dt float64) {
	if s.view.Play(seat{s.p, &s.figures}, time.Since(s.start)) {
		s.stop()
	}
	s.p.Tick(time.Since(s.start), dt)
	s.ticks++
	if ss := s.p.client.Session(); ss != nil {
		st := ss.Conn.Stats()
		s.bytes = [2]uint64{st.BytesIn, st.BytesOut}
	}
	if s.p.Joined() && !s.said && !s.p.Over() && (view.OwnName(s.p.Controller()) != "" || s.p.now-s.p.since > nameWithin) {
		s.said, s.in = true, time.Now()
		if err := s.knows(); err != nil {
			s.err = err
			s.stop()
			return
		}
		s.print(s.welcome())
	}
	if s.p.Over() || s.said && s.RunFor > 0 && time.Since(s.in) >= s.RunFor {
		s.stop()
		return
	}
	sample := s.ticks%sampleEvery == 0
	if sample {
		s.figures = s.p.Sample()
	}
	s.figures.State = s.p.client.State()
	at := seat{s.p, &s.figures}
	switch {
	case s.shows() && s.ticks%drawEvery == 0:
		width, height := s.screen.Size()
		s.screen.Show(s.view.Draw(at, width, height))
	case s.screen == nil && s.Follow == "" && sample && (s.said || s.ticks%waitingEvery == 0):
		s.print(at.status())
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
	level := view.Clean(w.Level)
	if level == "" {
		level = "no level"
	}
	as := ""
	if name := view.OwnName(s.p.Controller()); name != "" {
		as = " as " + name
	}
	return fmt.Sprintf("joined: %s, %s, %s%s, %d ticks/s, %d net updates/s", s.Shown, level, view.Clean(w.Game), as, w.Tick, w.Net)
}

// leave says goodbye and tells how it was.
func (s *session) leave() error {
	if s.p.Joined() && s.p.client.State() == client.Playing && s.ticks%sampleEvery > Rate/2 {
		s.figures = s.p.Sample()
	}
	outcome := s.p.Outcome()
	err := s.p.Close(link.Reason{Code: "quit", Text: "the player left"})
	s.left.Store(true)
	s.close()
	if s.said {
		s.print(fmt.Sprintf("left: %s after %.1f s, %.1f kB in, %.1f kB out", s.Shown, time.Since(s.in).Seconds(), float64(s.bytes[0])/1000, float64(s.bytes[1])/1000))
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
func (s *session) say(l Line) { s.line(l.Text, l.Fault) }

// line writes a line of the log.
func (s *session) line(text string, fault bool) {
	mark := "  "
	if fault {
		mark = "! "
	}
	if s.shows() {
		s.view.Line(text, fault)
		return
	}
	s.print(mark + text)
}

// print writes a line, or keeps it for the view.
func (s *session) print(text string) {
	if s.shows() {
		s.view.Line(text, false)
		return
	}
	_, _ = s.text.Write([]byte(text + "\n")) // it never fails
}
