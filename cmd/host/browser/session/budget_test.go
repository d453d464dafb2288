package session_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets/assetstest"
	"github.com/tidelock/tidelock/cmd/host/cputime"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// busy is honest work, and work without end; Stuck is one class more, since a class that fails three times is not called again.
const busy = `
local Busy = class("Busy", "Actor")
function Busy:Work()
	local n = 0
	for i = 1, 100000 do n = n + i end
	return n
end
function Busy:Forever() while true do end end
function Busy:Hoard() local t = {} for i = 1, 1e9 do t[i] = { i } end end
local Stuck = class("Stuck", "Actor")
function Stuck:Forever() while true do end end
`

// A call that the machine leaves standing for 30 seconds is not stopped in a browser, which tells no processor time: what ends a
// call there are instructions and allocation, by a clock that stands still, too (W1.5).
func TestStarvedClock(t *testing.T) {
	_, sources := assetstest.Shipped(t)
	sources = append(sources, classfile.Source{Path: "busy", Text: busy, Multi: true})
	var now, jump time.Duration
	looks := 0
	m, err := match.Open(match.Options{
		Sources: sources, URL: "?game=GameInfo", NetMode: engine.NMStandalone, Seed: 1,
		VM: scriptvm.Options{
			Cache: shared.protos, Limits: sandbox.Limits{Elapsed: cputime.Limit()}, Report: func(scriptvm.Report) {},
			Elapsed: func() int64 {
				if looks++; looks == 2 {
					now += jump
				}
				return int64(now)
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	call := func(class, name string, stands time.Duration) (fault string) {
		actor, err := m.World.Spawn(m.World.Classes.Find(class), engine.SpawnParams{})
		if err != nil {
			t.Fatal(err)
		}
		looks, jump = 0, stands
		_, err = m.VM.Call(actor, name)
		if looks < 2 {
			t.Errorf("%s: the clock was looked at %d times", name, looks)
		}
		if err == nil {
			return ""
		}
		return err.Error()
	}
	if fault := call("Busy", "Work", 30*time.Second); (fault == "") != (runtime.GOOS == "js") {
		t.Errorf("on %s, work of a call that stood still for 30 s: %q", runtime.GOOS, fault)
	}
	if fault := call("Busy", "Work", 0); fault != "" {
		t.Errorf("honest work: %s", fault)
	}
	if fault := call("Busy", "Forever", 0); !strings.Contains(fault, "instruction") {
		t.Errorf("a loop without end: %q", fault)
	}
	if fault := call("Busy", "Hoard", 0); !strings.Contains(fault, "alloc") && !strings.Contains(fault, "memory") && !strings.Contains(fault, "instruction") {
		t.Errorf("a table without end: %q", fault)
	}
	if fault := call("Stuck", "Forever", 2*time.Minute); !strings.Contains(fault, "time") {
		t.Errorf("the last resort: %q", fault)
	}
}
