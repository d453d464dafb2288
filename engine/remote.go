package engine

// SetRemote connects the world to the network code; nil disconnects it.
func (w *World) SetRemote(r Remote) { w.remote = r }
