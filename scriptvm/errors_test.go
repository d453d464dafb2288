package scriptvm

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestListOfErrors: errors are listed once for each place and text, with how often and when they happened, the latest first, and
// a flood of different ones takes bounded memory.
func TestListOfErrors(t *testing.T) {
	b := newBench(t, `
local Faulty = class("Faulty", "Actor")
function Faulty:Sometimes() error("broken") end
function Faulty:Once() local x = nil; x.y = 1 end
function Faulty:Say(n) error("number " .. n) end
`)
	a := b.spawn("Faulty")
	call := func(name string) {
		if _, err := b.v.Call(a, name); err == nil {
			t.Fatal("no error")
		}
	}
	b.run(1)
	call("Sometimes")
	b.run(1)
	call("Once")
	b.run(1)
	call("Sometimes")
	kept := slices.DeleteFunc(b.v.Errors(), func(r Report) bool { return r.Kind != ReportError })
	if len(kept) != 2 {
		t.Fatalf("%+v", kept)
	}
	for i, want := range []string{"Faulty:Sometimes scripts:3 broken 2 1 3", "Faulty:Once scripts:4 "} {
		r := &kept[i]
		if got := fmt.Sprintf("%s:%s %s:%d %s %d %.0f %.0f", r.Class, r.Function, r.File, r.Line, r.Message, r.Count, r.First, r.Last); !strings.HasPrefix(got, want) {
			t.Errorf("error %d is %q, want %q", i, got, want)
		}
		if !strings.Contains(r.Actor, "Faulty_0") {
			t.Errorf("its actor is %q", r.Actor)
		}
	}
	for n := range 3 * maxReports {
		b.v.reportError(a, "Faulty", "Say", fmt.Sprint("number ", n))
	}
	if n := len(b.v.Errors()); n != maxReports {
		t.Errorf("%d errors are kept, want %d", n, maxReports)
	}
}
