package syntax

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// What a writer types who comes from another language, and what they are told: testdata/habits.txt has the text of each
// file, then the message.
func TestHabits(t *testing.T) {
	const file = "testdata/habits.txt"
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, c := range strings.Split(strings.TrimSuffix(string(golden), "\n"), "\n\n") {
		lines := strings.Split(c, "\n")
		src := strings.Join(lines[:len(lines)-1], "\n")
		message := "loads"
		if _, err := Parse("t.lua", src); err != nil {
			message = err.Error()
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "%s\n=> %s\n", src, message)
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, want := strings.Split(out.String(), "\n"), strings.Split(string(golden), "\n")
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Errorf("line %d:\n got %s\nwant %s", i+1, got[min(i, len(got)-1)], want[i])
		}
	}
}
