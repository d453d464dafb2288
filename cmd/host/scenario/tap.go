package scenario

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// tap writes results as TAP 13, each as soon as it is there; the plan comes last, and after it the sum.
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
	if w.verbose {
		fmt.Fprintf(w.out, "# seed %d, %s s, %d checks\n", o.Seed, strconv.FormatFloat(o.Result.Time, 'f', -1, 32), o.Result.Checks)
		for _, l := range append(o.Log[:len(o.Log):len(o.Log)], o.Result.Log...) {
			fmt.Fprintf(w.out, "# %s\n", strings.ReplaceAll(l, "\n", "\n# "))
		}
	}
}

// end writes plan and sum and reports whether all passed.
func (w *tap) end() bool {
	fmt.Fprintf(w.out, "1..%d\n%d passed, %d failed\n", w.n, w.passed, w.failed)
	return w.failed == 0
}

// Diagnostics is the indented block under a line that says not ok: for every failure what failed, where,
// what was expected and what was there; then the seed.
func Diagnostics(c *Case, o Outcome) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		b.WriteString("  " + strings.ReplaceAll(text, "\n", "\n    ") + "\n")
	}
	line("---")
	for i, f := range o.Result.Failures {
		if i > 0 {
			line("")
		}
		line("message: %s", f.Message)
		at := fmt.Sprintf("%s:%d", c.File, c.Line)
		if f.File != "" {
			at = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		line("at: %s", at)
		if f.Compared {
			line("expected: %s", f.Expected)
			line("actual: %s", f.Actual)
		}
		if len(f.Stack) > 1 {
			line("called from: %s", strings.Join(f.Stack[1:], ", "))
		}
	}
	line("time: %s", strconv.FormatFloat(o.Result.Time, 'f', -1, 32))
	line("seed: %d", o.Seed)
	line("...")
	return b.String()
}
