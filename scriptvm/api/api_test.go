package api

import "testing"

// TestEachStandsOnce: tools read the registry as a list, so what stands in it twice would appear twice in an editor.
func TestEachStandsOnce(t *testing.T) {
	seen := map[string]bool{}
	once := func(kind string, space Namespace, name string) {
		key := kind + " " + string(space) + "." + name
		if seen[key] {
			t.Errorf("%s stands twice in the registry", key)
		}
		seen[key] = true
	}
	for _, v := range Variables() {
		once("variable", v.Space, v.Name)
	}
	for _, e := range Events() {
		once("event", "", e.Name)
	}
}
