// Package share holds a value that either belongs to one holder or is kept once for several holders.
//
// Package server keeps the replication state of an actor once for all connections that were sent the same. Work on the state
// of one connection alone must end the sharing first. Here the fields are private, so that code which forgets this does not
// compile:
//
//	st := r.rep.Split(c.fill)         // the connection's own from here on
//	if st, ok := r.rep.Private(); ok  // looks, and ends nothing
//
// The package knows nothing of what it holds, and locks nothing.
package share

// State is one holder's value of type T, or its part in a common value of type C. The zero State is private with a zero T.
//
// Invariant: a pointer to the private value is used only while no common value is in force.
type State[T, C any] struct {
	common *C
	own    T
}

// Common is the common value in force, nil where the private one is.
func (s *State[T, C]) Common() *C { return s.common }

// Private gives the private value. Where a common one is in force it is nil, and ok is false.
func (s *State[T, C]) Private() (own *T, ok bool) {
	if s.common != nil {
		return nil, false
	}
	return &s.own, true
}

// Join puts a common value in force. The private one stays as it is until Split brings it up to date.
func (s *State[T, C]) Join(common *C) { s.common = common }

// Split ends the sharing and gives the private value. fill brings it up to date from the common one; it is not called where
// nothing was shared.
func (s *State[T, C]) Split(fill func(own *T, common *C)) *T {
	if c := s.common; c != nil {
		s.common = nil
		fill(&s.own, c)
	}
	return &s.own
}

// Peek gives a copy of the private value as Split would give it, and changes nothing.
func (s *State[T, C]) Peek(fill func(own *T, common *C)) T {
	own := s.own
	if s.common != nil {
		fill(&own, s.common)
	}
	return own
}
