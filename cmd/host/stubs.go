package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"github.com/tidelock/tidelock/cmd/host/reference"
)

type stubsCmd struct {
	Dir string `default:"." placeholder:"DIR" only:"cli" help:"Folder that the editor opens."`
	assetFlags
}

// Run writes the files. An editor's settings file that somebody has made is left alone.
func (c *stubsCmd) Run(sys *system) error {
	m, _, err := model(c.assetFlags)
	if err != nil {
		return err
	}
	files := m.Stubs()
	names := make([]string, 0, len(files))
	for n := range files {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, name := range names {
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
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return usageError{err}
		}
		if err := os.WriteFile(full, files[name], 0o644); err != nil {
			return usageError{err}
		}
		if _, err := fmt.Fprintf(sys.stdout, "wrote %s\n", filepath.ToSlash(full)); err != nil {
			return err
		}
	}
	return nil
}
