// Package scene converts a world into the numbers and events that a page draws (W1.2). A page gets a [Level] once, and
// for every tick one array of floats and one list of events, which a [Stage] creates.
//
//	meshes := &scene.Meshes{}
//	l := meshes.Of(w.Level)
//	s := scene.NewStage(meshes)
//	for each tick {
//		floats, events := s.Frame(w, w.LocalPlayer())
//	}
//
// Everything is in the engine's own coordinates: uu, X forward, Y right, Z up, left-handed; angles are radians, positive
// pitch looks up, positive yaw turns from X to Y. The page converts them.
//
// The package decides nothing about appearance except a shape, a size and a color by the class's name. It reads
// worlds and never changes them, except that it takes the effects which a world leaves for viewers.
//
// Guarantees: Allocates nothing in a steady tick; only reads the world.
package scene
