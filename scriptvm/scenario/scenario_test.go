package scenario_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/scenario"
)

// clock is a stage without peers: time passes, ten ticks a second. What else stages do it does not have.
type clock struct {
	scenario.Stage
	now    float64
	ticks  int
	budget float64
	real   bool
	hear   func(scriptvm.Report)
}

func (c *clock) Transport() string {
	if c.real {
		return "kcp"
	}
	return "sim"
}

func (c *clock) Listen(f func(scriptvm.Report)) { c.hear = f }
func (c *clock) Now() float64                   { return c.now }
func (c *clock) ServerTicks() int               { return c.ticks }

func (c *clock) Server(scenario.ServerOptions) (scenario.Peer, error) {
	return nil, errors.New("Rocket.lua:3:1: error: unknown class")
}

func (c *clock) Step(until float64) (bool, error) {
	next := float64(c.ticks+1) / 10
	if c.budget > 0 && min(next, until) > c.budget {
		return false, errors.New("past the budget")
	}
	if next > until+1e-9 {
		c.now = until
		return false, nil
	}
	c.ticks++
	c.now = next
	return true, nil
}

func load(t *testing.T, text string) *scenario.File {
	t.Helper()
	f, err := scenario.Load("f.lua", text, scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// runOne runs the only scenario of a body.
func runOne(t *testing.T, body string) scenario.Result {
	t.Helper()
	f := load(t, "scenario('s', function(t) "+body+"\nend)")
	return f.Scenarios[0].Run(scenario.Run{Seed: 7, Stage: &clock{budget: 100}})
}

func summary(r scenario.Result) string {
	var out []string
	for _, f := range r.Failures {
		s := f.Message
		if f.Compared {
			s += fmt.Sprintf(" (expected %s, got %s)", f.Expected, f.Actual)
		}
		if f.File != "" {
			s = fmt.Sprintf("%s:%d: %s", f.File, f.Line, s)
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestChecks(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`t:eq(1, 1) t:eq("a", "a") t:eq(nil, nil) t:eq({1, {x = 2}}, {1, {x = 2}})`, ""},
		{`t:eq(vector(1,2,3), vector(1,2,3)) t:eq({vector(1,2,3)}, {vector(1,2,3)}) t:eq(rotator(1,2,3), rotator(1,2,3))`, ""},
		{`t:eq(1, 2)`, "f.lua:1: check failed (expected 2, got 1)"},
		{`t:eq(1, "1")`, `f.lua:1: check failed (expected "1", got 1)`},
		{`t:eq({1}, {1, 2}, "lists")`, "f.lua:1: lists (expected {1, 2}, got {1})"},
		{`t:eq({a = 1, b = 2}, {a = 1})`, "f.lua:1: check failed (expected {a = 1}, got {a = 1, b = 2})"},
		{`t:eq(vector(1,2,3), vector(1,2,4))`, "f.lua:1: check failed (expected vector(1, 2, 4), got vector(1, 2, 3))"},
		{`t:ne(1, 2) t:ne({}, {1})`, ""},
		{`t:ne(1, 1)`, "f.lua:1: check failed (expected anything but 1, got 1)"},
		{`t:near(1, 1.05, 0.1) t:near(vector(0,3,4), vector(), 5) t:near(rotator(0, 65535, 0), rotator(0, 1, 0), 2)`, ""},
		{`t:near(1, 2, 0.5)`, "f.lua:1: check failed (expected 2 within 0.5, got 1, which is 1 off)"},
		{`t:near(vector(0,3,4), vector(), 4.9)`, "f.lua:1: check failed (expected vector(0, 0, 0) within 4.9, got vector(0, 3, 4), which is 5 off)"},
		{`t:near(1, vector(), 1)`, "f.lua:1: t:near: expected two numbers, vectors or rotators, got 1 and vector(0, 0, 0)"},
		{`t:near(0/0, 1, 1)`, "f.lua:1: check failed (expected 1 within 1, got NaN, which is NaN off)"},
		{`t:ok(true) t:ok(0) t:no(nil) t:no(false)`, ""},
		{`t:ok(nil)`, "f.lua:1: check failed (expected true, got nil)"},
		{`t:no(0)`, "f.lua:1: check failed (expected false or nil, got 0)"},
		{`t:lt(1, 2) t:le(2, 2) t:gt("b", "a") t:ge(2, 2)`, ""},
		{`t:lt(2, 2)`, "f.lua:1: check failed (expected less than 2, got 2)"},
		{`t:gt(2, 2)`, "f.lua:1: check failed (expected more than 2, got 2)"},
		{`t:le(3, 2)`, "f.lua:1: check failed (expected at most 2, got 3)"},
		{`t:ge(1, 2)`, "f.lua:1: check failed (expected at least 2, got 1)"},
		{`t:lt(1, "2")`, `f.lua:1: t:lt: expected two numbers or two strings, got 1 and "2"`},
		{`t:match("hello 42", "%d+")`, ""},
		{`t:match("hello", "%d+")`, `f.lua:1: check failed (expected a text that matches "%d+", got "hello")`},
		{`t:match(nil, "x")`, `f.lua:1: check failed (expected a text that matches "x", got nil)`},
		{`t:match("x", "[")`, "f.lua:1: malformed pattern (missing ']')"},
		{`local m = t:error(function() error("boom") end, "boom$") t:eq(m, "f.lua:1: boom")`, ""},
		{`t:error(function() end, "boom")`, `f.lua:1: check failed (expected an error that matches "boom", got no error)`},
		{`t:error(function() error("bang") end, "boom")`, `f.lua:1: check failed (expected an error that matches "boom", got "f.lua:1: bang")`},
		{`t:error(function() t:eq(1, 2) end)`, "f.lua:1: check failed (expected 2, got 1)"},
		{`pcall(function() t:eq(1, 2) end)`, "f.lua:1: check failed (expected 2, got 1)"},
		{`error("boom")`, "f.lua:1: boom"},
		{`error({})`, "f.lua:1: error value table: 1"},
		{`local x = nil; x.y = 1`, "f.lua:1: attempt to index a non-table object(nil) with key 'y'"},
		{`t:eqq(1, 1)`, `f.lua:1: t has no member eqq; did you mean "eq"?`},
		{`t.eq(1, 1)`, "f.lua:1: t:eq: expected t before the method; write a colon: t:eq(…)"},
		{`t:run(0.35) t:ticks(0)`, "f.lua:1: t:ticks comes after t:server"},
		{`t:run(101)`, "f.lua:1: past the budget"},
		{`pcall(t.run, t, 101)`, "past the budget"},
		{`pcall(function() t:run(101) end)`, "f.lua:1: past the budget"},
		{`t:run(-1)`, "f.lua:1: t:run: expected seconds, got -1"},
		{`t:run(1/0)`, "f.lua:1: t:run: expected seconds, got +Inf"},
		{`local n = 0 t:eq(t:within(1, function() n = n + 1 return n == 5 and "yes" end), "yes")`, ""},
		{`t:within(1, function() return false end)`, "f.lua:1: check failed (expected true within 1 s, got false all the time)"},
		{`local n = 0 t:always(1, function() n = n + 1 return true end) t:eq(n, 11)`, ""},
		{`local n = 0 t:always(1, function() n = n + 1 return n < 5 end)`, "f.lua:1: check failed (expected true for 1 s, got false after 0.4 s)"},
		{`t:eq(t:seed(), 7)`, ""},
		{`t:eq(t:transport(), "sim")`, ""},
		{`t:expect_error("boom")`, `f.lua:1: no script raised the error that was expected: "boom"`},
		{`t:expect_error("[")`, "f.lua:1: malformed pattern (missing ']')"},
		{`t:error(function() t:server{} end, "unknown class")`, ""},
		{`t:server{}`, "f.lua:1: Rocket.lua:3:1: error: unknown class"},
		{`t:server{ tick = 60, net = 25 }`, "f.lua:1: t:server: net = 25 does not divide tick = 60"},
		{`t:server{ levl = "flat" }`, `f.lua:1: t:server: unknown option levl; did you mean "level"?; it takes config, game, level, mode, net, options, tick`},
		{`t:server{ mode = "dedcated" }`, `f.lua:1: t:server: mode: expected one of dedicated, listen, standalone, got "dedcated"; did you mean "dedicated"?`},
		{`t:client{}`, "f.lua:1: t:client comes after t:server"},
		{`scenario("x", function() end)`, "f.lua:1: scenario(…) stands at the top level of a file or in a for_each, not inside a scenario"},
		{`t:eq(ROLE_Authority, 3) t:eq(PHYS_Walking, 1) t:eq(NM_Client, 3) t:eq(DORM_Awake, 1) t:eq(COND_OwnerOnly, 2)`, ""},
		{`t:eq((vector(1,2,3) * 2 + vector(1,0,0)):Dot(vector(1,1,1)), 13) t:eq(vector(3,4,0):Size(), 5)`, ""},
		{`t:eq(tostring(vector(1,2,3)), "vector(1, 2, 3)")`, ""},
	} {
		if got := summary(runOne(t, c.body)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.body, got, c.want)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`scenario("a"`, "f.lua:1:13: unexpected end of file"},
		{`scenario("a")`, `f.lua:1: scenario "a": expected a function, got a nil`},
		{`scenario(function() end)`, "f.lua:1: scenario: expected a name and a function"},
		{`scenario("a", { budget = "x" }, function() end)`, "f.lua:1: scenario: budget: expected a number"},
		{`scenario("a", { transport = "tcp" }, function() end)`, `f.lua:1: scenario: transport: expected one of sim, kcp, got "tcp"`},
		{`scenario("a", { bugdet = 1 }, function() end)`, `f.lua:1: scenario: unknown option bugdet; did you mean "budget"?`},
		{`io.open("x")`, "f.lua:1:1: unknown name 'io'"},
		{`x = 1`, "f.lua:1:1: assignment to global 'x'"},
		{`while true do end`, "f.lua:1: "},
	} {
		_, err := scenario.Load("f.lua", c.text, scenario.Options{Limits: scenario.Limits{Instructions: 1_000_000}})
		var le *scenario.LoadError
		if !errors.As(err, &le) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestScenariosAreFoundInOrder(t *testing.T) {
	f := load(t, `
scenario("first", function(t) end)
for_each({ { name = "b", n = 1 }, { name = "a", n = 2 } }, function(case, i)
	scenario("each " .. case.name .. i, { budget = 5, seeds = 3, transport = "sim" }, function(t) t:eq(case.n, i) end)
end)
for_each({ z = 1, y = 2 }, function(case, key) scenario("key " .. key, function(t) end) end)
`)
	var names []string
	for _, s := range f.Scenarios {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, ","); got != "first,each b1,each a2,key z,key y" {
		t.Errorf("got %s", got)
	}
	if s := f.Scenarios[1]; s.Budget != 5 || s.Seeds != 3 || s.Transport != "sim" || s.Line != 4 {
		t.Errorf("%+v", s)
	}
	if s := f.Scenarios[0]; s.Budget != scenario.DefaultBudget || s.Seeds != 1 || s.Line != 2 {
		t.Errorf("%+v", s)
	}
	for _, s := range f.Scenarios {
		if r := s.Run(scenario.Run{Seed: 1, Stage: &clock{}}); len(r.Failures) > 0 {
			t.Errorf("%s: %s", s.Name, summary(r))
		}
	}
}

func TestChanceFollowsTheSeed(t *testing.T) {
	f := load(t, `scenario("a", function(t) log(math.random(), math.random(1000)) end)`)
	log := func(seed uint64) string {
		return strings.Join(f.Scenarios[0].Run(scenario.Run{Seed: seed, Stage: &clock{}}).Log, "\n")
	}
	first, again, other := log(1), log(1), log(2)
	if first != again || first == other || first == "" {
		t.Errorf("%q %q %q", first, again, other)
	}
}

func TestAnEndlessLoopEnds(t *testing.T) {
	for _, body := range []string{
		`while true do end`, `while true do pcall(function() while true do end end) end`,
		`t:error(function() while true do end end)`, `t:within(1, function() while true do end end)`,
	} {
		f, err := scenario.Load("f.lua", "scenario('s', function(t) "+body+"\nend)", scenario.Options{Limits: scenario.Limits{Instructions: 1_000_000}})
		if err != nil {
			t.Fatal(err)
		}
		r := f.Scenarios[0].Run(scenario.Run{Seed: 1, Stage: &clock{}})
		if !strings.Contains(summary(r), "the scenario's own Lua ran more than 1000000 instructions") {
			t.Errorf("%s: %s", body, summary(r))
		}
	}
	// By the wall clock, which here goes on by itself.
	now := int64(0)
	f, err := scenario.Load("f.lua", "scenario('s', function(t) while true do end end)",
		scenario.Options{Limits: scenario.Limits{Elapsed: func() int64 { now += 1000; return now }, Wall: 100_000}})
	if err != nil {
		t.Fatal(err)
	}
	if r := f.Scenarios[0].Run(scenario.Run{Seed: 1, Stage: &clock{}}); !strings.Contains(summary(r), "longer than the host waits") {
		t.Error(summary(r))
	}
}

func TestReportsAndExpectations(t *testing.T) {
	report := func(c *clock, kind scriptvm.ReportKind, text string) {
		c.hear(scriptvm.Report{Kind: kind, Text: text, Count: 1})
	}
	for _, c := range []struct {
		name, body string
		reports    []string
		want       string
	}{
		{"unexpected", "", []string{"A:Tick: boom"}, "a script raised an error that nobody expected: A:Tick: boom"},
		{"repeats count once", "", []string{"A:Tick: boom", "A:Tick: boom"}, "a script raised an error that nobody expected: A:Tick: boom"},
		{"met", `t:expect_error("boom")`, []string{"A:Tick: boom", "A:Tick: boom"}, ""},
		{"met once", `t:expect_error("boom")`, []string{"A:Tick: boom", "B:Tick: boom"}, "a script raised an error that nobody expected: B:Tick: boom"},
		{"one each", `t:expect_error("boom") t:expect_error("boom")`, []string{"A:Tick: boom", "B:Tick: boom"}, ""},
		{"two for one", `t:expect_error("boom") t:expect_error("boom")`, []string{"A:Tick: boom", "A:Tick: boom"}, `f.lua:1: no script raised the error that was expected: "boom"`},
		{"warnings are none", "", []string{"!refused"}, ""},
	} {
		f := load(t, "scenario('s', function(t) "+c.body+"\nt:run(1) end)")
		st := &reporting{clock: &clock{}}
		for _, text := range c.reports {
			kind := scriptvm.ReportError
			if strings.HasPrefix(text, "!") {
				kind = scriptvm.ReportWarning
			}
			st.then = append(st.then, func() { report(st.clock, kind, text) })
		}
		if got := summary(f.Scenarios[0].Run(scenario.Run{Seed: 1, Stage: st})); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// reporting has something to report at each of its first ticks.
type reporting struct {
	*clock
	then []func()
}

func (r *reporting) Step(until float64) (bool, error) {
	if len(r.then) > 0 {
		f := r.then[0]
		r.then = r.then[1:]
		f()
	}
	return r.clock.Step(until)
}

// In real time a machine may be busy: what is to happen within a second has the grace to happen later, not forever; on the
// virtual clock it has none.
func TestWithinInRealTime(t *testing.T) {
	late := `local n = 0 t:within(1, function() n = n + 1 return n > 50 end)`
	never := `t:within(1, function() return false end)`
	for _, c := range []struct {
		real bool
		body string
		want string
	}{
		{false, late, "f.lua:1: check failed (expected true within 1 s, got false all the time)"},
		{true, late, ""},
		{true, never, "f.lua:1: check failed (expected true within 9 s, got false all the time)"},
		{true, `t:eq(t:transport(), "kcp")`, ""},
	} {
		f := load(t, "scenario('s', function(t) "+c.body+"\nend)")
		if got := summary(f.Scenarios[0].Run(scenario.Run{Seed: 7, Stage: &clock{budget: 100, real: c.real}})); got != c.want {
			t.Errorf("real %v: %s\ngot  %s\nwant %s", c.real, c.body, got, c.want)
		}
	}
}

// Files share what they require from the folder shared beside them.
func TestSharedModules(t *testing.T) {
	modules := map[string]string{
		"d/shared/list.lua":  `local runs = {} return { add = function() runs[#runs + 1] = true return #runs end, list = runs }`,
		"d/shared/use.lua":   "local list = require('shared.list') list.add() return { wrong = function(t)\n t:ok(false) end }",
		"d/shared/a.lua":     `require("shared.b")`,
		"d/shared/b.lua":     `require("shared.a")`,
		"d/shared/wrong.lua": "\nerror('broken')",
		"d/shared/two.lua":   "return function(fn)\n scenario('two', fn) end",
	}
	load := func(text string) (*scenario.File, error) {
		return scenario.Load("d/f.lua", text, scenario.Options{Read: func(path string) (string, error) {
			if text, ok := modules[path]; ok {
				return text, nil
			}
			return "", errors.New("no such file")
		}})
	}
	const top = `local list, use = require("shared.list"), require("shared.use") `
	for body, want := range map[string]string{
		`t:eq(list.add(), 2)`:              "", // it ran once, for both, and again for this run
		`list.add = 1`:                     "module shared.list is read-only",
		"\n\nuse.wrong(t)":                 "d/shared/use.lua:2 [d/shared/use.lua:2 d/f.lua:3]",
		`require("shared.two")`:            "stands at the top level",
		`t:eq(require("shared.use"), use)`: "",
	} {
		f, err := load(top + "scenario('s', function(t) " + body + "\nend)")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			r := f.Scenarios[0].Run(scenario.Run{Seed: 1, Stage: &clock{}})
			got := ""
			for _, f := range r.Failures {
				got += fmt.Sprintf("%s %s:%d %v", f.Message, f.File, f.Line, f.Stack)
			}
			if want == "" && got != "" || !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %q", body, got, want)
			}
		}
	}
	for name, want := range map[string]string{
		"shared.none": "d/f.lua:1: module 'shared.none' not found: no such file", "lib.x": "as \"shared.NAME\"", "shared/x": "not found",
		"shared.a": "requires itself", "shared.wrong": "d/shared/wrong.lua:2: broken",
	} {
		if _, err := load(`require("` + name + `")`); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	f, err := load("local two = require('shared.two')\n\ntwo(function() end)")
	if err != nil || f.Scenarios[0].Line != 3 {
		t.Errorf("%v %v", err, f)
	}
}
