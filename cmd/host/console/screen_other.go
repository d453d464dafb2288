//go:build !unix

package console

// watch handles no signals: here a terminal sends none.
func (s *Screen) watch() {}
