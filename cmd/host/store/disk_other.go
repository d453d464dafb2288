//go:build !unix

package store

import "os"

// syncFolder does nothing: folders cannot be opened here, and renaming is up to the system.
func syncFolder(string) error { return nil }

// unlock does nothing: closing a file gives back its lock here.
func unlock(*os.File) error { return nil }
