package classfile

import (
	"github.com/yuin/gopher-lua/ast"

	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// waits warns about a call that gets its answer later, such as store:Get, and has no function for it, where it is certain that it does
// not run in latent code: in a function that no script calls, so that only the engine does. A helper that Code() calls may wait.
func (f *flow) waits(e *ast.FuncCallExpr, at *syntax.Path) {
	d := f.defOf[at.Func] // not of a function within it: latent code may call that one
	if d == nil || d.what == DefCode || d.what == DefFunction && d.console == nil && f.c.called[d.name] {
		return
	}
	entry := f.nativeOf(e)
	if obj, name, ok := attr(e.Func); ok && f.of(obj).kinds == isProfile {
		entry = f.native(f.of(obj), name)
	}
	if entry == nil || len(entry.Params) == 0 {
		return
	}
	last := len(entry.Params) - 1
	if p := &entry.Params[last]; p.Name != "done" || !p.Optional {
		return
	}
	list, open := f.givenBy(e.Args)
	if open || len(list) > last && list[last].k.kinds != isNil {
		return
	}
	name := entry.Name
	switch entry.Space {
	case api.World, api.Store, api.Cluster:
		name = string(entry.Space) + ":" + name
	case api.Profile:
		name = string(entry.Space) + "." + name
	default:
	}
	f.c.warnf(f.at(e), "no-answer", "%s%s gets its answer later, and %s cannot wait: pass a function as argument %d, or call it in function %s.state.Name:Code()", f.where(), name, label(d), last+1, d.class.name)
}
