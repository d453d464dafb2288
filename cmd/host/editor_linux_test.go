package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// TestCommandsOnATerminal types commands as an operator does: Tab completes, the arrows go back to earlier lines and move the cursor, what
// the host says does not disturb what is being typed, and Ctrl-C leaves the terminal as it was.
func TestCommandsOnATerminal(t *testing.T) {
	t.Parallel()
	term := openTerminal(t, 100, 40)
	was := term.Mode()
	cmd := onTerminal(t, "flat?game=GameInfo", "--mode", "dedicated", "--listen", "127.0.0.1:0", "--web", "off")
	term.Start(cmd)
	term.Await(within, "ready: flat, dedicated")
	shows := func(want string) {
		t.Helper()
		term.Until(within, want+" on the last line", func(e *emulator) bool {
			lines := strings.Split(strings.TrimRight(e.String(), "\n"), "\n")
			return lines[len(lines)-1] == want
		})
	}
	shows(">")
	term.Type("stat a\t")
	shows("> stat accounts")
	term.Type("\x01\x0b") // to the beginning of the line, and the rest away
	term.Type("kic\t9")   // a space comes with the rest of the word
	shows("> kick 9")
	term.Type("\x01\x0b")
	term.Type("say hallo\x1b[D\x1b[D\x1b[D\x7fe") // three to the left, and another letter
	shows("> say hello")
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil { // the host says that it reloads, above the line
		t.Fatal(err)
	}
	term.Await(within, "SIGHUP")
	shows("> say hello")
	term.Type("\r")
	shows(">")
	term.Type("stat \t\t")
	term.Await(within, "stat accounts", "stat net")
	term.Type("\x15\x1b[A\x1b[A") // nothing, and up twice: only one line was given
	shows("> say hello")
	term.Type("\x15status\r")
	term.Await(within, "flat (GameInfo), dedicated")
	long := "say " + strings.Repeat("ab", 30)
	term.Type(long)
	shows("> " + long)
	term.Resize(40, 40)
	term.Until(within, "the line in two rows", func(e *emulator) bool { return strings.Contains(strings.ReplaceAll(e.String(), "\n", ""), "> "+long) })
	term.Type("\x15")
	shows(">")
	term.Type("\x04")
	term.Await(within, "Ctrl-C ends the host")
	term.Type("\x03")
	if code := ends(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	asBefore(t, term, was)
	if !regexp.MustCompile(`command=?.*say hello|line="say hello"`).MatchString(term.Raw()) {
		t.Errorf("the log does not say who gave the command:\n%s", term.Shown())
	}
}

// TestBuildOnATerminal: while the browser's client is built, a bar in the line of the prompt says how far that is, and commands are typed
// after it.
func TestBuildOnATerminal(t *testing.T) {
	t.Parallel()
	term := openTerminal(t, 100, 40)
	was := term.Mode()
	cmd := onTerminal(t, "flat?game=GameInfo", "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0")
	saveFile(t, cmd.Dir, "go.mod", "module github.com/tidelock/tidelock\n")
	saveFile(t, cmd.Dir, "bin/go", "#!/bin/sh\ncase $1 in\nlist) echo a b c d main;;\nbuild) printf 'a\\nb\\n' >&2; exec sleep 600;;\nesac\n")
	if err := os.Chmod(filepath.Join(cmd.Dir, "bin/go"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, "PATH="+filepath.Join(cmd.Dir, "bin")+":"+os.Getenv("PATH"))
	term.Start(cmd)
	bar := regexp.MustCompile(`(?m)^browser client: \[#{5}\.{5}\] compiling, 2 of 4 packages, \d+ s > say hello$`)
	term.Await(within, "compiling, 2 of 4 packages")
	term.Type("say hello")
	term.Until(within, "one bar, and the command", func(e *emulator) bool {
		return bar.MatchString(e.String()) && strings.Count(e.String(), "2 of 4") == 1
	})
	term.Type("\x15\x03")
	if code := ends(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	asBefore(t, term, was)
}

// TestCommandsInTheBackground: Ctrl-Z gives the terminal to the shell as it was, a host in the background goes on and does not touch it, and
// after fg commands are typed again.
func TestCommandsInTheBackground(t *testing.T) {
	t.Parallel()
	term := shellOnTerminal(t, 100, 40)
	was := term.Mode()
	term.Type("host 'flat?game=GameInfo' --mode dedicated --listen 127.0.0.1:0 --web off\r")
	term.Await(within, "ready: flat")
	term.Type("say o")
	term.Await(within, "> say o") // a signal's key throws away what was not read
	term.Type("\x1a")
	term.Await(within, "Stopped")
	asBefore(t, term, was)
	term.Type("bg\r")
	term.Type("kill -HUP %1; echo no$((1 + 1))thing\r")
	term.Await(within, "SIGHUP", "no2thing")
	asBefore(t, term, was)
	term.Type("fg\r")
	term.Until(within, "the line again", func(e *emulator) bool { return strings.Count(e.String(), "> say o") == 2 })
	term.Type("ne\r")
	term.Type("status\r")
	term.Await(within, "flat (GameInfo), dedicated", "say one")
	term.Type("\x03")
	term.Await(within, "stopped")
	term.Until(within, "the shell", func(e *emulator) bool { return strings.HasSuffix(strings.TrimRight(e.String(), "\n"), "READY") })
	asBefore(t, term, was)
	term.Type("exit\r")
}
