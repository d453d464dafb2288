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
	// waitingEvery, in ticks, is how often a player who is still waiting to join is told why, if there is no
	// terminal.
	waitingEvery = 5 * sampleEvery
	// nameWithin is how long a player who has joined waits for the name that the game gave them; a game without
	// PlayerStates gives none.
	nameWithin = time.Second
)

// RunOptions of Run.
type RunOptions struct {
	Options
	// Follow names a class whose actors' changes are reported, instead of figures; "" for none.
	Follow string
	// RunFor leaves so long after the player joined; 0 stays.
	RunFor time.Duration
	// Signals end it: the first says goodbye, a second exits at once.
	Signals <-chan os.Signal
	// Out receives lines. If Live is set it is a terminal, and shows the view, or with Follow still lines.
	Out  io.Writer
	Live bool
	// Keys, if it is a terminal and Live is set, is the person's keyboard.
	Keys io.Reader
	// Colour says that the terminal supports colors.
	Colour bool
	// Spectate joins as a spectator if the game allows it, and watches the next player as soon as there is one.
	Spectate bool
	// Hung ends the process when a tick does not end (package watchdog): it must not return. Its argument
	// restores the terminal, and may wait for what hangs. Nil means no watchdog.
	Hung func(giveBack func()) func(watchdog.Hang)
	// Divert, if not nil, is called once with a function that receives other lines of the program, so that they
	// do not disturb the view.
	Divert func(line func(text string))
}

// UnknownClass is a class of Follow that the match does not have.
type UnknownClass struct{ Name, Hint string }

func (e *UnknownClass) Error() string {
	return fmt.Sprintf("--follow: the host's match has no class %q%s", e.Name, e.Hint)
}

// session is one call of Run. Its fields belong to the loop's goroutine.
type session struct {
	RunOptions
	p       *Player
	stop    context.CancelFunc
	start   time.Time
	ticks   int
	figures Figures
	said    bool      // whether the join was reported
	in      time.Time // the time of that
	text    *console.Writer
	err     error
	bytes   [2]uint64   // in and out, at the last figures
	left    atomic.Bool // lines no longer go to the view

	// screen is the terminal if Live is set, else nil; view draws on it and reads its keys.
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
			if r := recover(); r != nil { // restore the terminal before the panic is printed
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

// Watched starts the watchdog of a loop of players. It returns the functions around every tick, and the one
// that ends the watch; nil if hung is nil. say is called on a goroutine of its own.
func Watched(doing func() (function, native string), say, hung func(watchdog.Hang)) (begin, over, stop func()) {
	if hung == nil {
		return nil, nil, func() {}
	}
	dog := watchdog.Start(watchdog.Options{Doing: doing, Watched: "loop.(*Loop).Run", Say: say, End: hung})
	return dog.Begin, dog.End, dog.Stop
}

// open takes control of the terminal, if there is one.
func (s *session) open() {
	if s.Live {
		s.screen, _ = console.OpenScreen(s.Keys, s.Out, s.Follow == "")
	}
	keys := s.screen != nil && s.screen.Keys()
	s.view = view.New(view.Options{Colour: s.Colour, Keys: keys, Leave: "leaves", Spectate: s.Spectate, Command: s.typed, CommandHelp: "eval LUA, which runs a line of Lua in your own copy of the match"})
	if keys {
		go s.view.Read(s.Keys)
	}
	if s.Divert != nil {
		s.Divert(func(text string) { s.line(text, true) })
	}
}

// close restores the terminal. Any goroutine may call it.
func (s *session) close() {
	if s.screen != nil {
		s.screen.Close()
	}
}

// shows reports whether the view is on the terminal, and lines belong into it.
func (s *session) shows() bool { return s.screen != nil && s.Follow == "" && !s.left.Load() }

// step runs a tick.
func (s *session) step(dt float64) {
	if s.view.Play(seat{s.p, &s.figures}, time.Since(s.start)) {
		s.stop()
	}
	s.p.Tick(time.Since(s.start), dt)
	if next, name := s.p.Moved(); next != nil {
		s.p, s.Shown = next, next.opt.Shown
		s.print("moved to " + name)
	}
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

// knows checks the class to follow.
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

// welcome returns the line that scripts wait for. It begins with "joined: " in every version.
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

// leave says goodbye and prints the final figures.
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

// say prints the scripts' log lines and errors.
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
