package engine

import "fmt"

func (w *World) DebugDiff(o *World) (out []string) {
	sum := func(f func(h *Hash)) uint64 { h := NewHash(); f(h); return h.Sum() }
	if a, b := sum(w.hashNumbers), sum(o.hashNumbers); a != b {
		out = append(out, fmt.Sprint("numbers ", w.free, o.free, w.space.free, o.space.free, len(w.space.actors), len(o.space.actors), w.Game, o.Game, w.GameState, o.GameState, w.nextNum, o.nextNum))
	}
	w.EachActor(func(a *Actor) {
		b := o.Actor(a.id)
		if b == nil {
			out = append(out, a.Name+" missing")
			return
		}
		if sum(a.hash) != sum(b.hash) {
			out = append(out, a.Name+" differs")
			for _, p := range a.Class.Properties {
				if x, y := a.Get(p), b.Get(p); fmt.Sprint(x) != fmt.Sprint(y) {
					out = append(out, fmt.Sprint("   ", p.Name, x, y))
				}
			}
			if sum(a.body.hash) != sum(b.body.hash) {
				out = append(out, fmt.Sprintf("   body %+v\n   %+v", a.body, b.body))
			}
			if sum(a.anim.hash) != sum(b.anim.hash) {
				out = append(out, fmt.Sprintf("   anim %+v\n   %+v", a.anim, b.anim))
			}
		}
	})
	x, y := NewHash(), NewHash()
	w.Script.HashPrivate(x)
	o.Script.HashPrivate(y)
	if x.Sum() != y.Sum() {
		out = append(out, "private")
	}
	return
}
