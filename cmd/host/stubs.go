package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/tidelock/tidelock/cmd/host/reference"
)

type stubsCmd struct {
	Dir string `default:"." placeholder:"DIR" only:"cli" help:"Folder that the editor opens."`
	assetFlags
}

// Run writes the files. It does not change an editor's settings file that the user has made.
func (c *stubsCmd) Run(sys *system, p *parsed) error {
	m, err := model(c.assetFlags, p)
	if err != nil {
		return err
	}
	files := m.Stubs()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		full := filepath.Join(c.Dir, filepath.FromSlash(name))
		if name == ".luarc.json" {
			if old, err := os.ReadFile(full); err == nil {
				if !bytes.Contains(old, []byte(reference.StubFolder+"/stubs")) {
					if _, err := fmt.Fprintf(sys.stdout, "kept  %s: add %q to its workspace.library\n", filepath.ToSlash(full), reference.StubFolder+"/stubs"); err != nil {
						return err
					}
				}
				continue
			}
		}
		if err := writeFile(sys, full, files[name]); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a generated file, with its parent folders, and reports it.
func writeFile(sys *system, full string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return usageError{err}
	}
	if err := os.WriteFile(full, data, 0o644); err != nil {
		return usageError{err}
	}
	_, err := fmt.Fprintf(sys.stdout, "wrote %s\n", filepath.ToSlash(full))
	return err
}
