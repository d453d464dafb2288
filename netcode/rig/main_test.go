package rig_test

import (
	"runtime/debug"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/simlink"
)

// TestMain collects garbage less often than a host does: most of what these tests make is thrown away within a second.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

func path(lag time.Duration, loss float64) simlink.Path {
	return simlink.Symmetric(simlink.Impairment{Lag: lag, Loss: loss})
}
