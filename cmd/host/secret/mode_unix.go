//go:build unix

package secret

import "io/fs"

// shared reports whether the group or others have any permission.
func shared(m fs.FileMode) bool { return m&0o077 != 0 }

// writable reports whether the group or others may write.
func writable(m fs.FileMode) bool { return m&0o022 != 0 }
