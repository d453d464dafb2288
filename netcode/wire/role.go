package wire

import "github.com/tidelock/tidelock/engine"

// Role is the role of a copy from here on (R2.2), in order with calls and opens:
//
//	[17, channel, role]
//
// role int 1…7, an engine.Role, plus 4 if some player owns the actor.
type Role struct {
	Channel uint16
	Role    engine.Role
	Owned   bool
}

// AppendRole appends a role.
func AppendRole(b []byte, m Role) []byte {
	return append(AppendUint(appendMessage(b, KindRole, 2), uint64(m.Channel)), roleByte(m.Role, m.Owned))
}

// Role reads a role's fields.
func (r *Reader) Role(fields int) (m Role) {
	if r.fields(fields, 2) {
		m.Channel = r.uint16()
		m.Role, m.Owned = r.role()
	}
	return m
}

func roleByte(r engine.Role, owned bool) byte {
	if owned {
		return byte(r) | 4
	}
	return byte(r)
}

func (r *Reader) role() (engine.Role, bool) {
	n := r.IntIn(int64(engine.RoleSimulatedProxy), int64(engine.RoleAuthority)|4)
	if n&3 == 0 {
		r.Fail(ErrRange)
	}
	return engine.Role(n & 3), n&4 != 0
}
