package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tidelock/tidelock/cmd/host/console"
	"github.com/tidelock/tidelock/cmd/host/serve"
	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/canvas"
)

// drawRate is how often per second the view of the host's own player is drawn.
const drawRate = 10

// ownPlayer is a game whose own player plays on the host's terminal: keys before every tick, the view after it.
// While the view is shown, other lines for the terminal are shown in it; errors are printed again when it
// closes.
type ownPlayer struct {
	*game
	out, err io.Writer // out is the terminal; err receives lines after the view
	in       io.Reader
	rate     int
	place    string        // where players connect, "" if they cannot
	leave    chan struct{} // closed when the player requests the end by a key
	view     *view.View
	typed    *typed // commands from the view's prompt

	mu     sync.Mutex
	screen *console.Screen // nil before the first tick
	closed bool
	faults []string

	// These belong to the loop's goroutine.
	ticks  int
	start  time.Time
	brain  bool
	played *engine.Actor // the controller whose brain was started
}

var (
	_ serve.Game = (*ownPlayer)(nil)
	_ view.Seat  = ownSeat{}
)

// ownSeat gives package view access to the player.
type ownSeat struct{ *ownPlayer }

// ownBrain is the skill, 0 to 7, of the brain that the key B starts.
const ownBrain = 3

// maxFaults is how many errors are kept to be printed after the view.
const maxFaults = 50

func newOwnPlayer(sys *system, rate int, commands bool) *ownPlayer {
	o := &ownPlayer{out: sys.stdout, err: sys.stderr, in: sys.stdin, rate: rate, leave: make(chan struct{}), typed: newTyped()}
	opt := view.Options{Colour: sys.colours(), Keys: true, Leave: "ends the match"}
	if commands {
		opt.Command = o.command
	}
	o.view = view.New(opt)
	return o
}

// command handles a line typed in the view.
func (o *ownPlayer) command(line string) {
	o.view.Line("> "+line, false)
	if !o.typed.add(line) {
		o.view.Line(fmt.Sprintf("the commands before are not done yet, and %d wait; type it again later", typedLines), true)
	}
}

// open takes control of the terminal.
func (o *ownPlayer) open() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.start = time.Now()
	if o.closed {
		return
	}
	if s, ok := console.OpenScreen(o.in, o.out, true); ok {
		o.screen = s
		go o.view.Read(o.in)
	}
}

// close restores the terminal. Any goroutine may call it, and more than once.
func (o *ownPlayer) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	o.closed = true
	o.typed.close()
	if o.screen == nil {
		return
	}
	o.screen.Close()
	for _, l := range o.faults {
		_, _ = fmt.Fprintln(o.err, l) // there is nobody else to tell
	}
}

// shown receives lines that would disturb the view: it shows them in the view, or, if that is closed, writes
// them to a file.
type shown struct {
	*ownPlayer
	file io.Writer
}

func (s shown) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.screen == nil || s.closed {
		return s.file.Write(p)
	}
	line := strings.TrimRight(string(p), "\n")
	fault := false
	for _, mark := range [...]string{" WRN ", " ERR ", `"level":"WARN"`, `"level":"ERROR"`} {
		fault = fault || strings.Contains(line, mark)
	}
	if fault && len(s.faults) < maxFaults {
		s.faults = append(s.faults, line)
	}
	s.view.Line(line, fault)
	return len(p), nil
}

// Step runs a tick with the player's keys before it, and from time to time the view after it.
func (o *ownPlayer) Step(dt float64) {
	defer func() {
		if r := recover(); r != nil { // restore the terminal before the panic is printed
			o.close()
			panic(r)
		}
	}()
	if o.ticks == 0 {
		o.open()
	}
	if o.view.Play(ownSeat{o}, time.Since(o.start)) {
		o.quit()
	}
	o.startBrain()
	o.game.Step(dt)
	if o.ticks%max(1, o.rate/drawRate) == 0 && o.screen != nil {
		width, height := o.screen.Size()
		o.screen.Show(o.view.Draw(ownSeat{o}, width, height))
	}
	o.ticks++
}

// quit requests the end, once.
func (o *ownPlayer) quit() {
	select {
	case <-o.leave:
	default:
		close(o.leave)
	}
}

// Close restores the terminal before players are told that the match ends.
func (o *ownPlayer) Close() {
	o.close()
	o.game.Close()
}

// World returns the match's world.
func (o *ownPlayer) World() *engine.World { return o.game.World }

// Controller returns the player's controller, nil if the game refused them.
func (o *ownPlayer) Controller() *engine.Actor {
	if o.local == nil || o.local.Deleted() {
		return nil
	}
	return o.local
}

// Call calls a function of the match's scripts.
func (o *ownPlayer) Call(a *engine.Actor, name string, args ...engine.Value) []engine.Value {
	return o.run(a, name, args...)
}

func (o *ownPlayer) run(a *engine.Actor, name string, args ...engine.Value) []engine.Value {
	if a.Deleted() || a.Dispatch.Functions[name] == nil {
		return nil
	}
	out, err := o.VM.Call(a, name, args...)
	if err != nil {
		return nil // the VM has reported it
	}
	return out
}

// DrawHUD returns what the HUD of the host's own player draws.
func (o *ownPlayer) DrawHUD() []canvas.Call {
	c, _ := o.VM.DrawHUD(o.Controller())
	return c.Calls()
}

// Brain reports whether the brain plays.
func (o *ownPlayer) Brain() bool { return o.brain }

// SetBrain switches between the brain and the keys.
func (o *ownPlayer) SetBrain(on bool) {
	o.brain = on
	if pc := o.played; !on && pc != nil {
		o.played = nil
		if pc == o.Controller() {
			o.run(pc, "StopBrain")
		}
	}
}

// startBrain lets the brain play, if requested, on the player's present controller: a travel replaces it.
func (o *ownPlayer) startBrain() {
	if pc := o.Controller(); o.brain && pc != nil && pc != o.played {
		o.played = pc
		o.run(pc, "StartBrain", engine.Int(ownBrain))
	}
}

// Status returns the state of the host.
func (o ownSeat) Status() view.Status {
	figures := []string{"no network"}
	if o.door != nil {
		in, _ := o.door.Players()
		figures = []string{"players on " + o.place, count(in, "player") + " connected"}
	}
	return view.Status{
		Place: "this machine", Level: o.levelName(), Game: o.Game.Class.Name, Playing: time.Since(o.start),
		Figures: append(figures, fmt.Sprintf("%d ticks/s", o.rate)),
	}
}

// signals delivers those of the process, and an interrupt when the player leaves by a key. It ends with done.
func (o *ownPlayer) signals(from <-chan os.Signal, done <-chan struct{}) <-chan os.Signal {
	out := make(chan os.Signal, cap(from)+1)
	leave := o.leave
	go func() { // ends with done
		for {
			var sig os.Signal
			select {
			case <-done:
				return
			case sig = <-from:
			case <-leave:
				leave, sig = nil, syscall.SIGINT
			}
			select {
			case out <- sig:
			case <-done:
				return
			}
		}
	}()
	return out
}
