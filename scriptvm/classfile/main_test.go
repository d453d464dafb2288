package classfile_test

import (
	"runtime/debug"
	"testing"

	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// TestMain collects garbage less often than a host does: most of what these tests make is thrown away within a second.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	classfile.Natives = scriptvm.Natives
	m.Run()
}
