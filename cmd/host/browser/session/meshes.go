package session

import (
	"github.com/tidelock/tidelock/cmd/host/scene"
	"github.com/tidelock/tidelock/engine/level"
)

// Meshes remembers the last level's mesh: what a Stock made of it before the player joined is what their world has, and a player
// who comes back finds it. The zero value is ready; it belongs to one goroutine.
type Meshes struct {
	of   *level.Level
	mesh *scene.Level
}

// Of is the mesh of a level, nil for none. The same level gives the same mesh.
func (m *Meshes) Of(lv *level.Level) *scene.Level {
	if lv != m.of {
		m.of, m.mesh = lv, scene.MeshOf(lv)
	}
	return m.mesh
}
