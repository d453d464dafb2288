package classfile_test

import (
	"testing"

	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

func TestMain(m *testing.M) {
	classfile.Natives = scriptvm.Natives
	m.Run()
}
