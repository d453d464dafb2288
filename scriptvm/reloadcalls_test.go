package scriptvm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
)

// A reload must pass what `host check` finds in calls (docs/lua-api.md, Hot reload): the old code stays, and one line says where.
func TestReloadJudgesCalls(t *testing.T) {
	text := func(n, place string) string {
		return fmt.Sprintf("local A = class(\"A\", \"Actor\")\nfunction A:Number() return %s end\nfunction A:Go()\n\tself:SetLocation(%s)\nend\nreturn A\n", n, place)
	}
	b := newBench(t, text("1", "vector(1, 2, 3)"))
	b.v.opt.Calls = true
	a := b.spawn("A")
	number := func() float64 {
		out, err := b.v.Call(a, "Number")
		if err != nil {
			t.Fatal(err)
		}
		return out[0].Num
	}
	r := b.v.Reload(b.sources(text("2", "5")))
	if !r.Failed || len(r.Diagnostics) != 1 || number() != 1 {
		t.Fatalf("failed %v, %v, number %v", r.Failed, r.Diagnostics, number())
	}
	d := r.Diagnostics[0]
	if d.Severity != engine.SevError || d.Pos.Line != 4 || !strings.Contains(d.Text, "SetLocation") || !strings.Contains(d.Text, "class A") {
		t.Error(d)
	}
	if r := b.v.Reload(b.sources(text("3", "vector(3, 2, 1)"))); r.Failed || number() != 3 {
		t.Error(r.Diagnostics, number())
	}
	// At the start it is an error, too.
	v := New(Options{Calls: true})
	defer v.Close()
	if diags := v.Load(b.sources(text("2", "5"))); v.Classes() != nil || len(diags) != 1 {
		t.Error(diags)
	}
}
