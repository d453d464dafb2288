package engine

// Travel requests another level, by its URL: level?option=value (R8.7). The world continues unchanged; its
// owner reads the request between two ticks with [World.TakeTravel] and replaces the world. The last request
// counts.
func (w *World) Travel(url string) { w.travel = url }

// PrepareTravel announces travel to a level, so that the world's owner can prepare for it meanwhile.
func (w *World) PrepareTravel(url string) { w.prepare = url }

// TakePrepare returns the level that PrepareTravel named, once; "" for none.
func (w *World) TakePrepare() string {
	url := w.prepare
	w.prepare = ""
	return url
}

// TakeTravel returns the requested level, once; "" for none.
func (w *World) TakeTravel() string {
	url := w.travel
	w.travel = ""
	return url
}
