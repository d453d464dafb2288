package console

import (
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// Sequences of terminals (ECMA-48, and xterm's for the second screen): the previous content is restored at the
// end. Lines are not wrapped meanwhile, so that one that a terminal draws wider than expected does not disturb
// others.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
	leaveScreen = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
	clearLine   = "\x1b[2K"
	clearRest   = "\x1b[J"
	plain       = "\x1b[0m"
)

const (
	// leaveWithin is how long the end waits for a blocked terminal, as after Ctrl-S, before it only restores
	// the mode.
	leaveWithin = 300 * time.Millisecond
	// repaintEvery is how often all lines are drawn again, in case another program has written to the terminal.
	repaintEvery = 5 * time.Second
)

// Screen is a terminal that a program controls for a while: keys are read one by one without echo, and a
// picture is shown alone, on the terminal's second screen. Line ends keep working for all programs, and Ctrl-C,
// Ctrl-Z and Ctrl-\ are still signals. Close restores the terminal; so does a suspension (Ctrl-Z) while it
// lasts, and SIGQUIT before the process prints its stacks.
//
// Its methods may be called from any goroutine, and none waits for a blocked terminal.
type Screen struct {
	in, out *os.File // in is nil if no keys are read
	picture bool

	turn chan struct{} // full while a goroutine writes to the terminal or changes its mode; it guards what follows
	on   bool
	over bool
	mode mode
	// shown is the content of the terminal, width and height its size then, painted the time of the last full
	// drawing.
	shown         []string
	width, height int
	painted       time.Time

	next  chan []string // the picture to draw; a later one replaces it
	ended chan struct{} // closed by Close; ends the painter and the watcher of signals
	once  sync.Once
}

// OpenScreen takes control of a terminal. If in is not a terminal, no keys are read. picture says whether
// pictures will be shown; the terminal is then out, else in. It returns false if that is not a terminal.
func OpenScreen(in io.Reader, out io.Writer, picture bool) (*Screen, bool) {
	s := &Screen{picture: picture, turn: make(chan struct{}, 1), next: make(chan []string, 1), ended: make(chan struct{})}
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.in = f
	}
	f, ok := out.(*os.File)
	if picture && (!ok || !IsTerminal(out)) || !picture && s.in == nil {
		return nil, false
	}
	s.out = f
	s.turn <- struct{}{}
	s.enter()
	<-s.turn
	if picture {
		go s.paint()
	}
	go s.watch()
	return s, true
}

// Keys reports whether keys are read one by one.
func (s *Screen) Keys() bool { return s.in != nil }

// Size returns the terminal's size in characters; 80 × 24 if it is unknown.
func (s *Screen) Size() (width, height int) {
	if width, height, ok := Size(s.out); ok {
		return width, height
	}
	return 80, 24
}

// Show replaces the picture: one string per line, at most as wide as the terminal. Another goroutine writes to
// the terminal; if it is slow, pictures are skipped.
func (s *Screen) Show(lines []string) {
	for {
		select {
		case s.next <- lines:
			return
		default:
		}
		select {
		case <-s.next:
		default:
		}
	}
}

// paint is the painter's goroutine: from OpenScreen until Close.
func (s *Screen) paint() {
	for {
		select {
		case <-s.ended:
			return
		case lines := <-s.next:
			s.turn <- struct{}{}
			if s.on {
				s.draw(lines)
			}
			<-s.turn
		}
	}
}

// draw writes the lines that have changed.
func (s *Screen) draw(lines []string) {
	width, height, _ := Size(s.out)
	now := time.Now()
	if width != s.width || height != s.height || now.Sub(s.painted) >= repaintEvery {
		s.shown, s.width, s.height, s.painted = nil, width, height, now
	}
	var b strings.Builder
	for i, l := range lines {
		if i < len(s.shown) && s.shown[i] == l {
			continue
		}
		b.WriteString("\x1b[" + strconv.Itoa(i+1) + "H" + clearLine + l + plain) // cleared first: the last column is the cursor's, too
	}
	if (s.shown == nil || len(s.shown) > len(lines)) && len(lines) < height {
		b.WriteString("\x1b[" + strconv.Itoa(len(lines)+1) + "H" + clearRest)
	}
	s.shown = append(s.shown[:0], lines...)
	if b.Len() > 0 {
		_, _ = s.out.WriteString(b.String()) // a closed terminal shows nothing
	}
}

// enter and leave take control of the terminal and restore it; the caller has the turn.
func (s *Screen) enter() {
	if s.over {
		return
	}
	if s.in != nil {
		s.mode.keys(s.in, !s.on)
	}
	if s.picture {
		begin := enterScreen
		if s.on { // a second one would lose the cursor's position on the main screen
			begin = leaveScreen + enterScreen
		}
		_, _ = s.out.WriteString(begin) // a closed terminal shows nothing
		s.shown, s.painted = nil, time.Time{}
	}
	s.on = true
}

func (s *Screen) leave() {
	if !s.on {
		return
	}
	s.on = false
	if s.picture {
		_, _ = s.out.WriteString(leaveScreen)
	}
	if s.in != nil {
		s.mode.restore(s.in)
	}
}

// Close restores the terminal. It may be called again.
func (s *Screen) Close() {
	s.once.Do(func() {
		close(s.ended)
		select {
		case s.turn <- struct{}{}:
			s.leave()
			s.over = true
			<-s.turn
		case <-time.After(leaveWithin): // the terminal is blocked; the shell still needs its mode
			if s.in != nil {
				s.mode.restore(s.in)
			}
		}
	})
}
