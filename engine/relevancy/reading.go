package relevancy

// Reading answers questions about an index for one viewer and changes nothing of either but the viewer's cached direction. It
// leads neither to the world nor to the index, so that anyone who has one alone may ask on another goroutine; Readings of other
// viewers may be asked at the same time, as long as nothing changes the index or its world. The zero Reading knows no actor.
type Reading struct {
	x *Index
	v *Viewer
}

// Reading answers queries for a viewer from now on, until the index or the world changes.
func (x *Index) Reading(v *Viewer) Reading {
	x.sync()
	return Reading{x, v}
}

// Weigh is [Index.Weigh] of the actor with a number (see [Found]); 1 and 1 where the index has none.
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
