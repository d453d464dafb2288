package tests

import (
	"os"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// The linter of Lua knows every name that scripts have: .luacheckrc is written by hand, because an editor reads it
// without building anything.
func TestLuacheckKnowsAllNames(t *testing.T) {
	b, err := os.ReadFile("../.luacheckrc")
	if err != nil {
		t.Fatal(err)
	}
	rc := string(b)
	var names []string
	for _, list := range [][]string{
		engine.NetModeNames(), engine.RoleNames(), engine.PhysicsNames(), engine.DormancyNames(), engine.NetConditionNames(),
	} {
		names = append(names, list...)
	}
	for _, f := range scriptvm.Natives().Functions() {
		if f.Space == api.Global || f.Space == api.Latent || f.Space == api.Define {
			names = append(names, f.Name)
		}
	}
	for _, v := range api.Variables() {
		if v.Space == api.Global {
			names = append(names, v.Name)
		}
	}
	for _, n := range names {
		if !strings.Contains(rc, `"`+n+`"`) && !strings.Contains(rc, "\t"+n+" = {") {
			t.Errorf("%s is missing in .luacheckrc", n)
		}
	}
}
