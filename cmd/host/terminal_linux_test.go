package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// within bounds what happens at once where the machine is idle.
const within = time.Minute

// onTerminal is the host as a person starts it: this test binary, which TestMain makes a host by its name.
func onTerminal(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe, args...)
	cmd.Args[0] = "host"
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=", "XDG_CACHE_HOME="+cmd.Dir, "XDG_CONFIG_HOME="+cmd.Dir, "TIDELOCK_GUEST=false", "TIDELOCK_CACHE="+filepath.Join(cmd.Dir, "cache"))
	return cmd
}

// shellOnTerminal is a terminal of some size with a shell on it that shows READY where it waits for a line, and knows the host as "host". The
// test is skipped where there is no shell with job control.
func shellOnTerminal(t *testing.T, width, height int) *fakeTerminal {
	t.Helper()
	sh, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no shell with job control here")
	}
	host := onTerminal(t)
	bin := t.TempDir()
	must(t, os.Symlink(host.Path, filepath.Join(bin, "host")))
	term := openTerminal(t, width, height)
	cmd := exec.Command(sh, "--norc", "--noediting", "-i")
	cmd.Dir, cmd.Env = host.Dir, append(host.Env, "PS1=READY ", "PATH="+bin+":"+os.Getenv("PATH"))
	term.Start(cmd)
	term.Await(within, "READY")
	return term
}

// running is a host without a terminal, and its address.
func running(t *testing.T, args ...string) string {
	t.Helper()
	return startProgram(t, t.TempDir(), append([]string{"--listen", "127.0.0.1:0"}, args...)...).await(`players on UDP ([^,]+),`)[1]
}

// ends waits for the end of a program and gives its exit code.
func ends(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }() // ends with the program
	select {
	case <-done:
	case <-time.After(within):
		t.Fatal("it does not end")
	}
	return cmd.ProcessState.ExitCode()
}

// asBefore fails where a terminal is not as it was.
func asBefore(t *testing.T, term *fakeTerminal, was unix.Termios) {
	t.Helper()
	term.Until(within, "the terminal as it was", func(e *emulator) bool { return e.second == 0 && e.cursor && e.wrap })
	if now := term.Mode(); now != was {
		t.Errorf("mode %+v, it was %+v", now, was)
	}
}

// TestJoinOnATerminal plays through a terminal as a person does, and looks at what the terminal shows.
func TestJoinOnATerminal(t *testing.T) {
	t.Parallel()
	addr := running(t, "flat?game=DeathMatch?bots=1")
	term := openTerminal(t, 100, 30)
	was := term.Mode()
	cmd := onTerminal(t, "join", addr, "--name", "Ann")
	term.Start(cmd)
	term.Await(within, "flat (DeathMatch), in progress", "[health] 100", "Ann (you)", "A player", "Ctrl-C leaves", "joined: "+addr)
	term.Type("h")
	term.Await(within, "a move is latched", "H hides the keys")
	term.Type("hw")
	term.Await(within, "forward")
	// Lua in the player's own copy of the match: a line that faults changes nothing, and the next one is as good.
	term.Type(":eval world.NetMode == NM_Client, 20 + 1\r")
	term.Await(within, "true, 21")
	term.Type(":eval error('not ' .. 'so')\r")
	term.Await(within, "not so")
	term.Type(":kick Ann\r")
	term.Await(within, "only players with a role may give this command")
	term.Resize(60, 20)
	term.Until(within, "lines of the new width", func(e *emulator) bool {
		return strings.Contains(e.String(), "Ann (you)") && !strings.Contains(e.String(), "zooms the chart")
	})
	must(t, cmd.Process.Signal(syscall.SIGINT))
	if code := ends(t, cmd); code != 0 {
		t.Errorf("exit %d", code)
	}
	asBefore(t, term, was)
	term.Await(within, "left: "+addr+" after")
}

// TestTerminalAfterTheEnd: however a program ends that took the terminal, the terminal is as it was. SIGHUP ends no host.
func TestTerminalAfterTheEnd(t *testing.T) {
	t.Parallel()
	join := slices.Clip([]string{"join", running(t, "flat?game=DeathMatch")})
	host := []string{"flat?game=GameInfo", "--mode", "dedicated", "--listen", "127.0.0.1:0", "--web", "off"}
	for _, c := range []struct {
		name  string
		args  []string
		shows string
		keys  string // "" for SIGTERM
		exit  int
		says  string
	}{
		{"Ctrl-C", join, "(you)", "\x03", 0, "left: "},
		{"Ctrl-D", join, "(you)", "\x04", 0, "left: "},
		{"Ctrl-C of a list", append(join, "--follow", "Pawn"), "joined: ", "\x03", 0, "left: "},
		{"SIGTERM", join, "(you)", "", 0, "left: "},
		{"SIGQUIT", join, "(you)", "\x1c", 2, "rflags"},
		{"SIGQUIT of a host", host, "\n>", "\x1c", 2, "rflags"},
		{"Ctrl-D of a host with a player", []string{"--mode", "standalone", "flat"}, "health ", "\x04", 0, " INF stopped "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			term := openTerminal(t, 80, 24)
			was := term.Mode()
			cmd := onTerminal(t, c.args...)
			term.Start(cmd)
			term.Until(within, c.shows, func(e *emulator) bool { // it may have scrolled away
				return strings.Contains(e.String(), c.shows) || strings.Contains(term.raw.String(), c.shows)
			})
			if term.Mode() == was {
				t.Error("keys wait for the end of a line")
			}
			if strings.Contains(c.name, "player") {
				must(t, cmd.Process.Signal(syscall.SIGHUP))
				term.Type("l")
				term.Await(within, "SIGHUP")
			}
			if term.Type(c.keys); c.keys == "" {
				must(t, cmd.Process.Signal(syscall.SIGTERM))
			}
			if code := ends(t, cmd); code != c.exit {
				t.Errorf("exit %d", code)
			}
			asBefore(t, term, was)
			term.Await(within, c.says)
			if strings.Contains(strings.ReplaceAll(term.Raw(), "\r\n", ""), "\n") {
				t.Errorf("a line ends without going back to the left: %q", term.Raw())
			}
		})
	}
}

// TestSuspension: Ctrl-Z gives the terminal to the shell as it was, and fg brings the view back.
func TestSuspension(t *testing.T) {
	t.Parallel()
	term := shellOnTerminal(t, 80, 24)
	addr := running(t, "flat")
	was := term.Mode()
	term.Type(fmt.Sprintf("host join %s\r", addr))
	term.Await(within, "health ", "(you)")
	term.Type("\x1a")
	term.Until(within, "the shell", func(e *emulator) bool { return e.second == 0 && strings.Contains(e.String(), "Stopped") })
	asBefore(t, term, was)
	term.Type("fg\r")
	term.Until(within, "the view again", func(e *emulator) bool { return e.second == 1 && strings.Contains(e.String(), "health ") })
	if m := term.Mode(); m.Lflag&unix.ICANON != 0 {
		t.Error("keys wait for the end of a line after fg")
	}
	term.Type("\x03")
	term.Until(within, "the shell", func(e *emulator) bool { return e.second == 0 && strings.Contains(e.String(), "left: ") })
	asBefore(t, term, was)
	term.Type("exit\r")
}

// TestPlainTerminals: one that cannot be drawn on gets lines, and one without colors none.
func TestPlainTerminals(t *testing.T) {
	t.Parallel()
	addr := running(t, "flat?game=DeathMatch?bots=1")
	for _, c := range []struct {
		name, set    string
		view, colour bool
	}{
		{"dumb", "TERM=dumb", false, false},
		{"NO_COLOR", "NO_COLOR=1", true, false},
		{"colour", "TERM=xterm-256color", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			term := openTerminal(t, 100, 30)
			cmd := onTerminal(t, "join", addr, "--run-for", "1s")
			cmd.Env = append(cmd.Env, c.set)
			term.Start(cmd)
			if code := ends(t, cmd); code != 0 {
				t.Errorf("exit %d", code)
			}
			term.Await(within, "left: ")
			raw := term.Raw()
			if got := strings.Contains(raw, "\x1b[?1049h"); got != c.view {
				t.Errorf("a view: %v\n%q", got, raw)
			}
			if got := regexp.MustCompile(`\x1b\[[1-9][0-9;]*m`).MatchString(raw); got != c.colour {
				t.Errorf("colors: %v", got)
			}
			if !c.view && !strings.Contains(raw, "playing ") {
				t.Errorf("no lines: %q", raw)
			}
		})
	}
}

// TestOwnPlayerOnATerminal: the player of a host plays on its terminal, with a network and without, and others join.
func TestOwnPlayerOnATerminal(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"listen", "standalone"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			term := openTerminal(t, 100, 30)
			was := term.Mode()
			cmd := onTerminal(t, "--mode", mode, "--listen", "127.0.0.1:0", "--name", "Ann", "flat?game=DeathMatch?bots=1")
			term.Start(cmd)
			term.Await(within, "flat (DeathMatch), in progress", "[health] 100", "Ann (you)", "A player", "Ctrl-C ends the match", "this machine")
			term.Type("w")
			term.Await(within, "forward")
			term.Type("b")
			term.Await(within, "the brain plays")
			term.Type(":say hel")
			term.Await(within, ": say hel_")
			term.Type("lo\r")
			term.Await(within, "hello")
			term.Type(":reload lev\r")
			term.Await(within, `did you mean "reload level"?`)
			term.Type(":reload level\r")
			term.Await(within, "flat (DeathMatch), ", "Ann (you)")
			term.Type("l")
			term.Await(within, "> reload level", "INF DeathMatch on flat")
			term.Type("l")
			if mode == "listen" {
				addr := regexp.MustCompile(`players on UDP (\S+)`).FindStringSubmatch(term.Shown())
				if addr == nil {
					t.Fatalf("no address in\n%s", term.Shown())
				}
				other := onTerminal(t, "join", addr[1], "--name", "Bob", "--run-for", "3s")
				if out, err := other.CombinedOutput(); err != nil || !strings.Contains(string(out), "joined: ") {
					t.Errorf("%v: %s", err, out)
				}
				term.Type("l")
				term.Await(within, "(\"Bob\", 127.0.0.1:", "left: the player left")
			}
			term.Type("\x03")
			if code := ends(t, cmd); code != 0 {
				t.Errorf("exit %d", code)
			}
			asBefore(t, term, was)
			term.Await(within, " INF stopped ")
		})
	}
}

// TestNoView: who wants no view, or plays nobody, has the log on the terminal as before.
func TestNoView(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--mode", "standalone", "--no-view"}, {"--listen", "127.0.0.1:0"}} {
		term := openTerminal(t, 100, 30)
		cmd := onTerminal(t, append(args, "--run-for", "200ms", "flat")...)
		term.Start(cmd)
		if code := ends(t, cmd); code != 0 {
			t.Errorf("%v: exit %d", args, code)
		}
		term.Await(within, "playing  flat", "ready: flat, ", "INF stopped ")
		if strings.Contains(term.Raw(), "\x1b[?1049h") {
			t.Errorf("%v: a view", args)
		}
	}
}
