package rig_test

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/netcode/simlink"
	"github.com/tidelock/tidelock/netcode/wire"
)

// TestFaultsOfClients: what fails on clients is one line on the server, with the number of players; nothing that a client
// says is shown as it is but names, and nothing floods the log (guard.md G5).
func TestFaultsOfClients(t *testing.T) {
	o := newParty(nil)
	a, b := o.in(t, simlink.Path{}), o.in(t, simlink.Path{})
	lines := func() (out []string) {
		for _, l := range o.Lines {
			if strings.Contains(l, "script error") {
				out = append(out, l)
			}
		}
		o.Lines = nil
		return out
	}
	f := wire.Fault{Function: "Guest:Tick", File: "scripts/Guest.lua", Line: 12, Text: "no \x1b[31mred\nline"}
	a.ReportFault(&f)
	o.Run(0.3)
	b.ReportFault(&f)
	b.ReportFault(&f)
	o.Run(3)
	want := `warning: script error on the machines of 2 players: Guest:Tick: scripts/Guest.lua:12: "no \x1b[31mred\nline"`
	if got := lines(); len(got) != 1 || got[0] != want {
		t.Errorf("the server says\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	a.ReportFault(&f)
	o.Run(3)
	if got := lines(); len(got) != 0 {
		t.Errorf("told twice: %q", got)
	}
	// What no honest client says.
	for _, bad := range []wire.Fault{{Function: "Nobody:Tick"}, {Function: "Guest:a b"}, {Function: "Guest:Tick", File: "x\ny"}} {
		a.ReportFault(&bad)
	}
	o.Run(3)
	if got := lines(); len(got) != 0 {
		t.Errorf("it shows %q", got)
	}
	// A flood past the client's own bound.
	for n := range 400 {
		f := wire.Fault{Function: "Guest:Tick", Line: n, Text: strings.Repeat("x", 1000)}
		if _, err := a.Session().Send(wire.AppendFault(nil, &f)); err != nil {
			t.Fatal(err)
		}
		if n%4 == 0 {
			o.Step(1)
		}
	}
	o.Run(5)
	got := lines()
	if len(got) > 24 {
		t.Errorf("%d lines of a flood", len(got))
	}
	for _, l := range got {
		if len(l) > 400 {
			t.Errorf("a line of %d bytes", len(l))
		}
	}
	if all := strings.Join(got, "\n"); !strings.Contains(all, "other reports of clients dropped") {
		t.Errorf("what was dropped is not told: %s", all)
	}
	if a.Controller() == nil || b.Controller() == nil {
		t.Error("somebody was thrown out")
	}
	// After a reload the same place is told anew.
	o.Run(20)
	o.Reload(guest(), blob())
	o.Run(1)
	b.ReportFault(&f)
	o.Run(3)
	if got := lines(); len(got) != 1 || !strings.Contains(got[0], "1 player:") {
		t.Errorf("after a reload the server says %q", got)
	}
}
