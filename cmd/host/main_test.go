package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	sideBySide()
	awayFromUser()
	testscript.Main(m, map[string]func(){"host": main})
}

// awayFromUser lets no test, nor a program that it starts, find the user's config folder. A test that wants one has its own.
func awayFromUser() {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "host" {
		return
	}
	for _, set := range [][2]string{{"XDG_CONFIG_HOME", os.DevNull}, {"TIDELOCK_GUEST", "true"}} { // the second where config folders are elsewhere
		if err := os.Setenv(set[0], set[1]); err != nil {
			panic(err) // a name is one
		}
	}
}

// sideBySide runs more tests at once than there are processors, unless -parallel says how many: most of them wait for a program
// that runs for some seconds. A program that a test starts is this one, too, under the name host, and has flags of its own.
func sideBySide() {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "host" {
		return
	}
	flag.Parse()
	f := flag.Lookup("test.parallel")
	if f.Value.String() != f.DefValue {
		return
	}
	if err := f.Value.Set(strconv.Itoa(runtime.GOMAXPROCS(0) + 2)); err != nil {
		panic(err) // a number is one
	}
}

// Each file of testdata/script is a story of an operator or a modder, run against the real program.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("TIDELOCK_UPDATE") != "",
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(e *testscript.Env) error {
			e.Setenv("NO_COLOR", "1")
			e.Setenv("TIDELOCK_GUEST", "true") // a story about keys has a folder for them
			return nil
		},
	})
}

// exits is a command of the stories: `exits CODE PROGRAM ARGUMENT…` runs a program, which must end with that code. What it printed is
// there for stdout and stderr, as after exec.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGUMENT…")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("exits: %v", err)
	}
	have := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			ts.Fatalf("exits: %v", err)
		}
		have = ended.ExitCode()
	}
	if have != want {
		ts.Fatalf("%s ended with %d; expected %d\n%s", strings.Join(args[1:], " "), have, want, ts.ReadFile("stderr"))
	}
}
