// Package session is the client of a browser's player without the browser: the code of its Worker, without js,
// so that it is tested natively. A Session is one player, who reconnects automatically after a lost connection, and goes to another host
// where the present one sends them (C6): Options.Open requests a carrier, and Opened or Broke answers. There are two lines, so that the
// player stays at one host until the other has them.
//
//	s, err := session.New(session.Options{Config: config, Carrier: carrier, Open: open})
//	for each packet { s.Receive(line, b) }
//	for each tick   { s.SetInput(in); s.Tick(now, 1.0/60); draw(s.Floats, s.Events) }
//	s.Leave()
//
// A Session belongs to one goroutine and starts none, except for the navigation graph of a brain.
//
// Guarantees: Runs natively, in tests.
package session

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/cmd/host/scene"
	"github.com/tidelock/tidelock/cmd/host/teleport/place"
	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/client/comeback"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

const (
	// steepest is the limit of the view's pitch, in rotator units.
	steepest = 16384
	// shifts is how many turns of the view by the match are remembered until the page knows them.
	shifts = 64
	// maxByClass bounds the classes whose bytes are reported.
	maxByClass = 8
)

// Config is the page's configuration of the player, as JSON. All of it is optional.
type Config struct {
	// Name is the player's name, Options are those of the game: "?team=1".
	Name     string `json:"name"`
	Options  string `json:"options"`
	Password string `json:"password"`
	// Token is a connect token, as `host token` makes it.
	Token string `json:"token"`
	// Key is the player's private key: 32 bytes, or none.
	Key []byte `json:"key"`
	// Spectate joins to watch, Auto lets the brain play.
	Spectate bool `json:"spectate"`
	Auto     bool `json:"auto"`
	Skill    int  `json:"skill"`
	// Host is the host's address as the page shows it.
	Host string `json:"host"`
}

// Options of New.
type Options struct {
	Config
	// Carrier returns what takes the packets of a line, 0 or 1.
	Carrier func(line int) kcplink.Carrier
	// Open requests a connection of a line, for the first connection and for each after it. where is "" for the page's host, or a place as
	// a host named it (package place). It must not wait: Opened or Broke answers.
	Open func(line int, where string)
	// Protos and Levels are what earlier sessions compiled and parsed; nil for none.
	Protos *classfile.Cache
	Levels *level.Cache
	// Meshes keeps the meshes of levels from earlier sessions and a Stock; nil computes them again.
	Meshes *scene.Meshes
	// Cache keeps the files that the host sent, nil for none.
	Cache bundle.Cache
	// Seed is the seed of the waits before reconnecting.
	Seed uint64
}

// Input is the person's input.
type Input struct {
	// Pitch and Yaw are the direction of the page's camera, in radians. Turn is the number of the last event
	// "view" that they include.
	Pitch, Yaw float64
	Turn       int
	// Actions are the values of the actions, from -1 to 1, in the order of the event "actions" whose number Set is.
	Actions []float64
	Set     int
}

// Session is a player.
type Session struct {
	*join.Player
	// Floats and Events are those of the last tick, see scene.Stage.Frame.
	Floats []float32
	Events []byte
	// Level is the mesh of the present world, nil without one; Levels counts the worlds so far.
	Level  *scene.Level
	Worlds int

	opt   Options
	here  int // the line of the Player
	lines [2]side
	stage *scene.Stage
	world *engine.World
	hud   []byte // scratch
	drawn bool   // the page shows something of the HUD

	in      Input
	actions *actions
	pc      *engine.Actor
	view    geom.Rotator // the last direction set or sent
	turns   int          // events "view" so far
	shift   [shifts]geom.Rotator
	control string
	watched int

	now, counted time.Duration // of Tick, and of the last Numbers
	counting     *client.Client
	came         map[string]uint64 // by class
}

// side is one end of a line.
type side struct {
	player *join.Player // nil for none
	pipe   *kcplink.Pipe
	key    [32]byte // that the host must have, if its description has none
}

// New begins to connect.
func New(o Options) (*Session, error) {
	if err := join.CheckName(o.Name); err != nil {
		return nil, err
	}
	if o.Meshes == nil {
		o.Meshes = &scene.Meshes{}
	}
	s := &Session{opt: o, stage: scene.NewStage(o.Meshes), actions: &actions{}, came: map[string]uint64{}}
	jo := join.Options{
		Target: join.Target{Options: o.Config.Options, Shown: o.Host}, Name: o.Name, Password: o.Password, Token: o.Token,
		Protos: o.Protos, Levels: o.Levels, Brain: o.Auto, Skill: o.Skill, Agent: "browser",
		Say: s.say, Input: s.input, Cache: o.Cache, ComeBack: &comeback.Options{Seed: o.Seed, Stopped: true}, Elsewhere: s.elsewhere,
	}
	s.over(0, "", &jo)
	if o.Spectate {
		jo.Options += "?spectator=1"
	}
	if len(o.Key) != 0 {
		if len(o.Key) != len(jo.Key.Private) {
			return nil, fmt.Errorf("the player's key has %d bytes; expected %d", len(o.Key), len(jo.Key.Private))
		}
		var err error
		if jo.Key, err = kcplink.KeyFromPrivate([32]byte(o.Key)); err != nil {
			return nil, fmt.Errorf("the player's key: %w", err)
		}
	}
	p, err := join.New(jo)
	if err != nil {
		return nil, err
	}
	s.Player, s.lines[0].player = p, p
	return s, nil
}

// over makes the options use a line.
func (s *Session) over(line int, where string, o *join.Options) {
	o.Ask = func() { s.opt.Open(line, where) }
	o.Carry = func(l *kcplink.Link) (p *kcplink.Pipe, err error) {
		p, err = l.Pipe(netip.AddrPort{}, s.opt.Carrier(line))
		s.lines[line].pipe = p
		return p, err
	}
}

// elsewhere begins to go to another host, over the other line.
func (s *Session) elsewhere(p *join.Player, url string) {
	other := 1 - s.here
	next := p.Go(url, func(to *place.Place, o *join.Options) error {
		if to.Web == "" {
			return errors.New(to.Name + " has no page")
		}
		s.lines[other] = side{key: to.ServerKey}
		s.over(other, url, o)
		return nil
	})
	if next != nil {
		s.lines[other].player = next
	}
}

// Opened reports that the carrier of a line that Open requested is open. serverKey is the only key that the host may
// have: 32 bytes, or none for any, at another host for the one that was named.
func (s *Session) Opened(line int, serverKey []byte) error {
	at := &s.lines[line]
	key := at.key
	if len(serverKey) != 0 && len(serverKey) != len(key) {
		return fmt.Errorf("the host's key has %d bytes; expected %d", len(serverKey), len(key))
	}
	copy(key[:], serverKey)
	if at.player == nil || at.player.Over() {
		s.opt.Carrier(line).Close(link.Reason{Code: "quit", Text: "the player stays where they were"})
		return nil
	}
	at.player.Dial(key)
	return nil
}

// Receive processes a packet that a line received. Before its first carrier it ignores packets.
func (s *Session) Receive(line int, b []byte) {
	if p := s.lines[line].pipe; p != nil {
		p.Receive(b)
	}
}

// Broke reports that the carrier of a line ended, or could not be opened; text says why.
func (s *Session) Broke(line int, text string) {
	why := link.Reason{Code: "carrier", Text: text}
	at := &s.lines[line]
	if (at.player == nil || !at.player.Unreached(why)) && at.pipe != nil {
		at.pipe.Break(why)
	}
}

// SetInput sets the person's input. Values of unknown actions, or NaN, are dropped; the first time, a line says
// so.
func (s *Session) SetInput(in Input) {
	if why := s.actions.take(in.Set, in.Actions); why != "" {
		s.say(join.Line{Fault: true, Text: why})
	}
	in.Actions = nil
	s.in = in
}

// Leave says goodbye and frees everything.
func (s *Session) Leave() error {
	return s.Close(link.Reason{Code: "quit", Text: "the player left"})
}

// State returns the player's state: "connecting", "loading", "playing" or "closed". line says why it is closed,
// or the progress of a reconnection; away is set during that.
func (s *Session) State() (word, line string, away bool) {
	if next, name := s.Going(); next != nil {
		if next.Client().State() != client.Loading {
			return client.Connecting.String(), "going to " + name + " …", true
		}
		return client.Loading.String(), "going to " + name + " …", true
	}
	if line, away = s.Away(); away {
		return client.Connecting.String(), line, true
	}
	if e := s.Outcome(); e != nil {
		return client.Closed.String(), e.Error(), false
	}
	return s.Client().State().String(), "", false
}

// At returns the line of the host where the player is.
func (s *Session) At() int { return s.here }

func (s *Session) say(l join.Line) {
	s.stage.Events().Begin("say").Text("line", engine.OneLine(l.Text, 512)).Bool("fault", l.Fault).EndSaid()
}

// Tick runs a tick of the player's world, of dt seconds. now counts from any origin and never decreases.
func (s *Session) Tick(now time.Duration, dt float64) {
	s.now = now
	s.Player.Tick(now, dt)
	if next, name := s.Moved(); next != nil {
		s.lines[s.here] = side{}
		s.here, s.Player = 1-s.here, next
		s.say(join.Line{Text: "you are on " + name + " now"})
	}
	w := s.World()
	if w != s.world {
		s.world, s.pc = w, nil
		s.clearHUD()
		s.actions.world()
		if w != nil {
			s.Level = s.opt.Meshes.Of(w.Level)
			s.Worlds++
		}
	}
	pc := s.Controller()
	if pc != nil {
		s.follow(pc)
		s.controls(pc)
		if b := s.actions.tell(w.Actions(pc)); b != nil {
			s.stage.Events().Raw(b)
		}
		s.drawHUD(pc)
	} else {
		s.clearHUD()
	}
	if m := s.Match(); m != nil {
		s.stage.Content(m.Shown().Items())
	}
	s.Floats, s.Events = s.stage.Frame(w, pc)
}

// follow detects that the match turned the view, and tells the page by how much: the camera's own movement
// meanwhile is kept.
func (s *Session) follow(pc *engine.Actor) {
	is := view.Rotation(pc)
	first := s.pc != pc
	if !first && is == s.view {
		return
	}
	by := is.Sub(s.view)
	s.pc, s.view = pc, is
	if s.Brain() && !first {
		return // it turns in every tick; the page is told when the person controls the view again
	}
	s.turned(by, is)
}

// turned reports a turn of the view.
func (s *Session) turned(by, is geom.Rotator) {
	s.turns++
	s.shift[s.turns%shifts] = by
	s.stage.Events().Begin("view").Int("n", s.turns).Float("pitch", angle(is.Pitch)).Float("yaw", angle(is.Yaw)).
		Float("byPitch", angle(by.Pitch)).Float("byYaw", angle(by.Yaw)).End()
}

func angle(u uint16) float64 {
	a := geom.Radians(u)
	if a > 3.14159265358979 {
		a -= 2 * 3.14159265358979
	}
	return a
}

// input sets the world's input, before a tick.
func (s *Session) input(pc *engine.Actor) {
	s.follow(pc)
	in := &s.in
	out := engine.Input{View: s.view}
	s.actions.fill(&out)
	if !s.Brain() && in.Turn > 0 && s.turns-in.Turn < shifts {
		pitch, yaw := int(int16(geom.FromRadians(in.Pitch))), int(geom.FromRadians(in.Yaw))
		for n := in.Turn + 1; n <= s.turns; n++ { // turned meanwhile, unknown to the page
			pitch += int(int16(s.shift[n%shifts].Pitch))
			yaw += int(s.shift[n%shifts].Yaw)
		}
		out.View = geom.Rot(max(-steepest, min(steepest, pitch)), yaw, 0)
		s.view = out.View
	}
	pc.World().SetInput(pc, out)
}

// controls returns who controls the view now: the person ("you"), the brain, or the watched player.
func (s *Session) controls(pc *engine.Actor) {
	control, slot := "you", 0
	if to := view.Reference(pc, "ViewTarget"); to != nil {
		control, slot = "watch", s.stage.Slot(to)
	} else if s.Brain() {
		control = "brain"
	}
	if control == s.control && slot == s.watched {
		return
	}
	if control == "you" && s.control != "" {
		s.turned(geom.Rotator{}, s.view)
	}
	s.control, s.watched = control, slot
	s.stage.Events().Begin("control").Text("by", control).Int("slot", slot).End()
}

// drawHUD draws the match's HUD, and sends it to the page if it has changed (W4.1).
func (s *Session) drawHUD(pc *engine.Actor) {
	c, changed := s.Match().VM.DrawHUD(pc)
	if !changed {
		return
	}
	s.hud = append(c.AppendJSON(append(s.hud[:0], `{"e":"canvas","calls":`...)), '}')
	s.stage.Events().Raw(s.hud)
	s.drawn = len(c.Calls()) > 0
}

// clearHUD removes the HUD from the page: there is no player whose HUD draws.
func (s *Session) clearHUD() {
	if s.drawn {
		s.drawn = false
		s.stage.Events().Raw([]byte(`{"e":"canvas","calls":[]}`))
	}
}

// Say sends a chat line of the player, to all or to the team. A longer line is cut.
func (s *Session) Say(text string, team bool) {
	if pc := s.Controller(); pc != nil {
		s.Call(pc, map[bool]string{false: "SayToAll", true: "SayToTeam"}[team], engine.String(engine.OneLine(text, engine.MaxMessage)))
	}
}

// Numbers are the figures since the last call, for the panel of F3.
type Numbers struct {
	// Ping in ms; Loss is the larger share of the two directions, from 0 to 1.
	Ping        float64 `json:"ping"`
	Loss        float64 `json:"loss"`
	Corrections int     `json:"corrections"`
	BytesIn     float64 `json:"bytesIn"`
	BytesOut    float64 `json:"bytesOut"`
	Actors      int     `json:"actors"`
	// ByClass lists the received bytes by the actors' class, the largest first, at most maxByClass.
	ByClass []ClassBytes `json:"byClass"`
}

// ClassBytes is how many bytes a second were received for the actors of a class.
type ClassBytes struct {
	Class string  `json:"class"`
	Bytes float64 `json:"bytes"`
}

// Numbers measures since the last call.
func (s *Session) Numbers() Numbers {
	f := s.Sample()
	return Numbers{
		ByClass: s.byClass(),
		Ping:    float64(f.Ping) / float64(time.Millisecond), Loss: max(f.LossIn, f.LossOut), Corrections: f.Corrections, BytesIn: f.In, BytesOut: f.Out, Actors: f.Actors,
	}
}

// byClass returns the received bytes by class since the last call.
func (s *Session) byClass() []ClassBytes {
	seconds := (s.now - s.counted).Seconds()
	if s.Client() != s.counting { // another connection counts from 0
		s.counting = s.Client()
		clear(s.came)
	}
	out := []ClassBytes{}
	s.Client().BytesByClass(func(class string, bytes uint64) {
		if n := bytes - s.came[class]; n > 0 && seconds > 0 {
			out = append(out, ClassBytes{class, float64(n) / seconds})
		}
		s.came[class] = bytes
	})
	s.counted = s.now
	slices.SortFunc(out, func(a, b ClassBytes) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Class, b.Class))
	})
	return out[:min(len(out), maxByClass)]
}

// Playing reports whether there is a world.
func (s *Session) Playing() bool { return s.Client().State() == client.Playing }
