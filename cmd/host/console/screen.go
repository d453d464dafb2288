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

// Sequences of terminals (ECMA-48, and xterm's for the second screen): what was there before comes back at the end. Lines
// are not wrapped meanwhile, so that one that a terminal draws wider than expected spoils no other.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
	leaveScreen = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
	clearLine   = "\x1b[2K"
	clearRest   = "\x1b[J"
	plain       = "\x1b[0m"
)

const (
	// leaveWithin is how long the end waits for a terminal that takes no output, as after Ctrl-S, before it only restores
	// the mode.
	leaveWithin = 300 * time.Millisecond
	// repaintEvery draws all lines again, in case something else has written on the terminal.
	repaintEvery = 5 * time.Second
)

// Screen is a terminal that a program uses by itself for a while: keys come one by one and are not echoed, and with a
// picture it shows that alone, on the terminal's second screen. Lines end as always meanwhile, no matter who writes them, and
// Ctrl-C, Ctrl-Z and Ctrl-\ are signals as always. Close gives the terminal back as it was; so do a suspension (Ctrl-Z) for
// as long as it lasts, and SIGQUIT before the process prints its stacks.
//
// Its methods may be called from any goroutine, and none waits for a terminal that takes no output.
type Screen struct {
	in, out *os.File // in is nil where no keys come
	picture bool

	turn chan struct{} // full while somebody writes to the terminal or changes its mode; it guards what follows
	on   bool
	over bool
	mode mode
	// shown is what stands on the terminal, width and height its size then, painted when all of it was last drawn.
	shown         []string
	width, height int
	painted       time.Time

	next  chan []string // the picture to draw; a later one replaces it
	ended chan struct{} // closed by Close; ends the painter and the watcher of signals
	once  sync.Once
}

// OpenScreen takes a terminal. in may be something else than a terminal; then no keys come. picture says whether pictures
// will be shown; the terminal is then out, else in. It reports false where that is no terminal.
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

// Keys reports whether keys come one by one.
func (s *Screen) Keys() bool { return s.in != nil }

// Size is the terminal's, in characters; one that does not tell is taken for the usual 80 × 24.
func (s *Screen) Size() (width, height int) {
	if width, height, ok := Size(s.out); ok {
		return width, height
	}
	return 80, 24
}

// Show replaces the picture: one string a line, as wide as the terminal at most. The terminal is written to by another
// goroutine; where that lags behind, pictures are left out.
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

// draw writes the lines that differ from those that are shown.
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
		_, _ = s.out.WriteString(b.String()) // a terminal that is gone shows nothing
	}
}

// enter and leave take the terminal and give it back; the caller has the turn.
func (s *Screen) enter() {
	if s.over {
		return
	}
	if s.in != nil {
		s.mode.keys(s.in, !s.on)
	}
	if s.picture {
		begin := enterScreen
		if s.on { // a second one would forget where the cursor was on the usual screen
			begin = leaveScreen + enterScreen
		}
		_, _ = s.out.WriteString(begin) // a terminal that is gone shows nothing
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

// Close gives the terminal back. It may be called again.
func (s *Screen) Close() {
	s.once.Do(func() {
		close(s.ended)
		select {
		case s.turn <- struct{}{}:
			s.leave()
			s.over = true
			<-s.turn
		case <-time.After(leaveWithin): // it takes no output; the shell needs its mode all the same
			if s.in != nil {
				s.mode.restore(s.in)
			}
		}
	})
}
