//go:build !unix

package main

import "os"

// asks returns nil: these systems have no such signal; the command `stat accounts` does the same.
func asks() <-chan os.Signal { return nil }

// drains returns nil for the same reason; the command `drain` does the same.
func drains() <-chan os.Signal { return nil }
