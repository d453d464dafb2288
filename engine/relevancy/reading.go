package relevancy

// Reading answers queries to an index for one viewer. It changes nothing except the viewer's cached direction,
// and gives no access to the world or the index, so that code with only a Reading may run on another goroutine;
// Readings of other viewers may be used concurrently, as long as nothing changes the index or its world. The
// zero Reading knows no actor.
type Reading struct {
	x *Index
	v *Viewer
}

// Reading returns a Reading for a viewer, valid until the index or the world changes.
func (x *Index) Reading(v *Viewer) Reading {
	x.sync()
	return Reading{x, v}
}

// Weigh is [Index.Weigh] of the actor with a number (see [Found]); 1 and 1 if the index has none.
func (r Reading) Weigh(number int32) (priority, factor float64) {
	if r.x == nil {
		return 1, 1
	}
	a := r.x.Actor(number)
	if a == nil {
		return 1, 1
	}
	return r.x.Weigh(r.v, a)
}

// NearFlat is [Index.NearFlat].
func (r Reading) NearFlat(q *Search, out []Found) []Found { return r.x.NearFlat(q, r.v, out) }

// NearRest is [Index.NearRest].
func (r Reading) NearRest(q *Search, w *Watch, now float64, again bool, out []Found) []Found {
	return r.x.NearRest(q, w, r.v, now, again, out)
}

// Lingers is [Index.Lingers].
func (r Reading) Lingers(number int32, s *Sight, now float64) bool {
	return r.x.Lingers(number, s, now)
}
