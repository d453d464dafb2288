package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// played opens the one scenario of a text.
func played(t *testing.T, text string) *Case {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.lua")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(Options{Root: "../../..", Files: []string{file}})
	if err != nil {
		t.Fatal(err)
	}
	return s.Cases[0]
}

const joins = `scenario("joins", function(t)
	t:scripts [[
		local Box = class("Box")
		Box.properties { N = int(0) }
		Box.defaults { bAlwaysRelevant = true }
		Box.replication { { "N" } }
	]]
	local s = t:server{}
	local a, b = t:client{ name = "a", preset = "internet" }, t:client{ name = "b" }
	local x = s:spawn("Box")
	for i = 1, 60 do x.N = i t:ticks(1) end
	t:within(2, function() return a:copy(x) and b:copy(x) end)
	b:leave()
	b:join()
	t:run(0.5)
	t:ok(b:copy(x))
end)`

// Every sum of R13.1 is one that can be wrong: whichever figure is off, the audit says so.
func TestAuditFindsWhatDoesNotAddUp(t *testing.T) {
	c := played(t, joins)
	for _, w := range []struct {
		what  string
		spoil func(n *network)
		says  string
	}{
		{"nothing", func(*network) {}, ""},
		{"a byte counted that was not sent", func(n *network) { n.metered[0].conn.Traffic.Control.Bytes++ }, "variables, functions and the rest"},
		{"a byte sent that was not counted", func(n *network) { n.metered[1].messages++ }, "variables, functions and the rest"},
		{"a datagram that the link did not carry", func(n *network) { n.metered[0].datagrams++; n.metered[0].messages-- }, "datagrams that the link counts"},
		{"a message that the link did not carry", func(n *network) { n.metered[2].messages++; n.metered[2].conn.Traffic.Files.Bytes++ }, "messages that the link counts"},
		{"a connection forgotten", func(n *network) { n.metered = n.metered[1:] }, "to clients, connections sent"},
		{"a dial forgotten", func(n *network) { w := n.way.(*simWay); w.conns = w.conns[1:] }, "to the server, connections sent"},
		{"bytes that no connection sent", func(n *network) { n.way.(*simWay).net.Up.Bytes++ }, "to the server, connections sent"},
	} {
		st := newStage(c, 1)
		if r := c.script.Run(script.Run{Seed: 1, Stage: st}); len(r.Failures) > 0 {
			t.Fatal(r.Failures)
		}
		if n := len(st.network.metered); n != 3 {
			t.Fatalf("%d connections", n)
		}
		w.spoil(st.network)
		got := strings.Join(st.audit(), "\n")
		if w.says == "" && got != "" || !strings.Contains(got, w.says) {
			t.Errorf("%s: the audit says %q, want %q", w.what, got, w.says)
		}
		st.close()
	}
}

// What the network code reports reaches the peer's log and the run by its severity.
func TestReportsOfTheNetwork(t *testing.T) {
	for _, w := range []struct {
		sev    engine.Severity
		logged int
		says   string
	}{
		{engine.SevError, 1, "a script raised an error that nobody expected: odd (server)"},
		{engine.SevWarning, 1, ""},
		{engine.SevInfo, 0, ""},
	} {
		c := played(t, `scenario("reports", function(t) local s = t:server{} t:run(0.5) log(#s:log()) end)`)
		st := newStage(c, 1)
		r := c.script.Run(script.Run{Seed: 1, Stage: &meddling{stage: st, when: at(0), does: func(s *stage) { s.report(s.server, w.sev, "odd") }}})
		failures := ""
		for _, f := range r.Failures {
			failures += f.Message
		}
		if failures != w.says || len(r.Log) != 1 || r.Log[0] != []string{"0", "1"}[w.logged] {
			t.Errorf("%s: %q, logged %v, want %q and %d", w.sev, failures, r.Log, w.says, w.logged)
		}
		st.close()
	}
}

// A change that no mark tells of is found by the server's validation (R4.7), which is on in every scenario.
func TestValidationIsOn(t *testing.T) {
	c := played(t, joins)
	st := newStage(c, 1)
	defer st.close()
	r := c.script.Run(script.Run{Seed: 1, Stage: &meddling{stage: st, when: at(0.9), does: func(s *stage) { // behind everybody's back
		for _, a := range s.server.World().ActorsOf("GameReplicationInfo") {
			a.Owner = s.server.World().ActorsOf("Box")[0].ID()
		}
	}}})
	if len(r.Failures) == 0 || !strings.Contains(r.Failures[0].Message, "changed without a mark") {
		t.Errorf("%+v", r.Failures)
	}
}

// A sum that is off fails the scenario, though all of its checks hold.
func TestAuditFailsTheScenario(t *testing.T) {
	c := played(t, joins)
	if o := c.RunSeed(1); !o.OK {
		t.Fatal(o.Result.Failures)
	}
	st := newStage(c, 1)
	defer st.close()
	o := c.runOn(st, &meddling{
		stage: st, when: func(s *stage) bool { return s.network != nil && len(s.network.metered) > 0 }, does: func(s *stage) { s.network.metered[0].messages++ },
	})
	if o.OK || len(o.Result.Failures) == 0 || !strings.HasPrefix(o.Result.Failures[0].Message, "R13.1: ") {
		t.Errorf("%+v", o.Result.Failures)
	}
}

// meddling does something before the first step for which when holds.
type meddling struct {
	*stage
	when func(s *stage) bool
	does func(s *stage)
}

func (m *meddling) Step(until float64) (bool, error) {
	if m.when(m.stage) {
		m.when = func(*stage) bool { return false }
		m.does(m.stage)
	}
	return m.stage.Step(until)
}

func at(time float64) func(*stage) bool {
	return func(s *stage) bool { return s.server.World() != nil && s.server.World().Time >= time }
}
