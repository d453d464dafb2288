package wire

import "github.com/tidelock/tidelock/engine"

// Role tells what a copy is from here on (R2.2), in order with calls and opens:
//
//	[17, channel, role]
//
// role int 1…3, an engine.Role.
type Role struct {
	Channel uint16
	Role    engine.Role
}

// AppendRole appends a role.
func AppendRole(b []byte, m Role) []byte {
	return append(AppendUint(appendMessage(b, KindRole, 2), uint64(m.Channel)), byte(m.Role))
}

// Role reads a role's fields.
func (r *Reader) Role(fields int) (m Role) {
	if r.fields(fields, 2) {
		m.Channel = uint16(r.IntIn(0, MaxChannel))
		m.Role = engine.Role(r.IntIn(int64(engine.RoleSimulatedProxy), int64(engine.RoleAuthority)))
	}
	return m
}
