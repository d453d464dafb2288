// Package share holds a value that either belongs to one holder or is stored once for several holders.
//
// Package server keeps the replication state of an actor once for all connections that were sent the same. Work on
// the state of one connection must end the sharing first. The fields are private here, so that code that forgets
// this does not compile:
//
//	st := r.rep.Split(c.fill)         // the connection's own from here on
//	if st, ok := r.rep.Private(); ok  // looks, and ends nothing
//
// The package does not know what it holds, and does not lock.
//
// Guarantees: The private value cannot be read while a shared one is in use: code that forgets this does not compile.
package share

// State is one holder's value of type T, or its share of a common value of type C. The zero State is private with a
// zero T.
//
// Invariant: a pointer to the private value is used only while no common value is in force.
type State[T, C any] struct {
	common *C
	own    T
}

// Common returns the common value in force, nil if the private one is.
func (s *State[T, C]) Common() *C { return s.common }

// Private returns the private value. While a common one is in force, it returns nil and false.
func (s *State[T, C]) Private() (own *T, ok bool) {
	if s.common != nil {
		return nil, false
	}
	return &s.own, true
}

// Join puts a common value in force. The private one stays unchanged until Split updates it.
func (s *State[T, C]) Join(common *C) { s.common = common }

// Split ends the sharing and returns the private value. fill updates it from the common one; it is not called if
// nothing was shared.
func (s *State[T, C]) Split(fill func(own *T, common *C)) *T {
	if c := s.common; c != nil {
		s.common = nil
		fill(&s.own, c)
	}
	return &s.own
}

// Peek returns a copy of the private value as Split would return it, without changing anything.
func (s *State[T, C]) Peek(fill func(own *T, common *C)) T {
	own := s.own
	if s.common != nil {
		fill(&own, s.common)
	}
	return own
}
