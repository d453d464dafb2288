package store

import (
	"fmt"
	"runtime/debug"
)

// PanicError is a panic or a memory fault inside of a backend.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	if f, ok := e.Value.(interface{ Addr() uintptr }); ok {
		return fmt.Sprintf("a page could not be read (memory fault at %#x): the file was cut off, or its disk fails", f.Addr())
	}
	return fmt.Sprintf("panic: %v", e.Value)
}

// guard calls f, and returns its panic. A fault of memory is a panic, too: reading a mapped file beyond its end, or from a disk that fails,
// is one, and would otherwise end the process.
func guard(f func()) (p *PanicError) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		if v := recover(); v != nil {
			p = &PanicError{v, debug.Stack()}
		}
	}()
	f()
	return nil
}
