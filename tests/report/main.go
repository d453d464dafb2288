// Command report reads what `go test -json` prints and shows what a person or a gate needs of it: a line for each package, the output of
// tests that failed, a hash of the names that ran, the skipped tests by their reasons, and the tests that took the most processor time.
//
//	go test -json -exec "$report cpu $dir" ./... | $report read -cpu $dir -slow tests/slow.txt
//
// The first form runs a test's program and notes its processor time, with that of its children, in the folder dir. Without -cpu the
// second one goes by the time that a test took.
//
// Guarantees: Judges nothing but what `go test` says.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) > 2 && args[0] == "cpu" {
		return watch(args[1], args[2:])
	}
	if len(args) == 0 || args[0] != "read" {
		return errors.New("expected: report read [-cpu DIR] [-slow FILE], or report cpu DIR PROGRAM ARGUMENT…")
	}
	flags := flag.NewFlagSet("read", flag.ContinueOnError)
	cpu := flags.String("cpu", "", "the folder with the processor times that `report cpu` noted")
	slow := flags.String("slow", "", "the file that says why some tests take over 10 s")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	reasons, err := readReasons(*slow)
	if err != nil {
		return err
	}
	r := newReport(out)
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if line[0] != '{' || json.Unmarshal(line, &e) != nil {
				_, _ = out.Write(line) // not of `go test`: for people
			} else {
				r.add(e)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if *cpu != "" {
		if err := r.attribute(*cpu); err != nil {
			return err
		}
	}
	return r.end(reasons)
}
