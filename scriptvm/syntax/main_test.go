package syntax

import (
	"runtime/debug"
	"testing"
)

// TestMain collects garbage less often than a host does: most of what these tests make is thrown away within a second.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}
