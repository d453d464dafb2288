package view

import (
	"io"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/canvas"
)

// watchAgain is how long a spectator without anybody to watch waits before requesting again.
const watchAgain = 2 * time.Second

// Options of New.
type Options struct {
	// Colour enables styles. Keys says that a person can press some.
	Colour, Keys bool
	// Leave says what Ctrl-C does, for the last line: "leaves", "ends the match".
	Leave string
	// Spectate requests a player to watch as soon as there is one.
	Spectate bool
	// Command handles a line that was typed at the prompt, which ':' opens; with nil there is no prompt. It
	// must not wait.
	Command func(line string)
	// CommandHelp says in a line what can be typed there; "" means commands of the host.
	CommandHelp string
}

// View is the screen and keyboard of one player.
type View struct {
	opt   Options
	keys  chan key
	hands hands
	chart chart
	zoom  int
	help  bool
	pages bool // show only the log

	prompt prompt
	looked bool          // the view was drawn: the HUD draws after each tick from now on
	hud    []canvas.Call // of the latest tick

	log     log
	feed    []engine.Message
	of      *engine.World // the world of the messages in feed
	newest  uint64        // number of the latest message
	watchAt time.Duration
}

// New makes a view.
func New(o Options) *View {
	return &View{opt: o, keys: make(chan key, waitingKeys)}
}

// Line adds a line to the log; fault marks an error. Any goroutine may call it.
func (v *View) Line(text string, fault bool) { v.log.add(text, fault) }

// Type handles a terminal's input. Any goroutine may call it; keys that arrive too fast are dropped.
func (v *View) Type(b []byte) {
	for _, k := range parseKeys(b) {
		select {
		case v.keys <- k:
		default: // nobody presses so many keys a tick
		}
	}
}

// Read reads keys from a terminal until it ends. It needs a goroutine of its own, which ends with the terminal
// or with the process, because a read of a terminal cannot be cancelled.
func (v *View) Read(r io.Reader) {
	buf := make([]byte, 64)
	for {
		n, err := r.Read(buf)
		v.Type(buf[:n])
		if err != nil {
			return
		}
	}
}

// Play applies the pressed keys, before a tick. It reports whether the player wants to leave. now counts from
// any origin and never decreases.
func (v *View) Play(s Seat, now time.Duration) (leave bool) {
	if v.looked {
		v.hud = s.DrawHUD()
	}
	if pc := controller(s); pc != nil {
		v.hands.learn(s.World().Actions(pc))
	}
	for len(v.keys) > 0 {
		k := <-v.keys
		if v.prompt.open && k != ctrlC {
			to := v.prompt.to
			if line, done := v.prompt.press(k); done && line != "" {
				v.enter(s, to, line)
			}
			continue
		}
		leave = v.obey(s, v.hands.press(k, now)) || leave
	}
	pc := controller(s)
	if pc == nil {
		return leave
	}
	if v.opt.Spectate && watched(pc) == nil && now >= v.watchAt {
		v.watchAt = now + watchAgain
		watchNext(s, pc, 1)
	}
	if v.opt.Keys {
		s.World().SetInput(pc, v.hands.input(now, Rotation(pc)))
	}
	return leave
}

// controller returns a seat's PlayerController if there is a world, else nil.
func controller(s Seat) *engine.Actor {
	if s.World() == nil {
		return nil
	}
	return s.Controller()
}

// obey executes a key's request to the program. It reports whether that is to leave.
func (v *View) obey(s Seat, c command) bool {
	pc := controller(s)
	switch c {
	case nothing:
	case leaveMatch:
		return true
	case toggleBrain:
		s.SetBrain(!s.Brain())
	case nextPlayer, previousPlayer:
		if pc != nil {
			watchNext(s, pc, map[command]int{nextPlayer: 1, previousPlayer: -1}[c])
		}
	case watchOrPlay:
		if pc != nil {
			v.opt.Spectate = false
			s.Call(pc, "ServerSpectate", engine.Bool(!spectates(pc)))
		}
	case faceEnemy:
		if pc != nil {
			v.face(s, pc)
		}
	case zoomMap:
		v.zoom = (v.zoom + 1) % len(zooms)
	case showHelp:
		v.help, v.pages = !v.help, false
	case showLog:
		v.pages, v.help = !v.pages, false
	case typeCommand:
		v.prompt.open, v.prompt.to = v.opt.Command != nil, toHost
	case sayToAll:
		v.prompt.open, v.prompt.to = pc != nil && v.opt.Keys, toAll
	case sayToTeam:
		v.prompt.open, v.prompt.to = pc != nil && v.opt.Keys, toTeam
	}
	return false
}

// enter handles a typed line: a command of the host, or chat.
func (v *View) enter(s Seat, to listener, line string) {
	pc := controller(s)
	switch {
	case to == toHost:
		v.opt.Command(line)
	case pc == nil: // the match ended while it was typed
	case to == toTeam:
		s.Call(pc, "SayToTeam", engine.String(engine.OneLine(line, engine.MaxMessage)))
	default:
		s.Call(pc, "SayToAll", engine.String(engine.OneLine(line, engine.MaxMessage)))
	}
}

// watchNext requests the next player to watch, or the previous one.
func watchNext(s Seat, pc *engine.Actor, step int) {
	s.Call(pc, "ServerViewNextPlayer", engine.Int(step))
}

// face turns the view to the nearest enemy.
func (v *View) face(s Seat, pc *engine.Actor) {
	at, _ := eyes(pc)
	for _, t := range around(s.World(), pc, at) {
		if t.kind == isEnemy {
			v.hands.face(Rotation(pc), t.actor.Location.Sub(at))
			return
		}
	}
}

// listen adds the messages since the last call.
func (v *View) listen(w *engine.World) {
	if w != v.of { // messages of the last world stay visible in this one
		v.of, v.newest = w, 0
	}
	before := len(v.feed)
	v.feed = w.Messages(v.newest, v.feed)
	if len(v.feed) > before {
		v.newest = v.feed[len(v.feed)-1].Number
	}
	if n := len(v.feed) - keptLines; n > 0 {
		v.feed = append(v.feed[:0], v.feed[n:]...)
	}
}

// Draw returns what the player sees now, as lines of a terminal of some size.
func (v *View) Draw(s Seat, width, height int) []string {
	if !v.looked {
		v.looked, v.hud = true, s.DrawHUD()
	}
	p := v.look(s)
	lines := p.draw(width, height)
	if !v.opt.Colour {
		for i, l := range lines {
			lines[i] = unstyled(l)
		}
	}
	return lines
}

// look collects the picture.
func (v *View) look(s Seat) *picture {
	p := &picture{Status: s.Status(), keys: v.opt.Keys, commands: v.opt.Command != nil, commandHelp: v.opt.CommandHelp, leave: v.opt.Leave, help: v.help, pages: v.pages}
	if v.help {
		p.keyHelp = v.hands.help()
	}
	if v.prompt.open {
		p.prompt = v.prompt.text
	}
	p.log = func(most int) []logLine { return v.log.latest(most, v.feed) }
	if v.pages {
		p.log = func(most int) []logLine { return v.log.latest(most, nil) }
	}
	w := s.World()
	if w == nil || p.Waiting != "" {
		p.feed = v.feed
		return p
	}
	v.listen(w)
	pc := s.Controller()
	p.feed = v.feed
	p.hud = v.hud
	p.me = quoted(OwnName(pc))
	p.match = MatchText(w)
	p.players = standings(w, pc)
	p.teams = teams(w, p.players)
	p.over = matchIs(w, "WaitingPostMatch")
	p.condition, p.style = condition(s, v.opt.Keys, len(v.hud) > 0)
	if s.Brain() {
		p.hands = "the brain plays"
	} else {
		p.hands = v.hands.text()
	}
	if pc == nil {
		return p
	}
	at, view := eyes(pc)
	list := around(w, pc, at)
	p.near = near(list, at, view)
	p.body = Body(Pawn(pc))
	p.count = func() []tally { return count(w, p.Has) }
	p.chart = func(width, height int) []string {
		return v.chart.draw(w, v.zoom, at, width, height, marks(list, at, view))
	}
	return p
}

// matchIs reports whether the match is in a state.
func matchIs(w *engine.World, word string) bool {
	return Text(w.Actor(w.GameState), "MatchState") == word
}
