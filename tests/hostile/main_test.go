//go:build unix

// Package hostile attacks a host: the real program, over real sockets of loopback, with eight honest bots beside the attack
// (docs/security.md). Every attack is a file of its own below attacks/KIND: a script that is dropped in as a mod (.lua), or what
// a hostile client does (.toml). Its head says which rule holds against it and what line must name the one at fault.
//
//	go test ./tests/hostile                          only whether the files are in order: seconds
//	TIDELOCK_CI=1 go test ./tests/hostile            one attack of each kind, as .ci/run does: some minutes
//	go test ./tests/hostile -attacks all -v          all of them, as .ci/long does: more than an hour
//	go test ./tests/hostile -attacks 'time/.*' -v    those whose KIND/NAME match
//
// What must hold of every attack is judged by judge (judge_test.go). Facts are asserted as they are; times are compared with those
// before the attack in the same run.
//
// Guarantees: One place checks what must hold for all of them; times are compared with those before the attack.
package hostile

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/tidelock/tidelock/tests/program"
	"github.com/tidelock/tidelock/tests/tier"
)

var attacksFlag = flag.String("attacks", "", "run the attacks whose KIND/NAME match this regular expression, or all; the default is one of each kind under TIDELOCK_CI, else none")

// built is the host's path, built once for all tests; "" where no attack is to be run.
var built string

// TestMain builds the host where attacks are to be run.
func TestMain(m *testing.M) {
	if text := os.Getenv(childVariable); text != "" {
		if err := obeyOrder(text); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	if !wanted() {
		return m.Run(), nil
	}
	dir, err := os.MkdirTemp("", "hostile")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if built, err = program.Build("../..", dir); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// wanted reports whether any attack is to be run.
func wanted() bool { return *attacksFlag != "" || tier.IsChange() }

// chosen reports whether an attack is to be run.
func chosen(t *testing.T, a *attack) bool {
	t.Helper()
	switch *attacksFlag {
	case "":
		return tier.IsChange() && a.ci
	case "all":
		return true
	}
	re, err := regexp.Compile(`^(?:` + *attacksFlag + `)$`)
	if err != nil {
		t.Fatalf("-attacks: %v; give a regular expression for KIND/NAME, or all", err)
	}
	return re.MatchString(a.String())
}
