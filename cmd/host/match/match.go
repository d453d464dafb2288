// Package match assembles one peer's world: classes from scripts, a level from content, the game's rules,
// players. `host serve`, scenarios and benchmarks share it. It reads files only through what it is given, and
// knows no clock and no flags.
//
//	m, err := match.Open(match.Options{Sources: sources, Content: content, URL: "arena?game=GameInfo"})
//	pc, err := m.Login("", "?name=Ann")
//	m.World.Step(1.0 / 60)
//
// Guarantees: No clock and no flags.
package match

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// Options describe a match to open.
type Options struct {
	Sources []classfile.Source
	// Content holds levels/NAME.map and files that scripts name; it may be nil in a world without a level.
	Content fs.FS
	// URL is the start URL: level?option=value?option=value. The level may be empty: then there is no floor.
	URL     string
	NetMode engine.NetMode
	Seed    uint64
	// VM are the options of the script side; Content is set here.
	VM scriptvm.Options
	// Levels are shared by the worlds of a process; nil shares none.
	Levels *level.Cache
	// Profiles keep persistent variables of players; nil keeps none. Matches of a host share them.
	Profiles *Profiles
	// Hops sends players to other hosts, and takes theirs (C6); nil for none. Matches of a host share it.
	Hops Hops
	// LocalID is the id of the player at this machine, "" for a guest.
	LocalID string
	// Shown replaces the sounds and animations of Content; nil reads them.
	Shown *Shown

	transfer *transfer // the state that came from another match, if any
	saved    *Opened   // what to load, nil for a new match
}

// Match is one peer's running world.
type Match struct {
	World *engine.World
	VM    *scriptvm.VM
	Level *level.Level
	// Game is the GameInfo, nil on a client.
	Game *engine.Actor
	// Warnings are those of the level and of the check of the scripts.
	Warnings []string

	url URL
	opt Options // with which it was opened
	// levelFile and shown are the running content, in the form that clients fetch. levelFile is empty without a
	// level.
	levelFile bundle.File
	shown     *Shown
	doubts    int    // the number of Warnings about scripts
	came      *guest // who is on the way through PostLogin
}

// LoadError is a set of scripts that cannot be used.
type LoadError struct{ Diagnostics []engine.Diagnostic }

func (e *LoadError) Error() string {
	var lines []string
	for _, d := range e.Diagnostics {
		if d.Severity == engine.SevError {
			lines = append(lines, d.String())
		}
	}
	return strings.Join(lines, "\n")
}

// Open loads the scripts, reads the level, creates the game and spawns the level's actors.
func Open(o Options) (*Match, error) {
	shown := o.Shown
	if shown == nil {
		var err error
		if shown, err = ReadShown(o.Content); err != nil {
			return nil, err
		}
	}
	return open(o, func(name string, lo level.Options) (*level.Level, bundle.File, error) { return readLevel(o, name, lo) }, shown)
}

// levelReader finds a level by its name.
type levelReader func(name string, o level.Options) (*level.Level, bundle.File, error)

func open(o Options, read levelReader, shown *Shown) (*Match, error) {
	m := &Match{url: ParseURL(o.URL), opt: o, shown: shown}
	m.opt.Shown = nil
	if o.Content != nil {
		o.VM.Content = func(name string) bool {
			_, err := fs.Stat(o.Content, path.Clean(name))
			return err == nil
		}
	}
	if o.Profiles != nil {
		o.VM.Transactor = o.Profiles.transactor(m)
	}
	m.VM = scriptvm.New(o.VM)
	fail := func(err error) (*Match, error) {
		m.VM.Close()
		return nil, err
	}
	diags := m.VM.Load(o.Sources)
	m.opt.Sources = m.VM.Sources() // one copy of the texts for all worlds of a process
	if m.VM.Classes() == nil {
		return fail(&LoadError{diags})
	}
	for _, d := range diags {
		m.Warnings = append(m.Warnings, d.String())
	}
	m.doubts = len(m.Warnings)
	if m.url.Level != "" {
		lo, err := m.url.levelOptions()
		if err != nil {
			return fail(err)
		}
		if m.Level, m.levelFile, err = read(m.url.Level, lo); err != nil {
			return fail(err)
		}
	}
	m.World = engine.NewWorld(engine.Config{
		Classes: m.VM.Classes(), Script: m.VM, NetMode: o.NetMode, Seed: o.Seed, Level: m.Level, Sounds: shown.media.Sounds, Animations: shown.media.Animations, Actions: shown.media.Actions,
	})
	m.VM.Bind(m.World)
	if o.saved != nil {
		m.opt.saved = nil
		if err := m.restore(o.saved); err != nil {
			return fail(err)
		}
		return m, nil
	}
	if o.NetMode != engine.NMClient {
		if err := m.startGame(); err != nil {
			return fail(err)
		}
	}
	if m.Level != nil {
		for _, w := range m.World.LoadEntities(m.Level) {
			m.Warnings = append(m.Warnings, w.String())
		}
		for _, w := range m.Level.Warnings {
			m.Warnings = append(m.Warnings, w.String())
		}
	}
	if m.Game != nil {
		m.takeUp(o.transfer)
		if _, err := m.VM.Call(m.Game, "StartPlay"); err != nil {
			return fail(fmt.Errorf("game %s: StartPlay failed: %w", m.Game.Class.Name, err))
		}
		m.doubtOptions(o.transfer.asked(m.url))
	}
	return m, nil
}

// readLevel reads content/levels/NAME.map.
func readLevel(m Options, name string, o level.Options) (*level.Level, bundle.File, error) {
	content := m.Content
	if content == nil {
		return nil, bundle.File{}, fmt.Errorf("level %q: there is no content folder", name)
	}
	file := bundle.File{Name: levelFolder + name + levelEnd}
	var err error
	if file.Data, err = fs.ReadFile(content, file.Name); err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
			return nil, file, fmt.Errorf("level %q: no file content/%s%s", name, file.Name, engine.Nearest(name, Levels(content)))
		}
		return nil, file, fmt.Errorf("level %q: %w", name, err)
	}
	lv, err := m.Levels.Parse(pathsOf(content)(file.Name), file.Data, o)
	return lv, file, err
}

// Levels lists the levels of a content folder, sorted.
func Levels(content fs.FS) []string {
	if content == nil {
		return nil
	}
	files, _ := fs.Glob(content, levelFolder+"*"+levelEnd)
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), levelEnd)
	}
	slices.Sort(files)
	return files
}

// startGame spawns the GameInfo that the URL or the level requests, and lets it set up the match.
func (m *Match) startGame() error {
	name, asked := m.url.Option("game")
	if !asked && m.Level != nil {
		name = m.Level.Game
	}
	if name == "" {
		name = "GameInfo"
	}
	cs := m.World.Classes
	c := cs.Find(name)
	if c == nil {
		return fmt.Errorf("game %q: no such class%s", name, engine.Nearest(name, gameClasses(cs)))
	}
	if !c.IsA("GameInfo") {
		return fmt.Errorf("game %q: class %s does not descend from GameInfo; one of: %s", name, c.Name, strings.Join(gameClasses(cs), ", "))
	}
	g, err := m.World.Spawn(c, engine.SpawnParams{})
	if err != nil {
		return err
	}
	if g == nil {
		return fmt.Errorf("game %q: it destroyed itself at the start", name)
	}
	m.Game = g
	m.World.Game = g.ID()
	out, err := m.VM.Call(g, "InitGame", engine.String(m.url.Options))
	if err != nil {
		return fmt.Errorf("game %s: InitGame failed: %w", c.Name, err)
	}
	if len(out) > 0 && out[0].Kind == engine.KindString && out[0].Str != "" {
		return fmt.Errorf("game %s: %s", c.Name, out[0].Str)
	}
	if p := c.Property("GameState"); p != nil {
		m.World.GameState = g.Get(p).Ref
	}
	return nil
}

func gameClasses(cs *engine.Classes) []string {
	var out []string
	for _, c := range cs.All() {
		if c.IsA("GameInfo") {
			out = append(out, c.Name)
		}
	}
	return out
}

// Refused says that a player was not admitted.
type Refused struct{ Text, Code string }

func (r *Refused) Error() string { return r.Text }

// Login admits a player (R8.4, R8.5) and returns their PlayerController. local players are at this machine:
// they have input from now on.
func (m *Match) Login(portal, options string, local bool) (*engine.Actor, error) {
	pc, err := m.login(portal, options)
	if err != nil {
		return nil, err
	}
	return pc, m.begin(pc, local)
}

// begin lets a new controller's player play.
func (m *Match) begin(pc *engine.Actor, local bool) error {
	if local {
		m.identify(pc)
		m.World.SetInput(pc, engine.Input{View: pc.Rotation})
	}
	return m.postLogin(pc)
}

// postLogin tells the game that a player has joined. From here on their Logout must follow.
func (m *Match) postLogin(pc *engine.Actor) error {
	m.setLoggedIn(pc, true)
	m.Attach(pc)
	_, err := m.VM.Call(m.Game, "PostLogin", engine.Ref(pc))
	return err
}

// setLoggedIn records whether PlayerController's end must call Logout: scripts may destroy a controller, too.
func (m *Match) setLoggedIn(pc *engine.Actor, in bool) {
	if p := pc.Class.Property("bLoggedIn"); p != nil && pc.Set(p, engine.Bool(in)) == nil {
		m.VM.Changed(pc, p)
	}
}

// login creates the PlayerController. The error is a *Refused if the game refuses the player.
func (m *Match) login(portal, options string) (*engine.Actor, error) {
	out, err := m.VM.Call(m.Game, "Login", engine.String(portal), engine.String(options))
	if err != nil {
		return nil, err
	}
	return m.controllerOf("Login", out)
}

// controllerOf returns the PlayerController that a function of the game returned, or why it returned none.
func (m *Match) controllerOf(function string, out []engine.Value) (*engine.Actor, error) {
	var pc *engine.Actor
	if len(out) > 0 && out[0].Kind == engine.KindRef {
		pc = m.World.Actor(out[0].Ref)
	}
	if pc == nil {
		r := &Refused{Text: textOf(out, 1), Code: textOf(out, 2)}
		if r.Text == "" {
			r.Text = "the game refused the player"
		}
		return nil, r
	}
	if !pc.Class.IsPlayerController() {
		name := pc.Class.Name
		pc.Destroy()
		return nil, fmt.Errorf("%s:%s returned a %s, not a PlayerController", m.Game.Class.Name, function, name)
	}
	return pc, nil
}

// Logout removes a player, exactly once (R8.5).
func (m *Match) Logout(pc *engine.Actor) error {
	if pc == nil || pc.Deleted() {
		return nil
	}
	m.setLoggedIn(pc, false)
	state := m.playerState(pc) // Logout destroys it, after what the game still changes
	_, err := m.VM.Call(m.Game, "Logout", engine.Ref(pc))
	m.detach(state)
	pc.Destroy()
	return err
}

// Close frees the match.
func (m *Match) Close() { m.VM.Close() }

// Say shows all players a line of text by the game's Broadcast.
func (m *Match) Say(text string) error {
	out, err := m.VM.Call(m.Game, "Broadcast", engine.String(text))
	switch {
	case err != nil:
		return fmt.Errorf("say: %w", err)
	case len(out) == 0 || !out[0].Truth():
		return errors.New("say: the game shows no more messages for now (BroadcastBurst, BroadcastRate)")
	}
	return nil
}

// MayReturn asks the game whether a player may return to what they had: the one with a key, or with "" anybody. A fault, which was
// reported, is no.
func (m *Match) MayReturn(key string) bool {
	out, err := m.VM.Call(m.Game, "MayReturn", engine.String(key))
	return err == nil && len(out) > 0 && out[0].Truth()
}
