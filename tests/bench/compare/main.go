// Command compare runs tests/bench in this tree and in an older commit of it, in turns, and prints the figures of both with
// their ratios. It builds the commit in a git worktree in a temporary folder, which it removes.
//
//	go run ./tests/bench/compare -base 55e5491
//	go run ./tests/bench/compare -base HEAD -pairs 3 -scene bots
//
// The scenes are a server's tick with 64 bots (BenchmarkBots), and worlds A and B of the comparison with other servers. Times
// are of the processor. A ratio is the median over the pairs of runs, with its extremes: on a machine that others share single
// runs mean little.
//
// Guarantees: Leaves neither the worktree nor the programs behind.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// scene is what a program plays, and what to show of it: the names that it prints, and others for people.
type scene struct {
	name    string
	program string // of the programs that build makes
	args    []string
	shown   [][2]string
}

func scenes() []scene {
	return []scene{
		{"bots", "bench.test", []string{"-test.run=-", "-test.bench=Bots$", "-test.benchtime=900x"}, [][2]string{
			{"cpu-ms/op", "whole tick, ms"}, {"script-ms/op", "scripts with natives, ms"}, {"B/op", "garbage, bytes"}, {"allocs/op", "garbage, objects"},
		}},
		{"A", "bench", []string{"-s", "A", "-t", "3000"}, [][2]string{{"cpu_ms", "turn, ms"}, {"allocs", "garbage, objects"}}},
		{"B", "bench", []string{"-s", "B", "-t", "400"}, [][2]string{{"cpu_ms", "turn, ms"}, {"allocs", "garbage, objects"}}},
	}
}

// figures are what a run printed, by scene and name.
type figures map[[2]string]float64

func run() (err error) {
	base := flag.String("base", "55e5491", "commit to compare with")
	pairs := flag.Int("pairs", 5, "how often each tree runs each benchmark")
	only := flag.String("scene", "", "run only this scene: bots, A or B")
	flag.Parse()
	root, err := output(".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return err
	}
	signal.Ignore(os.Interrupt) // the program that runs ends of it, and this one cleans up
	old := filepath.Join(dir, "tree")
	if _, err := output(root, "git", "worktree", "add", "--detach", old, *base); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	defer func() {
		_, gone := output(root, "git", "worktree", "remove", "--force", old)
		err = errors.Join(err, gone, os.RemoveAll(dir))
	}()
	const bots = "tests/bench/bots_test.go" // the base may have no such file, or another
	text, err := os.ReadFile(filepath.Join(root, bots))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(old, bots), text, 0o666); err != nil {
		return err
	}
	folders := [2]string{filepath.Join(dir, "old"), filepath.Join(dir, "new")}
	for i, tree := range []string{old, root} {
		if err := build(tree, folders[i]); err != nil {
			return err
		}
	}
	var runs [2][]figures
	for n := range *pairs {
		var pair [2]figures
		for k := range folders {
			i := (n + k) % 2 // who begins changes from pair to pair
			pair[i] = figures{}
			for _, s := range scenes() {
				if *only != "" && s.name != *only {
					continue
				}
				out, err := output(dir, filepath.Join(folders[i], s.program), s.args...)
				if err != nil {
					return err
				}
				pair[i].read(s.name, out)
			}
			runs[i] = append(runs[i], pair[i])
		}
		fmt.Fprintf(os.Stderr, "pair %d of %d\n", n+1, *pairs)
	}
	fmt.Printf("%-6s%-26s%12s%12s%8s  %s\n", "", "", *base, "this tree", "ratio", "from to")
	for _, s := range scenes() {
		for _, u := range s.shown {
			var all [3][]float64
			for n := range runs[0] {
				key := [2]string{s.name, u[0]}
				a, ok := runs[0][n][key]
				b := runs[1][n][key]
				if !ok {
					continue
				}
				all[0], all[1] = append(all[0], a), append(all[1], b)
				if a > 0 {
					all[2] = append(all[2], b/a)
				}
			}
			if len(all[0]) == 0 {
				continue
			}
			fmt.Printf("%-6s%-26s%12.5g%12.5g", s.name, u[1], median(all[0]), median(all[1]))
			if r := all[2]; len(r) > 0 {
				fmt.Printf("%8.2f  %.2f %.2f", median(r), slices.Min(r), slices.Max(r))
			}
			fmt.Println()
		}
	}
	return nil
}

// build makes the programs of a tree.
func build(tree, folder string) error {
	if _, err := output(tree, "go", "build", "-o", filepath.Join(folder, "bench"), "./tests/bench"); err != nil {
		return err
	}
	_, err := output(tree, "go", "test", "-c", "-o", filepath.Join(folder, "bench.test"), "./tests/bench")
	return err
}

// read takes the figures out of what a program printed: the line of JSON of the worlds, or lines of go test with name, turns,
// then values with their units.
func (f figures) read(scene, out string) {
	for line := range strings.Lines(out) {
		var fields map[string]any
		if json.Unmarshal([]byte(line), &fields) == nil {
			for name, x := range fields { // any order: into another map
				if n, ok := x.(float64); ok {
					f[[2]string{scene, name}] = n
				}
			}
			continue
		}
		words := strings.Fields(line)
		for i := 2; i+1 < len(words); i += 2 {
			if x, err := strconv.ParseFloat(words[i], 64); err == nil {
				f[[2]string{scene, words[i+1]}] = x
			}
		}
	}
}

func median(list []float64) float64 {
	slices.Sort(list)
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}

// output runs a program in a folder; its error tells what it printed.
func output(dir, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir = dir
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out.String(), errs.String())
	}
	return strings.TrimSpace(out.String()), nil
}
