//go:build !unix

package secret

import "io/fs"

// shared reports nothing: these systems have lists of rights that a mode says nothing of.
func shared(fs.FileMode) bool { return false }
