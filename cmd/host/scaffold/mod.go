package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/reference"
)

// File is a file of a new folder.
type File struct{ Name, Text string }

// Mod returns the files of a new mod: mod.toml, a first class, a README. The name must be valid
// (mods.CheckName).
func Mod(m *reference.Model, name string) ([]File, error) {
	class := classOf(m, name)
	text, err := Class(m, class, "Actor")
	if err != nil {
		return nil, err
	}
	return []File{
		{"mod.toml", fmt.Sprintf(`# What this folder is to a host; docs/mods.md says more.

# The name in messages, in host.toml, and in requires of other mods.
name = %q

# One to four numbers with dots between them.
version = "0.1.0"

# Mods without which this one does not work, each perhaps with the lowest version that will do. It comes after them, and its files
# replace theirs of the same place.
#requires = ["caps", "tools >= 1.2"]
`, name)},
		{class + ".lua", text},
		{"README.md", fmt.Sprintf("# %s\n\nSay in a sentence what this mod changes, and which level and game it is for.\n", name)},
	}, nil
}

// classOf returns an unused name for a mod's first class: LowGravity for low-gravity.
func classOf(m *reference.Model, name string) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	class := b.String()
	if class[0] < 'A' || class[0] > 'Z' {
		class = "Mod" + class
	}
	taken := map[string]bool{}
	for i := range m.Classes {
		taken[m.Classes[i].Name] = true
	}
	for _, end := range []string{"", "Beacon", "Thing"} {
		if !taken[class+end] {
			return class + end
		}
	}
	return class // Class reports that it exists
}

// WriteFolder creates a folder with files, and its parent folders; it fails if the name exists.
func WriteFolder(dir string, files []File) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	err := os.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return &ExistsError{dir}
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := Write(filepath.Join(dir, f.Name), f.Text); err != nil {
			return err
		}
	}
	return nil
}
