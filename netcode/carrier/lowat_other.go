//go:build !linux && !js

package carrier

import "syscall"

// bufferLittle does nothing: only Linux lets the unsent part of a send buffer be bounded through this API. Packets can
// wait in the kernel's buffer there.
func bufferLittle(syscall.Conn) {}
