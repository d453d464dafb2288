//go:build !unix

package console

// watch follows signals where there are such that a terminal sends.
func (s *Screen) watch() {}
