package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/media"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

type checkCmd struct {
	Dir     string `arg:"" optional:"" help:"Folder of scripts to check: complete with a core/Actor.lua, otherwise added to the others. Default: what a host would run."`
	Format  string `enum:"text,json" default:"text" help:"How to print: text or json."`
	Content string `placeholder:"DIR" help:"Folder of content that scripts may name."`
}

// Run checks and prints.
func (c *checkCmd) Run(sys *system, p *parsed) error {
	var dirs []string
	if c.Dir != "" {
		dirs = []string{c.Dir}
	}
	a, err := assets.Open(assets.Options{Scripts: dirs, Content: c.Content, Off: p.settings.Guard().Off, KeepGoing: true})
	if err != nil {
		return usageError{err}
	}
	files, diags, err := examine(a)
	if err != nil {
		return usageError{err}
	}
	r := report{Diagnostics: []finding{}, Files: files}
	for _, d := range diags {
		if d.Severity == engine.SevError {
			r.Errors++
		} else {
			r.Warnings++
		}
		r.Diagnostics = append(r.Diagnostics, finding{d.Pos.File, d.Pos.Line, d.Pos.Column, d.Severity.String(), d.Rule, d.Text})
	}
	if err := c.print(sys, r, diags); err != nil {
		return err
	}
	if r.Errors > 0 {
		return exitError(1)
	}
	return nil
}

// examine checks mods, content and scripts, and returns how many scripts there are. The error is of reading them.
func examine(a *assets.Assets) (files int, diags []engine.Diagnostic, err error) {
	scripts, err := a.Scripts(nil)
	if err != nil {
		return 0, nil, err
	}
	shown, broken := checkContent(a)
	_, diags = load(a, scripts, shown)
	return len(scripts), slices.Concat(checkMods(a), broken, diags), nil
}

// report is the output of --format json.
type report struct {
	Diagnostics []finding `json:"diagnostics"`
	Errors      int       `json:"errors"`
	Warnings    int       `json:"warnings"`
	Files       int       `json:"files"`
}

type finding struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Severity string `json:"severity"`
	Rule     string `json:"rule"`
	Text     string `json:"text"`
}

func (c *checkCmd) print(sys *system, r report, diags []engine.Diagnostic) error {
	if c.Format == "json" {
		e := json.NewEncoder(sys.stdout)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	for _, d := range diags {
		if _, err := fmt.Fprintln(sys.stdout, d); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(sys.stderr, "%s: %s, %s\n", count(r.Files, "file"), count(r.Errors, "error"), count(r.Warnings, "warning"))
	return err
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// load reads and checks a set of scripts with everything `host check` knows. The program is nil on errors.
// shown is the content that looks are checked against, nil if unknown.
func load(a *assets.Assets, scripts []assets.Script, shown *match.Shown) (*classfile.Program, []engine.Diagnostic) {
	defer collectRarely()()
	cache, src := classfile.NewCache(scriptvm.Natives()), sources(scripts)
	opt := classfile.Options{Check: true, Content: hasContent(a), Reserved: hostCommands(), Cache: cache}
	if shown != nil {
		opt.Notifies, opt.Actions = shown.Notifies(), shown.ActionNames()
	}
	prog, diags := classfile.Load(src, opt)
	if prog == nil {
		return nil, diags
	}
	// Code at the top level of a file runs when it is loaded, and may fail there.
	vm := scriptvm.New(scriptvm.Options{Peer: "check", Cache: cache})
	defer vm.Close()
	for _, d := range vm.Load(src) {
		if d.Severity == engine.SevError {
			diags, prog = append(diags, d), nil
		}
	}
	return prog, diags
}

// checkMods returns what is wrong with the mods.
func checkMods(a *assets.Assets) (diags []engine.Diagnostic) {
	for _, e := range a.Problems() {
		diags = append(diags, engine.Diagnostic{Severity: engine.SevError, Rule: "mod", Text: e.Text, Pos: engine.Pos{File: e.File, Line: max(1, e.Line), Column: 1}})
	}
	for _, n := range a.Notes() {
		diags = append(diags, engine.Diagnostic{Severity: engine.SevWarning, Rule: "mod", Text: n.Text, Pos: engine.Pos{File: n.File, Line: 1, Column: 1}})
	}
	return diags
}

// checkContent reads the sounds, animations, effects, materials and actions of the content, one by one if
// something is wrong. shown is nil then.
func checkContent(a *assets.Assets) (shown *match.Shown, diags []engine.Diagnostic) {
	shown, errs := match.CheckShown(a.Content())
	say := func(sev engine.Severity, rule string, err error) {
		d := engine.Diagnostic{Severity: sev, Rule: rule, Text: err.Error()}
		var bad *media.Error
		if errors.As(err, &bad) {
			d.Pos, d.Text = engine.Pos{File: bad.File, Line: max(1, bad.Line), Column: 1}, bad.Text
		}
		diags = append(diags, d)
	}
	for _, err := range errs {
		say(engine.SevError, "content", err)
	}
	if shown != nil {
		for _, err := range shown.Missing() {
			say(engine.SevWarning, "unknown-content", err)
		}
	}
	return shown, diags
}

// sources converts scripts for the loader.
func sources(scripts []assets.Script) []classfile.Source {
	out := make([]classfile.Source, len(scripts))
	for i, s := range scripts {
		out[i] = classfile.Source{Path: s.Path, Place: s.Place, Text: s.Text, Lib: s.Lib}
	}
	return out
}

// hasContent reports whether a content file exists.
func hasContent(a *assets.Assets) func(name string) bool {
	return func(name string) bool {
		_, err := fs.Stat(a.Content(), path.Clean(name))
		return err == nil
	}
}
