//go:build !linux

package doctor

// system adds nothing: what these systems do not show is skipped.
func (m *Machine) system() {}
