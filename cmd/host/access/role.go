package access

import (
	"fmt"
	"strings"

	"github.com/tidelock/tidelock/engine"
)

// Role is what a player may change on a host. Roles are ordered: each may do all that lower ones may. Which command
// needs which role is the business of its caller. The zero value is None.
type Role uint8

// The roles.
const (
	None Role = iota
	Moderator
	Admin
	Owner
	roles // the number of them
)

var roleNames = [roles]string{"", "moderator", "admin", "owner"}

// String returns the role as files and commands write it: "moderator", "admin", "owner", and "" for None.
func (r Role) String() string {
	if r < roles {
		return roleNames[r]
	}
	return fmt.Sprintf("role %d", uint8(r))
}

// ParseRole returns the role of a text as String writes it. The error names the roles, and the nearest one.
func ParseRole(text string) (Role, error) {
	for r, name := range roleNames {
		if name == text {
			return Role(r), nil
		}
	}
	names := roleNames[Moderator:]
	return None, fmt.Errorf("%s is not a role%s; the roles are %s", quote(text), engine.Nearest(text, names), strings.Join(names, ", "))
}
