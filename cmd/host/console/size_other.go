//go:build !unix

package console

import "io"

// Size is a terminal's, in characters. Here it is not known.
func Size(io.Writer) (width, height int, ok bool) { return 0, 0, false }
