package versions_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/versions"
	"github.com/tidelock/tidelock/tests/tier"
)

// patch applies a difference to a text, by the numbers in its heads.
func patch(t *rapid.T, old string, d versions.Difference) string {
	var in, out []string
	if old != "" {
		in = strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	}
	at := 0
	added, removed := 0, 0
	for _, l := range d.Lines {
		var from, olds, to, news int
		if n, _ := fmt.Sscanf(l, "@@ -%d,%d +%d,%d @@", &from, &olds, &to, &news); n == 4 {
			for ; at < from-1; at++ {
				out = append(out, in[at])
			}
			if to-1 != len(out) {
				t.Fatalf("%s stands after %d lines", l, len(out))
			}
			continue
		}
		if l[0] != '+' {
			if in[at] != l[1:] {
				t.Fatalf("line %d is %q, not %q", at+1, in[at], l[1:])
			}
			at++
		}
		if l[0] != '-' {
			out = append(out, l[1:])
		}
		switch l[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	if added != d.Added || removed != d.Removed {
		t.Fatalf("%d lines added and %d removed, said to be %d and %d", added, removed, d.Added, d.Removed)
	}
	if out = append(out, in[at:]...); len(out) == 0 {
		return ""
	}
	return strings.Join(out, "\n") + "\n"
}

// TestDiff: a difference applied to the old text is the new one, equal texts have none, and no line stands on both sides of a change of one line.
func TestDiff(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n", "end\n"}), 0, 40).Draw(t, "lines"), "")
	})
	tier.Check(t, func(t *rapid.T) {
		old, now := text.Draw(t, "old"), text.Draw(t, "new")
		d := versions.Diff("a.lua", old, now)
		if got := patch(t, old, d); got != now {
			t.Fatalf("%q, not %q, by %q", got, now, d.Lines)
		}
		if old == now && len(d.Lines) > 0 {
			t.Fatalf("equal texts differ: %q", d.Lines)
		}
	})
	d := versions.Diff("a.lua", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n")
	if got := strings.Join(d.Lines, "|"); got != "@@ -2,7 +2,7 @@| 2| 3| 4|-5|+five| 6| 7| 8" || d.Added != 1 || d.Removed != 1 {
		t.Error(got)
	}
	long := strings.Repeat("x\n", 5000)
	if d := versions.Diff("a.lua", long, strings.ReplaceAll(long, "x", "y")); d.Added != 5000 || len(d.Lines) != 501 || !strings.Contains(d.Lines[500], "more lines") {
		t.Errorf("%d lines of %d", len(d.Lines), d.Added)
	}
}

// TestReport: each version has what made it and how it differs from the one before; one that is left keeps its number; attempts say which version
// ran after them, and only the latest are kept.
func TestReport(t *testing.T) {
	v := versions.New([]assets.Script{file("A", 1, 2), file("B", 3, 4)})
	commit := func(p versions.Pending, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		v.Commit(p)
	}
	commit(v.Set(tuned("A", "B", "7")))
	v.Note(versions.Attempt{What: "(set)", Lines: []string{}})
	commit(v.Read([]assets.Script{file("A", 1, 2), file("C", 5, 6)}, "scripts/C.lua"), nil)
	v.Note(versions.Attempt{What: "scripts/C.lua"})
	r := v.Report()
	if len(r.Versions) != 3 || r.Versions[0].Why != "start" || len(r.Versions[0].Files) != 0 || !r.Versions[2].Runs || r.Versions[1].Runs {
		t.Fatalf("%+v", r.Versions)
	}
	if f := r.Versions[1].Files; len(f) != 1 || f[0].Path != "scripts/A.lua" || f[0].Added != 1 || f[0].Removed != 1 || !strings.Contains(strings.Join(f[0].Lines, "|"), "|-\tB = 2,|+\tB = 7,") {
		t.Errorf("set: %+v", f)
	}
	if f := r.Versions[2].Files; len(f) != 2 || f[0].Path != "scripts/B.lua" || f[0].Added != 0 || f[1].Path != "scripts/C.lua" || f[1].Removed != 0 {
		t.Errorf("files: %+v", f)
	}
	commit(v.Step(1))
	v.Note(versions.Attempt{What: "(undo)"})
	if r := v.Report(); !r.Versions[1].Runs || r.Versions[2].Number != 3 || len(r.Attempts) != 3 || r.Attempts[0].Version != 2 || r.Attempts[1].Version != 3 || r.Attempts[2].Version != 2 {
		t.Errorf("%+v", r)
	}
	commit(v.Set(tuned("A", "B", "8"))) // instead of what was undone
	if r := v.Report(); len(r.Versions) != 3 || r.Versions[2].Number != 4 {
		t.Errorf("%+v", r.Versions)
	}
	for range 300 {
		v.Note(versions.Attempt{})
	}
	if n := len(v.Report().Attempts); n != 100 {
		t.Errorf("%d attempts are kept", n)
	}
}
