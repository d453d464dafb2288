package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/mods"
	"github.com/tidelock/tidelock/cmd/host/reference"
	"github.com/tidelock/tidelock/cmd/host/scaffold"
	"github.com/tidelock/tidelock/engine"
)

type newCmd struct {
	Class    newClassCmd    `cmd:"" help:"Write a class file that fits its parent."`
	Mod      newModCmd      `cmd:"" help:"Write a mod: a folder with a mod.toml and a first class."`
	Scenario newScenarioCmd `cmd:"" help:"Write a scenario file: a test of the game in Lua."`
}

type newClassCmd struct {
	Name    string `arg:"" help:"Name of the class: RocketLauncher."`
	Extends string `default:"Actor" placeholder:"CLASS" only:"cli" help:"The parent class; default Actor."`
	Dir     string `default:"scripts" placeholder:"DIR" only:"cli" help:"Folder to write into; created if it does not exist."`
	assetFlags
}

// Run writes the file.
func (c *newClassCmd) Run(sys *system, p *parsed) error {
	m, err := model(c.assetFlags, p)
	if err != nil {
		return err
	}
	text, err := scaffold.Class(m, c.Name, c.Extends)
	if err != nil {
		return usageError{err}
	}
	file := filepath.Join(c.Dir, c.Name+".lua")
	if err := scaffold.Write(file, text); err != nil {
		return usageError{err}
	}
	_, err = fmt.Fprintf(sys.stdout, "wrote %s\nnext: edit it, then\n  %s check    says what is wrong with it\n  %s          plays; a running one reloads the file when you save it\n",
		filepath.ToSlash(file), sys.program, sys.program)
	return err
}

type newModCmd struct {
	Name string `arg:"" help:"Name of the mod: low-gravity."`
	Dir  string `default:"scripts" placeholder:"DIR" only:"cli" help:"Folder of scripts in which the mod's folder is made."`
	assetFlags
}

// Run writes the folder.
func (c *newModCmd) Run(sys *system, p *parsed) error {
	if err := mods.CheckName(c.Name); err != nil {
		return usageError{err}
	}
	dir := filepath.Join(c.Dir, c.Name)
	if _, err := os.Lstat(dir); err == nil { // otherwise its own files could be the error in the scripts
		return usageError{&scaffold.ExistsError{Path: dir}}
	}
	m, err := model(c.assetFlags, p)
	if err != nil {
		return err
	}
	files, err := scaffold.Mod(m, c.Name)
	if err != nil {
		return usageError{err}
	}
	if err := scaffold.WriteFolder(dir, files); err != nil {
		return usageError{err}
	}
	for _, f := range files {
		if _, err := fmt.Fprintf(sys.stdout, "wrote %s\n", filepath.ToSlash(filepath.Join(dir, f.Name))); err != nil {
			return err
		}
	}
	over := ""
	if filepath.Clean(c.Dir) != "scripts" {
		over = " --scripts " + filepath.ToSlash(dir)
	}
	_, err = fmt.Fprintf(sys.stdout, "next: edit them (docs/mods.md is the guide), then\n  %s mods%s    lists the mod with its limits\n  %s%s         plays; a running one loads the mod as it is written\n",
		sys.program, over, sys.program, over)
	return err
}

type newScenarioCmd struct {
	Name string `arg:"" help:"Name of the file without .lua: rocket_hits_wall."`
	Dir  string `default:"tests/scenarios" placeholder:"DIR" only:"cli" help:"Folder to write into; created if it does not exist."`
}

// Run writes the file.
func (c *newScenarioCmd) Run(sys *system) error {
	text, err := scaffold.Scenario(c.Name)
	if err != nil {
		return usageError{err}
	}
	file := filepath.Join(c.Dir, c.Name+".lua")
	if err := scaffold.Write(file, text); err != nil {
		return usageError{err}
	}
	_, err = fmt.Fprintf(sys.stdout, "wrote %s\nnext: edit it (docs/scenarios.md says what scenarios can do), then\n  %s test %s\n", filepath.ToSlash(file), sys.program, filepath.ToSlash(file))
	return err
}

// model loads the scripts and describes them. Errors in scripts are errors here, because a file written without
// the classes would not fit.
func model(f assetFlags, p *parsed) (*reference.Model, error) {
	a, err := assets.Open(assets.Options{Scripts: f.Scripts, Content: f.Content, Off: p.settings.Guard().Off})
	if err != nil {
		return nil, usageError{err}
	}
	scripts, err := a.Scripts(nil)
	if err != nil {
		return nil, usageError{err}
	}
	prog, diags := load(a, scripts, nil)
	if prog == nil {
		for _, d := range diags {
			if d.Severity == engine.SevError {
				return nil, fmt.Errorf("the scripts have errors, the first: %s; see %q", d, "host check")
			}
		}
	}
	texts := map[string]string{}
	for _, s := range scripts {
		texts[s.Path] = s.Text
	}
	return reference.Build(prog.Classes, func(file string) string { return texts[file] }), nil
}
