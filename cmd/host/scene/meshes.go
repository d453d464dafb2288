package scene

import "github.com/tidelock/tidelock/engine/level"

// Meshes keeps the last level's mesh: code that shows a level before there is a world in it, its stage, and a
// player who reconnects share it. The zero value is ready; it belongs to one goroutine.
type Meshes struct {
	of   *level.Level
	mesh *Level
}

// Of returns the mesh of a level, nil for none. The same level gives the same mesh.
func (m *Meshes) Of(lv *level.Level) *Level {
	if lv != m.of {
		m.of, m.mesh = lv, LevelOf(lv)
	}
	return m.mesh
}
