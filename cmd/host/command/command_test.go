package command_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
)

var owner = command.Caller{Name: "terminal", Role: access.Owner}

// registry notes what runs.
func registry(t testing.TB, ran *[]string) *command.Registry {
	t.Helper()
	run := func(c *command.Call) ([]string, error) {
		var args []string
		for i := 0; c.Given(i); i++ {
			args = append(args, c.Text(i))
		}
		*ran = append(*ran, strings.Join(args, "|"))
		return []string{"done"}, nil
	}
	people := func([]string) []string { return []string{"Ann", "Bob the \"third\"", "Anton"} }
	var r command.Registry
	err := r.Add(
		command.Command{Name: "help", Params: []command.Param{{Name: "COMMAND", Kind: command.Text, Optional: true}}, Help: "List.", Run: run},
		command.Command{Name: "reload", Needs: access.Admin, Help: "Reload scripts.", Run: run},
		command.Command{Name: "reload level", Needs: access.Admin, Help: "Begin the level anew.", Run: run},
		command.Command{Name: "say", Params: []command.Param{{Name: "TEXT", Kind: command.Text}}, Needs: access.Moderator, Help: "Say.", Run: run},
		command.Command{Name: "kick", Params: []command.Param{{Name: "PLAYER", Values: people}, {Name: "REASON", Kind: command.Text, Optional: true}}, Needs: access.Moderator, Help: "Kick.", Run: run},
		command.Command{Name: "step", Params: []command.Param{{Name: "N", Kind: command.Int, Min: 1, Max: 600, Optional: true}, {Name: "FAST", Kind: command.Switch, Optional: true}}, Needs: access.Admin, Help: "Step.", Run: run},
		command.Command{Name: "quit", Needs: access.Owner, Help: "End.", Run: run},
	)
	if err != nil {
		t.Fatal(err)
	}
	return &r
}

func TestDo(t *testing.T) {
	for _, c := range []struct{ line, ran, err string }{
		{"", "", ""},
		{"  \t", "", ""},
		{"reload", "", ""},
		{"  Reload \t LEVEL ", "", ""},
		{"help reload level", "reload level", ""},
		{"say Hello  World", "Hello  World", ""},
		{"SAY \"Ünder\"", "\"Ünder\"", ""},
		{"kick Ann", "Ann", ""},
		{`kick "Bob the \"third\""  spams  "a lot"`, `Bob the "third"|spams  "a lot"`, ""},
		{`kick "Ann`, "", "the second quotation mark is missing"},
		{`kick "Ann"x`, "", "a space is missing after the quotation mark"},
		{"step 12 on", "12|on", ""},
		{"step", "", ""},
		{"step 0", "", `step: N is "0", not a whole number from 1 to 600; expected step [N] [FAST]`},
		{"step 1.5", "", "not a whole number"},
		{"step 1e300", "", "not a whole number"},
		{"step nan", "", "not a whole number"},
		{"step 1 maybe", "", `FAST is "maybe", not on or off`},
		{"step 1 on again", "", `step: "again" is one argument too many; expected step [N] [FAST]`},
		{"say", "", "expected say TEXT"},
		{"relaod", "", `unknown command "relaod"; did you mean "reload"?; help lists all`},
		{"relod level", "", `did you mean "reload level"?`},
		{"reload levl", "", `reload: it takes no argument, got "levl"; did you mean "reload level"?`},
		{"reloads", "", `did you mean "reload"?`},
		{"xyzzy", "", `unknown command "xyzzy"; help lists all`},
		{"say \x1b[2J", "", "control characters"},
		{"say \xff", "", "control characters"},
		{"say " + strings.Repeat("x", command.MaxLine), "", "a line of more than 4096 bytes"},
	} {
		var ran []string
		answer, err := registry(t, &ran).Do(t.Context(), owner, c.line)
		runs := c.err == "" && strings.TrimSpace(c.line) != ""
		if strings.Join(ran, " ") != c.ran || (len(answer) > 0) != runs {
			t.Errorf("%q: ran %q, answered %v", c.line, ran, answer)
		}
		var usage *command.UsageError
		if c.err == "" && err != nil || c.err != "" && (!errors.As(err, &usage) || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: %v, want %q", c.line, err, c.err)
		}
	}
}

// A command that needs a role is refused to who has a lower one, before its arguments are looked at, and both are logged; those that need
// none are not.
func TestRoles(t *testing.T) {
	for _, c := range []struct {
		line string
		has  access.Role
		ok   bool
	}{
		{"help", access.None, true},
		{"say x", access.None, false},
		{"say x", access.Moderator, true},
		{"say x", access.Owner, true},
		{"reload", access.Moderator, false},
		{"reload", access.Admin, true},
		{"step 0", access.Moderator, false},
		{"quit", access.Admin, false},
		{"quit", access.Owner, true},
	} {
		var ran, logged []string
		r := registry(t, &ran)
		r.Log = func(who command.Caller, line string, err error) {
			logged = append(logged, fmt.Sprintf("%s %q %t", who.Name, line, err == nil))
		}
		_, err := r.Do(t.Context(), command.Caller{Name: "Eve", Role: c.has}, c.line)
		var role *command.RoleError
		if errors.As(err, &role) == c.ok || (len(ran) == 1) != c.ok {
			t.Errorf("%q as %v: %v, ran %q", c.line, c.has, err, ran)
		}
		want := []string{fmt.Sprintf("Eve %q %t", c.line, c.ok)}
		if c.line == "help" {
			want = nil
		}
		if strings.Join(logged, ", ") != strings.Join(want, ", ") {
			t.Errorf("%q as %v: logged %q, want %q", c.line, c.has, logged, want)
		}
	}
	err := (&command.RoleError{Command: "quit", Needs: access.Owner, Has: access.Admin}).Error()
	if err != "quit needs the role owner; yours is admin: ask the host's owner for it" {
		t.Error(err)
	}
}

func TestComplete(t *testing.T) {
	var ran []string
	r := registry(t, &ran)
	for line, want := range map[string]string{
		"":             "help, kick, quit, reload, reload level, say, step",
		"RE":           "reload, reload level",
		"reload":       "reload level",
		"reload ":      "reload level",
		"kick ":        `kick "Bob the \"third\"", kick Ann, kick Anton`,
		"kick an":      "kick Ann, kick Anton",
		"kick Ann":     "", // one might want a longer one, but this is whole
		`kick "Bob t`:  `kick "Bob the \"third\""`,
		"kick Ann x":   "",
		"step 3 ":      "step 3 off, step 3 on",
		"step 3 on x ": "",
		"xyzzy ":       "",
		`kick "Ann"x`:  "",
	} {
		got := strings.Join(r.Complete(owner, line), ", ")
		if line == "kick Ann" {
			want = ""
		}
		if got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
	if got := strings.Join(r.Complete(command.Caller{}, ""), ", "); got != "help" {
		t.Errorf("without a role: %s", got)
	}
	if got := r.Complete(command.Caller{}, "kick "); got != nil {
		t.Errorf("without a role: %s", got)
	}
}

// FuzzLine: whatever is typed is answered or refused, and what is completed can be completed and typed.
func FuzzLine(f *testing.F) {
	for _, s := range []string{"help", `kick "Bob the \"third\"" x`, "step 1 on", "kick \"", "\x00", "reload  level", "say \\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var ran []string
		r := registry(t, &ran)
		_, err := r.Do(context.Background(), owner, line)
		var usage *command.UsageError
		if err != nil && !errors.As(err, &usage) {
			t.Errorf("%q: %v", line, err)
		}
		for _, l := range r.Complete(owner, line) {
			before := len(ran)
			if _, err := r.Do(context.Background(), owner, l); err == nil && len(ran) != before+1 {
				t.Errorf("%q, completed to %q, ran nothing", line, l)
			}
			if !strings.HasPrefix(strings.ToLower(l), strings.ToLower(strings.Fields(line + " help")[0][:1])) && strings.TrimSpace(line) != "" && line[0] != '"' {
				t.Errorf("%q was completed to %q", line, l)
			}
		}
	})
}

// Entries that nobody could type are refused, and so are two of one name; nothing of such a list is added.
func TestAdd(t *testing.T) {
	run := func(*command.Call) ([]string, error) { return nil, nil }
	for want, list := range map[string][]command.Command{
		"there is a command":       {{Name: "a", Run: run}, {Name: "help", Run: run}},
		"in lower case":            {{Name: "A", Run: run}},
		"single spaces":            {{Name: "a  b", Run: run}},
		"and a function":           {{Name: "a"}},
		"name of an argument":      {{Name: "a", Run: run, Params: []command.Param{{Name: "X Y"}}}},
		"must be optional":         {{Name: "a", Run: run, Params: []command.Param{{Name: "X", Optional: true}, {Name: "Y"}}}},
		"must be the last":         {{Name: "a", Run: run, Params: []command.Param{{Name: "X", Kind: command.Text}, {Name: "Y"}}}},
		`there is a command "b"`:   {{Name: "b", Run: run}, {Name: "b", Run: run}},
		"expected a name in lower": {{Name: "", Run: run}},
	} {
		var ran []string
		r := registry(t, &ran)
		n := len(r.List())
		if err := r.Add(list...); err == nil || !strings.Contains(err.Error(), want) || len(r.List()) != n {
			t.Errorf("%s: %v, %d commands", want, err, len(r.List())-n)
		}
	}
	var ran []string
	r := registry(t, &ran)
	if err := r.Replace([]string{"quit", "nothing"}); err != nil {
		t.Error(err)
	}
	if _, err := r.Do(t.Context(), owner, "quit"); err == nil {
		t.Error("a removed command runs")
	}
}

func TestHelp(t *testing.T) {
	var ran []string
	for name, want := range map[string]string{
		"":       "help [COMMAND]          List.\nkick PLAYER [REASON]    Kick.\nquit                    End.\nreload                  Reload scripts.\nreload level            Begin the level anew.\nsay TEXT                Say.\nstep [N] [FAST]         Step.",
		"reload": "reload        Reload scripts.\nreload level  Begin the level anew.",
		"SAY":    "say TEXT  Say.",
	} {
		got, err := registry(t, &ran).Help(owner, name)
		squeezed := strings.Join(strings.Fields(strings.Join(got, "\n")), " ")
		if err != nil || squeezed != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%q: %v\n%s", name, err, strings.Join(got, "\n"))
		}
	}
	if got, err := registry(t, &ran).Help(command.Caller{}, ""); err != nil || len(got) != 1 {
		t.Errorf("without a role: %q, %v", got, err)
	}
	if _, err := registry(t, &ran).Help(owner, "sya"); err == nil || !strings.Contains(err.Error(), `did you mean "say"?`) {
		t.Error(err)
	}
}

func TestRead(t *testing.T) {
	long := strings.Repeat("x", 3*command.MaxLine)
	broken := errors.New("broken")
	for in, want := range map[string]string{ // any order: each on its own
		"a\r\nb\n\nc\n": "a|b||c", "a\nb": "a|b", "": "",
		"a\n" + long + "\nb\n": "a|a line of more than 4096 bytes is not a command|b",
		"a\n" + long:           "a", // long, without an end
		strings.Repeat("y", command.MaxLine-1) + "\n": strings.Repeat("y", command.MaxLine-1),
	} {
		var got []string
		note := func(line string, err error) error {
			if err != nil {
				line = err.Error()
			}
			got = append(got, line)
			return nil
		}
		if err := command.Read(iotest.OneByteReader(strings.NewReader(in)), note); err != nil || strings.Join(got, "|") != want {
			t.Errorf("%.50q: %v, %.200q", in, err, strings.Join(got, "|"))
		}
	}
	if err := command.Read(iotest.ErrReader(broken), func(string, error) error { return nil }); !errors.Is(err, broken) {
		t.Error(err)
	}
	n := 0
	err := command.Read(strings.NewReader("a\nb\nc\n"), func(string, error) error {
		if n++; n == 2 {
			return broken
		}
		return nil
	})
	if n != 2 || !errors.Is(err, broken) {
		t.Error(n, err)
	}
}
