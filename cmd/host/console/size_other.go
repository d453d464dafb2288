//go:build !unix

package console

import "io"

// Size returns a terminal's size, in characters. It is unknown here.
func Size(io.Writer) (width, height int, ok bool) { return 0, 0, false }
