package main

import (
	"fmt"
	"path/filepath"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/reference"
	"github.com/tidelock/tidelock/cmd/host/scaffold"
	"github.com/tidelock/tidelock/engine"
)

type newCmd struct {
	Class    newClassCmd    `cmd:"" help:"Write a class file that fits its parent."`
	Scenario newScenarioCmd `cmd:"" help:"Write a scenario file: a test of the game in Lua."`
}

type newClassCmd struct {
	Name    string `arg:"" help:"Name of the class: RocketLauncher."`
	Extends string `default:"Actor" placeholder:"CLASS" only:"cli" help:"The parent class; Actor where not given."`
	Dir     string `default:"scripts" placeholder:"DIR" only:"cli" help:"Folder to write into, made where it is not there."`
	assetFlags
}

// Run writes the file.
func (c *newClassCmd) Run(sys *system) error {
	m, err := model(c.assetFlags)
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
	_, err = fmt.Fprintf(sys.stdout, "wrote %s\nnext: edit it, then\n  %s check    says what is wrong with it\n  %s          plays; one that runs takes the file up when you save it\n",
		filepath.ToSlash(file), sys.program, sys.program)
	return err
}

type newScenarioCmd struct {
	Name string `arg:"" help:"Name of the file without .lua: rocket_hits_wall."`
	Dir  string `default:"tests/scenarios" placeholder:"DIR" only:"cli" help:"Folder to write into, made where it is not there."`
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

// model loads the scripts and describes them. Scripts with errors are described without their classes' help:
// that is an error, because what would be written would not fit.
func model(f assetFlags) (*reference.Model, error) {
	a, err := assets.Open(assets.Options{Scripts: f.Scripts, Content: f.Content})
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
