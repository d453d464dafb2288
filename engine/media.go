package engine

import "github.com/tidelock/tidelock/engine/animation"

// SetSounds replaces the sounds of the world, between two ticks.
func (w *World) SetSounds(sounds map[string]Sound) { w.sounds = sounds }

// SetAnimations replaces the animation library of the world, between two ticks. Playing animations continue in
// the new version at the same position; removed ones end. Animations are sent by number, which follows from
// their names, so a ReplicatedMontage gets the number that its animation has now: a server and its clients,
// each with the same two libraries, agree without a message.
func (w *World) SetAnimations(lib *animation.Library) {
	old := w.animations
	if old == lib {
		return
	}
	w.animations = lib
	renumbered := func(number int) int {
		m := old.Numbered(number)
		if m == nil {
			return 0
		}
		if m = lib.Find(m.Name); m == nil {
			return 0
		}
		return m.Number
	}
	w.EachActor(func(a *Actor) {
		s := a.anim
		if s != nil && s.ahead != 0 {
			s.ahead = renumbered(s.ahead)
		}
		a.renumberMontage(renumbered)
		if s == nil {
			return
		}
		if p := &s.montage; p.Playing() {
			if m := lib.Find(p.Montage.Name); m == nil {
				a.endMontage()
			} else {
				base := len(w.cues)
				w.cues = p.Replace(m, w.cues, w.which())
				w.fire(a, base, s.plays, true)
			}
		}
		if p := &s.base; !a.deleted && p.Playing() {
			if m := lib.Find(p.Montage.Name); m == nil {
				a.PlayAnim(nil, 1, false)
			} else {
				base := len(w.cues)
				w.cues = p.Replace(m, w.cues, w.which())
				w.fire(a, base, s.bases, false)
			}
		}
	})
}

// renumberMontage updates ReplicatedMontage to the number that its animation has now.
func (a *Actor) renumberMontage(renumbered func(number int) int) {
	p := a.Class.known[knReplicatedMontage]
	if p == nil || p.Type.Kind != KindStruct {
		return
	}
	for i := range p.Type.Fields {
		if p.Type.Fields[i].Name != "Montage" {
			continue
		}
		v := a.Get(p)
		was := int(v.List[i].Num)
		now := renumbered(was)
		if was == 0 || now == was {
			return
		}
		v.List[i] = Float(float64(now))
		if a.Set(p, v) == nil {
			a.world.Script.Changed(a, p)
		}
		return
	}
}
