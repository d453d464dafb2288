//go:build unix

package secret

import "io/fs"

// shared reports whether the group or others have any permission.
func shared(m fs.FileMode) bool { return m&0o077 != 0 }
