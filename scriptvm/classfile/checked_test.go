package classfile

import (
	"slices"
	"testing"

	"github.com/tidelock/tidelock/engine"
)

// The same files, loaded again with one cache, are told the same warnings, though they are judged once; with another content
// folder, as advice, or with another file beside them they are judged again. Errors are never remembered as none.
func TestCheckedOnce(t *testing.T) {
	src := "local T = class(\"T\", \"Pawn\")\nfunction T:Use() self:PlaySound(\"sounds/bang.ogg\") end\nfunction T.server:Foo(a) self:Log(a) end"
	other := "local U = class(\"U\", \"Pawn\")"
	cache := NewCache(Natives())
	has := func(b bool) func(string) bool { return func(string) bool { return b } }
	count := func(want int, files map[string]string, opt Options) {
		t.Helper()
		for range 3 {
			opt.Cache = cache
			_, cached := load(t, files, opt)
			opt.Cache = nil
			_, fresh := load(t, files, opt)
			if len(cached) != want || !slices.EqualFunc(cached, fresh, func(a, b engine.Diagnostic) bool { return a.String() == b.String() }) {
				t.Errorf("%d told, want %d:\n%sfresh:\n%s", len(cached), want, text(cached), text(fresh))
			}
		}
	}
	one := map[string]string{"T.lua": src}
	count(1, one, Options{Content: has(false)})
	count(0, one, Options{Content: has(true)})
	count(0, one, Options{})
	count(3, one, Options{Content: has(false), Check: true})
	count(1, one, Options{Content: has(false)})
	count(1, map[string]string{"T.lua": src, "U.lua": other}, Options{Content: has(false)})
	broken := map[string]string{"T.lua": src, "U.lua": other + "\nfunction U:Use() self.Helth = 1 return self.Healt end"}
	count(2, broken, Options{Content: has(false)})
	if n := len(cache.checked); n != 5 {
		t.Errorf("%d sets are remembered, want 5", n)
	}
}
