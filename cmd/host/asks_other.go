//go:build !unix

package main

import "os"

// asks are none: these systems have no such signal; the command `stat accounts` does the same.
func asks() <-chan os.Signal { return nil }
