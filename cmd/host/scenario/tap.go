package scenario

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine"
)

// tap writes results as TAP 13, each as soon as it is available; the plan comes last, followed by the summary.
type tap struct {
	out            io.Writer
	verbose        bool
	n              int
	passed, failed int
}

func newTAP(out io.Writer, verbose bool) *tap {
	fmt.Fprintln(out, "TAP version 13")
	return &tap{out: out, verbose: verbose}
}

func (w *tap) result(c *Case, o Outcome) {
	w.n++
	if o.OK {
		w.passed++
		fmt.Fprintf(w.out, "ok %d - %s\n", w.n, c.Name)
	} else {
		w.failed++
		fmt.Fprintf(w.out, "not ok %d - %s\n%s", w.n, c.Name, Diagnostics(c, o))
	}
	if w.verbose && o.Sum != 0 {
		fmt.Fprintf(w.out, "# seed %d: %d runs, sum %016x\n", o.Seed, c.suite.opt.Again, o.Sum)
	}
	if w.verbose {
		fmt.Fprintf(w.out, "# seed %d, %s s, %s\n", o.Seed, seconds(o.Result.Time), engine.Counted(o.Result.Checks, "check"))
		for _, l := range append(o.Log[:len(o.Log):len(o.Log)], o.Result.Log...) {
			fmt.Fprintf(w.out, "# %s\n", strings.ReplaceAll(l, "\n", "\n# "))
		}
	}
}

// end writes plan and summary and reports whether all passed.
func (w *tap) end() bool {
	fmt.Fprintf(w.out, "1..%d\n%d passed, %d failed\n", w.n, w.passed, w.failed)
	return w.failed == 0
}

// Diagnostics returns the indented YAML block under a line that says not ok: what failed, where, the expected
// and the actual value, further failures, and the seed.
func Diagnostics(c *Case, o Outcome) string {
	var b strings.Builder
	line := func(indent, key, value string) {
		if strings.Contains(value, "\n") {
			value = "|\n" + indent + "  " + strings.ReplaceAll(value, "\n", "\n"+indent+"  ")
		} else {
			value = "'" + strings.ReplaceAll(value, "'", "''") + "'"
		}
		fmt.Fprintf(&b, "%s%s: %s\n", indent, key, value)
	}
	b.WriteString("  ---\n")
	for i, f := range o.Result.Failures {
		indent := "  "
		switch i {
		case 0:
		case 1:
			b.WriteString("  also:\n")
			fallthrough
		default:
			b.WriteString("  -\n")
			indent = "    "
		}
		line(indent, "message", f.Message)
		at := fmt.Sprintf("%s:%d", c.File, c.Line)
		if f.File != "" {
			at = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		fmt.Fprintf(&b, "%sat: %s\n", indent, at)
		if f.Compared {
			line(indent, "expected", f.Expected)
			line(indent, "actual", f.Actual)
		}
		if len(f.Stack) > 1 {
			fmt.Fprintf(&b, "%scalled_from: [%s]\n", indent, strings.Join(f.Stack[1:], ", "))
		}
	}
	fmt.Fprintf(&b, "  time: %s\n  seed: %d\n  ...\n", seconds(o.Result.Time), o.Seed)
	return b.String()
}

// seconds formats a time to the microsecond, without trailing zeros.
func seconds(t float64) string {
	return strconv.FormatFloat(math.Round(t*1e6)/1e6, 'f', -1, 64)
}
