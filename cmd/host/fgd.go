package main

import (
	"maps"
	"path/filepath"
	"slices"
)

type fgdCmd struct {
	Dir string `default:"trenchbroom" placeholder:"DIR" only:"cli" help:"Folder to write into, such as the games folder of TrenchBroom's settings; created if it does not exist."`
	assetFlags
}

// Run writes the entity definitions of the classes for a level editor.
func (c *fgdCmd) Run(sys *system, p *parsed) error {
	m, err := model(c.assetFlags, p)
	if err != nil {
		return err
	}
	files := m.Editor()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		full := filepath.Join(c.Dir, filepath.FromSlash(name))
		if err := writeFile(sys, full, files[name]); err != nil {
			return err
		}
	}
	return nil
}
