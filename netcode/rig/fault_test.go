package rig_test

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/netcode/simlink"
	"github.com/tidelock/tidelock/netcode/wire"
)

// faults takes the lines about script errors from the server's log.
func (o *party) faults() (out []string) {
	for _, l := range o.Lines {
		if strings.Contains(l, "script error") {
			out = append(out, l)
		}
	}
	o.Lines = nil
	return out
}

// TestFaultsOfClients: what fails on clients is one line on the server, with the number of players; nothing that a client
// says is shown as it is but names, and nothing floods the log (G5).
func TestFaultsOfClients(t *testing.T) {
	o := newParty(nil)
	a, b := o.in(t, simlink.Path{}), o.in(t, simlink.Path{})
	f := wire.Fault{Function: "Guest:Tick", File: "scripts/Guest.lua", Line: 12, Text: "no \x1b[31mred\nline"}
	a.ReportFault(&f)
	o.Run(0.3)
	b.ReportFault(&f)
	b.ReportFault(&f)
	o.Run(3)
	want := `warning: script error on the machines of 2 players, reported 3 times: Guest:Tick: scripts/Guest.lua:12: "no \x1b[31mred\nline"`
	if got := o.faults(); len(got) != 1 || got[0] != want {
		t.Errorf("the server says\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	a.ReportFault(&f)
	o.Run(3)
	if got := o.faults(); len(got) != 0 {
		t.Errorf("told twice: %q", got)
	}
	list, dropped := o.Server.ClientFaults()
	if len(list) != 1 || dropped != 0 || list[0].Reports != 4 || list[0].Players != 2 || len(list[0].Names) != 2 || list[0].Function != f.Function || list[0].Line != f.Line || list[0].Last <= list[0].First {
		t.Errorf("listed are %+v, %d dropped", list, dropped)
	}
	// What no honest client says.
	for _, bad := range []wire.Fault{{Function: "Nobody:Tick"}, {Function: "Guest:a b"}, {Function: "Guest:Tick", File: "x\ny"}} {
		a.ReportFault(&bad)
	}
	o.Run(3)
	if got := o.faults(); len(got) != 1 || !strings.Contains(got[0], "warning: 3 reports of script errors on clients dropped: ") {
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
	list, dropped = o.Server.ClientFaults()
	if len(list) > 16 || dropped < 300 {
		t.Errorf("of a flood %d are listed, %d dropped", len(list), dropped)
	}
	for _, x := range list {
		if len(x.Text) > 170 {
			t.Errorf("a text of %d bytes is listed", len(x.Text))
		}
	}
	got := o.faults()
	all := strings.Join(got, "\n")
	if len(got) > 12 || len(all) > 400*len(got) || !strings.Contains(all, "reports of script errors on clients dropped") {
		t.Errorf("a flood is told in %d lines:\n%s", len(got), all)
	}
	if a.Controller() == nil || b.Controller() == nil {
		t.Error("somebody was thrown out")
	}
	// After a reload the same place is told again.
	o.Run(20)
	o.Reload(guest(), blob())
	o.Run(1)
	b.ReportFault(&f)
	o.Run(3)
	if got := o.faults(); len(got) != 1 || !strings.Contains(got[0], "1 player, reported 1 time:") {
		t.Errorf("after a reload the server says %q", got)
	}
}

// TestManyFaultsOfClients: a hundred errors of many players at one place are one line, later ones are told at powers of ten, and
// a client that invents places does not hide what others report (G5).
func TestManyFaultsOfClients(t *testing.T) {
	o := newParty(nil)
	for range 10 {
		o.in(t, simlink.Path{})
	}
	fault := func(n int) *wire.Fault {
		return &wire.Fault{Function: "Guest:Tick", File: "scripts/Guest.lua", Line: n, Text: "broken"}
	}
	report := func(times int, wait float64, want string) {
		t.Helper()
		for range times {
			for _, p := range o.Peers {
				p.ReportFault(fault(12))
			}
			o.Run(wait)
		}
		o.Run(3)
		if got := o.faults(); len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("the server says %q, want one line with %q", got, want)
		}
	}
	report(10, 0, "on the machines of 10 players, reported 100 times: Guest:Tick: scripts/Guest.lua:12: ")
	report(100, 2.1, "reported 10")
	// One that invents errors, past its own client's bound.
	for n := range 300 {
		if _, err := o.Peers[0].Session().Send(wire.AppendFault(nil, fault(1000+n))); err != nil {
			t.Fatal(err)
		}
		o.Run(1.1)
	}
	if got := o.faults(); len(got) > 12 {
		t.Errorf("%d lines of one client that invents errors", len(got))
	}
	o.Peers[1].ReportFault(fault(77))
	o.Run(3)
	if got := o.faults(); len(got) != 1 || !strings.Contains(got[0], "Guest.lua:77") {
		t.Errorf("what an honest client reports is %q", got)
	}
}
