//go:build !unix

package secret

import "io/fs"

// shared reports nothing: these systems use access lists, which a mode does not show.
func shared(fs.FileMode) bool { return false }

// writable reports nothing, as shared.
func writable(fs.FileMode) bool { return false }
