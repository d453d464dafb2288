//go:build !unix

package main

import "os"

// asks returns nil: these systems have no such signal; the command `stat accounts` does the same.
func asks() <-chan os.Signal { return nil }
