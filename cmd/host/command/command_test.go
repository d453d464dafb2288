package command_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tidelock/tidelock/cmd/host/command"
)

// table notes what runs.
func table(ran *[]string) command.Table {
	run := func(name string) func(string) ([]string, error) {
		return func(args string) ([]string, error) {
			*ran = append(*ran, name+"("+args+")")
			return []string{"done"}, nil
		}
	}
	return command.Table{
		{Name: "help", Args: "[COMMAND]", Help: "List.", Run: run("help")},
		{Name: "reload", Help: "Reload scripts.", Run: run("reload")},
		{Name: "reload level", Help: "Begin the level anew.", Run: run("level")},
		{Name: "say", Args: "TEXT", Help: "Say.", Run: run("say")},
	}
}

func TestDo(t *testing.T) {
	for _, c := range []struct{ line, ran, err string }{
		{"", "", ""},
		{"  \t", "", ""},
		{"reload", "reload()", ""},
		{"  Reload   LEVEL ", "level()", ""},
		{"help", "help()", ""},
		{"help reload", "help(reload)", ""},
		{"say Hello  World", "say(Hello World)", ""},
		{"SAY Ünder", "say(Ünder)", ""},
		{"say", "", "expected say TEXT"},
		{"relaod", "", `unknown command "relaod"; did you mean "reload"?; help lists all`},
		{"relod level", "", `did you mean "reload level"?`},
		{"reload levl", "", `reload: it takes no argument, got "levl"; did you mean "reload level"?`},
		{"reloads", "", `did you mean "reload"?`},
		{"xyzzy", "", `unknown command "xyzzy"; help lists all`},
		{"say \x1b[2J", "", "control characters"},
		{"say \xff", "", "control characters"},
	} {
		var ran []string
		answer, err := table(&ran).Do(c.line)
		if strings.Join(ran, " ") != c.ran || (len(answer) > 0) != (c.ran != "") {
			t.Errorf("%q: ran %v, answered %v", c.line, ran, answer)
		}
		var usage *command.UsageError
		if c.err == "" && err != nil || c.err != "" && (!errors.As(err, &usage) || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: %v, want %q", c.line, err, c.err)
		}
	}
}

func TestHelp(t *testing.T) {
	var ran []string
	for name, want := range map[string]string{
		"":       "help [COMMAND]  List.\nreload          Reload scripts.\nreload level    Begin the level anew.\nsay TEXT        Say.",
		"reload": "reload        Reload scripts.\nreload level  Begin the level anew.",
		"SAY":    "say TEXT  Say.",
	} {
		if got, err := table(&ran).Help(name); err != nil || strings.Join(got, "\n") != want {
			t.Errorf("%q: %v\n%s", name, err, strings.Join(got, "\n"))
		}
	}
	if _, err := table(&ran).Help("sya"); err == nil || !strings.Contains(err.Error(), `did you mean "say"?`) {
		t.Error(err)
	}
}

func TestRead(t *testing.T) {
	long := strings.Repeat("x", 3*command.MaxLine)
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		in   string
		want string
	}{
		"lines":            {"a\r\nb\n\nc\n", "a|b||c"},
		"no end":           {"a\nb", "a|b"},
		"nothing":          {"", ""},
		"long":             {"a\n" + long + "\nb\n", "a|a line of more than 4096 bytes is not a command|b"},
		"long at the end":  {"a\n" + long, "a"},
		"as long as it is": {strings.Repeat("y", command.MaxLine-1) + "\n", strings.Repeat("y", command.MaxLine-1)},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			note := func(line string, err error) error {
				if err != nil {
					line = err.Error()
				}
				got = append(got, line)
				return nil
			}
			if err := command.Read(iotest.OneByteReader(strings.NewReader(c.in)), note); err != nil || strings.Join(got, "|") != c.want {
				t.Errorf("%v, %.200q", err, strings.Join(got, "|"))
			}
		})
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
