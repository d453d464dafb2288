package serve_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/serve"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

var update = flag.Bool("update", false, "write the golden files")

// costly is a world of many functions and classes.
func costly() match.Accounts {
	hats := classfile.Trust{Layer: classfile.LayerMod, Mod: "hats"}
	a := match.Accounts{Level: "arena", Time: 123.4, Tick: 1.0 / 60, Seconds: 0.0063, Actors: 4321, Heap: 87_600_000}
	for i := range 50 {
		a.Functions = append(a.Functions, scriptvm.Cost{Class: fmt.Sprint("Class", i), Function: "Tick", Units: int64(5000 - i), Milliseconds: 1 / float64(i+1)})
		a.Classes = append(a.Classes, match.ClassAccount{Class: fmt.Sprint("Class", i), Actors: i, Seconds: 0.001 / float64(i+1), Bytes: uint64(100 * i), Every: 1})
		a.Quarantined = append(a.Quarantined, fmt.Sprintf("Class%d:Tick", i))
	}
	a.Functions[0].Trust, a.Functions[1].Trust = hats, classfile.Trust{Layer: classfile.LayerCore}
	for i := range 25 {
		a.Classes[25+i].Trust, a.Classes[25+i].Mod = classfile.Trust{Layer: classfile.LayerMod, Mod: fmt.Sprint("mod", i)}, fmt.Sprint("mod", i)
	}
	a.Functions[2].Function = "Wounded.Tick" + strings.Repeat("é", 100)
	a.Classes[0].Trust, a.Classes[0].Mod, a.Classes[0].Every, a.Classes[0].Memory = hats, "hats", 7, 65536
	return a
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	file = "testdata/" + file
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s (run with -update to write it):\ngot\n%s\nwant\n%s", file, got, want)
	}
}

// TestAccounts: the command shows the twenty most expensive functions and classes and the sum of the others, however many there are, in
// lines of bounded length.
func TestAccounts(t *testing.T) {
	f := &fake{costs: costly()}
	out, _ := typed(t, f, nil, "stat accounts")
	_, out, _ = strings.Cut(out, "\n") // the ready line
	golden(t, "accounts.txt", out)
	f.costs = match.Accounts{}
	out, _ = typed(t, f, nil, "stat accounts")
	_, out, _ = strings.Cut(out, "\n")
	golden(t, "accounts_empty.txt", out)
}

// TestAsks: the signal prints the same, and is no reason to end; one that comes while the host ends does not hurry it.
func TestAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o, l buffer
		f := &fake{costs: costly()}
		opt := options(t, f, &o, &l)
		asks := make(chan os.Signal, 1)
		opt.RunFor, opt.Asks = 10*time.Second, asks
		go func() { // ends by itself
			for range 3 {
				time.Sleep(2 * time.Second)
				asks <- syscall.SIGTERM // any: what it is is not looked at
			}
		}()
		f.onClose = func() { asks <- syscall.SIGTERM }
		if code := serve.Run(t.Context(), opt); code != serve.ExitOK || f.steps < 10*59 {
			t.Errorf("exit %d after %d ticks", code, f.steps)
		}
		want, err := os.ReadFile("testdata/accounts.txt")
		if err != nil || strings.Count(o.String(), string(want)) != 3 {
			t.Errorf("printed\n%s\nwant three times what the command shows (%v)", o.String(), err)
		}
	})
}
