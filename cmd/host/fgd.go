package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
)

type fgdCmd struct {
	Dir string `default:"trenchbroom" placeholder:"DIR" only:"cli" help:"Folder to write into, such as the games folder of TrenchBroom's settings; made where it is not there."`
	assetFlags
}

// Run writes what a level editor wants to know of the classes.
func (c *fgdCmd) Run(sys *system) error {
	m, _, err := model(c.assetFlags)
	if err != nil {
		return err
	}
	files := m.Editor()
	names := make([]string, 0, len(files))
	for n := range files {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, name := range names {
		full := filepath.Join(c.Dir, filepath.FromSlash(name))
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
