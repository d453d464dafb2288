package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/control"
	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/cmd/host/serve"
)

// consoleFile is where all commands are listed.
const consoleFile = "../../docs/console.md"

// TestConsoleDocument: docs/console.md lists every command as the registry has it; TIDELOCK_UPDATE=1 writes it again.
func TestConsoleDocument(t *testing.T) {
	c := &serveCmd{Tick: 60}
	c.Web = webOff
	s, err := c.steer(&game{}, nil, metrics.NewBoard(time.Now), slog.New(slog.DiscardHandler))
	must(t, err)
	defer s.admin.Close()
	must(t, s.commands.Add(serve.Commands()...))
	file, err := os.ReadFile(consoleFile)
	must(t, err)
	want := commandTable(t, string(file), "commands", s.commands.List())
	g := hostedGame(t, "flat?game=GameInfo")
	want = commandTable(t, want, "game commands", control.GameCommands(control.Options{}, g.Game.Class))
	if os.Getenv("TIDELOCK_UPDATE") != "" {
		must(t, os.WriteFile(consoleFile, []byte(want), 0o644))
	} else if string(file) != want {
		t.Errorf("docs/console.md is not what the registry has; TIDELOCK_UPDATE=1 go test ./cmd/host -run %s writes it", t.Name())
	}
}

// commandTable returns a document with a table of commands between two of its marks.
func commandTable(t *testing.T, doc, name string, list []command.Command) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("\n| command | needs | does |\n|---|---|---|\n")
	for _, c := range list {
		needs := c.Needs.String()
		if c.Needs == access.None {
			needs = "-"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.ReplaceAll(c.Usage(), "|", `\|`), needs, c.Help)
	}
	begin, end := "<!-- "+name+": made from the registry; TIDELOCK_UPDATE=1 go test ./cmd/host -run TestConsoleDocument writes it -->\n", "<!-- end of "+name+" -->"
	head, rest, ok := strings.Cut(doc, begin)
	_, tail, ends := strings.Cut(rest, end)
	if !ok || !ends {
		t.Fatalf("the marks of the table of %s are gone", name)
	}
	return head + begin + b.String() + "\n" + end + tail
}

// TestToken: the admin token is made once, is for its owner alone, and one that others can read or that is too short is refused.
func TestToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	c := &serveCmd{}
	c.AdminToken = file
	first, err := c.token()
	if err != nil || len(first) < 40 {
		t.Fatalf("%q, %v", first, err)
	}
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st, err)
	}
	if again, err := c.token(); again != first || err != nil {
		t.Errorf("then %q, %v", again, err)
	}
	must(t, os.Chmod(file, 0o644))
	if _, err := c.token(); err == nil || !strings.Contains(err.Error(), "others than its owner") {
		t.Error(err)
	}
	c.AdminToken = filepath.Join(t.TempDir(), "nowhere", "token")
	if _, err := c.token(); err == nil {
		t.Error("a folder that is not there")
	}
}

// TestTokenIsReadAgain: what the token's file has when settings are read again is the admin token, a file that is gone is made again, and with
// one that is wrong the old token stays; each is told.
func TestTokenIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	c := &serveCmd{}
	c.AdminToken = file
	var log strings.Builder
	logger := slog.New(slog.NewTextHandler(&log, nil))
	s, err := c.steer(&game{}, nil, metrics.NewBoard(time.Now), logger)
	must(t, err)
	defer s.admin.Close()
	is := func(want string) bool { return !s.admin.SetToken(want) }
	read := func() string {
		t.Helper()
		b, err := os.ReadFile(file)
		must(t, err)
		return strings.TrimSpace(string(b))
	}
	first := read()
	log.Reset()
	if s.reloadToken(c, logger); !is(first) || log.Len() > 0 {
		t.Errorf("unchanged: %s", log.String())
	}
	const typed = "a token that somebody typed"
	for _, x := range []struct{ text, want, says string }{
		{"of_my_own_0123456789", "of_my_own_0123456789", "admin token changed"},
		{"short", "of_my_own_0123456789", "the old one stays: admin token: "},
		{typed, "of_my_own_0123456789", "expected one line"},
	} {
		must(t, os.WriteFile(file, []byte(x.text+"\n"), 0o600))
		log.Reset()
		if s.reloadToken(c, logger); !is(x.want) || !strings.Contains(log.String(), x.says) || strings.Contains(log.String(), x.text) {
			t.Errorf("%q: %s", x.text, log.String())
		}
	}
	must(t, os.Remove(file))
	if s.reloadToken(c, logger); !is(read()) || read() == first {
		t.Error("without the file the token is not the new one")
	}
}

// TestCommandLine: words of a shell arrive as the arguments that they were.
func TestCommandLine(t *testing.T) {
	for want, words := range map[string][]string{
		`say hello you`:         {"say", "hello", "you"},
		`teleport "Ann B" Lift`: {"teleport", "Ann B", "Lift"},
		`eval 1 + 1`:            {"eval", "1 + 1"},
		`say "a b"`:             {`say "a b"`},
	} {
		if got := commandLine(words); got != want {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
}

// TestExecRefuses: a wrong address is a wrong use, and where nobody answers is an error that says so.
func TestExecRefuses(t *testing.T) {
	for at, want := range map[string]int{"localhost:7780": serve.ExitUsage, "ftp://x": serve.ExitUsage, "http://127.0.0.1:9": serve.ExitError} {
		var errs strings.Builder
		if code := run([]string{"exec", "--at", at, "status"}, &system{stdout: io.Discard, stderr: &errs}); code != want || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%s: exit %d, want %d: %s", at, code, want, errs.String())
		}
	}
}
