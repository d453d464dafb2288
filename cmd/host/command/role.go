package command

import (
	"fmt"

	"github.com/tidelock/tidelock/engine"
)

// Role is what somebody may do to a running host. A higher one includes the lower ones.
type Role uint8

// The roles. None may only look; moderators keep order among players; admins change the match; the owner changes the host.
const (
	None Role = iota
	Moderator
	Admin
	Owner
)

var roles = []string{"none", "moderator", "admin", "owner"}

// String returns the name of a role.
func (r Role) String() string { return roles[min(int(r), len(roles)-1)] }

// ParseRole returns the role of a name. The error names the nearest.
func ParseRole(name string) (Role, error) {
	for i, s := range roles {
		if s == name {
			return Role(i), nil
		}
	}
	return None, fmt.Errorf("role %q: expected none, moderator, admin or owner%s", name, engine.Nearest(name, roles))
}
