package classfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkColdLoad loads all scripts with an empty cache: as a player does, as a host does, and as `host check` does.
// TIDELOCK_SCRIPTS names another folder of scripts, so that two trees can be compared by the same ones:
//
//	GOMAXPROCS=1 go test ./scriptvm/classfile -run - -bench ColdLoad -benchtime 20x
func BenchmarkColdLoad(b *testing.B) {
	root := os.Getenv("TIDELOCK_SCRIPTS")
	if root == "" {
		root = "../../scripts"
	}
	var src []Source
	err := fs.WalkDir(os.DirFS(root), ".", func(p string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, ".lua") {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, p))
		s := Source{Path: "scripts/" + p, Text: string(text)}
		if strings.HasPrefix(p, "lib/") {
			s.Lib = "lib." + strings.TrimSuffix(filepath.Base(p), ".lua")
		}
		src = append(src, s)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	exists := func(string) bool { return true }
	for _, k := range []struct {
		name string
		opt  Options
	}{{"player", Options{}}, {"host", Options{Calls: true, Content: exists}}, {"check", Options{Check: true, Content: exists}}} {
		b.Run(k.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				k.opt.Cache = NewCache(Natives())
				if p, diags := Load(src, k.opt); p == nil {
					b.Fatal(text(diags))
				}
			}
		})
	}
}
