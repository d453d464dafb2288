package tests

import (
	"io/fs"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/content"
	"github.com/tidelock/tidelock/scripts"
)

// A binary away from the checkout must have every script and level that git has.
func TestBinaryCarriesWhatGitHas(t *testing.T) {
	for _, c := range []struct {
		folder, ext string
		fs          fs.FS
	}{
		{"scripts", ".lua", scripts.FS},
		{"content", "", content.FS},
	} {
		for _, file := range tracked(t, c.folder) {
			name := strings.TrimPrefix(file, c.folder+"/")
			if path.Ext(name) == ".go" || !strings.HasSuffix(name, c.ext) {
				continue
			}
			if _, err := fs.Stat(c.fs, name); err != nil {
				t.Errorf("%s is not in the binary: add its folder to the go:embed line of %s/embed.go", file, c.folder)
			}
		}
	}
}

// tracked lists the files git has in a folder, as paths from the module's root with slashes.
func tracked(t *testing.T, folder string) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", "--", folder)
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("needs a git checkout: git ls-files: %v", err)
	}
	var files []string
	for _, f := range strings.Split(string(out), "\x00") {
		if f != "" {
			files = append(files, f)
		}
	}
	return files
}
