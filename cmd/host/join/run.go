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
	// Keys, where not nil and Live is set, is a terminal that the player is played by; Raw has it give every key at once,
	// see console.Raw.
	Keys io.Reader
	Raw  func(io.Reader) (restore func(), ok bool)
	// Spectate joins to watch: the game is asked for it, and the next player is watched as soon as there is one.
	Spectate bool
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

	keys    chan key // nil where nobody presses any
	hands   hands
	chart   chart
	zoom    int
	help    bool
	watchAt time.Duration // when to ask for somebody to watch
	tidy    func()        // undoes Raw
}

// Run joins and stays until a signal, the end of RunFor, or the end of the connection, which is an *Ended.
func Run(ctx context.Context, o RunOptions) error {
	run, stop := context.WithCancel(ctx)
	defer stop()
	s := &session{RunOptions: o, stop: stop, start: time.Now(), text: console.NewWriter(o.Out)}
	defer s.text.Close()
	s.screen = screen{write: func(t string) { _, _ = s.text.Write([]byte(t)) }, size: o.Size} // it never fails
	s.Options.Say = s.say
	if o.Spectate {
		s.Options.Options += "?spectator=1"
	}
	s.tidy = func() {}
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
	if o.Live && o.Keys != nil {
		if restore, ok := o.Raw(o.Keys); ok {
			s.tidy = restore
			s.keys = make(chan key, waitingKeys)
			go readKeys(o.Keys, s.keys)
		}
	}
	defer s.tidy()
	ended := make(chan error, 1)
	go func() { // the loop: ends by stop, awaited below
		defer func() {
			if r := recover(); r != nil { // what broke is read on a terminal that works
				s.restore()
				panic(r)
			}
		}()
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
		_, _ = s.Out.Write([]byte(leaveScreen)) // there is nobody to tell
		s.tidy()
	}
}

// step is a tick.
func (s *session) step(dt float64) {
	s.play()
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
		s.show()
	case !s.Live && s.Follow == "" && sample:
		pic := s.p.picture(s.figures, nil)
		s.print(pic.status())
	}
}

// show draws the view.
func (s *session) show() {
	pic := s.p.picture(s.figures, s.lines)
	pic.Keys, pic.Help, pic.Hands = s.keys != nil, s.help, s.hands.text()
	if s.p.Playing() {
		pic.Hands = "the brain plays"
	}
	if at, view, ok := s.p.view(); ok {
		list := s.p.shown(at)
		pic.Near = near(list, at, view)
		pic.Chart = func(width, height int) []string {
			return s.chart.draw(s.p.World(), s.zoom, at, width, height, marks(list, at, view))
		}
	}
	s.screen.draw(&pic)
}

// watchAgain is how long a watcher waits for somebody to watch before he asks again.
const watchAgain = 2 * time.Second

// play does what keys ask for, before a tick.
func (s *session) play() {
	now := time.Since(s.start)
	for len(s.keys) > 0 {
		s.obey(s.hands.press(<-s.keys, now))
	}
	w := s.p.World()
	if w == nil {
		return
	}
	pc := w.LocalPlayer()
	if pc == nil {
		return
	}
	if s.Spectate && s.p.watched() == nil && now >= s.watchAt {
		s.watchAt = now + watchAgain
		s.watch(1)
	}
	if s.keys != nil {
		w.SetInput(pc, s.hands.input(now, viewRotation(pc)))
	}
}

// obey does what a key asks of the program.
func (s *session) obey(c command) {
	switch c {
	case nothing:
	case leaveMatch:
		s.stop()
	case toggleBrain:
		s.p.SetBrain(!s.p.Playing())
	case nextPlayer:
		s.watch(1)
	case previousPlayer:
		s.watch(-1)
	case faceEnemy:
		s.face()
	case zoomMap:
		s.zoom = (s.zoom + 1) % len(zooms)
	case showHelp:
		s.help = !s.help
	}
}

// watch asks for the next player to watch, or the one before.
func (s *session) watch(step int) {
	if w := s.p.World(); w != nil && w.LocalPlayer() != nil {
		s.p.Call(w.LocalPlayer(), "ServerViewNextPlayer", engine.Int(step))
	}
}

// face turns to the nearest other player.
func (s *session) face() {
	at, _, ok := s.p.view()
	if !ok {
		return
	}
	view := viewRotation(s.p.World().LocalPlayer())
	for _, a := range s.p.shown(at) {
		if a.IsA("Pawn") {
			s.hands.face(view, a.Location.Sub(at))
			return
		}
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
	s.tidy()
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
