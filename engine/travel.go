package engine

// Travel asks for another level, by its URL: level?option=value (R8.7). The world goes on as it is; whoever owns it takes
// the wish between two ticks with [World.TakeTravel] and puts another world in its place. The last wish counts.
func (w *World) Travel(url string) { w.travel = url }

// PrepareTravel tells that a journey to a level will follow, so that its owner may make ready for it meanwhile.
func (w *World) PrepareTravel(url string) { w.prepare = url }

// TakePrepare gives the level that PrepareTravel named, once; "" for none.
func (w *World) TakePrepare() string {
	url := w.prepare
	w.prepare = ""
	return url
}

// TakeTravel gives the level that was asked for, once; "" for none.
func (w *World) TakeTravel() string {
	url := w.travel
	w.travel = ""
	return url
}
