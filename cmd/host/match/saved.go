package match

import (
	"fmt"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/archive"
)

// maxURL bounds the start URL of a saved match, in bytes.
const maxURL = 4096

// Saved is a match as it was at a moment, not compressed yet.
type Saved struct{ content []byte }

// Save copies the match between two ticks (C3). It takes less than a millisecond for a match of eight bots; [Saved.Seal] does the
// slower part on another goroutine. buf is the memory of an earlier one, nil for none: its contents are overwritten.
func (m *Match) Save(buf []byte) Saved {
	out := archive.NewWriter(buf)
	out.String(m.url.Level + m.url.Options)
	m.World.Save(out)
	return Saved{out.Bytes()}
}

// Seal makes a file of it. It may run on any goroutine.
func (s Saved) Seal() ([]byte, error) { return archive.Seal(s.content) }

// Memory returns the memory of it, for the next Save, when it is no longer needed.
func (s Saved) Memory() []byte { return s.content }

// Opened is a saved match that was read and checked, as far as that is possible without its world.
type Opened struct {
	content []byte
	url     string
}

// ReadSaved checks a file that [Saved.Seal] made. It may run on any goroutine. The error is one line.
func ReadSaved(file []byte) (*Opened, error) {
	content, err := archive.Open(file)
	if err != nil {
		return nil, err
	}
	in := archive.NewReader(content)
	in.Reading("start URL")
	o := &Opened{content: content, url: in.String(maxURL)}
	return o, in.Err()
}

// URL returns the start URL of the match.
func (o *Opened) URL() string { return o.url }

// Load opens a saved match: as [Open] does, but with the actors of the file in place of those that the level and the game would
// spawn. No script has run when it returns: [Match.Resume] calls Restored. What the file holds and the present scripts or the level
// do not is among the Warnings.
func Load(o Options, file *Opened) (*Match, error) {
	o.URL, o.saved = file.url, file
	return Open(o)
}

// restore fills the world from a saved match.
func (m *Match) restore(file *Opened) error {
	in := archive.NewReader(file.content)
	_ = in.String(maxURL)
	loaded, err := m.World.Load(in)
	if err != nil {
		return fmt.Errorf("the saved world cannot be loaded: %w", err)
	}
	m.doubts = len(m.Warnings)
	m.Warnings = append(m.Warnings, loaded.Notes...)
	g := m.World.Actor(m.World.Game)
	if g == nil || !g.Class.IsA("GameInfo") {
		return fmt.Errorf("the saved world cannot be loaded: its game is of a class that is gone, or it has none")
	}
	m.Game = g
	if s := m.World.Actor(m.World.GameState); s != nil && !s.Class.IsA("GameReplicationInfo") {
		return fmt.Errorf("the saved world cannot be loaded: its GameState is a %s", s.Class.Name)
	}
	return nil
}

// Resume completes a loaded match: Restored is called on every actor. local says that a player at this machine goes on; then it
// returns their controller, nil if there was none when the match was saved. Players who were connected have left; the game keeps
// what they had for those who come back.
func (m *Match) Resume(local bool) *engine.Actor {
	var pc *engine.Actor
	for _, c := range m.World.ActorsOf("PlayerController") {
		if _, here := m.World.Input(c); here && local && pc == nil {
			pc = c
		}
	}
	if pc == nil {
		m.World.DropInputs()
	}
	m.World.Script.Restored()
	return pc
}

// SavedHash hashes what a saved match keeps; a loaded one has the same (C3).
func (m *Match) SavedHash() uint64 { return m.World.HashSaved() }

// TakeUnsaved returns the private fields that could not be saved, each once: "Class.field: why".
func (m *Match) TakeUnsaved() []string { return m.VM.TakeUnsaved() }

// Successor opens a saved match in place of this one, with its scripts, sounds and animations; players follow over the network
// (NetGame). This match is not changed: after an error it goes on, after success the caller closes it.
func (m *Match) Successor(file *Opened) (*Match, error) {
	o := m.opt
	o.Sources, o.Shown, o.transfer = m.VM.Sources(), m.shown, nil
	return Load(o, file)
}
