package level_test

import (
	"runtime"
	"testing"

	"github.com/tidelock/tidelock/engine/level"
)

// TestCacheSharesLevels: the same file with the same options is one level while somebody has it, and another otherwise.
func TestCacheSharesLevels(t *testing.T) {
	src := []byte("{\n\"classname\" \"worldspawn\"\n\"game\" \"GameInfo\"\n}\n")
	var c level.Cache
	parse := func(c *level.Cache, file string, src []byte, scale float64) *level.Level {
		t.Helper()
		l, err := c.Parse(file, src, level.Options{Scale: scale})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	a := parse(&c, "a.map", src, 1)
	if parse(&c, "a.map", src, 1) != a {
		t.Error("the same level was parsed twice")
	}
	for what, l := range map[string]*level.Level{
		"of another name":    parse(&c, "b.map", src, 1),
		"of another scale":   parse(&c, "a.map", src, 2),
		"of another text":    parse(&c, "a.map", append(src, '\n'), 1),
		"of no shared cache": parse(nil, "a.map", src, 1),
	} {
		if l == a {
			t.Errorf("a level %s is the same one", what)
		}
	}
	made := 0
	for range 2 {
		if got := a.Derive(func() any { made++; return made }); got != 1 {
			t.Errorf("what is derived of it is %v, want 1", got)
		}
	}
	if _, err := c.Parse("broken.map", []byte("{"), level.Options{}); err == nil {
		t.Error("a broken level is none")
	}
	runtime.KeepAlive(a)
}
