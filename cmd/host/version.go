package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCmd struct{}

// Run prints the version.
func (c *versionCmd) Run(sys *system) error {
	_, err := fmt.Fprintln(sys.stdout, version())
	return err
}

// version returns the build's version: a tag, a commit, or nothing.
func version() string {
	v, commit, changed := "devel", "", ""
	if b, ok := debug.ReadBuildInfo(); ok {
		if m := b.Main.Version; m != "" && m != "(devel)" {
			v = m
		}
		for _, s := range b.Settings {
			switch s.Key {
			case "vcs.revision":
				commit = " " + s.Value[:min(12, len(s.Value))]
			case "vcs.modified":
				if s.Value == "true" {
					changed = " (changed)"
				}
			}
		}
	}
	return fmt.Sprintf("tidelock %s%s%s %s %s/%s", v, commit, changed, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
